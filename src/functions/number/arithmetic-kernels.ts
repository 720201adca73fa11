/** Arithmetic over column vectors, with PostgreSQL's overflow (22003) and division by zero (22012). */
import { SqlError } from '../../errors.ts';
import { Float64Vector, Int32Vector, Int64Vector, type Vector } from '../../types/column/vector.ts';
import { eitherNull } from '../value/comparison-kernels.ts';

export type Arithmetic = '+' | '-' | '*' | '/' | '%';
type Kernel = (args: readonly Vector[], length: number) => Vector;

export const divisionByZero = (): SqlError => new SqlError('division_by_zero', 'division by zero');

/** @param type as SQL shows it. */
export const rangeError = (type: string): SqlError =>
  new SqlError('numeric_value_out_of_range', `${type} out of range`);

export const floatOverflow = (): SqlError =>
  new SqlError('numeric_value_out_of_range', 'value out of range: overflow');

const INT8_MIN = -(2n ** 63n);
const INT8_MAX = 2n ** 63n - 1n;

/** @throws SqlError 22003 */
export function checkInt8(value: bigint): bigint {
  if (value < INT8_MIN || value > INT8_MAX) throw rangeError('bigint');
  return value;
}

/** @throws SqlError 22003 */
export function checkInt4(value: number): number {
  if (value < -2147483648 || value > 2147483647) throw rangeError('integer');
  return value;
}

/** @throws SqlError 22003 */
export function checkInt2(value: number): number {
  if (value < -32768 || value > 32767) throw rangeError('smallint');
  return value;
}

type Steps<N> = Readonly<Record<Arithmetic, (a: N, b: N) => N>>;

/** Exact: products of two int32 above 2^53 are out of range whatever their last bits. */
const SMALL_STEPS: Steps<number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => {
    if (b === 0) throw divisionByZero();
    return Math.trunc(a / b);
  },
  '%': (a, b) => {
    if (b === 0) throw divisionByZero();
    return a % b;
  },
};

/** int2 and int4. @param type whose range the result must keep. */
export function smallKernel(operator: Arithmetic, type: 'int2' | 'int4'): Kernel {
  const step = SMALL_STEPS[operator];
  const check = type === 'int2' ? checkInt2 : checkInt4;
  return ([left, right], length) => {
    const a = (left as Int32Vector).values;
    const b = (right as Int32Vector).values;
    const nulls = eitherNull((left as Vector).nulls, (right as Vector).nulls, length);
    const out = new Int32Array(length);
    for (let i = 0; i < length; i++) {
      if (nulls !== null && nulls[i] === 1) continue;
      out[i] = check(step(a[i] as number, b[i] as number));
    }
    return new Int32Vector(out, nulls);
  };
}

const LONG_STEPS: Steps<bigint> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => {
    if (b === 0n) throw divisionByZero();
    return a / b;
  },
  '%': (a, b) => {
    if (b === 0n) throw divisionByZero();
    return a % b;
  },
};

/** int8 with int2, int4 or int8 on either side. */
export function longKernel(operator: Arithmetic): Kernel {
  const step = LONG_STEPS[operator];
  return ([left, right], length) => {
    const [a, b] = [longs(left as Vector), longs(right as Vector)];
    const nulls = eitherNull((left as Vector).nulls, (right as Vector).nulls, length);
    const out = new BigInt64Array(length);
    for (let i = 0; i < length; i++) {
      if (nulls !== null && nulls[i] === 1) continue;
      out[i] = checkInt8(step(a[i] as bigint, b[i] as bigint));
    }
    return new Int64Vector(out, nulls);
  };
}

function longs(vector: Vector): BigInt64Array {
  if (vector.kind === 'int64') return vector.values;
  return BigInt64Array.from((vector as Int32Vector).values as Iterable<number>, (value) => BigInt(value));
}

/** @throws SqlError 22003 when finite values gave an infinity, or non-zero ones nothing. */
export function checkFloat(value: number, finite: boolean, nonZero = false): number {
  if (!Number.isFinite(value) && !Number.isNaN(value) && finite) {
    throw floatOverflow();
  }
  if (value === 0 && nonZero)
    throw new SqlError('numeric_value_out_of_range', 'value out of range: underflow');
  return value;
}

/** Arithmetic of finite numbers. */
const FLOAT_STEPS: Steps<number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => checkFloat(a * b, true, a !== 0 && b !== 0),
  '/': (a, b) => {
    if (b === 0 && !Number.isNaN(a)) throw divisionByZero();
    return checkFloat(a / b, true, a !== 0 && Number.isFinite(b));
  },
  '%': (a, b) => a % b,
};

/** float4 and float8. @param single both sides are float4: the result is rounded to it. */
export function floatKernel(operator: Arithmetic, single: boolean): Kernel {
  const step = FLOAT_STEPS[operator];
  return ([left, right], length) => {
    const a = (left as Float64Vector).values;
    const b = (right as Float64Vector).values;
    const nulls = eitherNull((left as Vector).nulls, (right as Vector).nulls, length);
    const out = new Float64Array(length);
    for (let i = 0; i < length; i++) {
      if (nulls !== null && nulls[i] === 1) continue;
      const [x, y] = [a[i] as number, b[i] as number];
      const finite = Number.isFinite(x) && Number.isFinite(y);
      const result = finite ? step(x, y) : unchecked(operator, x, y);
      // Sums of floats are never too small: what is lost of one is lost of all.
      out[i] = single
        ? checkFloat(Math.fround(result), finite, finite && result !== 0)
        : checkFloat(result, finite);
    }
    return new Float64Vector(out, nulls);
  };
}

/** Infinities and NaN follow IEEE; only division by zero still raises. */
function unchecked(operator: Arithmetic, a: number, b: number): number {
  if (operator === '+') return a + b;
  if (operator === '-') return a - b;
  if (operator === '*') return a * b;
  if (b === 0 && !Number.isNaN(a)) throw divisionByZero();
  return operator === '/' ? a / b : a % b;
}
