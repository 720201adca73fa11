/** JSON values, jsonb text and its order; the errors' details are in postgres-answers.json. */
import { expect, test } from 'vitest';
import { compareJsonb, formatJsonb, isJsonNumber, isJsonObject, jsonOf, parseJson } from './json.ts';
import { formatNumeric } from '../number/numeric.ts';

test('numbers are exact, the last of equal keys is kept', () => {
  const value = parseJson('{"a": 1, "n": 12345678901234567890.10, "a": [true, null]}');
  if (!isJsonObject(value)) throw new Error('no object');
  const number = value.get('n') ?? null;
  expect(isJsonNumber(number) && formatNumeric(number)).toBe('12345678901234567890.10');
  expect(value.get('a')).toEqual([true, null]);
});

test('keys go by length, then bytes', () => {
  expect(formatJsonb(parseJson('{"b":1,"aa":2,"a":3,"é":4}'))).toBe('{"a": 3, "b": 1, "aa": 2, "é": 4}');
});

test('members called like those of Object are plain members', () => {
  expect(formatJsonb(parseJson('{"__proto__": {"x": 1}, "constructor": 2}'))).toBe(
    '{"__proto__": {"x": 1}, "constructor": 2}',
  );
});

test('jsonb order', () => {
  const texts = [
    '[]',
    'null',
    '"a"',
    '"b"',
    '1',
    '1.5',
    '2',
    'false',
    'true',
    '[1]',
    '[1, 2]',
    '{}',
    '{"a": 1}',
    '{"b": 0}',
  ];
  const values = texts.map(parseJson);
  const sorted = [...values].reverse().sort(compareJsonb).map(formatJsonb);
  expect(sorted).toEqual(texts);
});

test('deep nesting is an error, not a crash', () => {
  expect(() => parseJson('['.repeat(100_000))).toThrow('stack depth limit exceeded');
});

test('from JavaScript values', () => {
  expect(formatJsonb(jsonOf({ b: [1, null], a: 'x' }))).toBe('{"a": "x", "b": [1, null]}');
});
