/** Cells that are selected: a rectangle between the cell that the keys are at and the one where the selection began. */
import type { Column, Json, Row } from '../server/messages.ts';
import { wholeText } from './cell-text.ts';
import type { Cell } from './use-view.ts';

/** Each from the first to beyond the last. */
export interface Range {
  readonly rows: readonly [first: number, end: number];
  readonly columns: readonly [first: number, end: number];
}

const between = (a: number, b: number): readonly [number, number] => [Math.min(a, b), Math.max(a, b) + 1];

export const rangeOf = (a: Cell, b: Cell): Range => ({
  rows: between(a.row, b.row),
  columns: between(a.column, b.column),
});

export const isOneCell = ({ rows, columns }: Range): boolean =>
  rows[1] - rows[0] === 1 && columns[1] - columns[0] === 1;

/** True of a row that several selected cells are in: one alone is where the keys are. */
export const isInRange = (range: Range, row: number): boolean =>
  !isOneCell(range) && row >= range.rows[0] && row < range.rows[1];

/** Columns and rows of a range. @returns null where a row of it is not there. */
export function cellsOf(
  { rows: [first, end], columns: sides }: Range,
  columns: readonly Column[],
  rowAt: (index: number) => Row | undefined,
): { readonly columns: readonly Column[]; readonly rows: readonly Row[] } | null {
  const rows: Row[] = [];
  for (let index = first; index < end; index++) {
    const row = rowAt(index);
    if (row === undefined) return null;
    rows.push(row.slice(...sides));
  }
  return { columns: columns.slice(...sides), rows };
}

const cellText = (value: Json): string => (value === null ? '' : wholeText(value));

/** One value as it is; several as spreadsheets take them: tabs between, quoted where they have tabs or lines. */
export function copiedText(rows: readonly Row[]): string {
  const [first = []] = rows;
  if (rows.length === 1 && first.length === 1) return cellText(first[0] ?? null);
  const quoted = (text: string): string =>
    /[\t\r\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  return rows.map((row) => row.map((value) => quoted(cellText(value))).join('\t')).join('\n');
}
