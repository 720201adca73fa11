/**
 * Ranges of `facets(…, buckets => '{"year": 10, "price": [10, 50]}')`: of one width each, or between bounds. A range has
 * its least value and lacks the end.
 */
import { SqlError } from '../../../errors.ts';
import { quoteLiteral } from '../../../types/text/quote.ts';
import type { Expr } from '../../ast.ts';
import type { Call } from '../expression/arguments.ts';
import { constantText } from './call.ts';

/** Above 0; or bounds, ascending. */
export type Bucket = number | readonly number[];

const BOUNDS_MAX = 1000;

/** By the name of the facet. @throws SqlError 22023, 22P02, 42703 */
export function bucketsOf(
  value: Expr | undefined,
  facets: readonly string[],
  call: Call,
): ReadonlyMap<string, Bucket> {
  const buckets = new Map<string, Bucket>();
  if (value === undefined || value.kind === 'null') return buckets;
  for (const [name, bucket] of Object.entries(objectOf(constantText(value, 'buckets', call), call))) {
    if (!facets.includes(name)) throw wrong(`buckets of facets: "${name}" is not one of its columns`, call);
    if (!isBucket(bucket)) {
      const message = `buckets of "${name}" must be a width above 0 or a list of ascending bounds`;
      throw wrong(message, call);
    }
    buckets.set(name, bucket);
  }
  return buckets;
}

function objectOf(text: string, call: Call): object {
  const expected = `buckets of facets must be a JSON object: '{"year": 10}'`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong(expected, call);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(expected, call);
  return value;
}

function isBucket(value: unknown): value is Bucket {
  if (typeof value === 'number') return value > 0 && Number.isFinite(value);
  if (!Array.isArray(value) || value.length === 0 || value.length > BOUNDS_MAX) return false;
  const isAbove = (bound: unknown, i: number): boolean =>
    typeof bound === 'number' && Number.isFinite(bound) && (i === 0 || bound > (value[i - 1] as number));
  return value.every(isAbove);
}

const wrong = (message: string, { at }: Call): SqlError =>
  new SqlError('invalid_parameter_value', message, { position: at });

/** SQL of an array: where the range of a value is among all, and its text. */
export function bucketText(bucket: Bucket, value: string): string {
  const number = `${value}::numeric`;
  if (typeof bucket === 'number') {
    const least = `(pg_catalog.floor(${number} / ${bucket}) * ${bucket})`;
    const shown = `pg_catalog.trim_scale(${least})`;
    const end = `pg_catalog.trim_scale(${least} + ${bucket})`;
    return `ARRAY[${least}::text, '[' || ${shown} || ',' || ${end} || ')']`;
  }
  const ranges = [...bucket, undefined].map((end, i) => {
    const least = i === 0 ? '(' : `[${bucket[i - 1]}`;
    const below = end === undefined ? 'true' : `${number} < ${end}`;
    return `WHEN ${below} THEN ARRAY['${i}', ${quoteLiteral(`${least},${end ?? ''})`)}]`;
  });
  return `CASE ${ranges.join(' ')} END`;
}
