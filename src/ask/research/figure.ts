/**
 * Numbers that evidence states, with all that says of what they are: whose, of which measure and period, in which unit.
 * Two that are of the same and differ contradict each other. What is not clearly of the same is not compared.
 */
import { scaleWordsIn } from '../../language/numbers/number-words.ts';
import { PACKS } from '../../language/questions/packs.ts';
import { planningSource } from '../../language/questions/planning/planning-packs.ts';
import { ANY_LANGUAGE, monthSource, wordsPattern, wordsSource } from '../../language/questions/words.ts';
import { readAmount } from '../amount.ts';
import { partsIn } from '../question/periods.ts';
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

const MONTHS = monthSource();
const OF_TIME = wordsSource(PACKS.flatMap(({ years, ended, months }) => [...years, ...ended, ...months]));
const NO_COLUMN = new RegExp(
  String.raw`${OF_TIME}|${planningSource(({ columns }) => columns)}|\d+|[^\p{L}]+`,
  'giu',
);
const columnKey = (column: string): string => column.replace(NO_COLUMN, ' ').trim().toLowerCase();

const WEEKS = wordsPattern(({ weeks }) => weeks);
const periodIn = (text: string): string => {
  const parts = partsIn(text).map(({ unit, number }) => `${unit} ${number ?? ''}`);
  return [...new Set([...parts, ...(WEEKS.test(text) ? ['weeks'] : [])])].sort().join(' ');
};

/** The largest that it names; a letter is one after a number or a currency alone. */
function scaleIn(text: string): number | null {
  const powers = scaleWordsIn(text, ANY_LANGUAGE).flatMap(({ power, isLetter, start }) =>
    power < 3 || (isLetter && !/(?:\d\s?|\p{Sc})$/u.test(text.slice(0, start))) ? [] : [power],
  );
  if (/['’]000/.test(text)) powers.push(3);
  return powers.length === 0 ? null : 10 ** Math.max(...powers);
}

/** Words of a change: not the measure itself but by how much it moved. */
const MOVES = new RegExp(
  planningSource(({ moves }) => moves),
  'iu',
);
const PERCENT = wordsSource(PACKS.flatMap(({ percent }) => percent));
const SCALES = wordsSource(PACKS.flatMap(({ scales }) => Object.keys(scales)));
const NUMBER = new RegExp(
  String.raw`(?<![\p{L}\d.,])(?<amount>\p{Sc}?\s?[\-−]?\d[\d,]*(?:\.\d+)?)\s*(?<after>%|${PERCENT}|${SCALES})?\s*(?<unit>\p{L}+)?`,
  'giu',
);
const IS_PERCENT = new RegExp(`^(?:%|${PERCENT})$`, 'iu');
const DATE = new RegExp(
  String.raw`${MONTHS}\s+\d{1,2}(?:,|\b)|\b\d{1,2}\.?\s+${MONTHS}|\b(?:FY\s?)?(?:19|20)\d{2}\b(?!,\d|\.\d)`,
  'giu',
);

/** Null where it states no number, or several. */
function statedIn(sentence: string): Stated | null {
  if (MOVES.test(sentence)) return null;
  const plain = sentence.replace(DATE, (date) => '\u0001'.repeat(date.length));
  const found = [...plain.matchAll(NUMBER)];
  const [only] = found;
  if (only?.groups === undefined || found.length !== 1) return null;
  const { amount: text = '', after = '', unit = '' } = only.groups;
  const amount = readAmount(text);
  const years = yearsIn(sentence);
  if (amount === null || years.length > 1) return null;
  const isPercent = amount.isPercent || IS_PERCENT.test(after);
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
