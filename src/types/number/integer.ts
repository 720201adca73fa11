/** smallint, integer, bigint: decimal, 0x, 0o and 0b input with underscores, as PostgreSQL 16 and later. */
import { expectBytes, int16Bytes, int32Bytes, int64Bytes, viewOf } from '../column/bytes.ts';
import { OID } from '../oids.ts';
import type { SqlType } from '../type.ts';
import { invalidText, outOfRange } from '../type-errors.ts';

const DIGITS = /^\s*([+-]?)(0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|\d(?:_?\d)*)\s*$/;
const SHORT_INTEGER = /^-?\d{1,9}$/;

/** Null when the text is no integer of SQL. Any size. */
function parseInteger(text: string): bigint | null {
  const match = DIGITS.exec(text);
  if (match === null) return null;
  const magnitude = BigInt((match[2] as string).replaceAll('_', ''));
  return match[1] === '-' ? -magnitude : magnitude;
}

/** @throws SqlError 22P02, 22003. @param name the type's display name. */
function parseBounded(text: string, name: string, min: bigint, max: bigint): bigint {
  const value = parseInteger(text);
  if (value === null) throw invalidText(name, text);
  if (value < min || value > max) throw outOfRange(name, text);
  return value;
}

const compareNumbers: NonNullable<SqlType['compare']> = (a, b) => (a as number) - (b as number);

const COMMON = { category: 'N', format: String, compare: compareNumbers } as const;

export const SMALLINT: SqlType = {
  ...COMMON,
  oid: OID.int2,
  name: 'int2',
  displayName: 'smallint',
  arrayOid: 1005,
  typlen: 2,
  vector: 'int32',
  comparison: { samples: ['1', '2'], extremes: true },
  parse: (text) => Number(parseBounded(text, 'smallint', -32768n, 32767n)),
  receive: (bytes) => {
    expectBytes(bytes, 2);
    return viewOf(bytes).getInt16(0);
  },
  send: (datum) => int16Bytes(datum as number),
  hashKey: (datum) => datum as number,
};

export const INTEGER: SqlType = {
  ...COMMON,
  oid: OID.int4,
  name: 'int4',
  displayName: 'integer',
  aliases: ['int'],
  arrayOid: 1007,
  typlen: 4,
  vector: 'int32',
  comparison: { samples: ['1', '2'], extremes: true },
  parse: (text) =>
    SHORT_INTEGER.test(text)
      ? Number(text) | 0
      : Number(parseBounded(text, 'integer', -2147483648n, 2147483647n)),
  receive: (bytes) => {
    expectBytes(bytes, 4);
    return viewOf(bytes).getInt32(0);
  },
  send: (datum) => int32Bytes(datum as number),
  hashKey: (datum) => datum as number,
};

export const BIGINT: SqlType = {
  ...COMMON,
  oid: OID.int8,
  name: 'int8',
  displayName: 'bigint',
  arrayOid: 1016,
  typlen: 8,
  vector: 'int64',
  comparison: { samples: ['1', '2'], extremes: true },
  parse: (text) => parseBounded(text, 'bigint', -(2n ** 63n), 2n ** 63n - 1n),
  receive: (bytes) => {
    expectBytes(bytes, 8);
    return viewOf(bytes).getBigInt64(0);
  },
  send: (datum) => int64Bytes(datum as bigint),
  compare: (a, b) => compareBigints(a as bigint, b as bigint),
  hashKey: (datum) => datum as bigint,
};

export function compareBigints(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
