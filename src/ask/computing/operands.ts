/** The cells that are the operands of a calculation: those that fit its names and years, and no others do. */
import type { Passage } from '../passage.ts';
import { grammarNamed } from '../question/grammar.ts';
import { phrasedAs, textOf } from '../question/phrased.ts';
import type { Question, Reader } from '../question.ts';
import type { Cell, Row } from '../cells/row.ts';
import { WEIGHTS } from '../weights.ts';
import { type Asked, clearerOf } from './clearer.ts';
import { type Found, isNamed, plainWords, QUALIFIERS } from './found-cells.ts';
import {
  fitOf,
  isWhollyNamed,
  nearness,
  sameColumn,
  shares,
  withoutStrength,
  withoutYears,
} from './name-fit.ts';
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

export class OperandFinder {
  readonly #cells: readonly Found[];
  readonly #question: Question;
  readonly #reader: Reader;
  readonly #refusal: Refusal;
  /** Terms that rows of a document are called by. */
  readonly #rowTerms = new Map<string, Set<string>>();
  /** Terms for a mean, and those that name nothing. */
  readonly #mean: ReadonlySet<string>;
  readonly #nameless: ReadonlySet<string>;
  /** Days that cells are of, or whose time ends on them. */
  readonly #days: ReadonlySet<string>;

  constructor({ cells, question, reader, refusal }: CellsRequest) {
    this.#cells = cells;
    this.#question = question;
    this.#reader = reader;
    this.#refusal = refusal;
    const grammar = question.pack === null ? null : grammarNamed(question.pack);
    const termsOf = (tag: 'mean' | 'nameless'): ReadonlySet<string> =>
      new Set(reader.terms((grammar?.words(tag) ?? []).join(' '), question.language));
    this.#mean = termsOf('mean');
    this.#nameless = termsOf('nameless');
    this.#days = new Set(cells.flatMap(({ cell }) => dayOf(cell) ?? []));
    for (const { passage, label } of cells) {
      const known = this.#rowTerms.get(passage.docId) ?? new Set();
      this.#rowTerms.set(passage.docId, known);
      for (const term of label) known.add(term);
    }
  }

  /**
   * In the order of the formula, each one cell, or several of which the mean counts; null where one is missing.
   * `Average inventories` that no table has is the mean of the inventories of years.
   */
  operands(operation: Operation): readonly (readonly Operand[])[] | null {
    const { subjects } = operation;
    const means = subjects.filter((subject) => this.#isOfMeans(subject));
    if (means.length > 0) return means.length === subjects.length ? this.#means(operation) : null;
    return this.#plain(operation)?.map((operand) => [operand]) ?? null;
  }

  #plain({ kind, subjects, years }: Operation): readonly Operand[] | null {
    const [subject = '', other] = subjects;
    if (other !== undefined) return this.#two(subject, other, years.at(-1) ?? null);
    const wanted = kind === 'average' || kind === 'sum' ? years : years.slice(-2);
    if (wanted.length < 2) return years.length === 0 && kind !== 'sum' ? this.#ofRow(kind, subject) : null;
    if (wanted.length !== years.length || wanted.length > OPERANDS_MAX) return null;
    const times = this.#timesOf(wanted);
    return times === null ? null : this.#ofYears(subject, times.toReversed());
  }

  /** The one that is clear alone tells the other, of its table and section. */
  #two(subject: string, other: string, year: number | null): readonly Operand[] | null {
    const time = year === null ? null : this.#timeOf(year);
    const leading = this.#best(subject, time, null);
    const second = this.#best(other, time, leading);
    const first = leading ?? (second === null ? null : this.#best(subject, time, second));
    if (first === null || second === null) return null;
    const isClear = this.#isOf(first, subject, other) && this.#isOf(second, other, subject);
    return isClear ? [first, second] : null;
  }

  /** Means of two subjects, each of its own years or of all, or of one subject in two years: of these and those before. */
  #means({ kind, subjects, years }: Operation): readonly (readonly Operand[])[] | null {
    if (kind === 'average' || kind === 'sum') return null;
    const bare = subjects.map((subject) => this.#withoutMean(subject));
    const [only = '', other] = bare;
    const ofYear = (subject: string, year: number): readonly Operand[] | null =>
      this.#ofYears(subject, [this.#timeOf(year), this.#timeOf(year - 1)]);
    const groups =
      other === undefined
        ? years.length === 2
          ? years.toReversed().map((year) => ofYear(only, year))
          : [null]
        : bare.map((subject) => {
            const [year, ...more] = years;
            if (year === undefined) return this.#ofRow('average', subject);
            return more.length === 0
              ? ofYear(subject, year)
              : this.#ofYears(subject, years.map(this.#timeOf));
          });
    return groups.every((group) => group !== null) ? groups : null;
  }

  #withoutMean(subject: string): string {
    const read = phrasedAs(labelOf(subject, this.#question.pack), this.#question.pack);
    const count = read.grammar?.at('mean', read.tokens, 0) ?? 0;
    return textOf(read, { from: count, to: read.tokens.length });
  }

  /** It is a mean itself, which no cell of the tables is. */
  #isOfMeans(subject: string): boolean {
    const isHeld = ({ label, column, around }: Found): boolean =>
      this.#mean.values().some((term) => label.has(term) || column.has(term) || around.has(term));
    return this.#terms(subject).some((term) => this.#mean.has(term)) && !this.#cells.some(isHeld);
  }

  /** Two days of one year are those; else each year is itself, its day told where cells are of days. Null: no such days. */
  #timesOf(years: readonly number[]): readonly Time[] | null {
    const { days } = this.#question;
    const [first = '', second = ''] = days;
    const isOfOneYear = days.length === 2 && years.length === 2 && yearOf(first) === yearOf(second);
    if (!isOfOneYear || yearOf(first) !== years[1]) return years.map(this.#timeOf);
    return days.every((day) => this.#days.has(day)) ? days.map((day) => ({ year: yearOf(day), day })) : null;
  }

  readonly #timeOf = (year: number): Time => {
    const [day, ...others] = this.#question.days.filter((one) => yearOf(one) === year);
    return { year, day: day !== undefined && others.length === 0 && this.#days.has(day) ? day : null };
  };

  /**
   * True when the operand is what the subject names and the other subject does not: a term that rows of its document
   * are called by is in its own name, and what the subject is about stands somewhere in the tables.
   */
  #isOf({ passage, cell }: Operand, subject: string, other: string): boolean {
    const shared = new Set(this.#terms(other));
    const ownTerms = (text: string): readonly string[] =>
      this.#terms(text).filter((term) => !shared.has(term));
    const found = this.#cells.find((one) => one.cell === cell);
    if (found === undefined) return false;
    const named = found.label.union(found.section).union(found.column);
    const own = isWhollyNamed(found, new Set(this.#terms(subject))) ? named.union(found.whole) : named;
    const beside = this.#cells.filter((found) => found.passage.docId === passage.docId);
    const isMissed = (term: string): boolean => !own.has(term) && beside.some(({ label }) => label.has(term));
    if (ownTerms(subject).some(isMissed)) return false;
    const ofLines = this.#termsOfLines(subject);
    const entity = ownTerms(subject.replace(/^.*\b(?:by|of|for|among)\b/i, '')).filter(
      (term) => !ofLines.has(term),
    );
    const isThere = (term: string): boolean =>
      beside.some(({ label, column, around }) => label.has(term) || column.has(term) || around.has(term));
    return entity.length === 0 || entity.some(isThere);
  }

  /** Terms of other names of lines, which say nothing of whose they are: `SG&A`. */
  #termsOfLines(subject: string): ReadonlySet<string> {
    const { vocabulary, language } = this.#question;
    const aliases = vocabulary.conceptsIn(subject, language).filter(({ isAlias }) => isAlias);
    return new Set(aliases.flatMap(({ said }) => this.#reader.terms(said, language)));
  }

  #terms(subject: string): readonly string[] {
    const [names = new Set<string>()] = this.#namesOf(subject);
    return [...names];
  }

  /** One operand a year, all of one series: a row's cells, or a column's. */
  #ofYears(subject: string, times: readonly Time[]): readonly Operand[] | null {
    const series: (readonly Operand[])[] = [];
    for (const first of this.#fitting(subject, times[0] as Time)) {
      const others = times.slice(1).map((time) => this.#alike(first, time));
      const all = [first, ...others].filter((operand) => operand !== null);
      if (all.length === times.length) series.push(all);
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
      const clearer = this.#clearer(chosen[0] as Operand, other[0] as Operand, { subject, beside: null });
      if (clearer === null) return null;
      if (clearer === other[0]) chosen = other;
    }
    return chosen.some((one) => this.#isDoubtful(one)) ? null : chosen;
  }

  /** The same measure in another year: the same row, else the same column where rows are years. */
  #alike(first: Operand, time: Time): Operand | null {
    const beside = this.#cells.filter(({ passage, cell }) => passage === first.passage && isAt(cell, time));
    const ofRow = beside.filter(({ row }) => row.start === first.row.start);
    const [only, ...others] = ofRow.filter(({ cell }) => isAlike(cell, first.cell));
    const isOnly = only !== undefined && others.length === 0 && this.#isOnly(first);
    const same =
      ofRow.find(({ cell }) => sameColumn(cell.column, first.cell.column)) ??
      (isOnly ? only : undefined) ??
      beside.find(
        ({ row, cell }) =>
          sameColumn(cell.column, first.cell.column) &&
          withoutYears(row.label) === withoutYears(first.row.label),
      );
    return same === undefined ? null : { ...first, passage: same.passage, row: same.row, cell: same.cell };
  }

  /** Its row has no other number like it of its year. */
  #isOnly({ row, cell }: Operand): boolean {
    return row.cells.every((one) => one === cell || one.year !== cell.year || !isAlike(one, cell));
  }

  /** The best first. */
  #fitting(subject: string, time: Time): readonly Operand[] {
    const names = this.#namesOf(subject);
    const fitting = this.#cells.flatMap((found): readonly Operand[] => {
      const { passage, row, cell } = found;
      const fit = isAt(cell, time) && isOfKind(subject, found) ? fitOf(found, this.#held(found, names)) : 0;
      return fit < WEIGHTS.operandFit
        ? []
        : [{ passage, row, cell, fit, ownFit: withoutStrength(fit, found) }];
    });
    return fitting.sort((one, other) => other.fit - one.fit).slice(0, SERIES_COUNT_MAX);
  }

  /** Names without a term that other rows are called by, and this one is not: such a row would be another. */
  #held(found: Found, names: readonly ReadonlySet<string>[]) {
    const { passage, label, qualifiers, column, section, whole } = found;
    const others = this.#rowTerms.get(passage.docId);
    const isHeld = (term: string): boolean =>
      label.has(term) || qualifiers.includes(term) || column.has(term) || section.has(term);
    return names.map((name) => {
      const isOfWhole = isWhollyNamed(found, name);
      const isMissed = (term: string): boolean =>
        !isHeld(term) && !(isOfWhole && whole.has(term)) && others?.has(term) === true;
      return name.values().some(isMissed) ? NO_NAME : name;
    });
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
    const [own = [], ...others] = [label, ...items].map((name) => terms(name).filter(this.#isTelling));
    const qualifiers = plainWords(label).filter((word) => QUALIFIERS.has(word));
    // A name of stop words alone (`Other`) is told by all of them.
    const first = own.length > 0 ? own : terms(label).length > 0 ? [] : plainWords(label);
    return first.length === 0 ? [] : [first, ...others].map((name) => new Set([...name, ...qualifiers]));
  }

  readonly #isTelling = (term: string): boolean =>
    !this.#nameless.has(term) && !/^(?:19|20)\d{2}$/.test(term);

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
    return years.flatMap((year) =>
      year === one.cell.year ? one : (this.#alike(one, { year, day: null }) ?? []),
    );
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
  #best(subject: string, time: Time | null, beside: Operand | null, isAlone = false): Operand | null {
    const names = this.#namesOf(subject);
    const fitting: (Operand & { readonly all: number })[] = [];
    for (const found of this.#cells) {
      const { cell, passage, row } = found;
      if ((time !== null && !isAt(cell, time)) || !isOfKind(subject, found)) continue;
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
      const clearer = this.#clearer(chosen, other, { subject, beside });
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
  #clearer(one: Operand, other: Operand, asked: Omit<Asked, 'question'>): Operand | null {
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
    const clearer = clearerOf(one, other, { ...asked, question: this.#question });
    if (clearer !== null) return clearer;
    return this.#refusal.because(
      `it may be ${one.cell.value} (${one.row.label}) or ${other.cell.value} (${other.row.label})`,
    );
  }
}

const isSame = (one: Operand, other: Operand | undefined): boolean =>
  other !== undefined &&
  (one.cell === other.cell ||
    (one.cell.amount !== null && other.cell.amount !== null && agree(one.cell.amount, other.cell.amount)));

const NO_NAME: ReadonlySet<string> = new Set();

interface Time {
  readonly year: number;
  /** `2023-06-30`; null where any time of the year may be it. */
  readonly day: string | null;
}

const yearOf = (day: string): number => Number(day.slice(0, 4));
const dayOf = ({ period }: Cell): string | null => /\d{4}-\d{2}-\d{2}$/.exec(period ?? '')?.[0] ?? null;

const isAt = (cell: Cell, { year, day }: Time): boolean =>
  cell.year === year && (day === null || dayOf(cell) === day);

const isAlike = (one: Cell, other: Cell): boolean =>
  one.amount !== null &&
  other.amount !== null &&
  one.amount.isPercent === other.amount.isPercent &&
  one.amount.unit === other.amount.unit;
