/** A table as lines that stand by themselves: `[row_1] [Column]=value; [Column]=value`. */
import { type Cell, cellText, type Table } from '../document.ts';

export interface TableRow {
  readonly text: string;
  /** Its range in the table's text. */
  readonly start: number;
  readonly end: number;
}

export function tableRows(table: Table): readonly TableRow[] {
  const names = columnNames(table);
  const rows = Map.groupBy(
    table.cells.filter((cell) => cell.row >= table.headerRowCount),
    (cell) => cell.row,
  );
  return [...rows].map(([row, cells]) => {
    const parts = cells.map((cell) => `[${names[cell.column] ?? ''}]=${oneLine(cellText(table, cell))}`);
    return {
      text: `[row_${row - table.headerRowCount + 1}] ${parts.join('; ')}`,
      start: Math.min(...cells.map(({ start }) => start)),
      end: Math.max(...cells.map(({ end }) => end)),
    };
  });
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Names of the columns: header cells above each, from the top; a column without one has its number. */
function columnNames(table: Table): readonly string[] {
  const headers = table.cells.filter((cell) => cell.row < table.headerRowCount);
  return Array.from({ length: table.columnCount }, (_, column) => {
    const above = headers.filter((cell: Cell) => cell.column <= column && cell.columnEnd >= column);
    const name = above
      .map((cell) => oneLine(cellText(table, cell)))
      .join(' ')
      .trim();
    return name === '' ? `column_${column + 1}` : name;
  });
}
