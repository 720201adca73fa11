/** Which rows name the columns: those that the file marks, what goes on with them, and rows within that begin anew. */
import { isQuantity, type ReadCell } from './cell-kinds.ts';
import type { Grid } from './table.ts';
import { isUnitOnly } from './units.ts';

/** More rows of names are none. */
const HEADER_ROWS_MAX = 8;
/** Longer ones are what a table says. */
const NAME_CHARACTERS_MAX = 120;

/** Rows with text, by their number. */
export type RowsOfCells = ReadonlyMap<number, readonly ReadCell[]>;

/** Rows at the top. What the file marks is believed; rows of times and units below go on with it. */
export function headerRowCount({ headerRowCount: given, rowCount }: Grid, rows: RowsOfCells): number {
  let count = given;
  const most = Math.min(HEADER_ROWS_MAX, rowCount - 1);
  while (count < most && isNaming(rows.get(count) ?? [], count === 0 && given === 0)) count++;
  return Math.min(count, rowCount);
}

/**
 * Columns beside the first have times or units only. @param isFirst words will do too, where every row below has numbers.
 */
function isNaming(row: readonly ReadCell[], isFirst: boolean): boolean {
  const beside = row.filter(({ cell }) => cell.column > 0);
  if (beside.length === 0 || beside.some(({ cell }) => cell.text.length > NAME_CHARACTERS_MAX)) return false;
  const label = row.find(({ cell }) => cell.column === 0);
  const isLabelled = label !== undefined && !isUnitOnly(label.cell.text) && !label.isTime;
  const times = beside.filter((one) => one.isTime).length;
  const units = beside.filter((one) => !one.isTime && isUnitOnly(one.cell.text)).length;
  if (isFirst) return beside.every((one) => one.isTime || !isQuantity(one));
  return times + units === beside.length && (!isLabelled || times > 0) && !hasAmounts(beside);
}

/** Years that are amounts: not all of them look like times. */
const hasAmounts = (cells: readonly ReadCell[]): boolean =>
  cells.some((one) => !one.isTime && isQuantity(one));

/** A row below the first numbers that names the columns anew: times over all of them, nothing else but a unit. */
export function isHeaderWithin(row: readonly ReadCell[]): boolean {
  const beside = row.filter(({ cell }) => cell.column > 0);
  if (beside.length < 2 || !beside.every((one) => one.isTime)) return false;
  const label = row.find(({ cell }) => cell.column === 0);
  return label === undefined || isUnitOnly(label.cell.text) || label.isTime;
}
