/** Vector, matrix and bit types that pgvector does not have, and casts between dimensions. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toHex } from '../column/bytes.ts';
import { denseVector } from './dense-vector.ts';
import { findType } from '../registry.ts';
import { DEFAULT_SETTINGS } from '../settings.ts';
import type { SqlType } from '../type.ts';

function typeOf(name: string): SqlType {
  const type = findType(name);
  if (type === undefined) throw new Error(`no type ${name}`);
  return type;
}

test.each([
  ['f8_vector', '[1,448,-0.5,0.001953125]', '000400003' + '87eb001'],
  ['u8_vector', '[0,255]', '0002000000ff'],
  ['i8_vector', '[-128,127]', '00020000807f'],
  ['f16_vector', '[1,2.5]', '000200003c004100'],
  ['binary_vector', '[0,255]', '00ff'],
  ['f32_sparse_vector', '{1:1.5,7:2}', '000000000000000200000000000000000000000' + '63fc0000040000000'],
  ['u8_sparse_vector', '{2:255}', '00000000000000010000000000000001ff'],
  ['f32_matrix', '[[1,2],[3,4]]', '00000002000000023f800000400000004040000040800000'],
  ['i8_matrix', '[[1,-2]]', '000000010000000201fe'],
  ['varbit', '10110', '00000005b0'],
])('%s %s', (name, text, hex) => {
  const type = typeOf(name);
  const datum = type.parse(text, -1, DEFAULT_SETTINGS);
  expect(type.format(datum, DEFAULT_SETTINGS)).toBe(text);
  expect(toHex(type.send(datum))).toBe(hex);
  expect(type.format(type.receive(type.send(datum), -1), DEFAULT_SETTINGS)).toBe(text);
});

test.each([
  ['u8_vector', '[256]', '"256" is out of range for type u8_vector'],
  ['i8_vector', '[1.5]', 'invalid input syntax for type i8_vector: "1.5"'],
  ['f8_vector', '[500]', '"500" is out of range for type f8_vector'],
  ['f32_matrix', '[[1,2],[3]]', 'expected 2 dimensions, not 1'],
  ['f32_matrix', '[1,2]', 'invalid input syntax for type f32_matrix: "[1,2]"'],
  ['binary_vector', '[1,-1]', '"-1" is out of range for type binary_vector'],
])('%s %s is refused', (name, text, message) => {
  expect(() => typeOf(name).parse(text, -1, DEFAULT_SETTINGS)).toThrow(message);
});

const digits = fc.stringMatching(/^\d{0,17}$/);
const sign = fc.constantFrom('', '-', '+');
const decimal = fc
  .tuple(sign, digits, digits, fc.constantFrom('', 'e-3'))
  .filter(([, whole, fraction]) => whole + fraction !== '')
  .map(([minus, whole, fraction, exponent]) => `${minus}${whole}.${fraction}${exponent}`);
const number = fc.oneof(fc.float({ noNaN: true, noDefaultInfinity: true }).map(String), decimal);

test('elements are the float32 nearest to what is written, JSON or not', () => {
  fc.assert(
    fc.property(
      fc.array(number, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(',', ' ,\v'),
      (texts, comma) => {
        const values = typeOf('vector').parse(`[${texts.join(comma)}]`, -1, DEFAULT_SETTINGS);
        expect(values).toEqual(Float32Array.from(texts, Number));
      },
    ),
  );
});

test.each([
  ['[]', 'vector must have at least 1 dimension'],
  ['["1"]', 'invalid input syntax for type vector: "["1"]"'],
  ['[1,true]', 'invalid input syntax for type vector: "[1,true]"'],
  ['[[1]]', 'invalid input syntax for type vector: "[[1]]"'],
  ['{"0":1}', 'invalid input syntax for type vector'],
  ['[1e39]', '"1e39" is out of range for type vector'],
  ['[NaN]', 'NaN not allowed in vector'],
  ['[1,2]3', 'invalid input syntax for type vector: "[1,2]3"'],
])('vector %s is refused', (text, message) => {
  expect(() => typeOf('vector').parse(text, -1, DEFAULT_SETTINGS)).toThrow(message);
});

test('every E4M3 byte reads back as itself', () => {
  const type = typeOf('f8_vector');
  for (let byte = 0; byte < 256; byte++) {
    if ((byte & 0x7f) === 0x7f) continue;
    const sent = Uint8Array.of(0, 1, 0, 0, byte);
    expect(toHex(type.send(type.receive(sent, -1)))).toBe(toHex(sent));
  }
});

test('a dimension other than the column’s', () => {
  const type = typeOf('vector');
  expect(() => type.coerce?.(Float32Array.of(1, 2, 3), 384, true)).toThrow('expected 384 dimensions, not 3');
  expect(() => type.packModifier?.([0])).toThrow('dimensions for type vector must be at least 1');
  expect(() => denseVector([Number.NaN], 'f32', 'vector')).toThrow('NaN not allowed in vector');
});
