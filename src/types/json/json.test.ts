/** JSON values, jsonb text and its order; the errors' details are in postgres-answers.json. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJsonb } from './canonical.ts';
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

test('canonical text is the same by both readers, and so are errors', () => {
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
    fc.constantFrom('-0', '0.0', '1.50', '1e5', '1E-7', '-1.0e+3', '1e21', '12345678901234567.5', '01', '1.'),
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }).map((value) => JSON.stringify(value)),
    fc.constantFrom('"\\u0000"', '"\\ud800"', '"\\\\u0000"', '"\\u00e9"', '"\\x"', '"\t"'),
  );
  const { json } = fc.letrec<{ json: string }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      number,
      text,
      fc.constantFrom('true', 'null', ' false ', 'nil'),
      fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items.join(' ,')}]`),
      fc
        .array(
          fc.tuple(fc.oneof(text, fc.constantFrom('""', '"a"', '"__proto__"', '"10"', '"9"')), tie('json')),
          {
            maxLength: 4,
          },
        )
        .map((members) => `{${members.map(([key, value]) => `${key}: ${value}`).join(',\n')}}`),
    ),
  }));
  const outcome = (read: () => string): string => {
    try {
      return read();
    } catch (error) {
      return `error: ${String(error)}`;
    }
  };
  fc.assert(
    fc.property(json, (written) => {
      const exact = outcome(() => formatJsonb(parseJson(written)));
      expect(outcome(() => canonicalJsonb(written))).toBe(exact);
    }),
    { numRuns: 1_000 },
  );
  for (const deep of [1_999, 2_000, 2_001, 50_000]) {
    const nested = '['.repeat(deep) + ']'.repeat(deep);
    for (const text of [nested, `{"a": ${nested}, "a": "]\\"]"}`, `{"\\\\": ${nested}, "\\\\": 1}`])
      expect(outcome(() => canonicalJsonb(text))).toBe(outcome(() => formatJsonb(parseJson(text))));
  }
});
