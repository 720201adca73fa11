/**
 * Least and greatest value of a segment's column in every run of ZONE_ROWS rows: a scan passes over runs in
 * which nothing can meet its filter. Made when a filter first asks. (Moerkotte, "Small Materialized
 * Aggregates", VLDB 1998; PostgreSQL's BRIN.)
 */
import { typeByOid } from '../../../types/registry.ts';
import type { Zones } from '../../engine.ts';
import { columnVector, type StoredColumn } from './column.ts';

const ZONE_ROWS = 1_024;
const ZONES_PER_TURN = 64;

/** @returns null for columns that are not of numbers. @param pause gives others a turn. */
export async function columnZones(column: StoredColumn, pause: () => Promise<void>): Promise<Zones | null> {
  const kind = typeByOid(column.type).vector;
  if (kind !== 'int32' && kind !== 'int64' && kind !== 'float64') return null;
  const count = Math.ceil(column.rowCount / ZONE_ROWS);
  const least = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  const greatest = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
  for (let zone = 0; zone < count; zone++) {
    const end = Math.min(column.rowCount, (zone + 1) * ZONE_ROWS);
    const vector = columnVector(column, zone * ZONE_ROWS, end);
    for (let row = 0; row < vector.length; row++) {
      if (vector.nulls !== null && vector.nulls[row] === 1) continue;
      // An int64 may be rounded: whoever compares must leave room for equality.
      const value = Number((vector as { values: ArrayLike<number | bigint> } & typeof vector).values[row]);
      if (value < (least[zone] as number)) least[zone] = value;
      if (value > (greatest[zone] as number)) greatest[zone] = value;
      if (Number.isNaN(value)) greatest[zone] = Number.POSITIVE_INFINITY;
    }
    if (zone % ZONES_PER_TURN === 0) await pause();
  }
  return { rows: ZONE_ROWS, least, greatest };
}
