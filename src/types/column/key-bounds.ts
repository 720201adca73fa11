/** Order keys that values of a column can have: a range with its bounds, or some points of it. */
import { firstNot } from '../../binary-search.ts';
import { compareBytes } from './bytes.ts';
import type { Datum } from '../datum.ts';
import { type OrderKey, orderKey } from './order-key.ts';

/** All bounds included; NULLs only where nothing else is said of the column. */
export interface KeyBounds {
  readonly low: OrderKey | null;
  readonly high: OrderKey | null;
  /** Ascending and each once; null: all between the bounds. */
  readonly points: readonly OrderKey[] | null;
  readonly nulls: 'only' | 'never' | 'maybe';
}

/** Keys of one column are of one kind. */
export function compareKeys(a: OrderKey, b: OrderKey): number {
  if (typeof a === 'number' || typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0;
  return compareBytes(a, b);
}

/** True when a value may be within; keys can be coarser than values, so some are that are not. */
export function mayBeWithin({ low, high, points, nulls }: KeyBounds, value: Datum): boolean {
  if (value === null) return nulls !== 'never';
  if (nulls === 'only') return false;
  const key = orderKey(value);
  if (key === null) return true;
  if (low !== null && compareKeys(key, low) < 0) return false;
  if (high !== null && compareKeys(key, high) > 0) return false;
  if (points === null) return true;
  const first = firstNot(0, points.length, (place) => compareKeys(points[place] as OrderKey, key) < 0);
  const point = points[first];
  return point !== undefined && compareKeys(point, key) === 0;
}
