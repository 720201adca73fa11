/** Dimensions of vectors of every kind, as their types count them: elements, bits, columns of a matrix. */
import { SqlError } from '../../errors.ts';
import type { Datum } from '../datum.ts';

/** 0 where the value has none: NULL, what is no vector, and sparse vectors without a bound. */
export function dimensionOf(datum: Datum): number {
  if (datum instanceof Float32Array || datum instanceof Uint8Array) return datum.length;
  if (datum === null || typeof datum !== 'object') return 0;
  switch (datum.datum) {
    case 'bits':
      return datum.length;
    case 'sparse':
    case 'matrix':
      return datum.dimension;
    default:
      return 0;
  }
}

/** pgvector's message. @param type by name. */
export function differentDimensions(type: string, stored: number, given: number): SqlError {
  const what = type === 'bit' ? 'bit lengths' : `${type} dimensions`;
  return new SqlError('data_exception', `different ${what} ${stored} and ${given}`);
}
