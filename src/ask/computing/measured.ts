/**
 * A measure that a question names, computed from the lines of one document's statements: for the year asked for, and
 * for the years before it where the question is about how it moved. Where a line is missing, nothing is computed.
 */
import { writeAmount } from '../amount.ts';
import type { Draft, Passage } from '../passage.ts';
import { wordsPattern } from '../../language/questions/words.ts';
import type { Question } from '../question.ts';
import { evaluate, type Operand, type Role, writeFormula } from '../../language/domains/expression.ts';
import type { ReadPassage } from '../reading.ts';
import { supportOf } from '../statement.ts';
import { WEIGHTS } from '../weights.ts';
import { type Amount, type Cell, type Row, unitWords } from '../cells/row.ts';
import { amountsOf } from './amounts.ts';
import type { KnownTables } from './known-tables.ts';
import { Refusal } from './operands.ts';
import { type Measure, measuresIn, type Part } from './measures.ts';
import { familyOf, isOfScope, isOfTime, yearOfName } from './whose-cells.ts';

/** A line that may be a part, by its name. */
interface Line {
  readonly passage: Passage;
  readonly row: Row;
  /** How well its name is that of the part: 0..1. */
  readonly fit: number;
}

interface LineCell {
  readonly line: Line;
  readonly cell: Cell;
}

interface Term {
  readonly part: Part;
  /** Cells of the year; of the year before too where the mean counts. */
  readonly cells: readonly LineCell[];
  /** In one scale for all terms, costs as what they amount to. */
  readonly amounts: readonly Amount[];
}

interface OfYear {
  readonly year: number;
  readonly terms: readonly Term[];
  readonly value: number;
}

const YEARS_MAX = 3;
/** Years back from the measure's own. */
const YEARS: Readonly<Record<Role, readonly number[]>> = { current: [0], prior: [1], average: [0, 1] };

const MOVED =
  /\b(?:improv\w*|compare[ds]?|chang\w*|increas\w*|decreas\w*|declin\w*|grow\w*|trend\w*|histor\w*|consistent\w*|fluctuat\w*|versus|vs)\b/i;

export interface MeasuredRequest {
  readonly question: Question;
  readonly passages: readonly ReadPassage[];
  readonly tables: KnownTables;
  readonly refusal: Refusal;
}

interface OfDocument {
  readonly passage: Passage;
  readonly measure: Measure;
  readonly years: readonly OfYear[];
}

/** Null where no document has its parts, two of different houses do, or its own lines state it. */
export function measured(request: MeasuredRequest): Draft | null {
  const { question, passages, refusal } = request;
  const measures = measuresIn(question);
  if (measures.length === 0) return null;
  const documents = [
    ...Map.groupBy(passages, ({ passage }) => `${passage.dataset}\n${passage.docId}`).values(),
  ];
  const found: OfDocument[] = [];
  const refused: { readonly passage: Passage; readonly why: string }[] = [];
  for (const own of documents) {
    const passage = own[0]?.passage;
    if (passage === undefined || own.some((one) => isStated(measures, one, question))) continue;
    const ofDocument = new Refusal();
    const made = firstOf(measures, (measure) => yearsOf(measure, own, { ...request, refusal: ofDocument }));
    if (made !== null) found.push({ passage, ...made });
    else if (ofDocument.why !== null) refused.push({ passage, why: ofDocument.why });
  }
  const clear = clearest(found, refusal);
  // A report of the same house that has only quarters says nothing against another's years.
  const against = refused.find(({ passage }) => clear === null || !isOfHouse(passage, clear.passage));
  if (against !== undefined) return refusal.because(against.why);
  return clear === null || refusal.why !== null ? null : draftOf(clear.measure, clear.years, question);
}

/** One name is the other's with more words: `acme 2022`, `acme earnings 2023`. */
function isOfHouse(one: Passage, other: Passage): boolean {
  const [a, b] = [one, other].map((passage) => new Set(familyOf(passage).split(' ')));
  return a !== undefined && b !== undefined && (a.isSubsetOf(b) || b.isSubsetOf(a));
}

/** The first measure that has years, with them. */
function firstOf(
  measures: readonly Measure[],
  yearsFor: (measure: Measure) => readonly OfYear[],
): Omit<OfDocument, 'passage'> | null {
  for (const measure of measures) {
    const years = yearsFor(measure);
    if (years.length > 0) return { measure, years };
  }
  return null;
}

/** That of the latest document of one house; null where two houses differ. */
function clearest(found: readonly OfDocument[], refusal: Refusal): OfDocument | null {
  let [best] = found;
  for (const other of found.slice(1)) {
    if (best === undefined) break;
    const [a, b] = [best.passage, other.passage];
    const values = [best, other].map(({ years }) => writeAmount(years[0]?.value ?? 0, 4));
    const isOfOne = a.dataset === b.dataset && familyOf(a) === familyOf(b);
    if (values[0] === values[1] && isOfOne) continue;
    if (!isOfOne) return refusal.because(`${a.docName} and ${b.docName} both have it: name whose`);
    if (yearOfName(b) > yearOfName(a)) best = other;
  }
  return best ?? null;
}

/** Where a table has the measure itself, that is what the document says. */
const isStated = (measures: readonly Measure[], { rows }: ReadPassage, { years }: Question): boolean =>
  rows.some(
    ({ label, cells }) =>
      measures.some((measure) => likeness(wordsOf(label), wordsOf(measure.label)) >= WEIGHTS.lineFit) &&
      cells.some(({ year, amount }) => amount !== null && (years.length === 0 || years.includes(year ?? 0))),
  );

/** The latest first. */
function yearsOf(
  measure: Measure,
  passages: readonly ReadPassage[],
  request: MeasuredRequest,
): readonly OfYear[] {
  const { question } = request;
  const { parts } = measure;
  const lines = new Map(parts.map((part) => [part, linesOf(part, passages)]));
  const tables = new Map<Passage, number>();
  for (const passage of new Set([...lines.values()].flat().map((line) => line.passage)))
    tables.set(
      passage,
      parts.filter((part) => lines.get(part)?.some((one) => one.passage === passage)).length,
    );
  const choice = new TermChoice(request, tables);
  const term = (part: Part, year: number): Term | null => choice.termOf(part, lines.get(part) ?? [], year);
  const ofYear = (year: number): OfYear | null => {
    const terms = parts
      .map((part) => term(part, year))
      .filter((one, i) => one !== null || parts[i]?.isOptional !== true);
    const scaled = isWhole(terms) ? inOneScale(terms, request) : null;
    const value = scaled === null ? null : figureOf(measure, scaled);
    return scaled === null || value === null ? null : { year, terms: scaled, value };
  };
  const there = [...lines.values()].flat().flatMap(({ row }) => row.cells.map(({ year }) => year ?? 0));
  const known = [...new Set(there)].filter((year) => year > 0).sort((a, b) => b - a);
  const last =
    question.definition?.year ?? question.years.at(-1) ?? known.find((year) => ofYear(year) !== null) ?? 0;
  const isOfOne = question.definition !== null && question.definition.year !== null;
  const isAboutMove = !isOfOne && (question.years.length > 1 || MOVED.test(question.core));
  const wanted = isAboutMove ? known.filter((year) => year <= last).slice(0, YEARS_MAX) : [last];
  const found = wanted.map(ofYear).filter((one) => one !== null);
  return found[0]?.year === last ? found : [];
}

const isWhole = (terms: readonly (Term | null)[]): terms is readonly Term[] => !terms.includes(null);

function linesOf({ names }: Part, passages: readonly ReadPassage[]): readonly Line[] {
  return passages.flatMap(({ passage, rows }) =>
    rows.flatMap((row) => {
      const fit = Math.max(
        ...names.map((name, i) => likeness(wordsOf(row.label), wordsOf(name)) - WEIGHTS.laterName * i),
      );
      const isTax = /\btax\b/i.test(row.section) && !names.some((name) => name.includes('tax'));
      return fit < WEIGHTS.lineFit || isTax ? [] : [{ passage, row, fit }];
    }),
  );
}

const wordsOf = (name: string): readonly string[] =>
  name
    .toLowerCase()
    .replace(/\([^)]*\)/g, ' ')
    .replace(/['’]/g, '')
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '' && !EMPTY.has(word))
    .map(singular);

/** `taxes` and `tax`, `inventories` and `inventory`, `sales` and `sale` are one. */
const singular = (word: string): string =>
  word
    .replace(/(?<=\p{L}{2})ies$/u, 'y')
    .replace(/(?<=(?:x|ch|sh|ss))es$/, '')
    .replace(/(?<=[^s])s$/, '');

const EMPTY: ReadonlySet<string> = new Set(
  'and of the for in by from to a our consolidated company'.split(' '),
);

/** Words that make something else of what they stand with. */
const OTHERS: ReadonlySet<string> = new Set(
  'before per growth excluding adjusted percent change ratio margin turnover pro forma'.split(' '),
);

/** 1 for the same words; less where the label goes on, or has a word before. */
function likeness(label: readonly string[], name: readonly string[]): number {
  const rest = label.length - name.length;
  const [whole, part] = [label.join(' '), name.join(' ')];
  if (whole === part) return 1;
  if (name.length < 2 || rest < 1 || label.some((word) => OTHERS.has(word) && !name.includes(word))) return 0;
  if (whole.startsWith(`${part} `)) return Math.max(0, WEIGHTS.longerName - WEIGHTS.longerByWord * rest);
  return whole.endsWith(` ${part}`) && rest === 1 && label[0] === 'total' ? WEIGHTS.totalName : 0;
}

/** Chooses the line that is a part of a measure. */
class TermChoice {
  readonly #request: MeasuredRequest;
  /** How many of the parts stand in a passage. */
  readonly #tables: ReadonlyMap<Passage, number>;
  readonly #isAsked: (found: { passage: Passage; row: Row; cell: Cell }) => boolean;

  constructor(request: MeasuredRequest, tables: ReadonlyMap<Passage, number>) {
    this.#request = request;
    this.#tables = tables;
    const [ofScope, ofTime] = [isOfScope(request.question), isOfTime(request.question)];
    this.#isAsked = (found) => ofScope(found) && ofTime(found);
  }

  /** The best of the lines with a value of that year; of those alike the largest, as the whole is more than its parts. */
  termOf(part: Part, lines: readonly Line[], year: number): Term | null {
    const { refusal } = this.#request;
    let best: readonly LineCell[] | null = null;
    let bestFit = 0;
    for (const line of lines) {
      const cells = this.#cellsOf(
        line,
        YEARS[part.role].map((back) => year - back),
      );
      if (cells === null) continue;
      const together = WEIGHTS.together * (this.#tables.get(line.passage) ?? 0);
      const strength = WEIGHTS.lineStrength * line.passage.strength;
      const fit = line.fit + together - (isOfPart(line.row) ? WEIGHTS.ofPart : 0) + strength;
      const isLarger = best !== null && size(cells) > size(best);
      if (
        best !== null &&
        (fit < bestFit - WEIGHTS.linesAlike || (fit <= bestFit + WEIGHTS.linesAlike && !isLarger))
      )
        continue;
      best = cells;
      bestFit = Math.max(fit, bestFit);
    }
    const doubtful = best?.find(({ cell }) => cell.amount === null);
    if (doubtful !== undefined)
      return refusal.because(`${doubtful.cell.doubt} (${doubtful.line.row.label}, ${doubtful.cell.column})`);
    return best === null ? this.#elsewhere(lines, year) : { part, cells: best, amounts: [] };
  }

  /** One a year; null where one is missing, or a year has several. */
  #cellsOf(line: Line, years: readonly number[]): readonly LineCell[] | null {
    const { passage, row } = line;
    const found = years.map((year) => {
      const own = row.cells.filter((cell) => cell.year === year && isValue(cell));
      const asked = own.filter((cell) => this.#isAsked({ passage, row, cell }));
      const [first, ...others] = asked;
      const isOne = others.every((cell) => cell.amount?.value === first?.amount?.value);
      return isOne ? first : asked.find(({ column }) => TOTALS.test(column));
    });
    return found.every((cell) => cell !== undefined) ? found.map((cell) => ({ line, cell })) : null;
  }

  /** Says whose it is where it is there of others only. */
  #elsewhere(lines: readonly Line[], year: number): null {
    for (const { passage, row } of lines) {
      const cell = row.cells.find((one) => one.year === year && isValue(one));
      if (cell === undefined || this.#isAsked({ passage, row, cell })) continue;
      const { scope } = cell;
      const what = scope === null || scope === 'consolidated' ? cell.column : scope;
      this.#request.refusal.because(`${row.label} is there only for: ${what}`);
    }
    return null;
  }
}

/** Under a name that is none of a statement's own: a segment, a region, a product. */
const isOfPart = ({ section }: Row): boolean => section !== '' && !OF_STATEMENT.test(section);

const OF_STATEMENT =
  /\b(?:consolidated|total|operat|invest|financ|asset|liabilit|equity|revenue|sales|income|earnings|expense|cost|cash|current|net)/i;

const TOTALS = wordsPattern((pack) => pack.totals);

const size = ([first]: readonly LineCell[]): number => {
  const { value = 0, power } = first?.cell.amount ?? {};
  return Math.abs(value) * 10 ** (power ?? 0);
};

/** Also one that is in doubt. */
const isValue = ({ amount, doubt }: Cell): boolean => (amount === null ? doubt !== null : !amount.isPercent);

/** Null where they are of several units, or a number does not fit its table. */
function inOneScale(terms: readonly Term[], { tables, refusal }: MeasuredRequest): readonly Term[] | null {
  const all = terms.flatMap(({ part, cells }) =>
    cells.map(({ line, cell }) => ({ ...line, cell, ownFit: line.fit, isCost: part.isCost })),
  );
  const amounts = amountsOf(all, tables, refusal);
  if (amounts === null) return null;
  let end = 0;
  return terms.map((term) => {
    const start = end;
    end += term.cells.length;
    return { ...term, amounts: amounts.slice(start, end) };
  });
}

const amountOf = ({ amounts }: Term): number =>
  amounts.reduce((total, { value }) => total + value, 0) / amounts.length;

const termFor = (operand: Operand, terms: readonly Term[]): Term | undefined =>
  terms.find(({ part }) => part.operand === operand);

/** Null where nothing is divided by. */
const figureOf = ({ formula }: Measure, terms: readonly Term[]): number | null =>
  evaluate(formula, (operand) => {
    const term = termFor(operand, terms);
    return term === undefined ? null : amountOf(term);
  });

/** `Operating margin (computed), Operating income / Net sales: 2022: 20 / 100 = 20 %; 2021: …`. */
function draftOf(measure: Measure, years: readonly OfYear[], { operation }: Question): Draft {
  const figures = years.map((one) => `${one.year}: ${figureText(measure, one)}`);
  const label = `${measure.label.charAt(0).toUpperCase()}${measure.label.slice(1)}`;
  const cells = years.flatMap(({ terms }) => terms.flatMap((term) => term.cells));
  const once = [...new Map(cells.map((one) => [one.cell, one])).values()];
  const [first] = years;
  const words = first === undefined ? '' : written(measure, first, nameOf);
  const move = operation?.kind === 'change' ? moveText(measure, years, operation.years) : null;
  const title = move === null ? label : `Change, ${measure.label}`;
  const told = move === null ? figures : [move, ...figures];
  return {
    text: `${title} (computed), ${words}: ${told.join('; ')}`.replace(/\s+/g, ' '),
    supports: once.map(({ line, cell }) => supportOf(line.passage, line.row, [cell])),
    score: 0.9,
    isComputed: true,
    sameAs: null,
  };
}

/** By how much it moved from one year to the other; null where it is not of both. */
function moveText(measure: Measure, years: readonly OfYear[], asked: readonly number[]): string | null {
  const [from, to] = asked.map((year) => years.find((one) => one.year === year));
  if (from === undefined || to === undefined || asked.length !== 2) return null;
  const formula = [to, from].map((one) => `(${written(measure, one, termText)})`).join(' − ');
  const moved = to.value - from.value;
  return `${formula} = ${measure.isPercent ? `${writeAmount(100 * moved, 1)} percentage points` : writeAmount(moved, 2)}`;
}

const nameOf = ({ part, cells }: Term): string => `${NAMED[part.role]}${cells[0]?.line.row.label ?? ''}`;

const NAMED: Readonly<Record<Role, string>> = { current: '', prior: 'prior ', average: 'average of ' };

function written({ formula }: Measure, { terms }: OfYear, text: (term: Term) => string): string {
  const textFor = (operand: Operand): string | null => {
    const term = termFor(operand, terms);
    return term === undefined ? null : text(term);
  };
  return writeFormula(formula, textFor) ?? '';
}

function figureText(measure: Measure, one: OfYear): string {
  const { terms, value } = one;
  const figure = measure.isPercent ? `${writeAmount(100 * value, 1)} %` : writeAmount(value, 2);
  const [first] = terms[0]?.amounts ?? [];
  const unit = first === undefined || !measure.isAmount ? '' : unitWords(first);
  return `${written(measure, one, termText)} = ${figure}${unit === '' ? '' : ` (${unit})`}`;
}

function termText({ amounts }: Term): string {
  const values = amounts.map(({ value, decimals }) => {
    const plain = writeAmount(value, decimals);
    return plain.startsWith('−') ? `(${plain})` : plain;
  });
  return values.length === 1 ? (values[0] ?? '') : `((${values.join(' + ')}) / ${values.length})`;
}
