/**
 * oid, xid, cid and the reg* types: unsigned 32-bit numbers. The reg* types read and show names of catalog
 * objects through `settings.objects`; 0 is shown as `-`, a number without a name as itself.
 */
import { type Condition, SqlError } from '../../errors.ts';
import { expectBytes, int32Bytes, viewOf } from '../column/bytes.ts';
import type { Datum } from '../datum.ts';
import { OID } from '../oids.ts';
import type { ObjectKind, SqlType } from '../type.ts';
import { invalidText, outOfRange } from '../type-errors.ts';

const UINT32_MAX = 0xffff_ffff;

/** @throws SqlError 22P02, 22003. Negative numbers wrap around, as PostgreSQL's strtoul does. */
function parseUnsigned(text: string, name: string): number {
  const match = /^\s*([+-]?\d+)\s*$/.exec(text);
  if (match === null) throw invalidText(name, text);
  const value = Number(match[1]);
  if (value > UINT32_MAX || value < -2147483648) throw outOfRange(name, text);
  return value >>> 0;
}

const CODEC = {
  typlen: 4,
  vector: 'float64',
  receive: (bytes: Uint8Array): Datum => {
    expectBytes(bytes, 4);
    return viewOf(bytes).getUint32(0);
  },
  send: (datum: Datum) => int32Bytes(datum as number),
  compare: (a: Datum, b: Datum) => (a as number) - (b as number),
  hashKey: (datum: Datum) => datum as number,
} as const satisfies Partial<SqlType>;

function unsignedType(name: 'oid' | 'xid' | 'cid', arrayOid: number): SqlType {
  return {
    ...CODEC,
    oid: OID[name],
    name,
    displayName: name,
    arrayOid,
    category: name === 'oid' ? 'N' : 'U',
    preferred: name === 'oid',
    ...(name === 'oid' && { comparison: { samples: ['1', '2'], extremes: true } }),
    parse: (text) => parseUnsigned(text, name),
    format: String,
  };
}

type Missing = readonly [condition: Condition, message: (name: string) => string];

const notThere =
  (what: string) =>
  (name: string): string =>
    `${what} "${name}" does not exist`;

const REG_TYPES: readonly (readonly [kind: ObjectKind, arrayOid: number, missing: Missing])[] = [
  ['regclass', 2210, ['undefined_table', notThere('relation')]],
  ['regtype', 2211, ['undefined_object', notThere('type')]],
  ['regproc', 1008, ['undefined_function', notThere('function')]],
  ['regprocedure', 2207, ['undefined_function', notThere('function')]],
  ['regnamespace', 4090, ['invalid_schema_name', notThere('schema')]],
  ['regrole', 4097, ['undefined_object', notThere('role')]],
  ['regconfig', 3735, ['undefined_object', notThere('text search configuration')]],
  ['regdictionary', 3770, ['undefined_object', notThere('text search dictionary')]],
  [
    'regcollation',
    4192,
    ['undefined_object', (name) => `collation "${name}" for encoding "UTF8" does not exist`],
  ],
  ['regoper', 2208, ['undefined_function', (name) => `operator does not exist: ${name}`]],
  ['regoperator', 2209, ['undefined_function', (name) => `operator does not exist: ${name}`]],
];

function regType([kind, arrayOid, [condition, message]]: (typeof REG_TYPES)[number]): SqlType {
  return {
    ...CODEC,
    oid: OID[kind],
    name: kind,
    displayName: kind,
    arrayOid,
    category: 'N',
    parse: (text, _modifier, settings) => {
      if (text === '-') return 0;
      if (/^\d+$/.test(text)) return parseUnsigned(text, 'oid');
      const found = settings.objects.oid(kind, text);
      if (found === null) throw new SqlError(condition, message(text));
      return found;
    },
    format: (datum, settings) =>
      datum === 0 ? '-' : (settings.objects.name(kind, datum as number) ?? String(datum)),
  };
}

export const OBJECT_IDENTIFIER_TYPES: readonly SqlType[] = [
  unsignedType('oid', 1028),
  unsignedType('xid', 1011),
  unsignedType('cid', 1012),
  ...REG_TYPES.map(regType),
];
