/**
 * A measure that a question names, computed from the lines of one document's statements: for the year asked for, and
 * for the years before it where the question is about how it moved. Where a line is missing, nothing is computed.
 */
import { writeAmount } from '../amount.ts';
import type { Draft, Passage } from '../passage.ts';
import { isPartOfYear, type Question } from '../question.ts';
import { evaluate } from '../../language/domains/expression.ts';
import type { ReadPassage } from '../reading.ts';
import { supportOf } from '../statement.ts';
import type { Cell, Row } from '../cells/row.ts';
import { type Measure, measuresIn, type Part } from './measures.ts';
import { scaleOf } from './units.ts';

/** A line that may be a part, by its name. */
interface Line {
  readonly passage: Passage;
  readonly row: Row;
  /** How well its name is that of the part: 0..1. */
  readonly fit: number;
}

interface Term {
  readonly part: Part;
  /** Cells of the year; of the year before too where the mean counts. */
  readonly cells: readonly { readonly line: Line; readonly cell: Cell }[];
}

interface OfYear {
  readonly year: number;
  readonly over: readonly Term[];
  readonly under: readonly Term[];
  readonly value: number;
}

/** Whose lines are tried: documents of the best passages. */
const DOCUMENTS_MAX = 2;
const YEARS_MAX = 3;
/** A line that is less like the name may be something else. */
const FIT_MIN = 0.8;
/** Bonus of a line that stands in a table with other parts. */
const TOGETHER = 0.15;

const MOVED =
  /\b(?:improv\w*|compare[ds]?|chang\w*|increas\w*|decreas\w*|declin\w*|grow\w*|trend\w*|histor\w*|consistent\w*|fluctuat\w*|versus|vs)\b/i;

export function measured(question: Question, passages: readonly ReadPassage[]): Draft | null {
  const measures = measuresIn(question);
  if (measures.length === 0) return null;
  const documents = [
    ...Map.groupBy(passages, ({ passage }) => `${passage.dataset}\n${passage.docId}`).values(),
  ];
  for (const own of documents.slice(0, DOCUMENTS_MAX)) {
    if (own.some((one) => isStated(measures, one, question))) continue;
    for (const measure of measures) {
      const years = yearsOf(measure, own, question);
      if (years.length > 0) return draftOf(measure, years);
    }
  }
  return null;
}

/** Where a table has the measure itself, that is what the document says. */
const isStated = (measures: readonly Measure[], { rows }: ReadPassage, { years }: Question): boolean =>
  rows.some(
    ({ label, cells }) =>
      measures.some((measure) => likeness(wordsOf(label), wordsOf(measure.label)) >= FIT_MIN) &&
      cells.some(({ year, amount }) => amount !== null && (years.length === 0 || years.includes(year ?? 0))),
  );

/** The latest first. */
function yearsOf(measure: Measure, passages: readonly ReadPassage[], question: Question): readonly OfYear[] {
  const parts = [...measure.over, ...measure.under];
  const lines = new Map(parts.map((part) => [part, linesOf(part, passages)]));
  const tables = new Map<Passage, number>();
  for (const passage of new Set([...lines.values()].flat().map((line) => line.passage)))
    tables.set(
      passage,
      parts.filter((part) => lines.get(part)?.some((one) => one.passage === passage)).length,
    );
  const term = (part: Part, year: number): Term | null => termOf(part, lines.get(part) ?? [], tables, year);
  const ofYear = (year: number): OfYear | null => {
    const terms = (of: readonly Part[]): readonly (Term | null)[] =>
      of.map((part) => term(part, year)).filter((one, i) => one !== null || of[i]?.isOptional !== true);
    const [over, under] = [terms(measure.over), terms(measure.under)];
    const isWhole = (of: readonly (Term | null)[]): of is readonly Term[] => !of.includes(null);
    if (!isWhole(over) || !isWhole(under) || !hasOneUnit([...over, ...under])) return null;
    const value = figureOf(measure, [...over, ...under]);
    return value === null ? null : { year, over, under, value };
  };
  const there = [...lines.values()].flat().flatMap(({ row }) => row.cells.map(({ year }) => year ?? 0));
  const known = [...new Set(there)].filter((year) => year > 0).sort((a, b) => b - a);
  const last = question.years.at(-1) ?? known.find((year) => ofYear(year) !== null) ?? 0;
  const isAboutMove = question.years.length > 1 || MOVED.test(question.core);
  const wanted = isAboutMove ? known.filter((year) => year <= last).slice(0, YEARS_MAX) : [last];
  const found = wanted.map(ofYear).filter((one) => one !== null);
  return found[0]?.year === last ? found : [];
}

function linesOf({ names }: Part, passages: readonly ReadPassage[]): readonly Line[] {
  return passages.flatMap(({ passage, rows }) =>
    rows.flatMap((row) => {
      const fit = Math.max(...names.map((name, i) => likeness(wordsOf(row.label), wordsOf(name)) - 0.01 * i));
      const isTax = /\btax\b/i.test(row.section) && !names.some((name) => name.includes('tax'));
      return fit < FIT_MIN || isTax || isElsewhere(passage, row) ? [] : [{ passage, row, fit }];
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
    .map((word) => word.replace(/(?<=[^s])s$/, ''));

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
  if (whole.startsWith(`${part} `)) return Math.max(0, 0.95 - 0.03 * rest);
  return whole.endsWith(` ${part}`) && rest === 1 && label[0] === 'total' ? 0.9 : 0;
}

/** The best of the lines with a value of that year; of those alike the largest, as the whole is more than its parts. */
function termOf(
  wanted: Part,
  lines: readonly Line[],
  tables: ReadonlyMap<Passage, number>,
  year: number,
): Term | null {
  let best: Term | null = null;
  let bestFit = 0;
  for (const line of lines) {
    const cells = cellsOf(line.row, wanted.isAverage ? [year, year - 1] : [year]);
    if (cells === null) continue;
    const together = TOGETHER * (tables.get(line.passage) ?? 0);
    const part = isPartOfYear(cells[0]?.column ?? '') ? PART_OF_YEAR : isOfPart(line.row) ? PART : 0;
    const fit = line.fit + together - part + 0.05 * line.passage.strength;
    const isLarger = best !== null && size(cells) > size(best.cells.map(({ cell }) => cell));
    if (best !== null && (fit < bestFit - ALIKE || (fit <= bestFit + ALIKE && !isLarger))) continue;
    best = { part: wanted, cells: cells.map((cell) => ({ line, cell })) };
    bestFit = Math.max(fit, bestFit);
  }
  return best;
}

/** Penalty of a line that is of a part of the year, or of the company. */
const PART_OF_YEAR = 0.3;
const PART = 0.2;

/** Under a name that is none of a statement's own: a segment, a region, a product. */
const isOfPart = ({ section }: Row): boolean => section !== '' && !OF_STATEMENT.test(section);

const OF_STATEMENT =
  /\b(?:consolidated|total|operat|invest|financ|asset|liabilit|equity|revenue|sales|income|earnings|expense|cost|cash|current|net)/i;

/** Tables of a part of the company or of the year, or of what would have been. */
const isElsewhere = ({ heading }: Passage, { section }: Row): boolean =>
  /\bsegments?\b|\bquarter(?:ly)?\b|\bpro[- ]forma\b|\bgeograph|\bparent company\b/i.test(
    heading?.split(' > ').at(-1) ?? '',
  ) && !/\bconsolidated\b/i.test(section);

/** Fits that differ by less are alike. */
const ALIKE = 0.04;

const size = (cells: readonly Cell[]): number => Math.abs(cells[0]?.amount?.value ?? 0);

/** One a year, the first of each: statements have the longest period first, or only one. Null where one is missing. */
function cellsOf({ cells }: Row, years: readonly number[]): readonly Cell[] | null {
  const found = years.map((year) => cells.find((cell) => cell.year === year && isValue(cell)));
  return found.every((cell) => cell !== undefined) ? found : null;
}

const isValue = ({ amount }: Cell): boolean => amount !== null && !amount.isPercent;

/** Thousands beside millions would make a number of neither. */
function hasOneUnit(terms: readonly Term[]): boolean {
  const units = terms.flatMap(({ cells }) => cells.map(({ line }) => scaleOf(line.row.unit)));
  return new Set(units.filter((unit) => unit !== '')).size <= 1;
}

const amountOf = ({ part, cells }: Term): number => {
  const sum = cells.reduce((total, { cell }) => total + (cell.amount?.value ?? 0), 0) / cells.length;
  return part.isCost ? Math.abs(sum) : sum;
};

/** Null where nothing is divided by. */
const figureOf = ({ formula }: Measure, terms: readonly Term[]): number | null =>
  evaluate(formula, (operand) => {
    const term = terms.find(({ part }) => part.operand === operand);
    return term === undefined ? null : amountOf(term);
  });

/** `Operating margin (computed), Operating income / Net sales: 2022: 20 / 100 = 20 %; 2021: …`. */
function draftOf(measure: Measure, years: readonly OfYear[]): Draft {
  const formulas = years.map((one) => `${one.year}: ${formulaOf(measure, one)}`);
  const label = `${measure.label.charAt(0).toUpperCase()}${measure.label.slice(1)}`;
  const cells = years.flatMap(({ over, under }) => [...over, ...under].flatMap((term) => term.cells));
  const once = [...new Map(cells.map((one) => [one.cell, one])).values()];
  const [first] = years;
  const words = first === undefined ? '' : writtenQuotient(measure, first, (term) => nameOf(term));
  return {
    text: `${label} (computed), ${words}: ${formulas.join('; ')}`.replace(/\s+/g, ' '),
    supports: once.map(({ line, cell }) => supportOf(line.passage, line.row, [cell])),
    score: 0.9,
    isComputed: true,
    sameAs: null,
  };
}

const nameOf = ({ part, cells }: Term): string =>
  `${part.isAverage ? 'average of ' : ''}${cells[0]?.line.row.label ?? ''}`;

function writtenQuotient({ factor }: Measure, { over, under }: OfYear, text: (term: Term) => string): string {
  const isAmount = under.length === 0;
  const quotient = `${sideOf(over, isAmount, text)}${isAmount ? '' : ` / ${sideOf(under, false, text)}`}`;
  return factor === 1 ? quotient : `${writeAmount(factor, 2)} × ${quotient}`;
}

function formulaOf(measure: Measure, one: OfYear): string {
  const { over, under, value } = one;
  const isAmount = under.length === 0;
  const written = measure.isPercent ? `${writeAmount(100 * value, 1)} %` : writeAmount(value, 2);
  const unit = over[0]?.cells[0]?.line.row.unit ?? '';
  return `${writtenQuotient(measure, one, termText)} = ${written}${isAmount && unit !== '' ? ` (${unit})` : ''}`;
}

function sideOf(terms: readonly Term[], isWhole: boolean, text: (term: Term) => string): string {
  const written = terms.map((term, i) => {
    const sign = term.part.isMinus ? ' − ' : i === 0 ? '' : ' + ';
    return `${sign}${text(term)}`;
  });
  return terms.length === 1 || isWhole ? written.join('') : `(${written.join('')})`;
}

function termText({ part, cells }: Term): string {
  const values = cells.map(({ cell }) => {
    const { value = 0, decimals = 0 } = cell.amount ?? {};
    const plain = writeAmount(part.isCost ? Math.abs(value) : value, decimals);
    return plain.startsWith('−') ? `(${plain})` : plain;
  });
  return values.length === 1 ? (values[0] ?? '') : `((${values.join(' + ')}) / ${values.length})`;
}
