/** A made table as the grid that any file's reader gives, described, with what came of each cell. */
import { describeTable, evidenceIn } from '../../src/tables/describe.ts';
import type { DescribedCell, Grid } from '../../src/tables/table.ts';
import type { MadeTable } from './made-table.ts';

export interface ShownCell extends DescribedCell {
  readonly rowPath: string;
  readonly columnPath: string;
}

export const gridOf = (rows: readonly (readonly string[])[], given: Partial<Grid> = {}): Grid => ({
  rowCount: rows.length,
  columnCount: Math.max(...rows.map(({ length }) => length)),
  headerRowCount: 1,
  cells: rows.flatMap((texts, row) =>
    texts.flatMap((text, column) =>
      text === '' ? [] : [{ row, column, rowEnd: row, columnEnd: column, text }],
    ),
  ),
  caption: null,
  unit: null,
  headings: [],
  ...given,
});

/** By `row column`. @param language of the document; null where it is not known. */
export function shownCells(grid: Grid, language: string | null): ReadonlyMap<string, ShownCell> {
  const table = describeTable(grid, { evidence: evidenceIn(grid), language: () => language });
  const rows = new Map(table.rows.map((line) => [line.index, line.path.join(' > ')]));
  const columns = new Map(
    table.columns.map(({ band, index, path }) => [`${band} ${index}`, path.join(' > ')]),
  );
  return new Map(
    table.cells.map((cell) => [
      `${cell.row} ${cell.column}`,
      {
        ...cell,
        rowPath: rows.get(cell.row) ?? '',
        columnPath: columns.get(`${cell.band} ${cell.column}`) ?? '',
      },
    ]),
  );
}

export const readMade = (made: MadeTable): ReadonlyMap<string, ShownCell> =>
  shownCells(gridOf(made.rows, { headerRowCount: made.headerRows, unit: made.unit }), made.style.language);
