/** Tables in pieces of whole rows, each under the rows that name the columns: what is made of a cell is large. */
import type { Cell, Table } from '../document.ts';

/** A table with fewer cells is one piece. */
const CELLS_AT_ONCE = 50_000;

export interface IndexedCell {
  readonly cell: Cell;
  /** Place among the table's cells. */
  readonly index: number;
}

export interface TablePiece {
  readonly headerRowCount: number;
  /** Those of the header first. */
  readonly cells: readonly IndexedCell[];
}

/** @param headerRows of the table, told when its first piece has been described; null: as the file marks them. */
export function* piecesOf(table: Table, headerRows: () => number | null = () => null): Generator<TablePiece> {
  let headerRowCount = table.headerRowCount;
  let cells: IndexedCell[] = [];
  let header: readonly IndexedCell[] | null = null;
  let index = 0;
  for (const cell of table.cells) {
    const isFull = cells.length >= CELLS_AT_ONCE && cells.at(-1)?.cell.row !== cell.row;
    if (isFull) {
      yield { headerRowCount, cells };
      headerRowCount = headerRows() ?? headerRowCount;
      header ??= cells.filter(({ cell: { row } }) => row < headerRowCount);
      cells = [...header];
    }
    cells.push({ cell, index });
    index++;
  }
  yield { headerRowCount, cells };
}
