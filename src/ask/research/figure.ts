/**
 * Numbers that evidence states, with all that says of what they are: whose, of which measure and period, in which unit.
 * Two that are of the same and differ contradict each other. What is not clearly of the same is not compared.
 */
import { readAmount } from '../amount.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { Reader } from '../question.ts';
import { yearsIn } from '../question.ts';
import type { Cell, Row } from '../cells/row.ts';

/** Plain data: it is stored with the step that kept it. */
export interface Figure {
  readonly form: 'row' | 'sentence';
  /** Whose figure it is, in lower case. */
  readonly entity: string;
  /** Name of the figure, as written: measure, and whose. */
  readonly name: string;
  /** Stems of what names the measure, sorted. */
  readonly terms: readonly string[];
  /** The column's words besides its period. */
  readonly column: string;
  /** Stems of the headings it stands under, sorted. */
  readonly heading: string;
  readonly year: number | null;
  /** `quarter` and the like where it is of less than a year. */
  readonly period: string;
  readonly value: number;
  /** Null where nothing says how many it is in. */
  readonly scale: number | null;
  readonly isPercent: boolean;
  readonly currency: string;
  /** Unit, where no currency or scale is written. */
  readonly unit: string;
  readonly decimals: number;
  /** As it stands there. */
  readonly written: string;
  readonly dataset: string;
  readonly docId: string;
  readonly docName: string;
  readonly contentId: string;
  readonly pages: readonly number[];
}

interface FigureRequest {
  /** Null: that of the document. */
  readonly entity: string | null;
  /** None: all. */
  readonly years: readonly number[];
  readonly language: string;
  readonly reader: Reader;
}

export function figuresOf(
  { unit, passage }: Pick<Evidence, 'unit' | 'passage'>,
  request: FigureRequest,
): readonly Figure[] {
  const { entity, years, language, reader } = request;
  const around = {
    entity: (entity ?? `document ${documentKey(passage.docName)}`).toLowerCase(),
    heading: [...new Set(reader.terms(passage.heading ?? '', language))].sort().join(' '),
    dataset: passage.dataset,
    docId: passage.docId,
    docName: passage.docName,
    contentId: passage.contentId,
    pages: passage.pages,
  };
  const termsOf = (text: string): readonly string[] => {
    const own = new Set(reader.terms(entity ?? '', language));
    const all = reader.terms(text, language).filter((term) => !/\d/.test(term) && !own.has(term));
    return [...new Set(all)].sort();
  };
  if (unit.kind === 'sentence') {
    const stated = statedIn(unit.sentence.text);
    const { text } = unit.sentence;
    return stated === null
      ? []
      : [{ ...around, ...stated, form: 'sentence', name: entity ?? passage.docName, terms: termsOf(text) }];
  }
  const { row } = unit;
  const wanted = row.cells.filter(
    ({ year }) => years.length === 0 || (year !== null && years.includes(year)),
  );
  return wanted.flatMap((cell) => {
    const stated = cellFigure(row, cell);
    const name = [row.section, row.label, entity ?? ''].filter((part) => part !== '').join(', ');
    return stated === null ? [] : [{ ...around, ...stated, form: 'row', name, terms: termsOf(nameOf(row)) }];
  });
}

const nameOf = ({ section, label }: Row): string => `${section} ${label}`;

type Stated = Pick<
  Figure,
  | 'column'
  | 'year'
  | 'period'
  | 'value'
  | 'scale'
  | 'isPercent'
  | 'currency'
  | 'unit'
  | 'decimals'
  | 'written'
>;

function cellFigure(row: Row, { amount, column, value, year }: Cell): Stated | null {
  if (amount === null || year === null) return null;
  const words = `${row.unit} ${row.about.slice(-200)} ${column}`;
  return {
    column: columnKey(column),
    year,
    period: periodIn(`${column} ${nameOf(row)}`),
    value: amount.value,
    scale: amount.isPercent ? 1 : amount.power === null ? scaleIn(words) : 10 ** amount.power,
    isPercent: amount.isPercent,
    currency: /\p{Sc}/u.exec(`${value} ${amount.unit ?? ''} ${words}`)?.[0] ?? '',
    unit: '',
    decimals: amount.decimals,
    written: value,
  };
}

const MONTHS = 'january|february|march|april|may|june|july|august|september|october|november|december';
const columnKey = (column: string): string =>
  column
    .replace(new RegExp(String.raw`\b(?:${MONTHS}|fiscal|years?|ended|fy|total)\b|\d+|[^\p{L}]+`, 'giu'), ' ')
    .trim()
    .toLowerCase();

const PERIOD = /\bquarter|\bQ[1-4]\b|\b(?:three|six|nine) months|\bhalf\b|\bmonthly|\bweek/gi;
const periodIn = (text: string): string =>
  [...new Set([...text.matchAll(PERIOD)].map(([found]) => found.toLowerCase()))].sort().join(' ');

const SCALES: readonly (readonly [pattern: RegExp, scale: number])[] = [
  [/\b(?:billions?|bn|milliarden?|mrd)\b/i, 1e9],
  [/\b(?:millions?|mn|mio|millionen)\b|\d\s?m\b|\p{Sc}m\b/iu, 1e6],
  [/\b(?:thousands?|tausend)\b|\d\s?k\b|['’]000/i, 1e3],
];

const scaleIn = (text: string): number | null => SCALES.find(([pattern]) => pattern.test(text))?.[1] ?? null;

/** Words of a change: not the measure itself but by how much it moved. */
const MOVES =
  /\b(?:increas|decreas|grew|grow|fell|fall|rose|rise|declin|higher|lower|more than|less than|compared|versus|stieg|sank|erhöh|steiger)\w*/i;
const NUMBER =
  /(?<![\p{L}\d.,])(?<amount>\p{Sc}?\s?[-−]?\d[\d,]*(?:\.\d+)?)\s*(?<after>%|percent\b|thousand\b|million\b|billion\b|millionen\b|milliarden\b|[mk]\b|bn\b)?\s*(?<unit>\p{L}+)?/giu;

/** Null where it states no number, or several. */
function statedIn(sentence: string): Stated | null {
  if (MOVES.test(sentence)) return null;
  const dates = new RegExp(
    String.raw`\b(?:${MONTHS})\s+\d{1,2}(?:,|\b)|\b\d{1,2}\.?\s+(?:${MONTHS})\b|\b(?:FY\s?)?(?:19|20)\d{2}\b(?!,\d|\.\d)`,
    'gi',
  );
  const plain = sentence.replace(dates, (date) => '\u0001'.repeat(date.length));
  const found = [...plain.matchAll(NUMBER)];
  const [only] = found;
  if (only?.groups === undefined || found.length !== 1) return null;
  const { amount: text = '', after = '', unit = '' } = only.groups;
  const amount = readAmount(text);
  const years = yearsIn(sentence);
  if (amount === null || years.length > 1) return null;
  const isPercent = amount.isPercent || /^(?:%|percent)$/i.test(after);
  const currency = /\p{Sc}/u.exec(text)?.[0] ?? '';
  return {
    column: '',
    year: years[0] ?? null,
    period: periodIn(sentence),
    value: amount.value,
    scale: isPercent ? 1 : (scaleIn(`1 ${after}`) ?? 1),
    isPercent,
    currency,
    unit: currency === '' && after === '' ? unit.toLowerCase() : '',
    decimals: amount.decimals,
    written: `${text.trim()}${after === '' ? '' : after === '%' ? '%' : ` ${after}`}`,
  };
}

/** A document's name without its year, number or kind: reports of one house share it. */
const documentKey = (name: string): string =>
  name
    .replace(/\.\w{1,5}$/, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1 && !/^\d+[kq]?$|^(?:fy)?\d{4}(?:q\d)?$|^v\d+$|^q[1-4]$/.test(word))
    .join(' ');

/** Numbers of headings that differ may still be of one measure where they are near each other. */
const NEAR = 2;
const SENTENCES_ALIKE_MIN = 0.6;
const ROW_SHARE_MIN = 0.5;

/** True when they are of the same, and differ by more than rounding. */
export function contradict(a: Figure, b: Figure): boolean {
  const isOfSame =
    a.entity === b.entity &&
    a.year === b.year &&
    a.period === b.period &&
    a.isPercent === b.isPercent &&
    (a.currency === '' || b.currency === '' || a.currency === b.currency) &&
    (a.dataset !== b.dataset || a.contentId !== b.contentId);
  return isOfSame && isSameMeasure(a, b) && !agree(a, b);
}

function isSameMeasure(a: Figure, b: Figure): boolean {
  if (a.form === 'row' && b.form === 'row') {
    const isSameDocument = a.dataset === b.dataset && a.docId === b.docId;
    const isSameName = a.terms.length > 0 && a.terms.join(' ') === b.terms.join(' ') && a.column === b.column;
    return isSameName && !isSameDocument && (a.heading === b.heading || near(a, b));
  }
  if (a.form === 'sentence' && b.form === 'sentence')
    return a.unit === b.unit && share(a.terms, b.terms) >= SENTENCES_ALIKE_MIN;
  const [row, sentence] = a.form === 'row' ? [a, b] : [b, a];
  const isNamed = row.terms.length > 0 && row.terms.every((term) => sentence.terms.includes(term));
  return isNamed && row.column === '' && row.terms.length >= ROW_SHARE_MIN * sentence.terms.length;
}

/** Share of all words that both have. */
function share(a: readonly string[], b: readonly string[]): number {
  const common = a.filter((term) => b.includes(term)).length;
  return common / Math.max(1, a.length + b.length - common);
}

function near(a: Figure, b: Figure): boolean {
  const ratio = Math.abs(a.value / b.value);
  return ratio > 1 / NEAR && ratio < NEAR && a.scale === b.scale;
}

/** Factors between unknown units: any that makes them agree. */
const FACTORS = [1, 1e3, 1e6, 1e9, 1e-3, 1e-6, 1e-9];

function agree(a: Figure, b: Figure): boolean {
  if (a.scale !== null && b.scale !== null) return within(a, a.scale, b, b.scale);
  return FACTORS.some((factor) => within(a, factor, b, 1));
}

/** Half of the last digit of the coarser one. */
function within(a: Figure, aScale: number, b: Figure, bScale: number): boolean {
  const rounding = Math.max(10 ** -a.decimals * aScale, 10 ** -b.decimals * bScale) / 2;
  return Math.abs(a.value * aScale - b.value * bScale) <= rounding * 1.000_001;
}

/** True when both state the same number of the same. */
export const sameFigure = (a: Figure, b: Figure): boolean =>
  a.form === b.form &&
  a.year === b.year &&
  a.period === b.period &&
  a.column === b.column &&
  a.isPercent === b.isPercent &&
  a.terms.join(' ') === b.terms.join(' ') &&
  (a.entity === b.entity || (a.dataset === b.dataset && a.docId === b.docId)) &&
  agree(a, b);

/** In one order, whichever was found first. */
export function describeContradiction(a: Figure, b: Figure): string {
  const { name, year } = a.form === 'row' ? a : b;
  const stated = [a, b].map((one) => `${one.written} in ${placeOf(one)}`).sort();
  return `${name}${year === null ? '' : `, ${year}`}: ${stated.join(', but ')}`;
}

const placeOf = ({ docName, pages }: Figure): string =>
  pages.length === 0 ? docName : `${docName}, page ${pages[0]}`;
