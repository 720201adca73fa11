/** Tables on a sheet: rows without an empty one between, tables beside each other, titles above them. */
import type { Block } from '../../document.ts';
import { type GivenCell, guessedHeader, TableMaker } from '../table.ts';
import { paragraph } from '../unpaged.ts';
import type { SheetCell, SheetCells } from './sheet-cells.ts';

/** Rows of a sheet by their places, all of their columns or some. */
interface Part {
  readonly rows: readonly number[];
  /** Null: all. */
  readonly columns: ReadonlySet<number> | null;
}

const COLUMNS_APART_MIN = 2;
/** More pieces than these are one table with gaps. */
const PARTS_MAX = 32;

export function sheetTables(sheet: SheetCells, page: number): readonly Block[] {
  const rows = Array.from({ length: sheet.rowCount }, (_, row) => row);
  return groups(sheet, { rows, columns: null }).flatMap((group) =>
    sideBySide(sheet, group).flatMap((part) =>
      groups(sheet, part).flatMap((own) => new SheetTable(sheet, own, page).blocks()),
    ),
  );
}

/** Rows without an empty one between. */
function groups(sheet: SheetCells, { rows, columns }: Part): readonly Part[] {
  const made: { rows: number[]; readonly columns: Part['columns'] }[] = [];
  let last = Number.NaN;
  for (const row of rows) {
    const number = sheet.numberOf(row);
    if (number === last + 1) made.at(-1)?.rows.push(row);
    else made.push({ rows: [row], columns });
    last = number;
  }
  return made;
}

/**
 * Tables beside each other: columns with an empty one between, which stand in other rows for the most part. An empty
 * column within one table only sets its columns apart.
 */
function sideBySide(sheet: SheetCells, group: Part): readonly Part[] {
  const used = new Set<number>();
  for (const row of group.rows) for (const [column] of cellsOf(sheet, group, row)) used.add(column);
  const runs: number[][] = [];
  for (const column of [...used].sort((a, b) => a - b)) {
    const open = runs.at(-1);
    if (open !== undefined && open.at(-1) === column - 1) open.push(column);
    else runs.push([column]);
  }
  const isSplit = runs.length > 1 && runs.length <= PARTS_MAX;
  if (!isSplit || runs.some((run) => run.length < COLUMNS_APART_MIN)) return [group];
  const parts = runs.map((run) => withColumns(sheet, group, new Set(run)));
  const isApart = parts.every((part, i) => parts.every((other, j) => i === j || isBeside(part, other)));
  return isApart ? parts : [group];
}

const withColumns = (sheet: SheetCells, { rows }: Part, columns: ReadonlySet<number>): Part => ({
  rows: rows.filter((row) => !cellsOf(sheet, { rows, columns }, row).next().done),
  columns,
});

/** They begin in other rows, and share at most two of three. */
function isBeside(a: Part, b: Part): boolean {
  const other = new Set(b.rows);
  const common = a.rows.filter((row) => other.has(row)).length;
  return a.rows[0] !== b.rows[0] && common <= (2 / 3) * Math.max(a.rows.length, b.rows.length);
}

/** Column and place of each cell of a row. */
function* cellsOf(
  sheet: SheetCells,
  { columns }: Part,
  row: number,
): Generator<readonly [column: number, cell: number]> {
  const [start, end] = sheet.rangeOf(row);
  for (let cell = start; cell < end; cell++) {
    const column = sheet.columnOf(cell);
    if (columns === null || columns.has(column)) yield [column, cell];
  }
}

/** Rows one after the other. */
class SheetTable {
  readonly #sheet: SheetCells;
  readonly #part: Part;
  readonly #page: number;

  constructor(sheet: SheetCells, part: Part, page: number) {
    this.#sheet = sheet;
    this.#part = part;
    this.#page = page;
  }

  /** Single values above the others are titles; the rest is a table. */
  blocks(): readonly Block[] {
    const { rows } = this.#part;
    const blocks: Block[] = [];
    let from = 0;
    while (from < rows.length && this.#isSingle(from) && !this.#isSingle(from + 1)) {
      blocks.push(paragraph(this.#texts(from), this.#page));
      from++;
    }
    const table = from < rows.length ? this.#table(rows.slice(from)) : null;
    return table === null ? blocks : [...blocks, table];
  }

  #isSingle(at: number): boolean {
    const row = this.#part.rows[at];
    return row !== undefined && [...cellsOf(this.#sheet, this.#part, row)].length === 1;
  }

  #texts(at: number): string {
    const cells = cellsOf(this.#sheet, this.#part, this.#part.rows[at] as number);
    return [...cells].map(([, cell]) => this.#sheet.cell(cell).text).join('');
  }

  #table(rows: readonly number[]): Block | null {
    let [left, right] = [Number.POSITIVE_INFINITY, 0];
    for (const row of rows) {
      for (const [column] of cellsOf(this.#sheet, this.#part, row)) {
        left = Math.min(left, column);
        right = Math.max(right, column);
      }
    }
    const headerRowCount = this.#headerRows(rows, left, right);
    const maker = new TableMaker({ rowCount: rows.length, headerRowCount, caption: null, page: this.#page });
    for (const row of rows) {
      const number = this.#sheet.numberOf(row);
      let next = left;
      for (const [column, cell] of cellsOf(this.#sheet, this.#part, row)) {
        // A merged cell hides what stands beneath it.
        if (column < next) continue;
        const given = this.#given(this.#sheet.cell(cell), number, { column, right });
        maker.cell(column - left, given);
        next = column + given.columnSpan;
      }
      maker.endRow();
    }
    return maker.table();
  }

  #given(
    cell: SheetCell,
    number: number,
    at: { readonly column: number; readonly right: number },
  ): GivenCell {
    const { rows, columns } = this.#sheet.spanAt(number, at.column);
    return { ...cell, rowSpan: rows, columnSpan: Math.min(columns, at.right - at.column + 1) };
  }

  /** The first row as it is shown, places without text too. */
  #headerRows(rows: readonly number[], left: number, right: number): number {
    const [first] = rows;
    if (first === undefined) return 0;
    const number = this.#sheet.numberOf(first);
    const cells = new Map(cellsOf(this.#sheet, this.#part, first));
    const texts: string[] = [];
    for (let column = left; column <= right; column += this.#sheet.spanAt(number, column).columns) {
      const cell = cells.get(column);
      texts.push(cell === undefined ? '' : this.#sheet.cell(cell).text);
    }
    return guessedHeader(rows.length > 1 ? [texts, []] : [texts]);
  }
}
