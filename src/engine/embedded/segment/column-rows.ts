/** A stored column as search structures read it where they have nothing of their own. */
import type { ColumnRows } from '../../../index/structure.ts';
import { columnVector, type StoredColumn } from './column.ts';
import { convertVector } from './convert.ts';

/** @param type the catalog's; values written as another one are converted. */
export function columnRows(column: StoredColumn, type: number): ColumnRows {
  const read = (row: number) => convertVector(columnVector(column, row, row + 1), column.type, type).get(0);
  return {
    rowCount: column.rowCount,
    isNull: (row) => column.nulls?.[row] === 1 || (column.type !== type && read(row) === null),
    value: read,
  };
}
