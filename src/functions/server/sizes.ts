/** Sizes in bytes, read and written with their units. Source: PostgreSQL 18, section 9.28.7. */
import { SqlError } from '../../errors.ts';
import { multiplyNumeric, numericOf, parseNumeric, roundNumeric } from '../../types/number/numeric.ts';
import type { ScalarFunction } from '../function.ts';

const SHOWN_UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** As pg_size_pretty: units change at 10 × 1024, halves are rounded up. */
function prettySize(bytes: bigint): string {
  let value = bytes;
  let unit = 0;
  const magnitude = () => (value < 0n ? -value : value);
  while (magnitude() >= 10_240n && unit < SHOWN_UNITS.length - 1) {
    value /= unit === 0 ? 512n : 1024n;
    unit++;
  }
  if (unit > 0) value = (value + (value < 0n ? -1n : 1n)) / 2n;
  return `${value} ${SHOWN_UNITS[unit]}`;
}

const SIZE = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*([a-z]*)\s*$/i;
const UNITS: Readonly<Record<string, bigint>> = {
  '': 1n,
  b: 1n,
  bytes: 1n,
  kb: 1n << 10n,
  mb: 1n << 20n,
  gb: 1n << 30n,
  tb: 1n << 40n,
  pb: 1n << 50n,
};

/** @throws SqlError 22023 with what units there are. */
function sizeBytes(text: string): bigint {
  const [, number, unit = ''] = SIZE.exec(text) ?? [];
  if (number === undefined) throw new SqlError('invalid_parameter_value', `invalid size: "${text}"`);
  const factor = UNITS[unit.toLowerCase()];
  if (factor === undefined) {
    throw new SqlError('invalid_parameter_value', `invalid size: "${text}"`, {
      detail: `Invalid size unit: "${unit}".`,
      hint: 'Valid units are "bytes", "B", "kB", "MB", "GB", "TB", and "PB".',
    });
  }
  return roundNumeric(multiplyNumeric(parseNumeric(number), numericOf(factor))).digits;
}

export const SIZE_FUNCTIONS: readonly ScalarFunction[] = [
  {
    name: 'pg_size_pretty',
    args: ['int8'],
    returns: 'text',
    summary: 'A size in the unit that reads best.',
    example: ['SELECT pg_size_pretty(123456::bigint)', '121 kB'],
    evaluate: prettySize,
  },
  {
    name: 'pg_size_bytes',
    args: ['text'],
    returns: 'int8',
    summary: 'A size with its unit as a number of bytes.',
    example: ["SELECT pg_size_bytes('5 kB')", '5120'],
    evaluate: sizeBytes,
  },
];
