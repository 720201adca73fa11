/** A table as lines that stand by themselves: `[row_1] [Column]=value; [Column]=value`. */
import { type Cell, cellText, type Table } from '../document.ts';
import { linesOf, type Run } from './runs.ts';

/** Longer ones name nothing. */
const NAME_CHARACTERS_MAX = 2_000;

export interface TableRow {
  readonly text: string;
  /** Its cells alone. */
  readonly values: string;
  /** Its range in the table's text. */
  readonly start: number;
  readonly end: number;
  /** It has a name and no values: of the rows below it. */
  readonly isHeading: boolean;
  /** Where its values stand, at offsets of `text`: a viewer marks one cell, not the table. */
  readonly runs: readonly Run[];
  readonly cells: readonly CellMark[];
}

/** A cell's value in a row's text. */
export interface CellMark {
  /** Place among the table's cells. */
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

interface IndexedCell {
  readonly cell: Cell;
  readonly index: number;
}

/** A row that is longer, with its names, is several: one of ten thousand columns is more than a passage may be. */
const ROW_CHARACTERS_MAX = 20_000;

/** Row by row: a sheet may have a hundred thousand. Parts of a long one begin with its first cell. */
export function* tableRows(table: Table, names: readonly (string | null)[]): Generator<TableRow> {
  let cells: IndexedCell[] = [];
  let length = 0;
  let index = -1;
  for (const cell of table.cells) {
    index++;
    if (cell.row < table.headerRowCount) continue;
    const own = lengthOf(cell) + (names[cell.column]?.length ?? 0);
    const [first] = cells;
    const isNext = first !== undefined && first.cell.row !== cell.row;
    if (first !== undefined && (isNext || length + own > ROW_CHARACTERS_MAX)) {
      yield* rowsOf(table, names, cells);
      cells = isNext || lengthOf(first.cell) > NAME_CHARACTERS_MAX ? [] : [first];
      length = 0;
    }
    cells.push({ cell, index });
    length += own;
  }
  yield* rowsOf(table, names, cells);
}

const lengthOf = ({ start, end }: Cell): number => end - start;

/** A row as it is, but for a text of many pages that stands alone. */
function* rowsOf(
  table: Table,
  names: readonly (string | null)[],
  cells: readonly IndexedCell[],
): Generator<TableRow> {
  const last = cells.at(-1);
  if (last === undefined) return;
  const { start, end } = last.cell;
  if (cells.length > 2 || end - start <= ROW_CHARACTERS_MAX) {
    yield rowOf(table, names, cells);
    return;
  }
  for (let from = start; from < end; from += ROW_CHARACTERS_MAX) {
    const cell = { ...last.cell, start: from, end: Math.min(end, from + ROW_CHARACTERS_MAX) };
    const part = rowOf(table, names, [...cells.slice(0, -1), { cell, index: last.index }]);
    yield { ...part, cells: part.cells.slice(0, -1) };
  }
}

function rowOf(table: Table, names: readonly (string | null)[], cells: readonly IndexedCell[]): TableRow {
  const row = cells[0]?.cell.row ?? 0;
  let text = `[row_${row - table.headerRowCount + 1}]`;
  const runs: Run[] = [];
  const marks: CellMark[] = [];
  for (const [place, { cell, index }] of cells.entries()) {
    text += `${place === 0 ? '' : ';'} [${names[cell.column] ?? `column_${cell.column + 1}`}]=`;
    const written = cellText(table, cell);
    const value = oneLine(written);
    // Only text that stands as it was written has places at the same offsets.
    const lines = value === written ? linesOf(table, cell.start, cell.end) : [];
    for (const run of lines)
      runs.push({ ...run, start: run.start + text.length, end: run.end + text.length });
    marks.push({ index, start: text.length, end: text.length + value.length });
    text += value;
  }
  const start = cells.reduce((least, { cell }) => Math.min(least, cell.start), Infinity);
  const end = cells.reduce((most, { cell }) => Math.max(most, cell.end), 0);
  const values = cells.map(({ cell }) => oneLine(cellText(table, cell))).join(' ');
  const isHeading = cells.length === 1 && cells[0]?.cell.column === 0 && /\p{L}{2}/u.test(values);
  return { text, values, start, end, isHeading, runs, cells: marks };
}

/** Sums end what stands under a heading. */
export const isSum = ({ values }: TableRow): boolean => /^(?:sub-?)?total\b|^net cash\b/i.test(values);

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/**
 * Names of the columns: header cells above each, from the top; null where there are none. Square brackets are those
 * of `[Column]=value`, and none of a name.
 */
export function columnNames(table: Table): readonly (string | null)[] {
  const above = Array.from({ length: table.columnCount }, (): string[] => []);
  for (const cell of table.cells) {
    if (cell.row >= table.headerRowCount) continue;
    const text = oneLine(cellText(table, cell));
    for (let column = cell.column; column <= cell.columnEnd; column++) above[column]?.push(text);
  }
  return above.map((texts) => {
    const name = texts.join(' ').replaceAll('[', '(').replaceAll(']', ')').trim();
    return name === '' ? null : name.slice(0, NAME_CHARACTERS_MAX);
  });
}
