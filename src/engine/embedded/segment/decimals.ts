/** A segment's column of numerics as doubles, made when the column is brought into memory. */
import type { Decimals } from '../../../types/column/object-vector.ts';
import { columnDecimals, type StoredColumn } from './column.ts';

const ROWS_PER_TURN = 16_384;

/** @returns null when scales differ or a value has too many digits. @param pause gives others a turn. */
export async function decimalColumn(
  column: StoredColumn,
  pause: () => Promise<void>,
): Promise<Decimals | null> {
  const { rowCount } = column;
  const units = new Float64Array(rowCount);
  let scale = 0;
  for (let row = 0; row < rowCount; row += ROWS_PER_TURN) {
    const piece = columnDecimals(column, row, Math.min(rowCount, row + ROWS_PER_TURN));
    if (piece === null || (row > 0 && piece.scale !== scale)) return null;
    scale = piece.scale;
    units.set(piece.units, row);
    await pause();
  }
  return { units, scale };
}
