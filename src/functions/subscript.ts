/**
 * `a[i]` and `a[i:j]` of arrays, which the binder turns into these calls. Positions count from each
 * dimension's lower bound; one outside gives NULL. Source: PostgreSQL 18, section 8.15.3.
 */
import type { ArrayDatum, Datum } from '../types/datum.ts';
import type { ScalarFunction } from './function.ts';

/** As many subscripts as dimensions give an element; any other number NULL. */
function element(array: ArrayDatum, subscripts: ArrayDatum): Datum {
  const { dimensions, elements } = array;
  if (subscripts.elements.length !== dimensions.length) return null;
  let at = 0;
  for (const [i, { length, lowerBound }] of dimensions.entries()) {
    const subscript = subscripts.elements[i];
    if (typeof subscript !== 'number') return null;
    const offset = subscript - lowerBound;
    if (offset < 0 || offset >= length) return null;
    at = at * length + offset;
  }
  return elements[at] ?? null;
}

/** A slice of the first dimension; its lower bound becomes 1. A NULL bound is the array's own. */
function slice(array: ArrayDatum | null, lower: number | null, upper: number | null): ArrayDatum | null {
  if (array === null) return null;
  const [first, ...inner] = array.dimensions;
  if (!first) return array;
  const from = Math.max(0, (lower ?? first.lowerBound) - first.lowerBound);
  const to = Math.min(first.length, (upper ?? first.lowerBound + first.length - 1) - first.lowerBound + 1);
  if (to <= from) return { ...array, dimensions: [], elements: [] };
  const size = inner.reduce((product, { length }) => product * length, 1);
  const rest = inner.map(({ length }) => ({ length, lowerBound: 1 }));
  const dimensions = [{ length: to - from, lowerBound: 1 }, ...rest];
  return { ...array, dimensions, elements: array.elements.slice(from * size, to * size) };
}

const subscript = (array: string, returns: string, example: string): ScalarFunction => ({
  name: 'array_subscript',
  args: [array, '...int4'],
  returns,
  summary: 'The element at these subscripts: a[i].',
  example: [`SELECT ${example}`, '20'],
  evaluate: element,
});

export const SUBSCRIPT_FUNCTIONS: readonly ScalarFunction[] = [
  subscript('anyarray', 'anyelement', '(ARRAY[10, 20])[2]'),
  subscript('int2vector', 'int2', "('10 20'::int2vector)[1]"),
  subscript('oidvector', 'oid', "('10 20'::oidvector)[1]"),
  {
    name: 'array_slice',
    args: ['anyarray', 'int4', 'int4'],
    returns: 'anyarray',
    strict: false,
    summary: 'The elements from one subscript to another: a[i:j].',
    example: ['SELECT (ARRAY[10, 20, 30])[2:3]', '{20,30}'],
    evaluate: slice,
  },
];
