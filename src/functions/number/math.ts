/** Mathematical functions and the small curves for custom ranking. Source: PostgreSQL 18, section 9.3. */
import { SqlError } from '../../errors.ts';
import type { NumericDatum } from '../../types/datum.ts';
import { gcdNumeric, lcmNumeric } from '../../types/number/common-divisor.ts';
import {
  absNumeric,
  ceilNumeric,
  floorNumeric,
  integerQuotient,
  moduloNumeric,
  numericOf,
  numericSign,
  roundNumeric,
  trimScale,
  truncateNumeric,
} from '../../types/number/numeric.ts';
import {
  expNumeric,
  lnNumeric,
  logNumeric,
  powerNumeric,
  sqrtNumeric,
} from '../../types/number/numeric-functions.ts';
import { roundHalfEven } from '../../types/number/round.ts';
import { power, squareRoot } from './arithmetic.ts';
import { checkFloat, checkInt2, checkInt4, checkInt8, divisionByZero } from './arithmetic-kernels.ts';
import type { ScalarFunction } from '../function.ts';

type Evaluate = NonNullable<ScalarFunction['evaluate']>;

/** `signature` is `name(arg, …) result`. */
function row(
  signature: string,
  summary: string,
  example: ScalarFunction['example'],
  evaluate: Evaluate,
): ScalarFunction {
  const [, name = '', args = '', returns = ''] = /^(\w+)\(([^)]*)\) (\S+)$/.exec(signature) ?? [];
  return { name, args: args === '' ? [] : args.split(', '), returns, summary, example, evaluate };
}

function logarithm(value: number, of: (value: number) => number): number {
  if (value === 0) throw new SqlError('invalid_argument_for_logarithm', 'cannot take logarithm of zero');
  if (value < 0) {
    throw new SqlError('invalid_argument_for_logarithm', 'cannot take logarithm of a negative number');
  }
  return of(value);
}

const inputRange = (): SqlError => new SqlError('numeric_value_out_of_range', 'input is out of range');

function outside(): never {
  throw inputRange();
}

/** Within -1..1. */
const unit =
  (of: (value: number) => number) =>
  (value: number): number => {
    if (value < -1 || value > 1) throw inputRange();
    return of(value);
  };
const angle =
  (of: (value: number) => number) =>
  (value: number): number => {
    if (!Number.isFinite(value) && !Number.isNaN(value)) throw inputRange();
    return of(value);
  };

const RADIANS_PER_DEGREE = Math.PI / 180;

/** @param nonZero whether a result of 0 has lost its value. @throws SqlError 22003 */
const ofFinite = (given: number, result: number, nonZero = false): number =>
  checkFloat(result, Number.isFinite(given), nonZero && Number.isFinite(given));

const FLOATS: readonly (readonly [string, string, string, (value: number) => number])[] = [
  ['abs', '-1.5', '1.5', Math.abs],
  ['ceil', '1.2', '2', Math.ceil],
  ['ceiling', '1.2', '2', Math.ceil],
  ['floor', '1.8', '1', Math.floor],
  ['round', '2.5', '2', roundHalfEven],
  ['trunc', '-1.8', '-1', Math.trunc],
  ['sqrt', '2', '1.4142135623730951', squareRoot],
  ['cbrt', '8', '2', Math.cbrt],
  ['exp', '1', '2.718281828459045', (v) => ofFinite(v, Math.exp(v), true)],
  ['ln', '1', '0', (v) => logarithm(v, Math.log)],
  ['log', '100', '2', (v) => logarithm(v, Math.log10)],
  ['log10', '100', '2', (v) => logarithm(v, Math.log10)],
  // Zero has no sign, not even a negative one.
  ['sign', '-8.4', '-1', (v) => Math.sign(v) + 0],
  ['degrees', '0.5', '28.64788975654116', (v) => ofFinite(v, v / RADIANS_PER_DEGREE)],
  ['radians', '45', '0.7853981633974483', (v) => ofFinite(v, v * RADIANS_PER_DEGREE, v !== 0)],
  ['sin', '0', '0', angle(Math.sin)],
  ['cos', '0', '1', angle(Math.cos)],
  ['tan', '0', '0', angle(Math.tan)],
  ['asin', '0', '0', unit(Math.asin)],
  ['acos', '1', '0', unit(Math.acos)],
  ['atan', '0', '0', Math.atan],
  ['cot', '1', '0.6420926159343306', angle((v) => 1 / Math.tan(v))],
  ['asinh', '0', '0', Math.asinh],
  ['acosh', '1', '0', (v) => (v < 1 ? outside() : Math.acosh(v))],
  ['atanh', '0', '0', unit(Math.atanh)],
  ['sinh', '0', '0', Math.sinh],
  ['cosh', '0', '1', Math.cosh],
  ['tanh', '0', '0', Math.tanh],
];

const NUMERICS: readonly (readonly [string, string, string, (value: NumericDatum) => NumericDatum])[] = [
  ['abs', '-1.5', '1.5', absNumeric],
  ['ceil', '1.2', '2', ceilNumeric],
  ['ceiling', '1.2', '2', ceilNumeric],
  ['floor', '1.8', '1', floorNumeric],
  ['round', '2.5', '3', (v) => roundNumeric(v)],
  ['trunc', '-1.8', '-1', (v) => truncateNumeric(v)],
  ['sqrt', '2', '1.414213562373095', sqrtNumeric],
  ['exp', '1.0', '2.7182818284590452', expNumeric],
  ['ln', '2.0', '0.6931471805599453', lnNumeric],
  ['log', '100', '2.0000000000000000', (v) => logNumeric(numericOf(10n), v)],
  ['log10', '100', '2.0000000000000000', (v) => logNumeric(numericOf(10n), v)],
  ['sign', '-8.4', '-1', (v) => (v.special === 'NaN' ? v : numericOf(BigInt(numericSign(v))))],
  ['trim_scale', '8.4100', '8.41', trimScale],
];

const words = (name: string): string => `${name} of a number.`;

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

function lcm(a: bigint, b: bigint): bigint {
  if (a === 0n || b === 0n) return 0n;
  const product = (a / gcd(a, b)) * b;
  return product < 0n ? -product : product;
}

function widthBucket(value: number, low: number, high: number, count: number): number {
  const invalid = (message: string): SqlError =>
    new SqlError('invalid_argument_for_width_bucket_function', message);
  if (count <= 0) throw invalid('count must be greater than zero');
  if ([value, low, high].some(Number.isNaN))
    throw invalid('operand, lower bound, and upper bound cannot be NaN');
  if (!Number.isFinite(low) || !Number.isFinite(high)) throw invalid('lower and upper bounds must be finite');
  if (low === high) throw invalid('lower bound cannot equal upper bound');
  const [from, to, at] = low < high ? [low, high, value] : [-low, -high, -value];
  if (at < from) return 0;
  if (at >= to) return checkInt4(count + 1);
  // Halves, where the width is above the greatest float.
  const part = Number.isFinite(to - from)
    ? (at - from) / (to - from)
    : (at / 2 - from / 2) / (to / 2 - from / 2);
  return Math.min(Math.floor(count * part), count - 1) + 1;
}

const small = (step: (a: bigint, b: bigint) => bigint) => (a: number, b: number) =>
  checkInt4(Number(step(BigInt(a), BigInt(b))));

function remainder(a: number, b: number): number {
  if (b === 0) throw divisionByZero();
  return (a % b) + 0;
}

function longRemainder(a: bigint, b: bigint): bigint {
  if (b === 0n) throw divisionByZero();
  return a % b;
}

const OTHERS: readonly ScalarFunction[] = [
  row('abs(int2) int2', words('Absolute value'), ['SELECT abs(-7::int2)', '7'], (v: number) =>
    checkInt2(Math.abs(v)),
  ),
  row('abs(int4) int4', words('Absolute value'), ['SELECT abs(-7)', '7'], (v: number) =>
    checkInt4(Math.abs(v)),
  ),
  row('abs(int8) int8', words('Absolute value'), ['SELECT abs(-7::int8)', '7'], (v: bigint) =>
    checkInt8(v < 0n ? -v : v),
  ),
  row('abs(float4) float4', words('Absolute value'), ['SELECT abs(-1.5::float4)', '1.5'], (v: number) =>
    Math.abs(v),
  ),
  row(
    'round(numeric, int4) numeric',
    'Rounded to so many decimals, halves away from zero.',
    ['SELECT round(42.4382, 2)', '42.44'],
    roundNumeric,
  ),
  row(
    'trunc(numeric, int4) numeric',
    'Cut to so many decimals.',
    ['SELECT trunc(42.4382, 2)', '42.43'],
    truncateNumeric,
  ),
  row(
    'log(numeric, numeric) numeric',
    'The logarithm to a base.',
    ['SELECT log(2.0, 64.0)', '6.0000000000000000'],
    logNumeric,
  ),
  row('power(float8, float8) float8', 'a to the power of b.', ['SELECT power(9::float8, 3)', '729'], power),
  row(
    'power(numeric, numeric) numeric',
    'a to the power of b.',
    ['SELECT power(9.0, 3.0)', '729.00000000000000'],
    powerNumeric,
  ),
  row('pow(float8, float8) float8', 'a to the power of b.', ['SELECT pow(9::float8, 3)', '729'], power),
  row(
    'pow(numeric, numeric) numeric',
    'a to the power of b.',
    ['SELECT pow(9.0, 3.0)', '729.00000000000000'],
    powerNumeric,
  ),
  row('mod(int2, int2) int2', 'The remainder.', ['SELECT mod(9::int2, 4::int2)', '1'], remainder),
  row('mod(int4, int4) int4', 'The remainder.', ['SELECT mod(9, 4)', '1'], remainder),
  row('mod(int8, int8) int8', 'The remainder.', ['SELECT mod(9::int8, 4::int8)', '1'], longRemainder),
  row('mod(numeric, numeric) numeric', 'The remainder.', ['SELECT mod(9.5, 4)', '1.5'], moduloNumeric),
  row(
    'div(numeric, numeric) numeric',
    'The quotient cut to an integer.',
    ['SELECT div(9.0, 4)', '2'],
    integerQuotient,
  ),
  row('gcd(int4, int4) int4', 'The greatest common divisor.', ['SELECT gcd(1071, 462)', '21'], small(gcd)),
  row(
    'gcd(int8, int8) int8',
    'The greatest common divisor.',
    ['SELECT gcd(1071::int8, 462::int8)', '21'],
    (a: bigint, b: bigint) => checkInt8(gcd(a, b)),
  ),
  row(
    'gcd(numeric, numeric) numeric',
    'The greatest common divisor.',
    ['SELECT gcd(330.3, 462)', '0.3'],
    gcdNumeric,
  ),
  row(
    'lcm(numeric, numeric) numeric',
    'The least common multiple.',
    ['SELECT lcm(0.6, 0.9)', '1.8'],
    lcmNumeric,
  ),
  row('lcm(int4, int4) int4', 'The least common multiple.', ['SELECT lcm(1071, 462)', '23562'], small(lcm)),
  row(
    'lcm(int8, int8) int8',
    'The least common multiple.',
    ['SELECT lcm(1071::int8, 462::int8)', '23562'],
    (a: bigint, b: bigint) => checkInt8(lcm(a, b)),
  ),
  row('pi() float8', 'The number pi.', ['SELECT pi()', '3.141592653589793'], () => Math.PI),
  row(
    'atan2(float8, float8) float8',
    'The angle of a point.',
    ['SELECT atan2(0, 1)', '0'],
    (a: number, b: number) => Math.atan2(a, b),
  ),
  row('scale(numeric) int4', 'Decimals kept.', ['SELECT scale(8.4100)', '4'], (v: NumericDatum) =>
    v.special === undefined ? v.scale : null,
  ),
  row(
    'width_bucket(float8, float8, float8, int4) int4',
    'The bucket of a histogram.',
    ['SELECT width_bucket(5.35::float8, 0.024, 10.06, 5)', '3'],
    widthBucket,
  ),
  row('factorial(int8) numeric', 'The product of 1 to n.', ['SELECT factorial(5)', '120'], factorial),
  {
    name: 'min_scale',
    args: ['numeric'],
    returns: 'int4',
    summary: 'How many decimals the value needs.',
    example: ['SELECT min_scale(8.4100)', '2'],
    evaluate: (value: NumericDatum) => (value.special === undefined ? trimScale(value).scale : null),
  },
];

/** The largest whose digits fit. */
const FACTORIAL_MAX = 32_177n;

/** The product of `from` to `to`: factors of like size, which multiply quickly. */
function productOf(from: bigint, to: bigint): bigint {
  if (to - from < 4n) {
    let product = 1n;
    for (let i = from; i <= to; i++) product *= i;
    return product;
  }
  const middle = (from + to) / 2n;
  return productOf(from, middle) * productOf(middle + 1n, to);
}

function factorial(value: bigint): NumericDatum {
  if (value < 0n) {
    throw new SqlError('numeric_value_out_of_range', 'factorial of a negative number is undefined');
  }
  if (value > FACTORIAL_MAX)
    throw new SqlError('numeric_value_out_of_range', 'value overflows numeric format');
  const product = productOf(1n, value < 1n ? 1n : value);
  return numericOf(product);
}

const CURVE = 'x and the midpoint to the power of the exponent';

/** Ours: product.md, "Functions and operators for ranking and filtering". */
const RANKING: readonly ScalarFunction[] = [
  row('square(float8) float8', 'The value times itself.', ['SELECT square(3)', '9'], (v: number) =>
    checkFloat(v * v, Number.isFinite(v)),
  ),
  row(
    'saturate(float8, float8, float8) float8',
    `Rises from 0 to 1: x/(x+m) of ${CURVE}.`,
    ['SELECT saturate(2, 2, 1)', '0.5'],
    (x: number, m: number, e: number) => power(x, e) / (power(x, e) + power(m, e)),
  ),
  row(
    'decay(float8, float8, float8) float8',
    `Falls from 1 to 0: m/(x+m) of ${CURVE}.`,
    ['SELECT decay(2, 2, 1)', '0.5'],
    (x: number, m: number, e: number) => power(m, e) / (power(x, e) + power(m, e)),
  ),
  {
    name: 'boost',
    args: ['bool', 'float8'],
    returns: 'float8',
    strict: false,
    summary: 'The factor when the condition is true, else 1.',
    example: ['SELECT boost(true, 2)', '2'],
    evaluate: (condition: boolean | null, factor: number | null) => (condition === true ? factor : 1),
  },
];

export const MATH_FUNCTIONS: readonly ScalarFunction[] = [
  ...FLOATS.map(([name, argument, result, evaluate]) =>
    row(
      `${name}(float8) float8`,
      words(name),
      [`SELECT ${name}('${argument}'::float8)`, result],
      (v: number) => evaluate(v),
    ),
  ),
  ...NUMERICS.map(([name, argument, result, evaluate]) =>
    row(
      `${name}(numeric) numeric`,
      words(name),
      [`SELECT ${name}('${argument}'::numeric)`, result],
      (v: NumericDatum) => evaluate(v),
    ),
  ),
  ...OTHERS,
  ...RANKING,
];
