/** Cells of tables that a calculation may take its operands from, and those that fit its names and years. */
import type { Passage } from '../passage.ts';
import { wordsPattern } from '../../language/questions/words.ts';
import type { Question, Reader } from '../question.ts';
import type { ReadPassage } from '../reading.ts';
import type { Cell, Row } from '../cells/row.ts';
import { WEIGHTS } from '../weights.ts';
import { agree, isOfKind } from './units.ts';
import { familyOf, yearOfName } from './whose-cells.ts';
import type { Operation } from '../question/operation.ts';
import { labelOf, withoutOwner } from '../question/subject.ts';

export interface Operand {
  readonly passage: Passage;
  readonly row: Row;
  readonly cell: Cell;
  /** How well its names fit: 0..1. */
  readonly fit: number;
  /** The same, whatever a search holds of its passage. */
  readonly ownFit: number;
  /** It is known to be a cost. */
  readonly isCost?: boolean;
}

/** A cell with the terms by which it is called. */
export interface Found {
  readonly passage: Passage;
  readonly row: Row;
  readonly cell: Cell;
  readonly label: ReadonlySet<string>;
  readonly column: ReadonlySet<string>;
  /** Stop words of its label that make another line of it: `other`. */
  readonly qualifiers: readonly string[];
  /** Terms of its section, and of what stands above the table. */
  readonly section: ReadonlySet<string>;
  readonly around: ReadonlySet<string>;
}

const OPERANDS_MAX = 8;
/** Rows that fit and are looked at for all their years. */
const SERIES_COUNT_MAX = 20;

/** Keeps why nothing is computed: the first reason counts. */
export class Refusal {
  #why: string | null = null;

  get why(): string | null {
    return this.#why;
  }

  /** @returns null, for who gives nothing then. */
  because(why: string): null {
    this.#why ??= why;
    return null;
  }
}

export interface CellsRequest {
  readonly question: Question;
  readonly cells: readonly Found[];
  readonly reader: Reader;
  readonly refusal: Refusal;
}

/** Cells with a number, and those of which it is in doubt. */
export function cellsOf(
  { passage, rows }: ReadPassage,
  question: Question,
  reader: Reader,
): readonly Found[] {
  const terms = (text: string): ReadonlySet<string> => new Set(reader.terms(text, question.language));
  return rows.flatMap((row) => {
    const stems = terms(row.label);
    const label = stems.size > 0 ? stems : new Set(plainWords(row.label));
    const qualifiers = plainWords(row.label).filter((word) => QUALIFIERS.has(word));
    const section = terms(row.section);
    const around = terms(`${row.section} ${row.about} ${passage.heading ?? ''}`);
    return row.cells.flatMap((cell) =>
      (cell.amount === null && cell.doubt === null) || isYearItself(cell)
        ? []
        : [{ passage, row, cell, label, section, around, qualifiers, column: terms(cell.column) }],
    );
  });
}

/** `2029` under `Year of expiration` is a time, and no amount. */
const isYearItself = ({ column, value }: Cell): boolean =>
  /^(?:19|20)\d{2}$/.test(value) && /\b(?:year|expir|matur)/i.test(column);

/** True when a row or a column has one of the terms in its name. */
export const isNamed = (cells: readonly Found[], terms: readonly string[]): boolean =>
  cells.some(({ label, column }) => terms.some((term) => label.has(term) || column.has(term)));

export class OperandFinder {
  readonly #cells: readonly Found[];
  readonly #question: Question;
  readonly #reader: Reader;
  readonly #refusal: Refusal;
  /** Terms that rows of a document are called by. */
  readonly #rowTerms = new Map<string, Set<string>>();

  constructor({ cells, question, reader, refusal }: CellsRequest) {
    this.#cells = cells;
    this.#question = question;
    this.#reader = reader;
    this.#refusal = refusal;
    for (const { passage, label } of cells) {
      const known = this.#rowTerms.get(passage.docId) ?? new Set();
      this.#rowTerms.set(passage.docId, known);
      for (const term of label) known.add(term);
    }
  }

  /** In the order of the formula; null where one is missing. */
  operands({ kind, subjects, years }: Operation): readonly Operand[] | null {
    const [subject = '', other] = subjects;
    if (subjects.some((one) => this.#isOfMeans(one))) return null;
    if (other !== undefined) {
      const [year = null] = years.slice(-1);
      const first = this.#best(subject, year, null);
      const second = first === null ? null : this.#best(other, year, first);
      if (first === null || second === null) return null;
      const isClear = this.#isOf(first, subject, other) && this.#isOf(second, other, subject);
      return isClear ? [first, second] : null;
    }
    const wanted = kind === 'average' || kind === 'sum' ? years : years.slice(-2);
    if (wanted.length < 2) return years.length === 0 && kind !== 'sum' ? this.#ofRow(kind, subject) : null;
    if (wanted.length !== years.length || wanted.length > OPERANDS_MAX) return null;
    return this.#ofYears(subject, wanted.toReversed());
  }

  /** It is a mean itself, which no cell of the tables is. */
  #isOfMeans(subject: string): boolean {
    const isHeld = ({ label, column, around }: Found): boolean =>
      label.has(MEAN) || column.has(MEAN) || around.has(MEAN);
    return this.#terms(subject).includes(MEAN) && !this.#cells.some(isHeld);
  }

  /**
   * True when the operand is what the subject names and the other subject does not: a term that rows of its document
   * are called by is in its own name, and what the subject is about stands somewhere in the tables.
   */
  #isOf({ passage, row, cell }: Operand, subject: string, other: string): boolean {
    const shared = new Set(this.#terms(other));
    const ownTerms = (text: string): readonly string[] =>
      this.#terms(text).filter((term) => !shared.has(term));
    const names = [row.label, row.section, cell.column].join(' ');
    const own = new Set(this.#reader.terms(names, this.#question.language));
    const beside = this.#cells.filter((found) => found.passage.docId === passage.docId);
    const isMissed = (term: string): boolean => !own.has(term) && beside.some(({ label }) => label.has(term));
    if (ownTerms(subject).some(isMissed)) return false;
    const entity = ownTerms(subject.replace(/^.*\b(?:by|of|for|among)\b/i, ''));
    const isThere = (term: string): boolean =>
      beside.some(({ label, column, around }) => label.has(term) || column.has(term) || around.has(term));
    return entity.length === 0 || entity.some(isThere);
  }

  #terms(subject: string): readonly string[] {
    const [names = new Set<string>()] = this.#namesOf(subject);
    return [...names];
  }

  /** One operand a year, all of one series: a row's cells, or a column's. */
  #ofYears(subject: string, years: readonly number[]): readonly Operand[] | null {
    const series: (readonly Operand[])[] = [];
    for (const first of this.#fitting(subject, years[0] as number)) {
      const others = years.slice(1).map((year) => this.#alike(first, year));
      const all = [first, ...others].filter((operand) => operand !== null);
      if (all.length === years.length) series.push(all);
    }
    const [best, ...others] = series;
    const [top] = best ?? [];
    if (best === undefined || top === undefined) return null;
    let chosen = best;
    for (const other of others) {
      if (
        (other[0] as Operand).ownFit <= top.ownFit - WEIGHTS.operandsAlike ||
        other.every((one, i) => isSame(one, best[i]))
      )
        continue;
      const clearer = this.#clearer(chosen[0] as Operand, other[0] as Operand);
      if (clearer === null) return null;
      if (clearer === other[0]) chosen = other;
    }
    return chosen.some((one) => this.#isDoubtful(one)) ? null : chosen;
  }

  /** The same measure in another year: the same row, else the same column where rows are years. */
  #alike(first: Operand, year: number): Operand | null {
    let best: Operand | null = null;
    for (const { passage, row, cell } of this.#cells) {
      if (cell.year !== year || passage !== first.passage || !sameColumn(cell.column, first.cell.column))
        continue;
      const isSameRow = row.start === first.row.start;
      const isSameName = withoutYears(row.label) === withoutYears(first.row.label);
      if (!isSameRow && !isSameName) continue;
      if (best === null || isSameRow) best = { ...first, passage, row, cell };
      if (isSameRow) break;
    }
    return best;
  }

  /** The best first. */
  #fitting(subject: string, year: number): readonly Operand[] {
    const names = this.#namesOf(subject);
    const fitting = this.#cells.flatMap((found): readonly Operand[] => {
      const { passage, row, cell } = found;
      const fit = cell.year === year && isOfKind(subject, found) ? fitOf(found, this.#held(found, names)) : 0;
      return fit < WEIGHTS.operandFit
        ? []
        : [{ passage, row, cell, fit, ownFit: withoutStrength(fit, found) }];
    });
    return fitting.sort((one, other) => other.fit - one.fit).slice(0, SERIES_COUNT_MAX);
  }

  /** Names without a term that other rows are called by, and this one is not: such a row would be another. */
  #held({ passage, label, column, section }: Found, names: readonly ReadonlySet<string>[]) {
    const others = this.#rowTerms.get(passage.docId);
    const isMissed = (term: string): boolean =>
      !label.has(term) && !column.has(term) && !section.has(term) && others?.has(term) === true;
    return names.map((name) => (name.values().some(isMissed) ? NO_NAME : name));
  }

  /** The subject's own, then those of line items that it is another name of. */
  #namesOf(subject: string): readonly ReadonlySet<string>[] {
    const terms = (text: string): readonly string[] => this.#reader.terms(text, this.#question.language);
    const label = withoutOwner(labelOf(subject, this.#question.pack), (owner) =>
      isNamed(this.#cells, terms(owner)),
    );
    const { vocabulary, language } = this.#question;
    const concepts = vocabulary.conceptsIn(label, language);
    const items = concepts.flatMap(({ isAlias, items: others, start, end }) =>
      isAlias ? others.map((item) => `${label.slice(0, start)} ${item} ${label.slice(end)}`) : [],
    );
    const [own = [], ...others] = [label, ...items].map((name) => terms(name).filter(isTelling));
    const qualifiers = plainWords(label).filter((word) => QUALIFIERS.has(word));
    // A name of stop words alone (`Other`) is told by all of them.
    const first = own.length > 0 ? own : terms(label).length > 0 ? [] : plainWords(label);
    return first.length === 0 ? [] : [first, ...others].map((name) => new Set([...name, ...qualifiers]));
  }

  /** All years of the row, where the question names none. */
  #ofRow(kind: Operation['kind'], subject: string): readonly Operand[] | null {
    const operands = this.#yearsOfRow(this.#best(subject, null, null, true));
    return kind === 'average' || operands?.length === 2 ? operands : null;
  }

  /** All years of what fits best, in their order: of its row, else of its column where rows are years. */
  series(subject: string): readonly Operand[] | null {
    const one = this.#best(subject, null, null, true);
    const ofRow = this.#yearsOfRow(one);
    if (one === null || (ofRow !== null && ofRow.length > 1)) return ofRow?.toReversed() ?? null;
    const years = [...new Set(this.#cells.flatMap(({ cell }) => cell.year ?? []))].sort((a, b) => a - b);
    return years.flatMap((year) => (year === one.cell.year ? one : (this.#alike(one, year) ?? [])));
  }

  /** The latest first; null where a year has several values. */
  #yearsOfRow(one: Operand | null): readonly Operand[] | null {
    if (one === null) return null;
    const cells = one.row.cells.filter(
      ({ amount, year }) =>
        amount !== null && year !== null && amount.isPercent === one.cell.amount?.isPercent,
    );
    const operands = cells.map((cell) => ({ ...one, cell }));
    operands.sort((a, b) => (b.cell.year ?? 0) - (a.cell.year ?? 0));
    return new Set(operands.map(({ cell }) => cell.year)).size === operands.length ? operands : null;
  }

  /**
   * Null where none fits, or several fit alike and say different amounts.
   * @param beside an operand of the same formula: the same table is preferred, and the same row or column.
   * @param isAlone no other operand shares the subject's words.
   */
  #best(subject: string, year: number | null, beside: Operand | null, isAlone = false): Operand | null {
    const names = this.#namesOf(subject);
    const fitting: (Operand & { readonly all: number })[] = [];
    for (const found of this.#cells) {
      const { cell, passage, row } = found;
      if ((year !== null && cell.year !== year) || !isOfKind(subject, found)) continue;
      const isBeside = beside !== null && row.start === beside.row.start && passage === beside.passage;
      if (isBeside && !names.some((name) => shares(name, found.column))) continue;
      const own = fitOf(found, isAlone ? this.#held(found, names) : names);
      const fit = own + nearness(found, beside);
      // That it stands near makes it none of another name.
      if (Math.min(own, fit) >= WEIGHTS.operandFit)
        fitting.push({ passage, row, cell, fit, all: fit, ownFit: withoutStrength(fit, found) });
    }
    fitting.sort((one, other) => other.all - one.all);
    const [top, ...others] = fitting;
    if (top === undefined) return null;
    let chosen: Operand = top;
    for (const other of others) {
      if (
        other.ownFit <= top.ownFit - WEIGHTS.operandsAlike ||
        other.cell.year !== top.cell.year ||
        isSame(chosen, other)
      )
        continue;
      const clearer = this.#clearer(chosen, other);
      if (clearer === null) return null;
      chosen = clearer;
    }
    return this.#isDoubtful(chosen) ? null : chosen;
  }

  #isDoubtful({ row, cell }: Operand): boolean {
    if (cell.amount !== null) return false;
    this.#refusal.because(
      `${cell.doubt} (${[row.label, cell.column].filter((part) => part !== '').join(', ')})`,
    );
    return true;
  }

  /** The one that is meant of two that are called alike and differ; null where either may be. */
  #clearer(one: Operand, other: Operand): Operand | null {
    const [a, b] = [one.passage, other.passage];
    if (a.dataset !== b.dataset || a.docId !== b.docId) {
      const years = [yearOfName(a), yearOfName(b)] as const;
      if (a.dataset === b.dataset && familyOf(a) === familyOf(b) && years[0] !== years[1])
        return years[0] > years[1] ? one : other;
      return this.#refusal.because(
        `${one.row.label} is ${one.cell.value} in ${a.docName} and ${other.cell.value} in ${b.docName}`,
      );
    }
    const scopes = [one.cell.scope, other.cell.scope];
    if (scopes[0] !== scopes[1])
      return scopes[0] === 'consolidated' ? one : scopes[1] === 'consolidated' ? other : null;
    if (one.row.table === other.row.table && a === b) {
      const isWhole = [one, other].map(({ row, cell }) =>
        row === one.row && row === other.row ? isTotal(cell.column) : row.section === '',
      );
      if (isWhole[0] !== isWhole[1]) return isWhole[0] === true ? one : other;
    }
    return this.#refusal.because(
      `it may be ${one.cell.value} (${one.row.label}) or ${other.cell.value} (${other.row.label})`,
    );
  }
}

const TOTALS = wordsPattern((pack) => pack.totals);
const isTotal = (column: string): boolean => TOTALS.test(column);

const isSame = (one: Operand, other: Operand | undefined): boolean =>
  other !== undefined &&
  (one.cell === other.cell ||
    (one.cell.amount !== null && other.cell.amount !== null && agree(one.cell.amount, other.cell.amount)));

const isTelling = (term: string): boolean => !EMPTY.has(term) && !/^(?:19|20)\d{2}$/.test(term);

const plainWords = (text: string): readonly string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];

const MEAN = 'averag';
const NO_NAME: ReadonlySet<string> = new Set();
const EMPTY = new Set('amount valu compani firm group number respect year'.split(' '));

const shares = (name: ReadonlySet<string>, column: ReadonlySet<string>): boolean =>
  [...column].some((term) => name.has(term));

/** Fit of the name that fits best; the subject's own counts a little more than others. */
function fitOf(found: Found, names: readonly ReadonlySet<string>[]): number {
  const fits = names.map((name, i) => nameFit(found, name) - (i === 0 ? 0 : WEIGHTS.otherName));
  return Math.max(0, ...fits) + WEIGHTS.operandStrength * found.passage.strength;
}

const withoutStrength = (fit: number, { passage }: Found): number =>
  fit - WEIGHTS.operandStrength * passage.strength;

/** Stems of words that make another line of one with the same words; what fit is left to such. */
const QUALIFIERS: ReadonlySet<string> = new Set(['current', 'noncurr', 'defer', 'accumul', 'other']);

/** Share of the wanted terms that its names hold, and of its row's name that is wanted. */
function nameFit({ label, column, section, around, qualifiers }: Found, wanted: ReadonlySet<string>): number {
  if (wanted.size === 0) return 0;
  let held = 0;
  for (const term of wanted)
    held +=
      label.has(term) || qualifiers.includes(term)
        ? 1
        : column.has(term)
          ? WEIGHTS.operandColumn
          : around.has(term)
            ? WEIGHTS.operandAround
            : 0;
  const recall = held / wanted.size;
  const own = [...label].filter((term) => !/^\d+$/.test(term));
  const known = own.filter((term) => wanted.has(term)).length;
  const precision = own.length === 0 ? WEIGHTS.nameless : known / own.length;
  const sectioned =
    section.size === 0 ? 0 : [...section].filter((term) => wanted.has(term)).length / section.size;
  const isOther = [...own, ...qualifiers].some((term) => QUALIFIERS.has(term) && !wanted.has(term));
  const fit = recall * (1 - WEIGHTS.operandPrecision * (1 - precision));
  return (isOther ? WEIGHTS.otherLine : 1) * fit + WEIGHTS.operandSection * sectioned;
}

function nearness({ passage, row, cell }: Found, beside: Operand | null): number {
  if (beside === null) return 0;
  let near = 0;
  if (passage === beside.passage) near += WEIGHTS.nearPassage;
  if (row.label === beside.row.label && row.section === beside.row.section) near += WEIGHTS.nearRow;
  if (cell.amount?.isPercent !== beside.cell.amount?.isPercent) near -= WEIGHTS.otherUnit;
  if (sameColumn(cell.column, beside.cell.column)) near += WEIGHTS.nearColumn;
  return near;
}

const withoutYears = (text: string): string => text.replace(/\d+|\W+/g, '').toLowerCase();

/** But for the period, and for what stands once above several columns. */
const sameColumn = (a: string, b: string): boolean => {
  const [one, other] = [withoutPeriod(a), withoutPeriod(b)];
  return one === other || one.endsWith(other) || other.endsWith(one);
};

const withoutPeriod = (column: string): string =>
  column
    .replace(
      /\b(?:restated|as adjusted|january|february|march|april|may|june|july|august|september|october|november|december|fiscal|years?|ended|weeks?)\b|\d+|\W+/gi,
      '',
    )
    .toLowerCase();
