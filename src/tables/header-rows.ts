/** Which rows name the columns: those that the file marks, what goes on with them, and rows within that begin anew. */
import { isOfTime, isQuantity, type ReadCell } from './cell-kinds.ts';
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
  if (given === 0 && isTitle(rows.get(0) ?? []) && isNaming(rows.get(1) ?? [], true)) count = 2;
  while (count < most && isNaming(rows.get(count) ?? [], count === 0 && given === 0)) count++;
  return Math.min(count, rowCount);
}

/**
 * No column beside the first has a number that is not a time. A row that names itself has times, or one and units.
 * @param isFirst words will do too.
 */
function isNaming(row: readonly ReadCell[], isFirst: boolean): boolean {
  const beside = row.filter(({ cell }) => cell.column > 0);
  if (beside.length === 0 || beside.some(({ cell }) => cell.text.length > NAME_CHARACTERS_MAX)) return false;
  if (hasAmounts(beside)) return false;
  const label = row.find(({ cell }) => cell.column === 0);
  const isLabelled = label !== undefined && !isUnitOnly(label.cell.text) && !label.isTime;
  if (isFirst || !isLabelled) return true;
  const times = beside.filter(isOfTime).length;
  return times > 1 || (times > 0 && beside.every((one) => isOfTime(one) || isUnitOnly(one.cell.text)));
}

/** A name of the whole table, in its corner. */
const isTitle = (row: readonly ReadCell[]): boolean => row.length === 1 && row[0]?.cell.column === 0;

/** Years that are amounts: not all of them look like times. */
const hasAmounts = (cells: readonly ReadCell[]): boolean =>
  cells.some((one) => !isOfTime(one) && isQuantity(one));

/** A row below the first numbers that names the columns anew: times over some of them, no amount, nothing of its own. */
export function isHeaderWithin(row: readonly ReadCell[]): boolean {
  const beside = row.filter(({ cell }) => cell.column > 0);
  if (beside.length < 2 || !beside.some(isOfTime) || hasAmounts(beside)) return false;
  const label = row.find(({ cell }) => cell.column === 0);
  return label === undefined || isUnitOnly(label.cell.text) || label.isTime;
}
