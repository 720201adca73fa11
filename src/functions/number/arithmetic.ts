/** Arithmetic and bit operators of the number types. Dates and intervals: `time/datetime.ts`. */
import { SqlError } from '../../errors.ts';
import {
  absNumeric,
  addNumeric,
  divideNumeric,
  moduloNumeric,
  multiplyNumeric,
  negateNumeric,
  subtractNumeric,
} from '../../types/number/numeric.ts';
import { powerNumeric } from '../../types/number/numeric-functions.ts';
import type { NumericDatum } from '../../types/datum.ts';
import {
  type Arithmetic,
  checkFloat,
  checkInt2,
  checkInt4,
  checkInt8,
  floatKernel,
  longKernel,
  smallKernel,
} from './arithmetic-kernels.ts';
import { decimalKernel } from './decimal-kernels.ts';
import type { Operator } from '../function.ts';

const SUMMARIES: Readonly<Record<Arithmetic, string>> = {
  '+': 'The sum.',
  '-': 'The difference.',
  '*': 'The product.',
  '/': 'The quotient; integers are cut towards zero.',
  '%': 'The remainder, with the sign of the left value.',
};
const RESULTS: Readonly<Record<Arithmetic, string>> = { '+': '9', '-': '5', '*': '14', '/': '3', '%': '1' };
const OPERATORS = Object.keys(SUMMARIES) as Arithmetic[];

const INTEGERS = ['int2', 'int4', 'int8'];

function integerRow(name: Arithmetic, left: string, right: string): Operator {
  const wide = left === 'int8' || right === 'int8';
  const returns = wide ? 'int8' : left === 'int2' && right === 'int2' ? 'int2' : 'int4';
  return {
    name,
    left,
    right,
    returns,
    summary: SUMMARIES[name],
    ...(name === '+' || name === '*' ? { commutator: name } : {}),
    example: [`SELECT 7::${left} ${name} 2::${right}`, RESULTS[name]],
    kernel: wide ? longKernel(name) : smallKernel(name, returns as 'int2' | 'int4'),
  };
}

function floatRow(name: Arithmetic, left: string, right: string): Operator {
  const single = left === 'float4' && right === 'float4';
  return {
    name,
    left,
    right,
    returns: single ? 'float4' : 'float8',
    summary: SUMMARIES[name],
    ...(name === '+' || name === '*' ? { commutator: name } : {}),
    example: [`SELECT 7::${left} ${name} 2::${right}`, name === '/' ? '3.5' : RESULTS[name]],
    kernel: floatKernel(name, single),
  };
}

const NUMERIC_STEPS: Readonly<Record<Arithmetic, (a: NumericDatum, b: NumericDatum) => NumericDatum>> = {
  '+': addNumeric,
  '-': subtractNumeric,
  '*': multiplyNumeric,
  '/': divideNumeric,
  '%': moduloNumeric,
};

function numericRow(name: Arithmetic): Operator {
  return {
    name,
    left: 'numeric',
    right: 'numeric',
    returns: 'numeric',
    summary: SUMMARIES[name],
    ...(name === '+' || name === '*' ? { commutator: name } : {}),
    example: [
      `SELECT 7.0 ${name} 2.0`,
      name === '/' ? '3.5000000000000000' : `${RESULTS[name]}.${name === '*' ? '00' : '0'}`,
    ],
    evaluate: NUMERIC_STEPS[name],
    ...(name === '/' || name === '%' ? {} : { kernel: decimalKernel(name, NUMERIC_STEPS[name]) }),
  };
}

const pairs = (types: readonly string[]): (readonly [string, string])[] =>
  types.flatMap((left) => types.map((right) => [left, right] as const));

const negations: readonly Operator[] = [
  prefix('-', 'int2', '-7', (a: number) => checkInt2(0 - a)),
  prefix('-', 'int4', '-7', (a: number) => checkInt4(0 - a)),
  prefix('-', 'int8', '-7', (a: bigint) => checkInt8(-a)),
  prefix('-', 'float4', '-7', (a: number) => -a),
  prefix('-', 'float8', '-7', (a: number) => -a),
  prefix('-', 'numeric', '-7', negateNumeric),
  ...[...INTEGERS, 'float4', 'float8', 'numeric'].map((type) => prefix('+', type, '7', (a: number) => a)),
  prefix('@', 'int2', '7', (a: number) => checkInt2(Math.abs(a))),
  prefix('@', 'int4', '7', (a: number) => checkInt4(Math.abs(a))),
  prefix('@', 'int8', '7', (a: bigint) => checkInt8(a < 0n ? -a : a)),
  prefix('@', 'float8', '7', (a: number) => Math.abs(a)),
  prefix('@', 'numeric', '7', absNumeric),
  prefix('~', 'int2', '-8', (a: number) => ~a),
  prefix('~', 'int4', '-8', (a: number) => ~a),
  prefix('~', 'int8', '-8', (a: bigint) => ~a),
  prefix('|/', 'float8', '2.6457513110645907', squareRoot),
  prefix('||/', 'float8', '2', (a: number) => Math.cbrt(a)),
];

type Evaluate = NonNullable<Operator['evaluate']>;

function prefix(name: string, right: string, result: string, evaluate: Evaluate): Operator {
  const summary = { '-': 'The negative.', '+': 'The value itself.', '~': 'All bits turned.' }[name];
  return {
    name,
    right,
    returns: right,
    summary: summary ?? 'The absolute value or root.',
    example: [`SELECT ${name} ${name === '||/' ? 8 : 7}::${right}`, result],
    evaluate,
  };
}

/** @throws SqlError 2201F */
export function squareRoot(value: number): number {
  if (value < 0) {
    throw new SqlError('invalid_argument_for_power_function', 'cannot take square root of a negative number');
  }
  return Math.sqrt(value);
}

/** @throws SqlError 2201F, 22003 */
export function power(base: number, exponent: number): number {
  if (base === 1 || exponent === 0) return 1;
  // IEEE's pow gives 1 where that of ECMAScript gives NaN.
  if (base === -1 && Math.abs(exponent) === Number.POSITIVE_INFINITY) return 1;
  if (base === 0 && exponent < 0) {
    throw new SqlError('invalid_argument_for_power_function', 'zero raised to a negative power is undefined');
  }
  if (base < 0 && Number.isFinite(exponent) && !Number.isInteger(exponent)) {
    const message = 'a negative number raised to a non-integer power yields a complex result';
    throw new SqlError('invalid_argument_for_power_function', message);
  }
  const finite = Number.isFinite(base) && Number.isFinite(exponent);
  return checkFloat(base ** exponent, finite, finite && base !== 0);
}

const BITS: readonly (readonly [string, string, (a: bigint, b: bigint) => bigint])[] = [
  ['&', '1', (a, b) => a & b],
  ['|', '7', (a, b) => a | b],
  ['#', '6', (a, b) => a ^ b],
];

function bitRows(type: string): Operator[] {
  const long = type === 'int8';
  const rows = BITS.map(
    ([name, result, step]): Operator => ({
      name,
      left: type,
      right: type,
      returns: type,
      summary: 'Bit by bit and, or, exclusive or.',
      commutator: name,
      example: [`SELECT 5::${type} ${name} 3::${type}`, result],
      evaluate: long ? step : (a: number, b: number) => Number(step(BigInt(a), BigInt(b))),
    }),
  );
  const width = { int2: 16, int4: 32, int8: 64 }[type] ?? 32;
  const shifted = (value: bigint): number | bigint => {
    const cut = BigInt.asIntN(width, value);
    return long ? cut : Number(cut);
  };
  // A shift distance counts modulo the machine word, which is never below 32 bits.
  const by = (distance: number): bigint => BigInt(distance & (long ? 63 : 31));
  const shift = (name: string, result: string, evaluate: Evaluate): Operator => ({
    name,
    left: type,
    right: 'int4',
    returns: type,
    summary: 'The bits moved left or right; the sign is kept on the right.',
    example: [`SELECT 5::${type} ${name} 1`, result],
    evaluate,
  });
  return [
    ...rows,
    shift('<<', '10', (a: number | bigint, b: number) => shifted(BigInt(a) << by(b))),
    shift('>>', '2', (a: number | bigint, b: number) => shifted(BigInt(a) >> by(b))),
  ];
}

const powers: readonly Operator[] = [
  {
    name: '^',
    left: 'float8',
    right: 'float8',
    returns: 'float8',
    summary: 'The left value to the power of the right one.',
    example: ['SELECT 2::float8 ^ 10', '1024'],
    evaluate: power,
  },
  {
    name: '^',
    left: 'numeric',
    right: 'numeric',
    returns: 'numeric',
    summary: 'The left value to the power of the right one.',
    example: ['SELECT 2.0 ^ 3', '8.0000000000000000'],
    // It may be long work for short numbers: it is not folded.
    effort: 2,
    evaluate: powerNumeric,
  },
];

export const ARITHMETIC_OPERATORS: readonly Operator[] = [
  ...OPERATORS.flatMap((name) => pairs(INTEGERS).map(([left, right]) => integerRow(name, left, right)))
    // PostgreSQL takes a remainder of one type only.
    .filter((row) => row.name !== '%' || row.left === row.right),
  ...OPERATORS.filter((name) => name !== '%').flatMap((name) =>
    pairs(['float4', 'float8']).map(([left, right]) => floatRow(name, left, right)),
  ),
  ...OPERATORS.map(numericRow),
  ...negations,
  ...INTEGERS.flatMap(bitRows),
  ...powers,
];
