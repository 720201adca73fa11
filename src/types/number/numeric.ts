/**
 * Exact decimals: a bigint of digits and the display scale PostgreSQL keeps beside it. Results have
 * PostgreSQL's scales (numeric.c): sums the larger scale, products the sum, quotients 16 significant digits.
 * Roots, logarithms and powers are in `numeric-functions.ts`.
 */
import { SqlError } from '../../errors.ts';
import { compareBigints } from './integer.ts';
import type { NumericDatum } from '../datum.ts';
import { invalidText } from '../type-errors.ts';

/** Digits before the point that PostgreSQL's format can hold, and after it. */
const INTEGER_DIGITS_MAX = 131_072;
const SCALE_MAX = 16_383;
/** NUMERIC_MIN_SIG_DIGITS and NUMERIC_MAX_DISPLAY_SCALE. */
export const SIGNIFICANT_DIGITS_MIN = 16;
export const DISPLAY_SCALE_MAX = 1_000;

const DECIMAL = /^([+-]?)(?:(\d(?:_?\d)*)\.?((?:\d(?:_?\d)*)?)|\.(\d(?:_?\d)*))(?:[eE]([+-]?\d(?:_?\d)*))?$/;
const BASED = /^([+-]?)(0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+)$/;
const SPECIAL = /^([+-]?)(nan|inf|infinity)$/i;

export const NUMERIC_NAN: NumericDatum = { datum: 'numeric', digits: 0n, scale: 0, special: 'NaN' };
const POSITIVE_INFINITY: NumericDatum = { datum: 'numeric', digits: 0n, scale: 0, special: 'Infinity' };
const NEGATIVE_INFINITY: NumericDatum = { datum: 'numeric', digits: 0n, scale: 0, special: '-Infinity' };

const POWERS: readonly bigint[] = Array.from({ length: 40 }, (_, exponent) => 10n ** BigInt(exponent));

export function pow10(exponent: number): bigint {
  return POWERS[exponent] ?? 10n ** BigInt(exponent);
}

export function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** `digits` × 10^-`scale`. @param scale 0 or more. */
export function numericOf(digits: bigint, scale = 0): NumericDatum {
  return { datum: 'numeric', digits, scale };
}

function infinityOf(sign: number): NumericDatum {
  return sign < 0 ? NEGATIVE_INFINITY : POSITIVE_INFINITY;
}

export function overflow(): SqlError {
  return new SqlError('numeric_value_out_of_range', 'value overflows numeric format');
}

/** @throws SqlError 22P02, 22003. */
export function parseNumeric(text: string): NumericDatum {
  const trimmed = text.trim();
  const decimal = DECIMAL.exec(trimmed);
  if (decimal !== null) return decimalOf(decimal);
  const special = SPECIAL.exec(trimmed);
  if (special !== null) {
    if (special[2]?.toLowerCase() !== 'nan') return infinityOf(special[1] === '-' ? -1 : 1);
    if (special[1] === '') return NUMERIC_NAN;
  }
  const based = BASED.exec(trimmed);
  if (based === null) throw invalidText('numeric', text);
  const value = BigInt((based[2] as string).replaceAll('_', ''));
  return numericOf(based[1] === '-' ? -value : value);
}

function decimalOf(match: RegExpExecArray): NumericDatum {
  const [, sign, whole = '', decimals = '', alone = '', exponentText = '0'] = match;
  const fraction = (decimals + alone).replaceAll('_', '');
  const digits = whole.replaceAll('_', '') + fraction;
  const exponent = Number(exponentText.replaceAll('_', ''));
  const scale = fraction.length - exponent;
  const significant = digits.replace(/^0+/, '').length;
  if (scale > SCALE_MAX || (significant > 0 && significant - scale > INTEGER_DIGITS_MAX)) throw overflow();
  if (significant === 0) return numericOf(0n, Math.max(scale, 0));
  const value = BigInt(sign === '-' ? `-${digits}` : digits);
  return scale >= 0 ? numericOf(value, scale) : numericOf(value * pow10(-scale));
}

export function formatNumeric(value: NumericDatum): string {
  if (value.special !== undefined) return value.special;
  if (value.scale === 0) return String(value.digits);
  const negative = value.digits < 0n;
  const digits = String(negative ? -value.digits : value.digits).padStart(value.scale + 1, '0');
  const point = digits.length - value.scale;
  return `${negative ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** The nearest double; ±Infinity beyond its range. */
export function numericToNumber(value: NumericDatum): number {
  if (value.special !== undefined) return Number(value.special);
  const { digits, scale } = value;
  const short = digits <= 9007199254740991n && digits >= -9007199254740991n;
  if (short && scale <= 22) return Number(digits) / 10 ** scale;
  return Number(formatNumeric(value));
}

/** As PostgreSQL's float8::numeric: at most `precision` significant digits (15; 6 for real). */
export function numericFromNumber(value: number, precision = 15): NumericDatum {
  if (Number.isNaN(value)) return NUMERIC_NAN;
  if (!Number.isFinite(value)) return infinityOf(value);
  return parseNumeric(String(Number(value.toPrecision(precision))));
}

/** -1, 0, 1; NaN has none. */
export function numericSign(value: NumericDatum): number {
  if (value.special !== undefined) return value.special === '-Infinity' ? -1 : 1;
  return value.digits < 0n ? -1 : value.digits > 0n ? 1 : 0;
}

/** -Infinity, numbers, Infinity, NaN (equal to itself): 1.0 and 1.00 are equal. */
export function compareNumeric(a: NumericDatum, b: NumericDatum): number {
  if (a.special !== undefined || b.special !== undefined) return specialRank(a) - specialRank(b);
  if (a.scale === b.scale) return compareBigints(a.digits, b.digits);
  const scale = Math.max(a.scale, b.scale);
  return compareBigints(digitsAt(a, scale), digitsAt(b, scale));
}

function specialRank({ special }: NumericDatum): number {
  if (special === undefined) return 0;
  if (special === '-Infinity') return -1;
  return special === 'NaN' ? 2 : 1;
}

/** The same text for all equal values: trailing zeros removed. */
export function numericKey(value: NumericDatum): string {
  const text = formatNumeric(value);
  return value.scale === 0 ? text : text.replace(/\.?0+$/, '').replace(/^-?$/, '0');
}

/** Digits at a scale not below the value's own. */
function digitsAt(value: NumericDatum, scale: number): bigint {
  return scale === value.scale ? value.digits : value.digits * pow10(scale - value.scale);
}

/** @throws SqlError 22003 when the result has more digits than the format holds. */
export function checked(digits: bigint, scale: number): NumericDatum {
  if (scale > SCALE_MAX) return roundNumeric(numericOf(digits, scale), SCALE_MAX);
  if (digits > OVERFLOW_FROM || digits < OVERFLOW_BELOW) {
    if (magnitude(digits) >= pow10(INTEGER_DIGITS_MAX + scale)) throw overflow();
  }
  return numericOf(digits, scale);
}
/** Below 10^INTEGER_DIGITS_MAX. */
const OVERFLOW_FROM = 1n << 435_411n;
/** Made once: negating takes as long as the number is. */
const OVERFLOW_BELOW = -OVERFLOW_FROM;

export function negateNumeric(value: NumericDatum): NumericDatum {
  if (value.special === undefined) return numericOf(-value.digits, value.scale);
  return value.special === 'NaN' ? value : infinityOf(-numericSign(value));
}

export function absNumeric(value: NumericDatum): NumericDatum {
  return numericSign(value) < 0 ? negateNumeric(value) : value;
}

export function addNumeric(a: NumericDatum, b: NumericDatum): NumericDatum {
  if (a.special !== undefined || b.special !== undefined) {
    if (a.special === undefined) return b;
    if (b.special === undefined || a.special === b.special) return a;
    return NUMERIC_NAN;
  }
  const scale = Math.max(a.scale, b.scale);
  return checked(digitsAt(a, scale) + digitsAt(b, scale), scale);
}

export function subtractNumeric(a: NumericDatum, b: NumericDatum): NumericDatum {
  return addNumeric(a, negateNumeric(b));
}

export function multiplyNumeric(a: NumericDatum, b: NumericDatum): NumericDatum {
  if (a.special !== undefined || b.special !== undefined) {
    if (a.special === 'NaN' || b.special === 'NaN') return NUMERIC_NAN;
    const sign = numericSign(a) * numericSign(b);
    return sign === 0 ? NUMERIC_NAN : infinityOf(sign);
  }
  return checked(a.digits * b.digits, a.scale + b.scale);
}

function divisionByZero(): SqlError {
  return new SqlError('division_by_zero', 'division by zero');
}

/** Special operands of a division, or null when both are finite. @throws SqlError 22012. */
function divideSpecial(a: NumericDatum, b: NumericDatum): NumericDatum | null {
  if (a.special === 'NaN' || b.special === 'NaN') return NUMERIC_NAN;
  if (b.special === undefined && b.digits === 0n) throw divisionByZero();
  if (b.special !== undefined) return a.special === undefined ? numericOf(0n) : NUMERIC_NAN;
  return a.special === undefined ? null : infinityOf(numericSign(a) * numericSign(b));
}

/** @throws SqlError 22012. */
export function divideNumeric(a: NumericDatum, b: NumericDatum): NumericDatum {
  const special = divideSpecial(a, b);
  if (special !== null) return special;
  return divideToScale(a, b, divisionScale(a, b));
}

/** Rounded half away from zero to `scale`. */
export function divideToScale(a: NumericDatum, b: NumericDatum, scale: number): NumericDatum {
  const shift = scale + b.scale - a.scale;
  const dividend = shift >= 0 ? a.digits * pow10(shift) : a.digits;
  const divisor = shift >= 0 ? b.digits : b.digits * pow10(-shift);
  return checked(divideRounded(dividend, divisor), scale);
}

/** Half away from zero. */
export function divideRounded(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const rest = magnitude(dividend - quotient * divisor);
  if (2n * rest < magnitude(divisor)) return quotient;
  return dividend < 0n === divisor < 0n ? quotient + 1n : quotient - 1n;
}

/** Position and value of the first base-10,000 digit: PostgreSQL's unit of precision. */
export function leadingDigit(value: NumericDatum): { weight: number; digit: number } {
  if (value.digits === 0n) return { weight: 0, digit: 0 };
  const text = String(magnitude(value.digits));
  const exponent = text.length - 1 - value.scale;
  const weight = Math.floor(exponent / 4);
  const count = exponent - 4 * weight + 1;
  return { weight, digit: Number(text.slice(0, count).padEnd(count, '0')) };
}

/** select_div_scale of numeric.c. */
function divisionScale(a: NumericDatum, b: NumericDatum): number {
  const first = leadingDigit(a);
  const second = leadingDigit(b);
  const weight = first.weight - second.weight - (first.digit <= second.digit ? 1 : 0);
  const scale = Math.max(SIGNIFICANT_DIGITS_MIN - weight * 4, a.scale, b.scale, 0);
  return Math.min(scale, DISPLAY_SCALE_MAX);
}

/** Quotient without its fraction (`div`). @throws SqlError 22012. */
export function integerQuotient(a: NumericDatum, b: NumericDatum): NumericDatum {
  const special = divideSpecial(a, b);
  if (special !== null) return special;
  const scale = Math.max(a.scale, b.scale);
  return numericOf(digitsAt(a, scale) / digitsAt(b, scale));
}

/** Remainder with the dividend's sign. @throws SqlError 22012. */
export function moduloNumeric(a: NumericDatum, b: NumericDatum): NumericDatum {
  if (a.special === 'NaN' || b.special === 'NaN') return NUMERIC_NAN;
  if (b.special === undefined && b.digits === 0n) throw divisionByZero();
  if (a.special !== undefined) return NUMERIC_NAN;
  if (b.special !== undefined) return a;
  const scale = Math.max(a.scale, b.scale);
  return numericOf(digitsAt(a, scale) % digitsAt(b, scale), scale);
}

/** Half away from zero. @param scale decimals kept; negative rounds to tens, hundreds … */
export function roundNumeric(value: NumericDatum, scale = 0): NumericDatum {
  return rescale(value, scale, divideRounded);
}

/** Towards zero. */
export function truncateNumeric(value: NumericDatum, scale = 0): NumericDatum {
  return rescale(value, scale, (dividend, divisor) => dividend / divisor);
}

export function floorNumeric(value: NumericDatum): NumericDatum {
  return rescale(value, 0, (dividend, divisor) => {
    const quotient = dividend / divisor;
    return dividend < 0n && quotient * divisor !== dividend ? quotient - 1n : quotient;
  });
}

export function ceilNumeric(value: NumericDatum): NumericDatum {
  return negateNumeric(floorNumeric(negateNumeric(value)));
}

function rescale(
  value: NumericDatum,
  wanted: number,
  divide: (dividend: bigint, divisor: bigint) => bigint,
): NumericDatum {
  if (value.special !== undefined) return value;
  const scale = Math.min(Math.max(wanted, -INTEGER_DIGITS_MAX), SCALE_MAX);
  if (scale >= value.scale) return numericOf(digitsAt(value, scale), scale);
  const kept = divide(value.digits, pow10(value.scale - scale));
  return scale >= 0 ? numericOf(kept, scale) : numericOf(kept * pow10(-scale));
}

/** The nearest integer. @throws SqlError 22003 naming `type` for NaN, infinities and beyond `min..max`. */
export function numericToBigint(value: NumericDatum, type: string, min: bigint, max: bigint): bigint {
  if (value.special !== undefined) {
    const what = value.special === 'NaN' ? 'NaN' : 'infinity';
    throw new SqlError('feature_not_supported', `cannot convert ${what} to ${type}`);
  }
  const whole = roundNumeric(value).digits;
  if (whole < min || whole > max) {
    throw new SqlError('numeric_value_out_of_range', `${type} out of range`);
  }
  return whole;
}

/** Without trailing zeros after the point (`trim_scale`). */
export function trimScale(value: NumericDatum): NumericDatum {
  return value.special === undefined ? parseNumeric(numericKey(value)) : value;
}
