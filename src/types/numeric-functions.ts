/**
 * Square root, exponential, logarithm and power of exact decimals, to the scales PostgreSQL shows
 * (numeric.c: at least 16 significant digits). Computed in fixed point on bigints with guard digits.
 */
import { SqlError } from '../errors.ts';
import type { NumericDatum } from './datum.ts';
import {
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
const EXPONENT_MAX = 6000;
const ONE = numericOf(1n);

function displayScale(wanted: number, ...least: readonly number[]): number {
  return Math.min(Math.max(wanted, 0, ...least), DISPLAY_SCALE_MAX);
}

/** Largest integer whose square is not above `value` (Newton). */
function integerRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
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
  const scale = displayScale(SIGNIFICANT_DIGITS_MIN - resultWeight, value.scale);
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
  if (estimate > EXPONENT_MAX * 3) throw overflow();
  if (estimate < -EXPONENT_MAX) return numericOf(0n, scale);
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

function lnToScale(value: NumericDatum, scale: number): NumericDatum {
  const work = Math.max(scale, value.scale) + GUARD_DIGITS;
  return roundNumeric(numericOf(lnFixed(fixedPoint(value, work), work), work), scale);
}

/** Logarithm of `value` to `base`. @throws SqlError 2201E, 22012 for base 1. */
export function logNumeric(base: NumericDatum, value: NumericDatum): NumericDatum {
  if (base.special === 'NaN' || value.special === 'NaN') return NUMERIC_NAN;
  checkLogarithm(base);
  checkLogarithm(value);
  if (base.special !== undefined || value.special !== undefined) return logSpecial(base, value);
  if (compareNumeric(base, ONE) === 0) throw new SqlError('division_by_zero', 'division by zero');
  const baseWeight = lnWeight(base);
  const valueWeight = lnWeight(value);
  const scale = displayScale(SIGNIFICANT_DIGITS_MIN - (valueWeight - baseWeight), base.scale, value.scale);
  const work = scale + Math.abs(baseWeight) + Math.abs(valueWeight) + GUARD_DIGITS;
  return divideToScale(lnToScale(value, work), lnToScale(base, work), scale);
}

function logSpecial(base: NumericDatum, value: NumericDatum): NumericDatum {
  if (base.special !== undefined) return value.special === undefined ? numericOf(0n) : NUMERIC_NAN;
  return value;
}

/** @throws SqlError 2201F for a negative base with a fraction as exponent, or zero to a negative power. */
export function powerNumeric(base: NumericDatum, exponent: NumericDatum): NumericDatum {
  if (base.special !== undefined || exponent.special !== undefined) return powerSpecial(base, exponent);
  const isInteger = exponent.digits % pow10(exponent.scale) === 0n;
  const sign = numericSign(base);
  if (sign === 0 && numericSign(exponent) < 0) {
    throw new SqlError('invalid_argument_for_power_function', 'zero raised to a negative power is undefined');
  }
  if (sign < 0 && !isInteger) {
    throw new SqlError(
      'invalid_argument_for_power_function',
      'a negative number raised to a non-integer power yields a complex result',
    );
  }
  const whole = exponent.digits / pow10(exponent.scale);
  if (isInteger && magnitude(whole) <= 2147483647n) {
    return integerPower(base, Number(whole), exponent.scale);
  }
  return sign === 0 ? numericOf(0n, SIGNIFICANT_DIGITS_MIN) : realPower(base, exponent);
}

function powerSpecial(base: NumericDatum, exponent: NumericDatum): NumericDatum {
  if (compareNumeric(base, ONE) === 0 || numericSign(exponent) === 0) return ONE;
  const result = numericToNumber(base) ** numericToNumber(exponent);
  if (Number.isNaN(result)) return NUMERIC_NAN;
  const special = result < 0 ? '-Infinity' : 'Infinity';
  return Number.isFinite(result)
    ? numericOf(BigInt(result))
    : { datum: 'numeric', digits: 0n, scale: 0, special };
}

function integerPower(base: NumericDatum, exponent: number, exponentScale: number): NumericDatum {
  const digits = String(magnitude(base.digits));
  const logarithm = Math.log10(Number(`0.${digits}`)) + digits.length - base.scale;
  const weight = base.digits === 0n ? 0 : exponent * logarithm;
  if (weight > 131_076) throw overflow();
  if (weight + 1 < -DISPLAY_SCALE_MAX) return numericOf(0n, DISPLAY_SCALE_MAX);
  const scale = displayScale(SIGNIFICANT_DIGITS_MIN - Math.trunc(weight), base.scale, exponentScale);
  const count = Math.abs(exponent);
  if (digits.length * count > 4_000 && base.digits !== 0n) return largePower(base, exponent, weight, scale);
  const power = base.digits ** BigInt(count);
  if (exponent >= 0) return roundNumeric(numericOf(power, base.scale * count), scale);
  return divideToScale(ONE, numericOf(power, base.scale * count), scale);
}

/** Through exp and ln, so that the cost is bounded by the digits shown and not by the exact power's. */
function largePower(base: NumericDatum, exponent: number, weight: number, scale: number): NumericDatum {
  const work = scale + Math.max(0, Math.ceil(weight)) + 2 * GUARD_DIGITS;
  const ln = lnToScale(numericOf(magnitude(base.digits), base.scale), work);
  const result = expOfFixed(ln.digits * BigInt(exponent), work, scale);
  return base.digits < 0n && exponent % 2 !== 0 ? numericOf(-result.digits, scale) : result;
}

function expOfFixed(x: bigint, work: number, scale: number): NumericDatum {
  return roundNumeric(numericOf(expFixed(x, work), work), scale);
}

function realPower(base: NumericDatum, exponent: NumericDatum): NumericDatum {
  const lnBase = lnToScale(base, Math.max(8 - lnWeight(base), 0));
  const weight = numericToNumber(lnBase) * numericToNumber(exponent) * Math.LOG10E;
  if (weight > EXPONENT_MAX) throw overflow();
  if (weight < -EXPONENT_MAX / 3) return numericOf(0n, DISPLAY_SCALE_MAX);
  const scale = displayScale(SIGNIFICANT_DIGITS_MIN - Math.trunc(weight), base.scale, exponent.scale);
  const work = scale + Math.max(0, Math.ceil(weight)) + 2 * GUARD_DIGITS;
  const ln = lnToScale(base, work);
  return expOfFixed(divideRounded(ln.digits * exponent.digits, pow10(exponent.scale)), work, scale);
}
