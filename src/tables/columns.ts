/** Columns of a table: which of them name its rows, and what the header says above each. */
import { wordsPattern } from '../language/questions/words.ts';
import { isOfTime, isQuantity, type ReadCell } from './cell-kinds.ts';
import type { RowsOfCells } from './header-rows.ts';
import { isUnitOnly } from './units.ts';
import type { GridCell, Line } from './table.ts';

const NOTES = wordsPattern((pack) => pack.notes);
/** So many rows tell what a column holds. */
const ROWS_LOOKED_AT_MAX = 400;

/**
 * How many columns at the left name the rows: those of words, and a first one of times. A first one of numbers that
 * words follow is counted among them: numbers of lines.
 */
export function labelColumnCount(rows: RowsOfCells, headerRows: number, columnCount: number): number {
  const kinds = kindsOf(rows, headerRows);
  const isLabel = (column: number): boolean => {
    const { words = 0, times = 0, quantities = 0 } = kinds.get(column) ?? {};
    if (column === 0 && times > 0 && times >= quantities) return true;
    return words > 0 && words >= quantities - times;
  };
  let count = 0;
  if (!isLabel(0) && isLabel(1) && columnCount > 2) count = 1;
  while (count < columnCount && isLabel(count)) count++;
  // A table of words only is named by its first column.
  return count === columnCount ? Math.min(1, count) : count;
}

interface Kinds {
  words: number;
  times: number;
  quantities: number;
}

function kindsOf(rows: RowsOfCells, headerRows: number): ReadonlyMap<number, Kinds> {
  const kinds = new Map<number, Kinds>();
  let looked = 0;
  for (const [row, cells] of rows) {
    if (row < headerRows) continue;
    if (looked++ > ROWS_LOOKED_AT_MAX) break;
    for (const one of cells) {
      const known = kinds.get(one.cell.column) ?? { words: 0, times: 0, quantities: 0 };
      if (one.isTime) known.times++;
      if (isQuantity(one)) known.quantities++;
      else if (!one.isTime) known.words++;
      kinds.set(one.cell.column, known);
    }
  }
  return kinds;
}

/** Names that header cells give each column, from the top; a merged one to all that it is over. */
export function columnLines(
  headers: readonly ReadCell[],
  band: number,
  columnCount: number,
): readonly Line[] {
  const paths = new Map<number, string[]>();
  for (const { cell, columnEnd } of reaching(headers)) {
    for (let column = cell.column; column <= Math.min(columnEnd, columnCount - 1); column++) {
      const path = paths.get(column) ?? [];
      if (path.at(-1) !== cell.text) path.push(cell.text);
      paths.set(column, path);
    }
  }
  return [...paths].sort(([a], [b]) => a - b).map(([index, path]) => ({ index, band, path }));
}

interface Reaching {
  readonly cell: GridCell;
  readonly columnEnd: number;
}

/** The unit that a row of a header says for all columns: it says nothing else. */
export function onlyUnit(row: readonly ReadCell[]): string | null {
  const [one, ...others] = row.filter(({ cell }) => cell.column > 0);
  return one !== undefined && others.length === 0 && isUnitOnly(one.cell.text) ? one.cell.text : null;
}

/** A name above times is of all these up to the next name, though no file says that it is merged. */
function reaching(headers: readonly ReadCell[]): readonly Reaching[] {
  const rows = [...Map.groupBy(headers, ({ cell }) => cell.row)].sort(([a], [b]) => a - b);
  return rows.flatMap(([row, cells]) => {
    if (onlyUnit(cells) !== null) return [];
    const below = rows.filter(([other]) => other > row).flatMap(([, own]) => own);
    return cells.map(({ cell }, i) => {
      const next = cells[i + 1]?.cell.column ?? Number.POSITIVE_INFINITY;
      const isOver = cell.column > 0 && cell.columnEnd === cell.column;
      const under = below.filter((one) => one.cell.column > cell.column && one.cell.column < next);
      const isOfTimes = isOver && under.every(isOfTime);
      const last = isOfTimes
        ? Math.max(cell.column, ...under.map((one) => one.cell.columnEnd))
        : cell.columnEnd;
      return { cell, columnEnd: last };
    });
  });
}

/** Its numbers are those of notes, and tell nothing about amounts. */
export const isOfNotes = ({ path }: Line): boolean => path.length > 0 && NOTES.test(path.at(-1) ?? '');
