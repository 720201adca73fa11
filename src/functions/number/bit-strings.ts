/** Bit strings and single bits of byte strings. Source: PostgreSQL 18, sections 9.5 and 9.6. */
import { SqlError } from '../../errors.ts';
import { bitsDatum, formatBits } from '../../types/text/bit-string.ts';
import type { BitsDatum } from '../../types/datum.ts';
import type { Cast, Operator, ScalarFunction } from '../function.ts';
import { infix, scalar } from '../row.ts';

/** @throws SqlError 22026 */
function combine(a: BitsDatum, b: BitsDatum, name: string, of: (x: number, y: number) => number): BitsDatum {
  if (a.length !== b.length) {
    throw new SqlError('string_data_length_mismatch', `cannot ${name} bit strings of different sizes`);
  }
  return { datum: 'bits', length: a.length, bytes: a.bytes.map((byte, i) => of(byte, b.bytes[i] ?? 0)) };
}

const complement = (bits: BitsDatum): BitsDatum =>
  bitsDatum(formatBits(bits).replace(/[01]/g, (digit) => (digit === '0' ? '1' : '0')));

/** Zeros come in; a negative count goes the other way. */
function shift(bits: BitsDatum, count: number): BitsDatum {
  const { length } = bits;
  const digits = formatBits(bits);
  const moved =
    count >= 0 ? digits.slice(count).padEnd(length, '0') : digits.slice(0, count).padStart(length, '0');
  return bitsDatum(moved);
}

/** SQL's substring: positions from 1, which may lie before the string. @throws SqlError 22011 */
function part(digits: string, from: number, count = Number.POSITIVE_INFINITY): string {
  if (count < 0) throw new SqlError('substring_error', 'negative substring length not allowed');
  return digits.slice(Math.max(0, from - 1), Math.max(0, from - 1 + count));
}

const overlay = (bits: BitsDatum, put: BitsDatum, from: number, count = put.length): BitsDatum => {
  const digits = formatBits(bits);
  return bitsDatum(part(digits, 1, from - 1) + formatBits(put) + part(digits, from + count));
};

/** @throws SqlError 2202E */
function checkIndex(index: number | bigint, length: number): number {
  if (index >= 0 && index < length) return Number(index);
  const valid = `0..${length - 1}`;
  throw new SqlError('array_subscript_error', `index ${index} out of valid range, ${valid}`);
}

function checkBit(bit: number): number {
  if (bit === 0 || bit === 1) return bit;
  throw new SqlError('invalid_parameter_value', 'new bit must be 0 or 1');
}

/** @throws SqlError 2202E */
function checkBitIndex(index: number, length: number): number {
  if (index >= 0 && index < length) return index;
  throw new SqlError('array_subscript_error', `bit index ${index} out of valid range (0..${length - 1})`);
}

function setBit(bits: BitsDatum, index: number, bit: number): BitsDatum {
  const digits = formatBits(bits);
  const at = checkBitIndex(index, bits.length);
  return bitsDatum(digits.slice(0, at) + String(checkBit(bit)) + digits.slice(at + 1));
}

const countBits = (bytes: Uint8Array): bigint =>
  BigInt(bytes.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0));

function withByte(bytes: Uint8Array, at: number, byte: number): Uint8Array {
  const changed = bytes.slice();
  changed[at] = byte;
  return changed;
}

const BITS = "B'1010'";

export const BIT_OPERATORS: readonly Operator[] = [
  infix('bit & bit bit', {
    summary: 'Bit by bit, and.',
    example: ["SELECT B'1010' & B'0110'", '0010'],
    evaluate: (a: BitsDatum, b: BitsDatum) => combine(a, b, 'AND', (x, y) => x & y),
  }),
  infix('bit | bit bit', {
    summary: 'Bit by bit, or.',
    example: ["SELECT B'1010' | B'0110'", '1110'],
    evaluate: (a: BitsDatum, b: BitsDatum) => combine(a, b, 'OR', (x, y) => x | y),
  }),
  infix('bit # bit bit', {
    summary: 'Bit by bit, exclusive or.',
    example: ["SELECT B'1010' # B'0110'", '1100'],
    evaluate: (a: BitsDatum, b: BitsDatum) => combine(a, b, 'XOR', (x, y) => x ^ y),
  }),
  infix('~ bit bit', {
    summary: 'All bits turned.',
    example: [`SELECT ~ ${BITS}`, '0101'],
    evaluate: complement,
  }),
  infix('bit << int4 bit', {
    summary: 'Shifted to the left.',
    example: [`SELECT ${BITS} << 1`, '0100'],
    evaluate: shift,
  }),
  infix('bit >> int4 bit', {
    summary: 'Shifted to the right.',
    example: [`SELECT ${BITS} >> 1`, '0101'],
    evaluate: (bits: BitsDatum, count: number) => shift(bits, -count),
  }),
  infix('varbit || varbit varbit', {
    summary: 'One bit string after the other.',
    example: [`SELECT ${BITS} || B'1'`, '10101'],
    evaluate: (a: BitsDatum, b: BitsDatum) => bitsDatum(formatBits(a) + formatBits(b)),
  }),
];

export const BIT_FUNCTIONS: readonly ScalarFunction[] = [
  ...(['length', 'bit_length'] as const).map((name) =>
    scalar(`${name}(bit) int4`, {
      summary: 'The number of bits.',
      example: [`SELECT ${name}(${BITS})`, '4'],
      evaluate: ({ length }: BitsDatum) => length,
    }),
  ),
  scalar('octet_length(bit) int4', {
    summary: 'The number of bytes that hold the bits.',
    example: [`SELECT octet_length(${BITS})`, '1'],
    evaluate: ({ bytes }: BitsDatum) => bytes.length,
  }),
  scalar('bit_length(bytea) int4', {
    summary: 'The number of bits.',
    example: ["SELECT bit_length('\\x1234'::bytea)", '16'],
    evaluate: (bytes: Uint8Array) => bytes.length * 8,
  }),
  scalar('bit_count(bit) int8', {
    summary: 'The number of bits that are set.',
    example: [`SELECT bit_count(${BITS})`, '2'],
    evaluate: ({ bytes }: BitsDatum) => countBits(bytes),
  }),
  scalar('bit_count(bytea) int8', {
    summary: 'The number of bits that are set.',
    example: ["SELECT bit_count('\\x1234567890'::bytea)", '15'],
    evaluate: countBits,
  }),
  scalar('get_bit(bit, int4) int4', {
    summary: 'A bit, counted from 0 at the left.',
    example: [`SELECT get_bit(${BITS}, 2)`, '1'],
    evaluate: (bits: BitsDatum, index: number) => Number(formatBits(bits)[checkBitIndex(index, bits.length)]),
  }),
  scalar('set_bit(bit, int4, int4) bit', {
    summary: 'The bit string with a bit changed.',
    example: [`SELECT set_bit(${BITS}, 0, 0)`, '0010'],
    evaluate: setBit,
  }),
  scalar('get_bit(bytea, int8) int4', {
    summary: 'A bit, counted from 0 at the right of the first byte.',
    example: ["SELECT get_bit('\\x1234567890'::bytea, 30)", '1'],
    evaluate: (bytes: Uint8Array, index: bigint) => {
      const at = checkIndex(index, bytes.length * 8);
      return ((bytes[at >> 3] ?? 0) >> (at & 7)) & 1;
    },
  }),
  scalar('set_bit(bytea, int8, int4) bytea', {
    summary: 'The byte string with a bit changed.',
    example: ["SELECT set_bit('\\x1234567890'::bytea, 30, 0)", '\\x1234563890'],
    evaluate: (bytes: Uint8Array, index: bigint, bit: number) => {
      const at = checkIndex(index, bytes.length * 8);
      const mask = 1 << (at & 7);
      const byte = bytes[at >> 3] ?? 0;
      return withByte(bytes, at >> 3, checkBit(bit) === 1 ? byte | mask : byte & ~mask);
    },
  }),
  scalar('get_byte(bytea, int4) int4', {
    summary: 'A byte, counted from 0.',
    example: ["SELECT get_byte('\\x1234567890'::bytea, 4)", '144'],
    evaluate: (bytes: Uint8Array, index: number) => bytes[checkIndex(index, bytes.length)] ?? 0,
  }),
  scalar('set_byte(bytea, int4, int4) bytea', {
    summary: 'The byte string with a byte changed.',
    example: ["SELECT set_byte('\\x1234567890'::bytea, 4, 64)", '\\x1234567840'],
    evaluate: (bytes: Uint8Array, index: number, byte: number) =>
      withByte(bytes, checkIndex(index, bytes.length), byte),
  }),
  scalar('position(bit, bit) int4', {
    summary: 'Where the bits are first found, from 1; 0 for nowhere.',
    example: ["SELECT position(B'010' IN B'000001101011')", '8'],
    evaluate: (bits: BitsDatum, sought: BitsDatum) => formatBits(bits).indexOf(formatBits(sought)) + 1,
  }),
  scalar('substring(bit, int4) bit', {
    summary: 'The bits from a position on.',
    example: ["SELECT substring(B'110010111111' FROM 3)", '0010111111'],
    evaluate: (bits: BitsDatum, from: number) => bitsDatum(part(formatBits(bits), from)),
  }),
  scalar('substring(bit, int4, int4) bit', {
    summary: 'So many bits from a position on.',
    example: ["SELECT substring(B'110010111111' FROM 3 FOR 2)", '00'],
    evaluate: (bits: BitsDatum, from: number, count: number) =>
      bitsDatum(part(formatBits(bits), from, count)),
  }),
  scalar('overlay(bit, bit, int4) bit', {
    summary: 'Bits put over others.',
    example: ["SELECT overlay(B'01010101' PLACING B'11111' FROM 2)", '01111101'],
    evaluate: overlay,
  }),
  scalar('overlay(bit, bit, int4, int4) bit', {
    summary: 'Bits put in place of others.',
    example: ["SELECT overlay(B'01010101' PLACING B'11111' FROM 2 FOR 3)", '0111110101'],
    evaluate: overlay,
  }),
  scalar('reverse(bytea) bytea', {
    summary: 'The bytes in opposite order.',
    example: ["SELECT reverse('\\xabcd'::bytea)", '\\xcdab'],
    evaluate: (bytes: Uint8Array) => bytes.toReversed(),
  }),
  scalar('substring(bytea, int4) bytea', {
    summary: 'The bytes from a position on.',
    example: ["SELECT substring('\\x1234567890'::bytea FROM 3)", '\\x567890'],
    evaluate: (bytes: Uint8Array, from: number) => bytes.slice(Math.max(0, from - 1)),
  }),
  ...(['substring', 'substr'] as const).map((name) =>
    scalar(`${name}(bytea, int4, int4) bytea`, {
      summary: 'So many bytes from a position on.',
      example: [`SELECT ${name}('\\x1234567890'::bytea, 3, 2)`, '\\x5678'],
      evaluate: (bytes: Uint8Array, from: number, count: number) => {
        if (count < 0) throw new SqlError('substring_error', 'negative substring length not allowed');
        return bytes.slice(Math.max(0, from - 1), Math.max(0, from - 1 + count));
      },
    }),
  ),
  scalar('position(bytea, bytea) int4', {
    summary: 'Where the bytes are first found, from 1; 0 for nowhere.',
    example: ["SELECT position('\\x5678'::bytea IN '\\x1234567890'::bytea)", '3'],
    evaluate: (bytes: Uint8Array, sought: Uint8Array) => Buffer.from(bytes).indexOf(sought) + 1,
  }),
];

const integerBits = (value: number | bigint, width: number): BitsDatum =>
  bitsDatum(BigInt.asUintN(width, BigInt(value)).toString(2).padStart(width, '0'));

/** @throws SqlError 22003 */
function bitsInteger(bits: BitsDatum, width: number): bigint {
  const digits = formatBits(bits).replace(/^0+/, '');
  if (bits.length > width) {
    throw new SqlError('numeric_value_out_of_range', `${width === 32 ? 'integer' : 'bigint'} out of range`);
  }
  return digits === '' ? 0n : BigInt.asIntN(width, BigInt(`0b${digits}`));
}

export const BIT_CASTS: readonly Cast[] = [
  { from: 'int4', to: 'bit', context: 'explicit', evaluate: (value: number) => integerBits(value, 32) },
  { from: 'int8', to: 'bit', context: 'explicit', evaluate: (value: bigint) => integerBits(value, 64) },
  {
    from: 'bit',
    to: 'int4',
    context: 'explicit',
    evaluate: (bits: BitsDatum) => Number(bitsInteger(bits, 32)),
  },
  { from: 'bit', to: 'int8', context: 'explicit', evaluate: (bits: BitsDatum) => bitsInteger(bits, 64) },
];
