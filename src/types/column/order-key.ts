/**
 * Keys by which rows are kept in order. They may be coarser than the values (a bigint is rounded to a double)
 * but never contradict their order.
 */
import { encodeText } from './bytes.ts';
import type { Datum } from '../datum.ts';
import { numericToNumber } from '../number/numeric.ts';

/** A double for numbers, dates, times and booleans; UTF-8 for text. */
export type OrderKey = number | Uint8Array;

/** @returns null for values of other types. @param datum not NULL. */
export function orderKey(datum: Datum): OrderKey | null {
  switch (typeof datum) {
    case 'number':
      // NaN is greater than every number; that it is equal to infinity here does no harm.
      return Number.isNaN(datum) ? Number.POSITIVE_INFINITY : datum;
    case 'bigint':
    case 'boolean':
      return Number(datum);
    case 'string':
      return encodeText(datum);
    default: {
      if (datum === null || datum instanceof Uint8Array || datum instanceof Float32Array) return null;
      return datum.datum === 'numeric' ? orderKey(numericToNumber(datum)) : null;
    }
  }
}
