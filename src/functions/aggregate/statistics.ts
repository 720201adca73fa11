/**
 * Aggregates besides count, sum, avg, min and max: booleans, bits, texts, arrays, and the variance family.
 * Source: PostgreSQL 18, section 9.21 "Aggregate Functions".
 */
import { arrayDatum, stackedArray } from '../../types/composite/array.ts';
import type { ArrayDatum, Datum, IntervalDatum, NumericDatum, RecordDatum } from '../../types/datum.ts';
import {
  addNumeric,
  divideNumeric,
  multiplyNumeric,
  numericOf,
  numericSign,
  subtractNumeric,
} from '../../types/number/numeric.ts';
import { sqrtToScale } from '../../types/number/numeric-functions.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import { checkValueBytes, weightOf } from '../../types/weight.ts';
import { addMoment, type Moments, newMoments } from '../float-moments.ts';
import type { AggregateFunction } from '../function.ts';
import { divideInterval } from '../time/interval.ts';

type Best = { value: Datum };

/** One value folded with the next: and, or. */
function fold(
  name: string,
  type: string,
  example: AggregateFunction['example'],
  step: (a: never, b: never) => Datum,
): AggregateFunction {
  return {
    name,
    args: [type],
    returns: type,
    summary: 'Of all values that are not NULL.',
    example,
    init: (): Best => ({ value: null }),
    step: (state: Best, value: Datum) => {
      state.value = state.value === null ? value : step(state.value as never, value as never);
      return state;
    },
    final: ({ value }: Best) => value,
  };
}

const BOOLS = '(VALUES (true), (false)) AS t(x)';
const and = (a: boolean, b: boolean): boolean => a && b;
const or = (a: boolean, b: boolean): boolean => a || b;

const FOLDS: readonly AggregateFunction[] = [
  fold('bool_and', 'bool', [`SELECT bool_and(x) FROM ${BOOLS}`, 'f'], and),
  fold('every', 'bool', [`SELECT every(x) FROM ${BOOLS}`, 'f'], and),
  fold('bool_or', 'bool', [`SELECT bool_or(x) FROM ${BOOLS}`, 't'], or),
  ...(['int2', 'int4'] as const).flatMap((type) => {
    const from = `(VALUES (6::${type}), (3::${type})) AS t(x)`;
    return [
      fold('bit_and', type, [`SELECT bit_and(x) FROM ${from}`, '2'], (a: number, b: number) => a & b),
      fold('bit_or', type, [`SELECT bit_or(x) FROM ${from}`, '7'], (a: number, b: number) => a | b),
      fold('bit_xor', type, [`SELECT bit_xor(x) FROM ${from}`, '5'], (a: number, b: number) => a ^ b),
    ];
  }),
  fold(
    'bit_and',
    'int8',
    ['SELECT bit_and(x) FROM (VALUES (6::int8), (3)) AS t(x)', '2'],
    (a: bigint, b: bigint) => a & b,
  ),
  fold(
    'bit_or',
    'int8',
    ['SELECT bit_or(x) FROM (VALUES (6::int8), (3)) AS t(x)', '7'],
    (a: bigint, b: bigint) => a | b,
  ),
  fold(
    'bit_xor',
    'int8',
    ['SELECT bit_xor(x) FROM (VALUES (6::int8), (3)) AS t(x)', '5'],
    (a: bigint, b: bigint) => a ^ b,
  ),
];

/** Sums and means of intervals. */
const INTERVALS: readonly AggregateFunction[] = (['sum', 'avg'] as const).map((name) => ({
  name,
  args: ['interval'],
  returns: 'interval',
  summary: `The ${name === 'sum' ? 'sum' : 'mean'} of the intervals.`,
  example: [
    `SELECT ${name}(x) FROM (VALUES (interval '1 day'), (interval '3 days')) AS t(x)`,
    name === 'sum' ? '4 days' : '2 days',
  ],
  init: () => ({ months: 0, days: 0, micros: 0n, count: 0 }),
  step: (state, value: IntervalDatum) => {
    state.months += value.months;
    state.days += value.days;
    state.micros += value.micros;
    state.count++;
    return state;
  },
  final: ({ months, days, micros, count }) => {
    const total: IntervalDatum = { datum: 'interval', months, days, micros };
    return count === 0 ? null : name === 'sum' ? total : divideInterval(total, count);
  },
}));

/** The collected parts, and their size. */
interface Parts<T> {
  readonly parts: T[];
  bytes: number;
}

/** @throws SqlError 54000 when it would be too large for a value. */
function collect<T>(state: Parts<T>, part: T, bytes: number): Parts<T> {
  state.bytes += bytes;
  checkValueBytes(state.bytes);
  state.parts.push(part);
  return state;
}

const COLLECTIONS: readonly AggregateFunction[] = [
  {
    name: 'string_agg',
    args: ['text', 'text'],
    returns: 'text',
    strict: false,
    summary: 'The texts that are not NULL with a delimiter between them.',
    example: ["SELECT string_agg(x, ',') FROM (VALUES ('a'), ('b')) AS t(x)", 'a,b'],
    init: (): Parts<string> => ({ parts: [], bytes: 0 }),
    step: (state: Parts<string>, text: string | null, delimiter: string | null) => {
      if (text === null) return state;
      if (state.parts.length > 0 && delimiter !== null) collect(state, delimiter, delimiter.length);
      return collect(state, text, text.length);
    },
    final: ({ parts }: Parts<string>) => (parts.length === 0 ? null : parts.join('')),
  },
  {
    name: 'string_agg',
    args: ['bytea', 'bytea'],
    returns: 'bytea',
    strict: false,
    summary: 'The byte strings that are not NULL with a delimiter between them.',
    example: ["SELECT string_agg(x, '\\x00') FROM (VALUES ('\\x01'::bytea), ('\\x02')) AS t(x)", '\\x010002'],
    init: (): Parts<Uint8Array> => ({ parts: [], bytes: 0 }),
    step: (state: Parts<Uint8Array>, bytes: Uint8Array | null, delimiter: Uint8Array | null) => {
      if (bytes === null) return state;
      if (state.parts.length > 0 && delimiter !== null) collect(state, delimiter, delimiter.length);
      return collect(state, bytes, bytes.length);
    },
    final: ({ parts }: Parts<Uint8Array>) =>
      parts.length === 0 ? null : new Uint8Array(Buffer.concat(parts)),
  },
  {
    name: 'any_value',
    args: ['anyelement'],
    returns: 'anyelement',
    summary: 'Some value that is not NULL.',
    example: ['SELECT any_value(x) FROM (VALUES (1), (NULL)) AS t(x)', '1'],
    init: (): Best => ({ value: null }),
    step: (state: Best, value: Datum) => {
      state.value ??= value;
      return state;
    },
    final: ({ value }: Best) => value,
  },
  {
    name: 'array_agg',
    args: ['...any'],
    argsMax: 1,
    returns: 'anyarray',
    strict: false,
    summary: 'All values, NULLs too, as an array; arrays of one shape as an array of one more dimension.',
    example: ['SELECT array_agg(x) FROM (VALUES (1), (2)) AS t(x)', '{1,2}'],
    init: (): Parts<RecordDatum> => ({ parts: [], bytes: 0 }),
    step: (state: Parts<RecordDatum>, item: RecordDatum) => collect(state, item, weightOf(item)),
    final: ({ parts }: Parts<RecordDatum>) => collected(parts),
  },
];

function collected(items: readonly RecordDatum[]): Datum {
  const [first] = items;
  if (first === undefined) return null;
  const values = items.map(({ fields }) => fields[0] ?? null);
  const type = typeByOid(first.types[0] as number);
  if (type.elementOid === undefined || type.oid === OID.int2vector || type.oid === OID.oidvector) {
    return arrayDatum(type.oid, values);
  }
  return stackedArray(values as (ArrayDatum | null)[]);
}

/** Welford's method. @param sample divides by one less than the count. */
function deviation(name: string, sample: boolean, root: boolean): AggregateFunction {
  const shown = sample ? (root ? '0.7071067811865476' : '0.5') : root ? '0.5' : '0.25';
  return {
    name,
    args: ['float8'],
    returns: 'float8',
    summary: `The ${root ? 'standard deviation' : 'variance'} of the ${sample ? 'sample' : 'population'}.`,
    example: [`SELECT ${name}(x) FROM (VALUES (1::float8), (2)) AS t(x)`, shown],
    init: newMoments,
    step: addMoment,
    final: ({ count, squares }: Moments) => {
      const divisor = sample ? count - 1 : count;
      if (divisor <= 0) return null;
      return root ? Math.sqrt(squares / divisor) : squares / divisor;
    },
  };
}

interface ExactMoments {
  count: number;
  sum: NumericDatum;
  squares: NumericDatum;
}

/** Integers become numeric implicitly, but prefer float8: they have rows of their own. */
function exactDeviation(
  name: string,
  type: string,
  flags: { sample: boolean; root: boolean },
): AggregateFunction {
  const { sample, root } = flags;
  const exact = (value: number | bigint | NumericDatum): NumericDatum =>
    typeof value === 'object' ? value : numericOf(BigInt(value));
  const shown = sample
    ? root
      ? '0.70710678118654752440'
      : '0.50000000000000000000'
    : root
      ? '0.50000000000000000000'
      : '0.25000000000000000000';
  return {
    name,
    args: [type],
    returns: 'numeric',
    summary: `The ${root ? 'standard deviation' : 'variance'} of the ${sample ? 'sample' : 'population'}.`,
    example: [`SELECT ${name}(x) FROM (VALUES (1::${type}), (2)) AS t(x)`, shown],
    init: (): ExactMoments => ({ count: 0, sum: numericOf(0n), squares: numericOf(0n) }),
    step: (state: ExactMoments, given: number | bigint | NumericDatum) => {
      const value = exact(given);
      state.count++;
      state.sum = addNumeric(state.sum, value);
      state.squares = addNumeric(state.squares, multiplyNumeric(value, value));
      return state;
    },
    final: ({ count, sum, squares }: ExactMoments) => {
      const divisor = sample ? count - 1 : count;
      if (divisor <= 0) return null;
      const size = numericOf(BigInt(count));
      const spread = subtractNumeric(multiplyNumeric(size, squares), multiplyNumeric(sum, sum));
      if (numericSign(spread) <= 0) return numericOf(0n);
      const variance = divideNumeric(spread, multiplyNumeric(size, numericOf(BigInt(divisor))));
      if (!root) return variance;
      return variance.special === undefined ? sqrtToScale(variance, variance.scale) : variance;
    },
  };
}

const DEVIATIONS: readonly (readonly [string, boolean, boolean])[] = [
  ['stddev', true, true],
  ['stddev_samp', true, true],
  ['stddev_pop', false, true],
  ['variance', true, false],
  ['var_samp', true, false],
  ['var_pop', false, false],
];

export const STATISTICS_AGGREGATES: readonly AggregateFunction[] = [
  ...FOLDS,
  ...COLLECTIONS,
  ...INTERVALS,
  ...DEVIATIONS.map(([name, sample, root]) => deviation(name, sample, root)),
  ...DEVIATIONS.flatMap(([name, sample, root]) =>
    ['int2', 'int4', 'int8', 'numeric'].map((type) => exactDeviation(name, type, { sample, root })),
  ),
];
