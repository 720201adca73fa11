/** Aggregates. `null` states mean "no row yet", which all but count give as NULL. */
import type { Datum, NumericDatum } from '../../types/datum.ts';
import { addNumeric, divideNumeric, numericOf } from '../../types/number/numeric.ts';
import { allTypes, findType } from '../../types/registry.ts';
import { checkInt8, checkFloat } from '../number/arithmetic-kernels.ts';
import { compareArrays } from '../value/comparison.ts';
import { addMoment, type Moments, newMoments } from '../float-moments.ts';
import type { AggregateFunction } from '../function.ts';

const COUNTS: readonly AggregateFunction[] = [
  {
    name: 'count',
    args: [],
    returns: 'int8',
    strict: false,
    summary: 'The number of rows.',
    example: ['SELECT count(*) FROM (VALUES (1), (NULL)) AS t(x)', '2'],
    init: () => ({ count: 0 }),
    step: (state: { count: number }) => {
      state.count++;
      return state;
    },
    final: (state: { count: number }) => BigInt(state.count),
  },
  {
    name: 'count',
    args: ['any'],
    returns: 'int8',
    summary: 'The number of rows whose value is not NULL.',
    example: ['SELECT count(x) FROM (VALUES (1), (NULL)) AS t(x)', '1'],
    init: () => ({ count: 0 }),
    step: (state: { count: number }) => {
      state.count++;
      return state;
    },
    final: (state: { count: number }) => BigInt(state.count),
  },
];

interface Sum<T> {
  sum: T;
  count: number;
}

const values = (type: string): string => `(VALUES (1::${type}), (2::${type})) AS t(x)`;

interface SumRow<T> {
  readonly type: string;
  readonly returns: string;
  readonly zero: T;
  readonly add: (sum: T, value: never) => T;
  readonly result: (sum: T) => Datum;
  readonly average: string;
  readonly mean: (sum: T, count: number) => Datum;
}

const numericMean = (sum: NumericDatum, count: number): NumericDatum =>
  divideNumeric(sum, numericOf(BigInt(count)));
const bigMean = (sum: bigint, count: number): NumericDatum => numericMean(numericOf(sum), count);

function sumAndAverage<T>(row: SumRow<T>): AggregateFunction[] {
  const init = (): Sum<T> => ({ sum: row.zero, count: 0 });
  const step = (state: Sum<T>, value: Datum): Sum<T> => {
    state.sum = row.add(state.sum, value as never);
    state.count++;
    return state;
  };
  const whole = row.average === 'numeric';
  return [
    {
      name: 'sum',
      args: [row.type],
      returns: row.returns,
      summary: 'The sum of the values that are not NULL; NULL when there is none.',
      example: [`SELECT sum(x) FROM ${values(row.type)}`, '3'],
      init,
      step,
      final: (state: Sum<T>) => (state.count === 0 ? null : row.result(state.sum)),
    },
    {
      name: 'avg',
      args: [row.type],
      returns: row.average,
      summary: 'The arithmetic mean of the values that are not NULL.',
      example: [`SELECT avg(x) FROM ${values(row.type)}`, whole ? '1.5000000000000000' : '1.5'],
      init,
      step,
      final: (state: Sum<T>) => (state.count === 0 ? null : row.mean(state.sum, state.count)),
    },
  ];
}

const small = (type: string): SumRow<bigint> => ({
  type,
  returns: 'int8',
  zero: 0n,
  add: (sum, value: number) => sum + BigInt(value),
  result: checkInt8,
  average: 'numeric',
  mean: bigMean,
});
/** A sum is rounded to its type at each step, a mean is kept in double precision. */
function floats(type: 'float4' | 'float8'): AggregateFunction[] {
  const rounded = type === 'float4' ? Math.fround : (value: number): number => value;
  const [sum, mean] = sumAndAverage<number>({
    type,
    returns: type,
    // The sum of negative zeros is one.
    zero: -0,
    add: (sum, value: number) =>
      checkFloat(rounded(sum + value), Number.isFinite(sum) && Number.isFinite(value)),
    result: (sum) => sum,
    average: 'float8',
    mean: (sum, count) => sum / count,
  });
  return [
    sum as AggregateFunction,
    {
      ...(mean as AggregateFunction),
      init: newMoments,
      step: addMoment,
      final: ({ count, sum }: Moments) => (count === 0 ? null : sum / count),
    },
  ];
}

const SUMS: readonly AggregateFunction[] = [
  ...sumAndAverage(small('int2')),
  ...sumAndAverage(small('int4')),
  ...sumAndAverage<bigint>({
    ...small('int8'),
    returns: 'numeric',
    add: (sum, value: bigint) => sum + value,
    result: (sum) => numericOf(sum),
  }),
  ...floats('float4'),
  ...floats('float8'),
  ...sumAndAverage<NumericDatum>({
    type: 'numeric',
    returns: 'numeric',
    zero: numericOf(0n),
    add: addNumeric,
    result: (sum) => sum,
    average: 'numeric',
    mean: numericMean,
  }),
];

/** Two literals of each ordered type, the smaller first, and the text of both. */
const ORDERED: Readonly<Record<string, readonly [string, string]>> = {
  ...Object.fromEntries(
    allTypes().flatMap(({ name, comparison }) => (comparison?.extremes ? [[name, comparison.samples]] : [])),
  ),
  anyarray: ['{1}', '{2}'],
  anyenum: ['sad', 'happy'],
};

/** Types that stand for polymorphic ones in examples. */
const EXAMPLE_TYPES: Readonly<Record<string, string>> = { anyarray: 'int4[]', anyenum: 'mood' };

function extremes(type: string): AggregateFunction[] {
  const [low, high] = ORDERED[type] as readonly [string, string];
  const column = EXAMPLE_TYPES[type] ?? type;
  const from = `(VALUES ('${low}'::${column}), ('${high}'::${column})) AS t(x)`;
  const compare = (a: Datum, b: Datum): number =>
    type === 'anyarray' ? compareArrays(a as never, b as never) : (findType(type)?.compare?.(a, b) ?? 0);
  // The last of equal values counts, as 1.0 and 1.00, the first of blank-padded texts.
  const tie = type === 'bpchar' ? 0 : Number.MIN_VALUE;
  const row = (name: 'min' | 'max', sign: 1 | -1): AggregateFunction => ({
    name,
    args: [type],
    returns: type,
    summary: `The ${name === 'min' ? 'smallest' : 'largest'} value that is not NULL.`,
    example: [`SELECT ${name}(x) FROM ${from}`, name === 'min' ? low : high],
    init: () => ({ best: null }),
    step: (state: { best: Datum }, value: Datum) => {
      if (state.best === null || compare(value, state.best) * sign < tie) state.best = value;
      return state;
    },
    final: (state: { best: Datum }) => state.best,
  });
  return [row('min', 1), row('max', -1)];
}

const compareJson = (a: Datum, b: Datum): number => findType('jsonb')?.compare?.(a, b) ?? 0;

/** The least or greatest value of columns that hold several types, in jsonb's order; JSON's null is none. */
const mixedExtreme = (name: 'min' | 'max', sign: 1 | -1): AggregateFunction => ({
  name: `undeclared_${name}`,
  args: ['jsonb'],
  returns: 'jsonb',
  summary: `${name}() of a column that holds several types, in jsonb's order.`,
  example: [
    `SELECT undeclared_${name}(x) FROM (VALUES ('3'::jsonb), ('"a"'), ('null'), ('20')) AS t(x)`,
    name === 'min' ? '"a"' : '20',
  ],
  init: () => ({ best: null }),
  step: (state: { best: Datum }, value: Datum) => {
    if (value === null || value === 'null') return state;
    const isBetter = state.best === null || compareJson(value, state.best) * sign < 0;
    if (isBetter) state.best = value;
    return state;
  },
  final: (state: { best: Datum }) => state.best,
});

export const AGGREGATES: readonly AggregateFunction[] = [
  ...COUNTS,
  ...SUMS,
  ...Object.keys(ORDERED).flatMap(extremes),
  mixedExtreme('min', 1),
  mixedExtreme('max', -1),
];
