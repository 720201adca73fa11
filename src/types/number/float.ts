/**
 * real and double precision. Output is the shortest text that reads back as the same value, in fixed
 * notation for exponents from -4 up to 5 (real) or 14 (double precision), as PostgreSQL 12 and later.
 */
import { SqlError } from '../../errors.ts';
import { expectBytes, viewOf } from '../column/bytes.ts';
import { shortestFloat32, shortestFloat64 } from './float-digits.ts';
import { OID } from '../oids.ts';
import type { FormatSettings, SqlType } from '../type.ts';
import { invalidText } from '../type-errors.ts';

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const HEXADECIMAL = /^([+-]?)0[xX]([0-9a-fA-F]+)$/;
const SPECIAL = /^([+-]?)(inf|infinity|nan)$/i;

/** Text of `1.5e+20`'s kind: shortest digits, fixed notation below `fixedBelow` as decimal exponent. */
function layOut(shortest: string, fixedBelow: number): string {
  const at = shortest.indexOf('e');
  if (at >= 0) {
    const exponent = Number(shortest.slice(at + 1));
    if (exponent < -4 || exponent >= fixedBelow) return exponential(shortest.slice(0, at), exponent);
    return fixed(shortest.slice(0, at), exponent);
  }
  const unsigned = shortest.startsWith('-') ? shortest.slice(1) : shortest;
  const point = unsigned.indexOf('.');
  const whole = point < 0 ? unsigned.length : point;
  if (whole <= fixedBelow && !unsigned.startsWith('0.0000')) return shortest;
  return layOut(Number(shortest).toExponential(), fixedBelow);
}

function exponential(mantissa: string, exponent: number): string {
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`;
}

function fixed(mantissa: string, exponent: number): string {
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = mantissa.replace('-', '').replace('.', '');
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  if (digits.length <= exponent + 1) return sign + digits.padEnd(exponent + 1, '0');
  return `${sign}${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}

function formatSpecial(value: number): string | null {
  if (Number.isNaN(value)) return 'NaN';
  if (value === Infinity) return 'Infinity';
  if (value === -Infinity) return '-Infinity';
  return value === 0 && Object.is(value, -0) ? '-0' : null;
}

/** @param extraDigits `extra_float_digits`: above 0 shortest, else 15 + extraDigits significant digits. */
export function formatFloat8(value: number, extraDigits = 1): string {
  const special = formatSpecial(value);
  if (special !== null) return special;
  if (extraDigits > 0) return layOut(shortestFloat64(value), 15);
  const digits = Math.max(15 + extraDigits, 1);
  return layOut(String(Number(rounded(value, digits))), digits);
}

/** As C's printf rounds: to the even digit where the value is exactly between two, which toPrecision is not told. */
function rounded(value: number, digits: number): string {
  const up = value.toPrecision(digits);
  const [mantissa = '', exponent = '0'] = value.toExponential(EXACT_DIGITS).split('e');
  const exact = mantissa.replace(/^-/, '').replace('.', '');
  const isTie = /^50*$/.test(exact.slice(digits)) && Number(exact[digits - 1]) % 2 === 0;
  if (!isTie) return up;
  const kept = `${exact[0]}.${exact.slice(1, digits)}e${exponent}`;
  return value < 0 ? `-${kept}` : kept;
}

/** Ties have at most as many digits. */
const EXACT_DIGITS = 60;

/** @param value a float32 value. @param extraDigits as for `formatFloat8`, from 6 digits. */
export function formatFloat4(value: number, extraDigits = 1): string {
  const special = formatSpecial(value);
  if (special !== null) return special;
  if (extraDigits > 0) return layOut(shortestFloat32(value), 6);
  const digits = Math.max(6 + extraDigits, 1);
  return layOut(String(Number(rounded(value, digits))), digits);
}

/** @throws SqlError 22P02 for text that is no number, 22003 beyond the type. */
function parseFloat8(text: string): number {
  return parseFloatAs(text, 'double precision');
}

/** As `parseFloat8`; the result is rounded to float32. */
function parseFloat4(text: string): number {
  return parseFloatAs(text, 'real');
}

function parseFloatAs(text: string, name: 'real' | 'double precision'): number {
  const trimmed = text.trim();
  if (!DECIMAL.test(trimmed)) return parseUnusual(text, trimmed, name);
  const exact = Number(trimmed);
  const value = name === 'real' ? Math.fround(exact) : exact;
  const lost = value === 0 && /[1-9]/.test(trimmed.split(/[eE]/)[0] as string);
  if (!Number.isFinite(value) || lost) {
    throw new SqlError('numeric_value_out_of_range', `"${trimmed}" is out of range for type ${name}`);
  }
  return value;
}

function parseUnusual(text: string, trimmed: string, name: string): number {
  const special = SPECIAL.exec(trimmed);
  if (special !== null) {
    if ((special[2] as string).toLowerCase() === 'nan') return NaN;
    return special[1] === '-' ? -Infinity : Infinity;
  }
  const hexadecimal = HEXADECIMAL.exec(trimmed);
  if (hexadecimal === null) throw invalidText(name, text);
  const magnitude = Number(`0x${hexadecimal[2]}`);
  return hexadecimal[1] === '-' ? -magnitude : magnitude;
}

/** NaN equals NaN and is above every other value; -0 equals 0. */
export function compareFloats(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a === b) return 0;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

const ORDER: Pick<SqlType, 'compare' | 'hashKey'> = {
  compare: (a, b) => compareFloats(a as number, b as number),
  hashKey: (datum) => (datum === 0 ? 0 : Number.isNaN(datum) ? 'NaN' : (datum as number)),
};

export const REAL: SqlType = {
  ...ORDER,
  oid: OID.float4,
  name: 'float4',
  displayName: 'real',
  arrayOid: 1021,
  category: 'N',
  typlen: 4,
  vector: 'float64',
  comparison: { samples: ['1.5', '2.5'], extremes: true },
  parse: parseFloat4,
  format: (datum, settings: FormatSettings) => formatFloat4(datum as number, settings.extraFloatDigits),
  receive: (bytes) => {
    expectBytes(bytes, 4);
    return viewOf(bytes).getFloat32(0);
  },
  send: (datum) => {
    const bytes = new Uint8Array(4);
    viewOf(bytes).setFloat32(0, datum as number);
    return bytes;
  },
};

export const DOUBLE: SqlType = {
  ...ORDER,
  oid: OID.float8,
  name: 'float8',
  displayName: 'double precision',
  aliases: ['float'],
  arrayOid: 1022,
  category: 'N',
  preferred: true,
  typlen: 8,
  vector: 'float64',
  comparison: { samples: ['1.5', '2.5'], extremes: true },
  parse: parseFloat8,
  format: (datum, settings) => formatFloat8(datum as number, settings.extraFloatDigits),
  receive: (bytes) => {
    expectBytes(bytes, 8);
    return viewOf(bytes).getFloat64(0);
  },
  send: (datum) => {
    const bytes = new Uint8Array(8);
    viewOf(bytes).setFloat64(0, datum as number);
    return bytes;
  },
};
