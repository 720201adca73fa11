/**
 * text and its kin. All compare by code point (collation C: the order of their UTF-8), bpchar without its
 * trailing blanks. varchar(n) and char(n) keep n + 4 as modifier, as PostgreSQL does.
 */
import { SqlError } from '../../errors.ts';
import { checkText, decodeText, encodeText, expectBytes } from '../column/bytes.ts';
import { OID } from '../oids.ts';
import type { SqlType } from '../type.ts';

export const MODIFIER_OFFSET = 4;
const LENGTH_MAX = 10_485_760;

/** Surrogates stand for code points above U+FFFF, so they rank above U+E000..U+FFFF. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Order of the UTF-8 forms. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Length in characters (code points). */
export function characterCount(text: string): number {
  let count = text.length;
  for (let i = 0; i + 1 < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) count--;
  }
  return count;
}

/** The first `count` characters (code points). */
export function takeCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  let at = 0;
  for (let taken = 0; taken < count && at < text.length; taken++) {
    at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
  }
  return text.slice(0, at);
}

/** Trailing blanks do not count in char(n). Only U+0020 is a blank. */
function trimBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 32) end--;
  return end === text.length ? text : text.slice(0, end);
}

/** Cuts to `count` characters; without `explicit` only blanks may be cut. @throws SqlError 22001. */
function limitLength(text: string, count: number, explicit: boolean, name: string): string {
  const kept = takeCharacters(text, count);
  if (kept.length === text.length || explicit || trimBlanks(text.slice(kept.length)) === '') return kept;
  throw new SqlError('string_data_right_truncation', `value too long for type ${name}(${count})`);
}

function lengthModifier(name: string): Pick<SqlType, 'packModifier' | 'showModifier'> {
  return {
    packModifier: ([length, ...more]) => {
      if (length === undefined || more.length > 0) {
        throw new SqlError('invalid_parameter_value', 'invalid type modifier');
      }
      if (length < 1) {
        throw new SqlError('invalid_parameter_value', `length for type ${name} must be at least 1`);
      }
      if (length > LENGTH_MAX) {
        throw new SqlError('invalid_parameter_value', `length for type ${name} cannot exceed ${LENGTH_MAX}`);
      }
      return length + MODIFIER_OFFSET;
    },
    showModifier: (modifier) => (modifier < MODIFIER_OFFSET ? '' : `(${modifier - MODIFIER_OFFSET})`),
  };
}

/** Codec and order of a type whose datum is its text. */
export const TEXT_CODEC = {
  vector: 'text',
  parse: (text: string) => checkText(text),
  format: (datum) => datum as string,
  receive: (bytes: Uint8Array) => decodeText(bytes),
  send: (datum) => encodeText(datum as string),
  compare: (a, b) => compareText(a as string, b as string),
  hashKey: (datum) => datum as string,
} as const satisfies Partial<SqlType>;

export const TEXT: SqlType = {
  ...TEXT_CODEC,
  oid: OID.text,
  name: 'text',
  displayName: 'text',
  arrayOid: 1009,
  category: 'S',
  preferred: true,
  typlen: -1,
  comparison: { samples: ['a', 'b'], extremes: true },
};

const coerceVarchar: NonNullable<SqlType['coerce']> = (datum, modifier, explicit) =>
  modifier < MODIFIER_OFFSET
    ? datum
    : limitLength(datum as string, modifier - MODIFIER_OFFSET, explicit, 'character varying');

export const VARCHAR: SqlType = {
  ...TEXT_CODEC,
  ...lengthModifier('varchar'),
  oid: OID.varchar,
  name: 'varchar',
  displayName: 'character varying',
  arrayOid: 1015,
  category: 'S',
  typlen: -1,
  parse: (text, modifier) => coerceVarchar(checkText(text), modifier, false),
  receive: (bytes, modifier) => coerceVarchar(decodeText(bytes), modifier, false),
  coerce: coerceVarchar,
};

const coerceBpchar: NonNullable<SqlType['coerce']> = (datum, modifier, explicit) => {
  if (modifier < MODIFIER_OFFSET) return datum;
  const length = modifier - MODIFIER_OFFSET;
  const text = limitLength(datum as string, length, explicit, 'character');
  return text + ' '.repeat(length - characterCount(text));
};

/** `character(n)`, blank-padded. The bare name `bpchar` has no length; the grammar writes `char` as char(1). */
export const BPCHAR: SqlType = {
  ...TEXT_CODEC,
  ...lengthModifier('char'),
  oid: OID.bpchar,
  name: 'bpchar',
  displayName: 'character',
  arrayOid: 1014,
  category: 'S',
  typlen: -1,
  comparison: { samples: ['a', 'b'], extremes: true },
  parse: (text, modifier) => coerceBpchar(checkText(text), modifier, false),
  receive: (bytes, modifier) => coerceBpchar(decodeText(bytes), modifier, false),
  compare: (a, b) => compareText(trimBlanks(a as string), trimBlanks(b as string)),
  hashKey: (datum) => trimBlanks(datum as string),
  coerce: coerceBpchar,
};

/** Names are not cut to 63 bytes: Quern's have up to 255 (see NAME_BYTES_MAX). */
export const NAME: SqlType = {
  ...TEXT_CODEC,
  oid: OID.name,
  name: 'name',
  displayName: 'name',
  arrayOid: 1003,
  category: 'S',
  typlen: 64,
  comparison: { samples: ['a', 'b'], extremes: false },
};

/** `"char"`: one byte, shown as itself or, above 127, as `\ooo`. The datum is that text. */
export const SINGLE_CHAR: SqlType = {
  ...TEXT_CODEC,
  oid: OID.char,
  name: 'char',
  displayName: '"char"',
  arrayOid: 1002,
  category: 'Z',
  typlen: 1,
  comparison: { samples: ['a', 'b'], extremes: false },
  parse: (text) => {
    if (/^\\[0-3][0-7][0-7]$/.test(text)) return singleChar(Number.parseInt(text.slice(1), 8));
    return text === '' ? '' : singleChar(encodeText(text)[0] as number);
  },
  receive: (bytes) => {
    expectBytes(bytes, 1);
    return singleChar(bytes[0] as number);
  },
  send: (datum) => Uint8Array.of(singleByte(datum as string)),
  compare: (a, b) => singleByte(a as string) - singleByte(b as string),
};

function singleChar(byte: number): string {
  if (byte === 0) return '';
  return byte < 128 ? String.fromCharCode(byte) : `\\${byte.toString(8)}`;
}

function singleByte(text: string): number {
  if (text === '') return 0;
  return text.length === 4 ? Number.parseInt(text.slice(1), 8) : text.charCodeAt(0);
}

/** A literal whose type is not resolved yet. */
export const UNKNOWN: SqlType = {
  ...TEXT_CODEC,
  oid: OID.unknown,
  name: 'unknown',
  displayName: 'unknown',
  arrayOid: 0,
  category: 'X',
  typlen: -2,
};

export const CSTRING: SqlType = {
  ...TEXT_CODEC,
  oid: OID.cstring,
  name: 'cstring',
  displayName: 'cstring',
  arrayOid: 1263,
  category: 'P',
  typlen: -2,
  pseudo: true,
};

export const REFCURSOR: SqlType = {
  ...TEXT_CODEC,
  oid: OID.refcursor,
  name: 'refcursor',
  displayName: 'refcursor',
  arrayOid: 2201,
  category: 'U',
  typlen: -1,
};
