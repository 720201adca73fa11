/**
 * Table rows of a chunk's text (`[row_1] [Column]=value; [Column]=value`) as cells with their places, and what stands
 * around them: unit, section, the names of rows and columns.
 */
import { yearsIn } from './question.ts';
import { type Amount, readAmount } from './amount.ts';

export interface Cell {
  /** Name of its column; empty where the column has only a number. */
  readonly column: string;
  readonly value: string;
  /** Offsets of `[Column]=value` in the text. */
  readonly start: number;
  readonly end: number;
  /** Null where it is no number. */
  readonly amount: Amount | null;
  /** Cells above that name its column, where its name is only a number. */
  readonly headers: readonly { readonly start: number; readonly end: number }[];
  /** Year of its column, else of its row; null where neither names one. */
  readonly year: number | null;
}

export interface Row {
  /** The row's name: its first cells that are no numbers. */
  readonly label: string;
  /** Each of these as written. */
  readonly labels: readonly string[];
  /** The nearest row above that has a name and nothing else. */
  readonly section: string;
  readonly cells: readonly Cell[];
  /** Lines of the same chunk before its table: caption and unit. */
  readonly about: string;
  /** `in millions`, `%`, … as the chunk says it; empty where it does not. */
  readonly unit: string;
  readonly start: number;
  readonly end: number;
}

const LINE = /^\[row_\d+\] (.*)$/gm;
const CELL = /\[([^\]\n]*)\]=/g;
const UNNAMED = /^column_\d+$/;
/** `in millions`, and what of; not what is left out of it (`except per share data`). */
const UNIT =
  /\(?\b(?:(?:U\.?S\.? )?(?:dollars?|euros?|pounds?|amounts?|figures?|numbers?|shares?|data) )?(?:\p{Sc} ?)?(?:are |presented |expressed |stated )*in (thousands|millions|billions)\b(?: of [\p{L}.]+(?: [\p{L}.]+){0,2})?|\p{Sc}\s?(?:in )?(?:’|')?(000|m|million|thousand|billion)\b/iu;

/** Rows counted in something else than the table's unit. */
const NO_UNIT =
  /\bper (?:\w+ )?share\b|\bpercent|%|\bratio\b|\bmargin\b|\b(?:tax|interest|discount) rate\b|\bnumber of (?:employees|stores|shares)\b/i;

export function rowsOf(text: string): readonly Row[] {
  const lines = [...text.matchAll(LINE)];
  const rows = lines.map((line) => {
    const content = line[1] ?? '';
    return rawCells(content, line.index + line[0].length - content.length);
  });
  const reader = new TableReader(text.slice(0, lines[0]?.index).trim(), unitIn(text), labelColumn(rows));
  return lines.flatMap((line, i) => {
    const row = reader.row(rows[i] ?? []);
    return row === null ? [] : [{ ...row, start: line.index, end: line.index + line[0].length }];
  });
}

/** Name of the column that most rows with values begin in. */
function labelColumn(rows: readonly (readonly RawCell[])[]): string {
  const counts = new Map<string, number>();
  for (const [first, ...others] of rows) {
    const hasValues = others.some(({ value }) => readAmount(value) !== null && !isYear(value));
    if (first !== undefined && hasValues) counts.set(first.name, (counts.get(first.name) ?? 0) + 1);
  }
  const [most = ['column_1']] = [...counts].sort(([, a], [, b]) => b - a);
  return most[0];
}

/** `[Column]=value` with its place. */
interface RawCell {
  readonly name: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

function rawCells(line: string, offset: number): readonly RawCell[] {
  const names = [...line.matchAll(CELL)];
  return names.map((name, i) => {
    const from = name.index + name[0].length;
    const value = line
      .slice(from, names[i + 1]?.index)
      .replace(/;\s*$/, '')
      .trimEnd();
    return {
      name: name[1] ?? '',
      value: value.trim(),
      start: offset + name.index,
      end: offset + from + value.length,
    };
  });
}

/** Row by row, in their order: sections and names of columns hold for the rows below. */
class TableReader {
  readonly #about: string;
  readonly #labels: string;
  #unit: string;
  #section = '';
  #hasValues = false;
  /** Cells that name a column, the first one first. */
  #headers = new Map<string, readonly RawCell[]>();

  constructor(about: string, unit: string, labels: string) {
    this.#about = about;
    this.#labels = labels;
    this.#unit = unit;
  }

  /** Null for a row that names what is below it. */
  row(cells: readonly RawCell[]): Omit<Row, 'start' | 'end'> | null {
    if (this.#names(cells)) return null;
    const first = cells.findIndex(
      ({ value }, i) =>
        (readAmount(value) !== null && !(i === 0 && isYear(value))) || (i > 0 && isMark(value)),
    );
    const count = first === -1 ? 1 : first;
    const labels = cells.slice(0, count).filter(({ value }) => value !== '');
    const label = labels.map(({ value }) => value).join(', ');
    const values = cells.slice(count).filter(({ value }) => value !== '');
    if (values.length === 0) {
      this.#begins(label);
      return null;
    }
    this.#hasValues = true;
    const keys = keysOf(cells);
    const [ofLabel = null] = yearsIn(label);
    const section = isWholeTotal(label) ? '' : this.#section;
    const ofSection = yearsIn(section).at(-1) ?? null;
    if (TOTAL.test(label)) this.#section = '';
    return {
      label,
      labels: labels.map(({ value }) => value),
      section,
      about: this.#about,
      unit: NO_UNIT.test(`${label} ${section}`) ? '' : this.#unit,
      cells: values.map((cell) => {
        const headers = this.#headers.get(keys.get(cell) ?? '') ?? [];
        const names = [...(UNNAMED.test(cell.name) ? [] : [cell.name]), ...headers.map(({ value }) => value)];
        const column = names.join(' ');
        const year = yearOf(column) ?? (COMPARES.test(column) ? null : (ofLabel ?? ofSection));
        const { value, start, end } = cell;
        return { column, value, start, end, headers, amount: readAmount(value), year };
      }),
    };
  }

  /** A row with a name only: of what follows, unless it says no more than a unit or a time. */
  #begins(label: string): void {
    const unit = unitIn(label);
    const rest = label.replace(unit, '').replace(/[()\s:]+/g, '');
    if (unit !== '' && rest === '') this.#unit = unit;
    else if (!PERIOD.test(label)) this.#section = label;
  }

  /** True when the row names columns: years and words only, above the values or with years for all. */
  #names(cells: readonly RawCell[]): boolean {
    const isHeading = cells.length === 1 && cells[0]?.name === this.#labels;
    const named = isHeading ? [] : cells.filter(({ name }) => name !== 'column_1');
    const isAll = (test: (value: string) => boolean): boolean =>
      named.length > 0 && named.every(({ value }) => test(value));
    const hasYears = named.some(({ value }) => yearsIn(value).length > 0);
    const isHeader =
      isAll((value) => isYear(value) || readAmount(value) === null) &&
      (hasYears || (!this.#hasValues && named.length > 1));
    if (!isHeader || named.some(({ value }) => value.length > HEADER_CHARACTERS_MAX)) return false;
    if (this.#hasValues) this.#headers = new Map();
    this.#hasValues = false;
    const keys = keysOf(cells);
    for (const cell of named) {
      const key = keys.get(cell) ?? '';
      this.#headers.set(key, [...(this.#headers.get(key) ?? []), cell]);
    }
    return true;
  }
}

const HEADER_CHARACTERS_MAX = 80;
const TOTAL = /^(?:sub-?)?total\b|^net cash\b/i;
/** The columns' years follow. */
const PERIOD =
  /^\(?(?:(?:for|at|as (?:of|at)) )?(?:the )?(?:(?:fiscal|financial|calendar|three|six|nine|twelve|\d{1,2}) )?(?:years?|months?|weeks?|quarters?|periods?)?(?:[- ]end(?:ed|ing)?)?(?: on)?,?\s*(?:(?:january|february|march|april|may|june|july|august|september|october|november|december)\s*\d{0,2})?[,:)]*$/i;

/** A total that says of what needs no name of a part, and is the last of it. */
const isWholeTotal = (label: string): boolean => TOTAL.test(label) && label.split(/\s+/).length > 2;
const COMPARES = /\b(?:over|versus|vs|compared|change|variance|increase)\b/i;

/** A dash or a dagger where a value would be. */
const isMark = (value: string): boolean => value !== '' && !/[\p{L}\p{N}]/u.test(value);

const isYear = (value: string): boolean => /^(?:FY\s?)?(?:19|20)\d{2}$/.test(value);

/** Columns of the same name are told apart by their order. */
function keysOf(cells: readonly RawCell[]): ReadonlyMap<RawCell, string> {
  const counts = new Map<string, number>();
  return new Map(
    cells.map((cell) => {
      const count = counts.get(cell.name) ?? 0;
      counts.set(cell.name, count + 1);
      return [cell, `${cell.name}#${count}`];
    }),
  );
}

/** Null for a column that compares years. */
const yearOf = (column: string): number | null =>
  COMPARES.test(column) ? null : (yearsIn(column).at(-1) ?? null);

function unitIn(text: string): string {
  const [found = ''] = UNIT.exec(text) ?? [];
  return found.replace(/^\(|\)$/g, '').trim();
}
