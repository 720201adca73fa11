/** Text functions. Positions and lengths count characters (code points). Source: PostgreSQL 18, section 9.4. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { SqlError } from '../../errors.ts';
import { decodeText, encodeText, toHex } from '../../types/column/bytes.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import type { FormatSettings } from '../../types/type.ts';
import { characterCount } from '../../types/text/text.ts';

import type { ScalarFunction, SetFunction } from '../function.ts';
import {
  initcap,
  leftPart,
  pad,
  position,
  repeat,
  replace,
  reverse,
  rightPart,
  type Side,
  splitPart,
  substring,
  translate,
  trim,
  trimBytes,
  stringToArray,
} from './text-edits.ts';

function chr(code: number): string {
  if (code === 0) throw new SqlError('program_limit_exceeded', 'null character not permitted');
  if (code < 0) throw new SqlError('invalid_parameter_value', 'character number must be positive');
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
    throw new SqlError('program_limit_exceeded', `requested character not valid for encoding: ${code}`);
  }
  return String.fromCodePoint(code);
}

const hash = (algorithm: string, bytes: Uint8Array): Uint8Array =>
  new Uint8Array(createHash(algorithm).update(bytes).digest());

/** Escapes of each byte in the format `escape`. */
const ESCAPES: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  if (byte === 0x5c) return '\\\\';
  return byte === 0 || byte > 127 ? `\\${byte.toString(8).padStart(3, '0')}` : String.fromCharCode(byte);
});
const ESCAPED_AT_ONCE = 64 * 1024;

function escaped(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += ESCAPED_AT_ONCE) {
    const some = bytes.subarray(at, at + ESCAPED_AT_ONCE);
    parts.push(Array.from(some, (byte) => ESCAPES[byte]).join(''));
  }
  return parts.join('');
}

function encode(bytes: Uint8Array, format: string): string {
  switch (format.toLowerCase()) {
    case 'hex':
      return toHex(bytes);
    case 'base64':
      return (
        Buffer.from(bytes)
          .toString('base64')
          .match(/.{1,76}/g) ?? []
      ).join('\n');
    case 'escape':
      return escaped(bytes);
    default:
      throw new SqlError('invalid_parameter_value', `unrecognized encoding: "${format}"`);
  }
}

function decode(text: string, format: string): Uint8Array {
  switch (format.toLowerCase()) {
    case 'hex': {
      const digits = text.replace(/\s/g, '');
      const wrong = /[^0-9a-f]/i.exec(digits);
      if (wrong) {
        throw new SqlError('invalid_parameter_value', `invalid hexadecimal digit: "${wrong[0]}"`);
      }
      if (digits.length % 2 === 1) {
        throw new SqlError('invalid_parameter_value', 'invalid hexadecimal data: odd number of digits');
      }
      return new Uint8Array(Buffer.from(digits, 'hex'));
    }
    case 'base64': {
      const digits = text.replace(/\s/g, '');
      const wrong = /[^0-9a-z+/=]/i.exec(digits);
      if (wrong) {
        const message = `invalid symbol "${wrong[0]}" found while decoding base64 sequence`;
        throw new SqlError('invalid_parameter_value', message);
      }
      return new Uint8Array(Buffer.from(digits, 'base64'));
    }
    case 'escape':
      return typeByOid(OID.bytea).parse(text, -1, {} as FormatSettings) as Uint8Array;
    default:
      throw new SqlError('invalid_parameter_value', `unrecognized encoding: "${format}"`);
  }
}

/** Two's complement for negative numbers. */
const inBase = (value: number | bigint, bits: number, base: number): string =>
  BigInt.asUintN(bits, BigInt(value)).toString(base);

type Evaluate = NonNullable<ScalarFunction['evaluate']>;
interface Extra {
  readonly defaults?: readonly string[];
  readonly strict?: boolean;
}

/** `signature` is `name(arg, …) result`. */
function row(
  signature: string,
  summary: string,
  example: ScalarFunction['example'],
  evaluate: Evaluate,
  extra: Extra = {},
): ScalarFunction {
  const [, name = '', args = '', returns = ''] = /^(\w+)\(([^)]*)\) (\S+)$/.exec(signature) ?? [];
  return { name, args: args === '' ? [] : args.split(', '), returns, summary, example, evaluate, ...extra };
}

const inText = (text: string, part: string): number => position(text, part);
const lengthOf = (text: string): number => characterCount(text);
const LENGTH = 'The number of characters.';
const TRIM = 'Without the given characters (blanks by default) at the start, end, or both.';
const MD5 = 'The MD5 hash in hexadecimal.';

const SIMPLE: readonly ScalarFunction[] = [
  row('lower(text) text', 'In lower case.', ["SELECT lower('TOM')", 'tom'], (t: string) => t.toLowerCase()),
  row('upper(text) text', 'In upper case.', ["SELECT upper('tom')", 'TOM'], (t: string) => t.toUpperCase()),
  row('initcap(text) text', 'Every word capitalised.', ["SELECT initcap('hi THOMAS')", 'Hi Thomas'], initcap),
  row('length(text) int4', LENGTH, ["SELECT length('jose')", '4'], lengthOf),
  row(
    'length(bytea) int4',
    'The number of bytes.',
    ["SELECT length('\\x0102'::bytea)", '2'],
    (b: Uint8Array) => b.length,
  ),
  row('char_length(text) int4', LENGTH, ["SELECT char_length('josé')", '4'], lengthOf),
  row('character_length(text) int4', LENGTH, ["SELECT character_length('josé')", '4'], lengthOf),
  row(
    'octet_length(text) int4',
    'The number of UTF-8 bytes.',
    ["SELECT octet_length('josé')", '5'],
    (t: string) => Buffer.byteLength(t),
  ),
  row(
    'octet_length(bytea) int4',
    'The number of bytes.',
    ["SELECT octet_length('\\x0102'::bytea)", '2'],
    (b: Uint8Array) => b.length,
  ),
  row(
    'bit_length(text) int4',
    'The number of UTF-8 bits.',
    ["SELECT bit_length('jose')", '32'],
    (t: string) => Buffer.byteLength(t) * 8,
  ),
  row(
    'substr(text, int4) text',
    'From a position on.',
    ["SELECT substr('alphabet', 3)", 'phabet'],
    substring,
  ),
  row(
    'substr(text, int4, int4) text',
    'So many characters from a position on.',
    ["SELECT substr('alphabet', 3, 2)", 'ph'],
    substring,
  ),
  row(
    'substring(text, int4) text',
    'From a position on.',
    ["SELECT substring('Thomas' from 3)", 'omas'],
    substring,
  ),
  row(
    'substring(text, int4, int4) text',
    'So many characters from a position on.',
    ["SELECT substring('Thomas' from 2 for 3)", 'hom'],
    substring,
  ),
  row(
    'position(text, text) int4',
    'Where the part first is, 0 when nowhere.',
    ["SELECT position('om' in 'Thomas')", '3'],
    inText,
  ),
  row(
    'strpos(text, text) int4',
    'Where the part first is, 0 when nowhere.',
    ["SELECT strpos('high', 'ig')", '2'],
    inText,
  ),
  row(
    'left(text, int4) text',
    'The first n characters; all but the last -n.',
    ["SELECT left('abcde', 2)", 'ab'],
    leftPart,
  ),
  row(
    'right(text, int4) text',
    'The last n characters; all but the first -n.',
    ["SELECT right('abcde', 2)", 'de'],
    rightPart,
  ),
  row(
    'replace(text, text, text) text',
    'Every occurrence replaced.',
    ["SELECT replace('abcabc', 'cab', 'X')", 'abXc'],
    replace,
  ),
  row(
    'translate(text, text, text) text',
    'Character by character.',
    ["SELECT translate('12345', '143', 'ax')", 'a2x5'],
    translate,
  ),
  row('repeat(text, int4) text', 'The text n times.', ["SELECT repeat('Pg', 4)", 'PgPgPgPg'], repeat),
  row('reverse(text) text', 'Last character first.', ["SELECT reverse('abcde')", 'edcba'], reverse),
  row(
    'lpad(text, int4) text',
    'Filled with blanks on the left, or cut.',
    ["SELECT lpad('hi', 5)", '   hi'],
    (t: string, n: number) => pad(t, n, ' ', true),
  ),
  row(
    'lpad(text, int4, text) text',
    'Filled on the left, or cut.',
    ["SELECT lpad('hi', 5, 'xy')", 'xyxhi'],
    (t: string, n: number, f: string) => pad(t, n, f, true),
  ),
  row(
    'rpad(text, int4) text',
    'Filled with blanks on the right, or cut.',
    ["SELECT rpad('hello', 2)", 'he'],
    (t: string, n: number) => pad(t, n, ' ', false),
  ),
  row(
    'rpad(text, int4, text) text',
    'Filled on the right, or cut.',
    ["SELECT rpad('hi', 5, 'xy')", 'hixyx'],
    (t: string, n: number, f: string) => pad(t, n, f, false),
  ),
  row(
    'split_part(text, text, int4) text',
    'The n-th field; from the end when negative.',
    ["SELECT split_part('abc~@~def~@~ghi', '~@~', 2)", 'def'],
    splitPart,
  ),
  row(
    'starts_with(text, text) bool',
    'Whether it begins so.',
    ["SELECT starts_with('alphabet', 'alph')", 't'],
    (t: string, p: string) => t.startsWith(p),
  ),
  row(
    'ascii(text) int4',
    'The code point of the first character.',
    ["SELECT ascii('x')", '120'],
    (t: string) => t.codePointAt(0) ?? 0,
  ),
  row('chr(int4) text', 'The character with that code point.', ['SELECT chr(65)', 'A'], chr),
  row('md5(text) text', MD5, ["SELECT md5('abc')", '900150983cd24fb0d6963f7d28e17f72'], (t: string) =>
    toHex(hash('md5', encodeText(t))),
  ),
  row(
    'md5(bytea) text',
    MD5,
    ["SELECT md5('abc'::bytea)", '900150983cd24fb0d6963f7d28e17f72'],
    (b: Uint8Array) => toHex(hash('md5', b)),
  ),
  row(
    'crc32(bytea) int8',
    'The CRC-32 checksum.',
    ["SELECT crc32('abc'::bytea)", '891568578'],
    (b: Uint8Array) => BigInt(crc32(b)),
  ),
  ...['sha224', 'sha256', 'sha384', 'sha512'].map((algorithm) =>
    row(
      `${algorithm}(bytea) bytea`,
      'The SHA-2 hash.',
      [`SELECT length(${algorithm}('abc'::bytea))`, String(Number(algorithm.slice(3)) / 8)],
      (b: Uint8Array) => hash(algorithm, b),
    ),
  ),
  row(
    'encode(bytea, text) text',
    'As hex, base64 or escape.',
    ["SELECT encode('123\\000\\001', 'base64')", 'MTIzAAE='],
    encode,
  ),
  row(
    'decode(text, text) bytea',
    'From hex, base64 or escape.',
    ["SELECT decode('MTIzAAE=', 'base64')", '\\x3132330001'],
    decode,
  ),
  row(
    'convert_from(bytea, name) text',
    'UTF-8 bytes as text.',
    ["SELECT convert_from('\\x6162'::bytea, 'UTF8')", 'ab'],
    (b: Uint8Array) => decodeText(b),
  ),
  row(
    'convert_to(text, name) bytea',
    'Text as UTF-8 bytes.',
    ["SELECT convert_to('ab', 'UTF8')", '\\x6162'],
    (t: string) => encodeText(t),
  ),
  row('to_hex(int4) text', 'In hexadecimal.', ['SELECT to_hex(2147483647)', '7fffffff'], (v: number) =>
    inBase(v, 32, 16),
  ),
  row('to_hex(int8) text', 'In hexadecimal.', ['SELECT to_hex(255::int8)', 'ff'], (v: bigint) =>
    inBase(v, 64, 16),
  ),
  row('to_bin(int8) text', 'In binary.', ['SELECT to_bin(5::int8)', '101'], (v: bigint) => inBase(v, 64, 2)),
  row('to_oct(int8) text', 'In octal.', ['SELECT to_oct(8::int8)', '10'], (v: bigint) => inBase(v, 64, 8)),
  row('to_bin(int4) text', 'In binary.', ['SELECT to_bin(5)', '101'], (v: number) => inBase(v, 32, 2)),
  row('to_oct(int4) text', 'In octal.', ['SELECT to_oct(8)', '10'], (v: number) => inBase(v, 32, 8)),
  row(
    'string_to_array(text, text) _text',
    'The parts between delimiters.',
    ["SELECT string_to_array('a,b', ',')", '{a,b}'],
    (t: string | null, d: string | null) => (t === null ? null : stringToArray(t, d, null)),
    { strict: false },
  ),
  row(
    'string_to_array(text, text, text) _text',
    'The parts between delimiters; one text means NULL.',
    ["SELECT string_to_array('a,b', ',', 'b')", '{a,NULL}'],
    (t: string | null, d: string | null, n: string | null) => (t === null ? null : stringToArray(t, d, n)),
    { strict: false },
  ),
  row(
    'overlay(text, text, int4) text',
    'A part put over the text.',
    ["SELECT overlay('Txxxxas', 'hom', 2)", 'Thomxas'],
    (t: string, p: string, from: number) =>
      substring(t, 1, from - 1) + p + substring(t, from + characterCount(p)),
  ),
  row(
    'overlay(text, text, int4, int4) text',
    'A part put in place of n characters.',
    ["SELECT overlay('Txxxxas' placing 'hom' from 2 for 4)", 'Thomas'],
    (t: string, p: string, from: number, n: number) => substring(t, 1, from - 1) + p + substring(t, from + n),
  ),
];

const TRIMS: readonly ScalarFunction[] = (['btrim', 'ltrim', 'rtrim'] as const).flatMap((name) => {
  const side: Side = name === 'btrim' ? 'both' : name === 'ltrim' ? 'left' : 'right';
  const result = { both: 'a', left: 'axx', right: 'xxa' }[side];
  return [
    row(`${name}(text) text`, TRIM, [`SELECT ${name}('${result.replaceAll('x', '')}')`, 'a'], (t: string) =>
      trim(t, ' ', side),
    ),
    row(
      `${name}(text, text) text`,
      TRIM,
      [`SELECT ${name}('xxaxx', 'x')`, result],
      (t: string, set: string) => trim(t, set, side),
    ),
    row(
      `${name}(bytea, bytea) bytea`,
      TRIM,
      [`SELECT ${name}('\\x00'::bytea, '\\x00'::bytea)`, '\\x'],
      (b: Uint8Array, set: Uint8Array) => trimBytes(b, set, side),
    ),
  ];
});

export const TEXT_FUNCTIONS: readonly ScalarFunction[] = [...SIMPLE, ...TRIMS];

export const TEXT_SETS: readonly SetFunction[] = [2, 3].map((count) => ({
  name: 'string_to_table',
  args: new Array<string>(count).fill('text'),
  returns: 'text',
  strict: false,
  summary: 'The parts between delimiters as rows.',
  example: [`SELECT count(*) FROM string_to_table('a,b', ','${count === 3 ? ", 'a'" : ''})`, '2'],
  rows: (_, text: string | null, delimiter: string | null, empty: string | null = null) =>
    text === null ? [] : stringToArray(text, delimiter, empty).elements.map((element) => [element]),
}));
