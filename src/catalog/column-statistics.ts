/** Statistics of a column's values from ANALYZE, as PostgreSQL's pg_stats has them. */
import type { Datum } from '../types/datum.ts';

export interface ColumnStatistics {
  /** OID of the values' type. */
  readonly type: number;
  /** Share of rows that are NULL, 0 to 1. */
  readonly nullFraction: number;
  /** Bytes of a value, on average. */
  readonly width: number;
  /** Distinct values: their number, or negative their share of the rows when it grows with them. */
  readonly distinct: number;
  /** Most common values first, with their shares of all rows. */
  readonly common: readonly { readonly value: Datum; readonly share: number }[];
  /** Ascending bounds of runs of equally many rows, of the values that are not common; [] for none. */
  readonly bounds: readonly Datum[];
  /** Between the order of rows and of values, -1 to 1; null for values without an order. */
  readonly correlation: number | null;
}
