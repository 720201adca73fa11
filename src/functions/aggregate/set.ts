/**
 * Set-returning functions over numbers, times and arrays. Source: PostgreSQL 18, section 9.26 "Set Returning
 * Functions".
 */
import { SqlError } from '../../errors.ts';
import type { ArrayDatum, Datum, IntervalDatum, NumericDatum } from '../../types/datum.ts';
import { addNumeric, compareNumeric, numericOf, numericSign } from '../../types/number/numeric.ts';
import { addInterval } from '../time/interval.ts';
import type { FunctionContext, SetFunction } from '../function.ts';

function zeroStep(): SqlError {
  return new SqlError('invalid_parameter_value', 'step size cannot equal zero');
}

/** Counts in plain numbers: int4 series end before they could leave the range. */
function* countIntegers(start: number, stop: number, step: number): Generator<readonly Datum[]> {
  if (step === 0) throw zeroStep();
  for (let i = start; step > 0 ? i <= stop : i >= stop; i += step) yield [i];
}

const INT8_MAX = 2n ** 63n - 1n;
const INT8_MIN = -(2n ** 63n);

function* countBigints(start: bigint, stop: bigint, step: bigint): Generator<readonly Datum[]> {
  if (step === 0n) throw zeroStep();
  for (let i = start; step > 0n ? i <= stop : i >= stop; i += step) {
    yield [i];
    if (i + step > INT8_MAX || i + step < INT8_MIN) return;
  }
}

/** @throws SqlError 22023 */
function checkFinite(what: string, { special }: NumericDatum): void {
  if (special === undefined) return;
  const message = `${what} cannot be ${special === 'NaN' ? 'NaN' : 'infinity'}`;
  throw new SqlError('invalid_parameter_value', message);
}

function* countNumerics(
  start: NumericDatum,
  stop: NumericDatum,
  step: NumericDatum,
): Generator<readonly Datum[]> {
  checkFinite('start value', start);
  checkFinite('stop value', stop);
  checkFinite('step size', step);
  if (numericSign(step) === 0) throw zeroStep();
  const up = numericSign(step) > 0;
  for (
    let i = start;
    up ? compareNumeric(i, stop) <= 0 : compareNumeric(i, stop) >= 0;
    i = addNumeric(i, step)
  )
    yield [i];
}

/** @param zone steps of days and months follow its calendar; null for timestamps without one. */
function* countTimes(
  start: bigint,
  stop: bigint,
  step: IntervalDatum,
  zone: string | null,
): Generator<readonly Datum[]> {
  const rough =
    BigInt(step.months) * 30n * 86_400_000_000n + BigInt(step.days) * 86_400_000_000n + step.micros;
  if (rough === 0n) throw zeroStep();
  for (let i = start; rough > 0n ? i <= stop : i >= stop; i = addInterval(i, step, zone)) yield [i];
}

const series = (
  type: string,
  args: readonly string[],
  call: string,
  rows: SetFunction['rows'],
): SetFunction => ({
  name: 'generate_series',
  args,
  returns: type,
  effort: 0,
  summary: 'Values from the first to the second, a step apart.',
  example: [`SELECT count(*) FROM generate_series(${call})`, '3'],
  volatility: type === 'timestamptz' ? 'stable' : 'immutable',
  rows,
});

/** Positions of one dimension of an array, 1-based dimension number. */
function* subscripts(array: ArrayDatum, dimension: number, reverse: boolean): Generator<readonly Datum[]> {
  const bounds = array.dimensions[dimension - 1];
  if (bounds === undefined) return;
  const last = bounds.lowerBound + bounds.length - 1;
  for (let i = 0; i < bounds.length; i++) yield [reverse ? last - i : bounds.lowerBound + i];
}

const ONE = numericOf(1n);

export const SET_FUNCTIONS: readonly SetFunction[] = [
  series('int4', ['int4', 'int4'], '1, 3', (_, a: number, b: number) => countIntegers(a, b, 1)),
  series('int4', ['int4', 'int4', 'int4'], '1, 6, 2', (_, a: number, b: number, c: number) =>
    countIntegers(a, b, c),
  ),
  series('int8', ['int8', 'int8'], '1::bigint, 3::bigint', (_, a: bigint, b: bigint) =>
    countBigints(a, b, 1n),
  ),
  series(
    'int8',
    ['int8', 'int8', 'int8'],
    '1::bigint, 6::bigint, 2::bigint',
    (_, a: bigint, b: bigint, c: bigint) => countBigints(a, b, c),
  ),
  series('numeric', ['numeric', 'numeric'], '1.5, 3.5', (_, a: NumericDatum, b: NumericDatum) =>
    countNumerics(a, b, ONE),
  ),
  series(
    'numeric',
    ['numeric', 'numeric', 'numeric'],
    '1.0, 2.0, 0.5',
    (_, a: NumericDatum, b: NumericDatum, c: NumericDatum) => countNumerics(a, b, c),
  ),
  series(
    'timestamp',
    ['timestamp', 'timestamp', 'interval'],
    "timestamp '2024-01-01', timestamp '2024-01-03', interval '1 day'",
    (_, a: bigint, b: bigint, c: IntervalDatum) => countTimes(a, b, c, null),
  ),
  series(
    'timestamptz',
    ['timestamptz', 'timestamptz', 'interval'],
    "timestamptz '2024-01-01', timestamptz '2024-01-03', interval '1 day'",
    (context: FunctionContext, a: bigint, b: bigint, c: IntervalDatum) =>
      countTimes(a, b, c, context.settings.timeZone),
  ),
  {
    name: 'unnest',
    effort: 0,
    args: ['anyarray'],
    returns: 'anyelement',
    summary: "An array's elements as rows.",
    example: ["SELECT string_agg(u, '') FROM unnest(ARRAY['a', 'b']) u", 'ab'],
    *rows(_context, array: ArrayDatum) {
      for (const element of array.elements) yield [element];
    },
  },
  {
    name: 'generate_subscripts',
    effort: 0,
    args: ['anyarray', 'int4'],
    returns: 'int4',
    summary: "Subscripts of one of an array's dimensions.",
    example: ['SELECT sum(s) FROM generate_subscripts(ARRAY[5, 6, 7], 1) s', '6'],
    rows: (_, array: ArrayDatum, dimension: number) => subscripts(array, dimension, false),
  },
  {
    name: 'generate_subscripts',
    effort: 0,
    args: ['anyarray', 'int4', 'bool'],
    returns: 'int4',
    summary: "Subscripts of one of an array's dimensions, backwards when asked.",
    example: ['SELECT min(s) FROM generate_subscripts(ARRAY[5, 6, 7], 1, true) s', '1'],
    rows: (_, array: ArrayDatum, dimension: number, reverse: boolean) =>
      subscripts(array, dimension, reverse),
  },
];
