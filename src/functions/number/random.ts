/** Numbers by chance, the session's own. Source: PostgreSQL 18, section 9.3. */
import { SqlError } from '../../errors.ts';
import type { Datum, NumericDatum } from '../../types/datum.ts';
import { compareNumeric, numericOf, pow10, subtractNumeric } from '../../types/number/numeric.ts';
import type { FunctionContext, ScalarFunction } from '../function.ts';
import { scalar } from '../row.ts';

/** @throws SqlError 22023. */
function setSeed(context: FunctionContext, seed: number): Datum {
  if (seed >= -1 && seed <= 1) {
    context.services.session.seed(seed);
    return '';
  }
  const shown = Number(seed.toPrecision(6));
  const message = `setseed parameter ${shown} is out of allowed range [-1,1]`;
  throw new SqlError('invalid_parameter_value', message);
}

/** @throws SqlError 22023 */
function checkRange(ordered: boolean): void {
  if (ordered) return;
  throw new SqlError('invalid_parameter_value', 'lower bound must be less than or equal to upper bound');
}

/** A whole number below `size`, from 53 random bits at a time. */
function randomBelow(context: FunctionContext, size: bigint): bigint {
  let value = 0n;
  for (let bits = size; bits > 0n; bits >>= 52n)
    value = (value << 53n) + BigInt(Math.floor(context.random() * 2 ** 53));
  return value % size;
}

function randomNumeric(context: FunctionContext, low: NumericDatum, high: NumericDatum): NumericDatum {
  checkRange(compareNumeric(low, high) <= 0);
  const scale = Math.max(low.scale, high.scale);
  const units = ({ digits, scale: own }: NumericDatum): bigint => digits * pow10(scale - own);
  const span = units(subtractNumeric(high, low));
  return numericOf(units(low) + randomBelow(context, span + 1n), scale);
}

export const RANDOM_FUNCTIONS: readonly ScalarFunction[] = [
  {
    name: 'random',
    args: [],
    returns: 'float8',
    volatility: 'volatile',
    effect: 'none',
    summary: 'A random number from 0 to below 1.',
    example: ['SELECT random() < 1', 't'],
    evaluateIn: (context) => context.random(),
  },
  {
    name: 'setseed',
    args: ['float8'],
    returns: 'void',
    volatility: 'volatile',
    effect: 'session',
    summary: 'Makes the random numbers that follow in this session those of a seed from -1 to 1.',
    example: ['SELECT setseed(0.5)', ''],
    evaluateIn: setSeed,
  },
  {
    name: 'random_normal',
    args: ['float8', 'float8'],
    argNames: ['mean', 'stddev'],
    defaults: ['0', '1'],
    returns: 'float8',
    volatility: 'volatile',
    effect: 'none',
    summary: 'A random number of a normal distribution.',
    example: ['SELECT random_normal(5, 0)', '5'],
    evaluateIn: (context, mean: number, deviation: number) =>
      mean +
      deviation * Math.sqrt(-2 * Math.log(1 - context.random())) * Math.cos(2 * Math.PI * context.random()),
  },
  scalar('random(int4, int4) int4', {
    volatility: 'volatile',
    effect: 'none',
    summary: 'A random number of a range, both ends included.',
    example: ['SELECT random(3, 3)', '3'],
    evaluateIn: (context, low: number, high: number) => {
      checkRange(low <= high);
      return low + Number(randomBelow(context, BigInt(high - low + 1)));
    },
  }),
  scalar('random(int8, int8) int8', {
    volatility: 'volatile',
    effect: 'none',
    summary: 'A random number of a range, both ends included.',
    example: ['SELECT random(3::int8, 3::int8)', '3'],
    evaluateIn: (context, low: bigint, high: bigint) => {
      checkRange(low <= high);
      return low + randomBelow(context, high - low + 1n);
    },
  }),
  scalar('random(numeric, numeric) numeric', {
    effort: 1,
    volatility: 'volatile',
    effect: 'none',
    summary: 'A random number of a range, both ends included.',
    example: ['SELECT random(0.5, 0.5)', '0.5'],
    evaluateIn: randomNumeric,
  }),
];
