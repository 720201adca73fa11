/**
 * The row of `numeric(p,s)`. Binary form: count, weight, sign and display scale as int16, then digits in
 * base 10,000. Modifier: precision in the upper 16 bits, scale as 11 bits, plus 4.
 */
import { SqlError } from '../../errors.ts';
import { expectBytes, expectBytesAtLeast, viewOf } from '../column/bytes.ts';
import type { NumericDatum } from '../datum.ts';
import {
  compareNumeric,
  formatNumeric,
  magnitude,
  numericKey,
  numericOf,
  parseNumeric,
  pow10,
  roundNumeric,
} from './numeric.ts';
import { DECIMAL_SCALE_MAX, type Decimals, UNITS_MAX } from '../column/object-vector.ts';
import { OID } from '../oids.ts';
import type { SqlType } from '../type.ts';
import { invalidBinary } from '../type-errors.ts';

const SIGN_NEGATIVE = 0x4000;
const SPECIAL_SIGNS = { NaN: 0xc000, Infinity: 0xd000, '-Infinity': 0xf000 } as const;
const MODIFIER_OFFSET = 4;
const PRECISION_MAX = 1000;

const precisionOf = (modifier: number): number => ((modifier - MODIFIER_OFFSET) >> 16) & 0xffff;
const scaleOf = (modifier: number): number => (((modifier - MODIFIER_OFFSET) & 0x7ff) ^ 1024) - 1024;

function packModifier(values: readonly number[]): number {
  const [precision, scale = 0, ...more] = values;
  if (precision === undefined || more.length > 0) {
    throw new SqlError('invalid_parameter_value', 'invalid NUMERIC type modifier');
  }
  if (precision < 1 || precision > PRECISION_MAX) {
    throw new SqlError(
      'invalid_parameter_value',
      `NUMERIC precision ${precision} must be between 1 and ${PRECISION_MAX}`,
    );
  }
  if (scale < -PRECISION_MAX || scale > PRECISION_MAX) {
    throw new SqlError(
      'invalid_parameter_value',
      `NUMERIC scale ${scale} must be between -${PRECISION_MAX} and ${PRECISION_MAX}`,
    );
  }
  return ((precision << 16) | (scale & 0x7ff)) + MODIFIER_OFFSET;
}

/** Rounds to the declared scale. @throws SqlError 22003 when more digits than declared remain. */
function applyModifier(value: NumericDatum, modifier: number): NumericDatum {
  if (modifier < MODIFIER_OFFSET || value.special === 'NaN') return value;
  const precision = precisionOf(modifier);
  const scale = scaleOf(modifier);
  const field = `A field with precision ${precision}, scale ${scale}`;
  if (value.special !== undefined) {
    throw new SqlError('numeric_value_out_of_range', 'numeric field overflow', {
      detail: `${field} cannot hold an infinite value.`,
    });
  }
  const rounded = roundNumeric(value, scale);
  const limit = precision - scale;
  const fits =
    limit + rounded.scale >= 0
      ? magnitude(rounded.digits) < pow10(limit + rounded.scale)
      : rounded.digits === 0n;
  if (fits) return rounded;
  const bound = limit === 0 ? '1' : `10^${limit}`;
  throw new SqlError('numeric_value_out_of_range', 'numeric field overflow', {
    detail: `${field} must round to an absolute value less than ${bound}.`,
  });
}

function sendNumeric(value: NumericDatum): Uint8Array {
  if (value.special !== undefined) {
    // PostgreSQL's header bits of an infinity read as a display scale of 32.
    return header(0, 0, SPECIAL_SIGNS[value.special], value.special === 'NaN' ? 0 : 32);
  }
  const short = shortGroups(value);
  return short === null ? sendLong(value) : groupBytes(value, short.groups, short.weight);
}

/** Without a text, for what a double holds exactly, as most numbers are. Null for others. */
function shortGroups({ digits, scale }: NumericDatum): Groups | null {
  if (scale > SHORT_SCALE_MAX || digits > SHORT_MAX || digits < -SHORT_MAX) return null;
  const places = Math.ceil(scale / 4);
  let rest = Math.abs(Number(digits)) * 10 ** (4 * places - scale);
  const groups: number[] = [];
  for (; rest > 0; rest = Math.floor(rest / 10_000)) groups.push(rest % 10_000);
  const weight = groups.length - 1 - places;
  const last = groups.findIndex((group) => group !== 0);
  return { groups: groups.slice(Math.max(0, last)).reverse(), weight: groups.length === 0 ? 0 : weight };
}

/** Times 1,000, at the most, it is still a safe integer. */
const SHORT_MAX = 9_000_000_000_000n;
const SHORT_SCALE_MAX = 40;

/** Digits by four, none of zeros at either end, and the place of the first. */
interface Groups {
  readonly groups: readonly number[];
  readonly weight: number;
}

function sendLong(value: NumericDatum): Uint8Array {
  const text = formatNumeric(numericOf(magnitude(value.digits), value.scale));
  const [whole = '', fraction = ''] = text.split('.');
  const padded =
    whole.padStart(Math.ceil(whole.length / 4) * 4, '0') +
    fraction.padEnd(Math.ceil(fraction.length / 4) * 4, '0');
  const groups = (padded.match(/.{4}/g) ?? []).map(Number);
  const first = groups.findIndex((group) => group !== 0);
  const last = groups.findLastIndex((group) => group !== 0);
  const digits = first < 0 ? [] : groups.slice(first, last + 1);
  const weight = first < 0 ? 0 : Math.ceil(whole.length / 4) - 1 - first;
  return groupBytes(value, digits, weight);
}

function groupBytes({ digits, scale }: NumericDatum, groups: readonly number[], weight: number): Uint8Array {
  const bytes = header(groups.length, weight, digits < 0n ? SIGN_NEGATIVE : 0, scale);
  groups.forEach((group, i) => {
    bytes[8 + 2 * i] = group >> 8;
    bytes[9 + 2 * i] = group;
  });
  return bytes;
}

function header(count: number, weight: number, sign: number, scale: number): Uint8Array {
  const bytes = new Uint8Array(8 + count * 2);
  for (const [i, part] of [count, weight, sign, scale].entries()) {
    bytes[2 * i] = part >> 8;
    bytes[2 * i + 1] = part;
  }
  return bytes;
}

function receiveNumeric(bytes: Uint8Array): NumericDatum {
  expectBytesAtLeast(bytes, 8);
  const view = viewOf(bytes);
  const count = view.getUint16(0);
  const sign = view.getUint16(4);
  const scale = view.getUint16(6);
  expectBytes(bytes, 8 + count * 2);
  if (sign === SPECIAL_SIGNS.NaN) return parseNumeric('NaN');
  if (sign === SPECIAL_SIGNS.Infinity) return parseNumeric('Infinity');
  if (sign === SPECIAL_SIGNS['-Infinity']) return parseNumeric('-Infinity');
  if ((sign !== 0 && sign !== SIGN_NEGATIVE) || scale > 16_383) throw invalidBinary();
  let text = '';
  for (let i = 0; i < count; i++) {
    const digit = view.getInt16(8 + i * 2);
    if (digit < 0 || digit > 9999) throw invalidBinary();
    text += String(digit).padStart(4, '0');
  }
  const exponent = (view.getInt16(2) + 1 - count) * 4;
  const digits = BigInt(text || '0');
  const value = exponent >= 0 ? numericOf(digits * pow10(exponent)) : numericOf(digits, -exponent);
  const shown = roundNumeric(value, scale);
  return sign === SIGN_NEGATIVE ? numericOf(-shown.digits, shown.scale) : shown;
}

/**
 * Values in binary form as doubles of one scale, without a datum each.
 *
 * @param offsets where each value begins, and the end of the last.
 * @returns null when scales differ, a value is special or has too many digits.
 */
export function receiveDecimals(
  bytes: Uint8Array,
  offsets: Uint32Array,
  nulls: Uint8Array | null,
): Decimals | null {
  const units = new Float64Array(offsets.length - 1);
  let scale = -1;
  for (let row = 0; row < units.length; row++) {
    if (nulls !== null && nulls[row] === 1) continue;
    const at = offsets[row] as number;
    const own = word(bytes, at + 6);
    if (scale < 0) scale = own;
    const unit = own === scale && own <= DECIMAL_SCALE_MAX ? unitAt(bytes, at, own) : Number.NaN;
    if (!(unit <= UNITS_MAX && unit >= -UNITS_MAX)) return null;
    units[row] = unit;
  }
  return { units, scale: Math.max(scale, 0) };
}

const word = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] as number) << 8) | (bytes[at + 1] as number);

/** The value × 10^scale; NaN for special values and for more digits than a double holds. */
function unitAt(bytes: Uint8Array, at: number, scale: number): number {
  const count = word(bytes, at);
  const sign = word(bytes, at + 4);
  if (count > DIGIT_GROUPS_MAX || (sign !== 0 && sign !== SIGN_NEGATIVE)) return Number.NaN;
  let digits = 0;
  for (let i = 0; i < count; i++) digits = digits * 10_000 + word(bytes, at + 8 + 2 * i);
  const weight = (word(bytes, at + 2) << 16) >> 16;
  const exponent = 4 * (weight + 1 - count) + scale;
  const unit = exponent >= 0 ? digits * 10 ** exponent : digits / 10 ** -exponent;
  return sign === 0 ? unit : 0 - unit;
}

/** So many groups of 4 digits are a whole number below 2^53. */
const DIGIT_GROUPS_MAX = 3;

export const NUMERIC: SqlType = {
  oid: OID.numeric,
  name: 'numeric',
  displayName: 'numeric',
  aliases: ['decimal'],
  arrayOid: 1231,
  category: 'N',
  typlen: -1,
  vector: 'object',
  comparison: { samples: ['1.5', '2.5'], extremes: true },
  parse: (text, modifier) => applyModifier(parseNumeric(text), modifier),
  format: (datum) => formatNumeric(datum as NumericDatum),
  receive: (bytes, modifier) => applyModifier(receiveNumeric(bytes), modifier),
  send: (datum) => sendNumeric(datum as NumericDatum),
  compare: (a, b) => compareNumeric(a as NumericDatum, b as NumericDatum),
  hashKey: (datum) => numericKey(datum as NumericDatum),
  packModifier,
  showModifier: (modifier) =>
    modifier < MODIFIER_OFFSET ? '' : `(${precisionOf(modifier)},${scaleOf(modifier)})`,
  coerce: (datum, modifier) => applyModifier(datum as NumericDatum, modifier),
};
