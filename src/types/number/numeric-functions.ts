/**
 * Square root, exponential, logarithm and power of exact decimals, to the scales PostgreSQL shows
 * (numeric.c: at least 16 significant digits). Computed in fixed point on bigints with guard digits.
 */
import { SqlError } from '../../errors.ts';
import type { NumericDatum } from '../datum.ts';
import {
  checked,
  compareNumeric,
  DISPLAY_SCALE_MAX,
  divideRounded,
  divideToScale,
  leadingDigit,
  magnitude,
  NUMERIC_NAN,
  numericOf,
  numericSign,
  numericToNumber,
  overflow,
  pow10,
  roundNumeric,
  SIGNIFICANT_DIGITS_MIN,
} from './numeric.ts';

const GUARD_DIGITS = 12;
/** e to so much, and more, overflows; with the same sign below zero nothing is left of it. */
const EXPONENT_MAX = 6000;
/** Before the logarithm is known exactly. */
const EXPONENT_ESTIMATE_MAX = 6020;
const INTEGER_EXPONENT_MAX = 2_147_483_647n;
const ONE = numericOf(1n);

function displayScale(wanted: number, ...least: readonly number[]): number {
  return Math.min(Math.max(wanted, 0, ...least), DISPLAY_SCALE_MAX);
}

/** About the length in bits: up to three more. */
const bitsOf = (value: bigint): number => value.toString(16).length * 4;

/**
 * Largest integer whose square is not above `value`: Newton's iteration from the root of its upper half, so that
 * all divisions together take little longer than the last one.
 */
function integerRoot(value: bigint): bigint {
  if (value < 2n) return value;
  const bits = bitsOf(value);
  const shift = BigInt(Math.floor(bits / 4) - 1);
  let root =
    bits < 128 ? 1n << BigInt(Math.ceil(bits / 2)) : (integerRoot(value >> (2n * shift)) + 1n) << shift;
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** @throws SqlError 2201F below zero. */
export function sqrtNumeric(value: NumericDatum): NumericDatum {
  if (numericSign(value) < 0) {
    throw new SqlError('invalid_argument_for_power_function', 'cannot take square root of a negative number');
  }
  if (value.special !== undefined) return value;
  const resultWeight = Math.trunc(((leadingDigit(value).weight + 1) * 4) / 2) - 1;
  return sqrtToScale(value, displayScale(SIGNIFICANT_DIGITS_MIN - resultWeight, value.scale));
}

/** @param value not below zero, and no special one. */
export function sqrtToScale(value: NumericDatum, scale: number): NumericDatum {
  const work = scale + 1;
  const shift = 2 * work - value.scale;
  const scaled = shift >= 0 ? value.digits * pow10(shift) : value.digits / pow10(-shift);
  return roundNumeric(numericOf(integerRoot(scaled), work), scale);
}

/** e^x in fixed point: x = k ln 2 + r is avoided by halving x until the series is short. */
function expFixed(x: bigint, scale: number): bigint {
  const halvings = Math.max(0, magnitude(x).toString(2).length - pow10(scale).toString(2).length + 8);
  const work = scale + halvings + GUARD_DIGITS;
  const one = pow10(work);
  const small = (x * pow10(work - scale)) >> BigInt(halvings);
  let term = one;
  let sum = one;
  for (let n = 1n; term !== 0n && term !== -1n; n++) {
    term = (term * small) / (one * n);
    sum += term;
  }
  for (let i = 0; i < halvings; i++) sum = (sum * sum) / one;
  return sum / pow10(work - scale);
}

/** ln x in fixed point for x > 0: square roots bring x near 1, then the series of atanh. */
function lnFixed(x: bigint, scale: number): bigint {
  const work = scale + GUARD_DIGITS;
  const one = pow10(work);
  let y = x * pow10(work - scale);
  let roots = 0;
  while (magnitude(y - one) > one / 16n) {
    y = integerRoot(y * one);
    roots++;
  }
  const ratio = ((y - one) * one) / (y + one);
  const square = (ratio * ratio) / one;
  let power = ratio;
  let sum = 0n;
  for (let n = 1n; power !== 0n && power !== -1n; n += 2n) {
    sum += power / n;
    power = (power * square) / one;
  }
  return (sum << BigInt(roots + 1)) / pow10(work - scale);
}

/** Digits of `value` in fixed point at `scale`. */
function fixedPoint(value: NumericDatum, scale: number): bigint {
  const shift = scale - value.scale;
  return shift >= 0 ? value.digits * pow10(shift) : divideRounded(value.digits, pow10(-shift));
}

/** @throws SqlError 22003 when the result is too large. */
export function expNumeric(value: NumericDatum): NumericDatum {
  if (value.special !== undefined) return value.special === '-Infinity' ? numericOf(0n) : value;
  const weight = Math.min(Math.max(numericToNumber(value) * Math.LOG10E, -2000), 2000);
  return expToScale(value, displayScale(SIGNIFICANT_DIGITS_MIN - Math.trunc(weight), value.scale));
}

function expToScale(value: NumericDatum, scale: number): NumericDatum {
  const estimate = numericToNumber(value);
  if (estimate >= EXPONENT_MAX) throw overflow();
  if (estimate <= -EXPONENT_MAX) return numericOf(0n, scale);
  const work = scale + GUARD_DIGITS + Math.max(0, Math.ceil(estimate * Math.LOG10E));
  return roundNumeric(numericOf(expFixed(fixedPoint(value, work), work), work), scale);
}

function checkLogarithm(value: NumericDatum): void {
  if (value.special === 'NaN') return;
  const sign = numericSign(value);
  if (sign > 0) return;
  throw new SqlError(
    'invalid_argument_for_logarithm',
    sign === 0 ? 'cannot take logarithm of zero' : 'cannot take logarithm of a negative number',
  );
}

/** Decimal weight of ln(value): estimate_ln_dweight of numeric.c. */
function lnWeight(value: NumericDatum): number {
  const estimate = Math.abs(Math.log(numericToNumber(value)));
  const near = compareNumeric(value, numericOf(9n, 1)) >= 0 && compareNumeric(value, numericOf(11n, 1)) <= 0;
  if (!near) return Number.isFinite(estimate) ? Math.trunc(Math.log10(estimate)) : logWeightOfDigits(value);
  const difference = numericOf(value.digits - pow10(value.scale), value.scale);
  if (difference.digits === 0n) return 0;
  const { weight, digit } = leadingDigit(difference);
  return weight * 4 + Math.trunc(Math.log10(digit));
}

function logWeightOfDigits(value: NumericDatum): number {
  const { weight, digit } = leadingDigit(value);
  return Math.trunc(Math.log10(Math.abs(Math.log(digit) + weight * 4 * Math.LN10)));
}

/** @throws SqlError 2201E at or below zero. */
export function lnNumeric(value: NumericDatum): NumericDatum {
  checkLogarithm(value);
  if (value.special !== undefined) return value;
  return lnToScale(value, displayScale(SIGNIFICANT_DIGITS_MIN - lnWeight(value), value.scale));
}

/** ln of 10^k × d as k ln 10 + ln d: what it costs does not depend on how many digits the value has. */
function lnToScale(value: NumericDatum, scale: number): NumericDatum {
  const work = scale + GUARD_DIGITS;
  const exponent = String(value.digits).length - 1 - value.scale;
  const shift = Math.abs(exponent) <= 1 ? 0 : exponent;
  const near = fixedPoint({ ...value, scale: value.scale + shift }, work);
  const rest = shift === 0 ? 0n : BigInt(shift) * lnFixed(10n * pow10(work), work);
  return roundNumeric(numericOf(lnFixed(near, work) + rest, work), scale);
}

/** Logarithm of `value` to `base`. @throws SqlError 2201E, 22012 for base 1. */
export function logNumeric(base: NumericDatum, value: NumericDatum): NumericDatum {
  if (base.special === 'NaN' || value.special === 'NaN') return NUMERIC_NAN;
  if (base.special !== undefined || value.special !== undefined) return logSpecial(base, value);
  checkLogarithm(base);
  checkLogarithm(value);
  if (compareNumeric(base, ONE) === 0) throw new SqlError('division_by_zero', 'division by zero');
  const baseWeight = lnWeight(base);
  const valueWeight = lnWeight(value);
  const scale = displayScale(SIGNIFICANT_DIGITS_MIN - (valueWeight - baseWeight), base.scale, value.scale);
  const work = scale + Math.abs(baseWeight) + Math.abs(valueWeight) + GUARD_DIGITS;
  return divideToScale(lnToScale(value, work), lnToScale(base, work), scale);
}

/** @throws SqlError 2201E: below zero before zero, whichever of them it is. */
function logSpecial(base: NumericDatum, value: NumericDatum): NumericDatum {
  for (const one of [base, value].toSorted((a, b) => numericSign(a) - numericSign(b))) checkLogarithm(one);
  if (base.special !== undefined) return value.special === undefined ? numericOf(0n) : NUMERIC_NAN;
  return value;
}

const isWhole = ({ special, digits, scale }: NumericDatum): boolean =>
  special === undefined ? digits % pow10(scale) === 0n : special !== 'NaN';
const isOdd = ({ digits, scale }: NumericDatum): boolean => (digits / pow10(scale)) % 2n !== 0n;

/** @throws SqlError 2201F for a negative base with a fraction as exponent, or zero to a negative power. */
export function powerNumeric(base: NumericDatum, exponent: NumericDatum): NumericDatum {
  const isSpecial = base.special !== undefined || exponent.special !== undefined;
  if (base.special === 'NaN' || exponent.special === 'NaN') return powerNaN(base, exponent);
  const sign = numericSign(base);
  if (sign === 0 && numericSign(exponent) < 0) {
    throw new SqlError('invalid_argument_for_power_function', 'zero raised to a negative power is undefined');
  }
  if (sign < 0 && !isWhole(exponent)) {
    throw new SqlError(
      'invalid_argument_for_power_function',
      'a negative number raised to a non-integer power yields a complex result',
    );
  }
  if (isSpecial) return powerInfinite(base, exponent);
  const whole = exponent.digits / pow10(exponent.scale);
  if (isWhole(exponent) && magnitude(whole) <= INTEGER_EXPONENT_MAX) {
    return integerPower(base, Number(whole), exponent.scale);
  }
  if (sign === 0) return numericOf(0n, SIGNIFICANT_DIGITS_MIN);
  const power = realPower({ ...base, digits: magnitude(base.digits) }, exponent);
  return sign < 0 && isOdd(exponent) ? { ...power, digits: -power.digits } : power;
}

/** One to any power is one, and so is anything to the power of zero. */
function powerNaN(base: NumericDatum, exponent: NumericDatum): NumericDatum {
  const isOne = base.special === undefined && compareNumeric(base, ONE) === 0;
  const isZero = exponent.special === undefined && exponent.digits === 0n;
  return isOne || isZero ? ONE : NUMERIC_NAN;
}

/** POSIX's rules of pow(3), where one of both is infinite. */
function powerInfinite(base: NumericDatum, exponent: NumericDatum): NumericDatum {
  const infinite = (special: 'Infinity' | '-Infinity'): NumericDatum => ({ ...numericOf(0n), special });
  const isOne = base.special === undefined && compareNumeric(base, ONE) === 0;
  const towards = numericSign(exponent);
  if (isOne || towards === 0) return ONE;
  if (numericSign(base) === 0) return numericOf(0n);
  if (exponent.special === undefined) {
    if (towards < 0) return numericOf(0n);
    const isNegative = base.special === '-Infinity' && isWhole(exponent) && isOdd(exponent);
    return infinite(isNegative ? '-Infinity' : 'Infinity');
  }
  const size = { ...base, digits: magnitude(base.digits) };
  const compared = base.special === undefined ? compareNumeric(size, ONE) : 1;
  if (compared === 0) return ONE;
  return compared > 0 === towards > 0 ? infinite('Infinity') : numericOf(0n);
}

function integerPower(base: NumericDatum, exponent: number, exponentScale: number): NumericDatum {
  const digits = String(magnitude(base.digits));
  const logarithm = Math.log10(Number(`0.${digits}`)) + digits.length - base.scale;
  const weight = base.digits === 0n ? 0 : exponent * logarithm;
  if (weight > 131_076) throw overflow();
  if (weight + 1 < -DISPLAY_SCALE_MAX) return numericOf(0n, DISPLAY_SCALE_MAX);
  const scale = displayScale(SIGNIFICANT_DIGITS_MIN - Math.trunc(weight), base.scale, exponentScale);
  const count = Math.abs(exponent);
  if ((logarithm + base.scale) * count > exactDigitsMax(weight, scale)) {
    return roundedPower(base, exponent, weight, scale);
  }
  const power = base.digits ** BigInt(count);
  if (exponent >= 0) return roundNumeric(checked(power, base.scale * count), scale);
  return divideToScale(ONE, numericOf(power, base.scale * count), scale);
}

/** A power with so many digits is computed as it is, and then rounded to those that are shown. */
const exactDigitsMax = (weight: number, scale: number): number =>
  Math.max(4_000, 2 * (Math.max(weight, 0) + scale));

/** `mantissa` × 2^`exponent`. */
interface Binary {
  readonly mantissa: bigint;
  readonly exponent: number;
}

function cut({ mantissa, exponent }: Binary, bits: number): Binary {
  const surplus = bitsOf(mantissa) - bits;
  return surplus > 0
    ? { mantissa: mantissa >> BigInt(surplus), exponent: exponent + surplus }
    : { mantissa, exponent };
}

/**
 * By squaring from the exponent's highest bits on, with no more digits on the way than the result shows; as long as
 * they are few, the power is the exact one.
 */
function roundedPower(base: NumericDatum, exponent: number, weight: number, scale: number): NumericDatum {
  const count = Math.abs(exponent);
  const shown = Math.max(scale + Math.ceil(weight), 0) + GUARD_DIGITS;
  const bits = Math.ceil(shown * Math.log2(10)) + Math.ceil(Math.log2(count)) + 32;
  const digits = magnitude(base.digits);
  let left = 0;
  const most = Math.max(exactDigitsMax(weight, scale), String(digits).length);
  while (Math.floor(count / 2 ** left) * String(digits).length > most) left++;
  const exact = BigInt(Math.floor(count / 2 ** left));
  let power = quotient(digits ** exact, pow10(base.scale) ** exact, bits);
  while (left-- > 0) {
    power = cut({ mantissa: power.mantissa ** 2n, exponent: 2 * power.exponent }, bits);
    if (Math.floor(count / 2 ** left) % 2 === 0) continue;
    const next = quotient(power.mantissa * digits, pow10(base.scale), bits);
    power = { mantissa: next.mantissa, exponent: power.exponent + next.exponent };
  }
  if (exponent < 0) {
    const inverse = quotient(1n, power.mantissa, bits);
    power = { mantissa: inverse.mantissa, exponent: inverse.exponent - power.exponent };
  }
  const result = shiftRounded(power.mantissa * pow10(scale), power.exponent);
  return checked(base.digits < 0n && exponent % 2 !== 0 ? -result : result, scale);
}

/** `bits` bits of a quotient. */
function quotient(dividend: bigint, divisor: bigint, bits: number): Binary {
  const shift = Math.max(bits + bitsOf(divisor) - bitsOf(dividend) + 4, 0);
  return cut({ mantissa: (dividend << BigInt(shift)) / divisor, exponent: -shift }, bits);
}

/** The nearest integer to `value` × 2^`exponent`. */
function shiftRounded(value: bigint, exponent: number): bigint {
  if (exponent >= 0) return value << BigInt(exponent);
  return ((value >> BigInt(-exponent - 1)) + 1n) >> 1n;
}

function expOfFixed(x: bigint, work: number, scale: number): NumericDatum {
  return roundNumeric(numericOf(expFixed(x, work), work), scale);
}

/** @param base above zero. @throws SqlError 22003 when the result is too large. */
function realPower(base: NumericDatum, exponent: NumericDatum): NumericDatum {
  const lnBase = lnToScale(base, Math.max(8 - lnWeight(base), 0));
  const product = numericOf(lnBase.digits * exponent.digits, lnBase.scale + exponent.scale);
  const estimate = numericToNumber(product);
  if (estimate > EXPONENT_ESTIMATE_MAX) throw overflow();
  if (estimate < -EXPONENT_ESTIMATE_MAX) return numericOf(0n, DISPLAY_SCALE_MAX);
  const weight = estimate * Math.LOG10E;
  const scale = displayScale(SIGNIFICANT_DIGITS_MIN - Math.trunc(weight), base.scale, exponent.scale);
  const work = scale + Math.max(0, Math.ceil(weight)) + 2 * GUARD_DIGITS + wholeDigits(exponent);
  const ln = lnToScale(base, work);
  const exact = divideRounded(ln.digits * exponent.digits, pow10(exponent.scale));
  const size = magnitude(exact) / pow10(work);
  if (size < BigInt(EXPONENT_MAX)) return expOfFixed(exact, work, scale);
  if (exact > 0n) throw overflow();
  return numericOf(0n, scale);
}

/** By how many digits the logarithm's error grows. */
const wholeDigits = ({ digits, scale }: NumericDatum): number =>
  Math.max(String(magnitude(digits)).length - scale, 0);
