/** Lengths, casts and order of the text types beyond what PostgreSQL's answers cover. */
import { expect, test } from 'vitest';
import { OID } from '../oids.ts';
import { quoteIdentifier, quoteLiteral } from './quote.ts';
import { typeByOid } from '../registry.ts';
import { characterCount, takeCharacters } from './text.ts';

test('lengths count characters, not code units', () => {
  expect(characterCount('a😀é')).toBe(3);
  expect(takeCharacters('😀😀😀', 2)).toBe('😀😀');
});

test('explicit casts cut, implicit ones raise', () => {
  const varchar = typeByOid(OID.varchar);
  const modifier = varchar.packModifier?.([2]) ?? 0;
  expect(varchar.coerce?.('abc', modifier, true)).toBe('ab');
  expect(() => varchar.coerce?.('abc', modifier, false)).toThrow(
    'value too long for type character varying(2)',
  );
  expect(() => varchar.packModifier?.([0])).toThrow('length for type varchar must be at least 1');
  expect(typeByOid(OID.bpchar).coerce?.('a', 7, false)).toBe('a  ');
});

test('zero characters and broken UTF-8 are refused', () => {
  const { receive } = typeByOid(OID.text);
  expect(() => receive(Uint8Array.of(0x61, 0), -1)).toThrow(
    'invalid byte sequence for encoding "UTF8": 0x00',
  );
  expect(() => receive(Uint8Array.of(0xff), -1)).toThrow('invalid byte sequence for encoding "UTF8"');
});

test.each([
  ['books', 'books'],
  ['Books', '"Books"'],
  ['select', '"select"'],
  ['a"b', '"a""b"'],
  ['books$acme', '"books$acme"'],
])('quoteIdentifier(%j)', (name, quoted) => {
  expect(quoteIdentifier(name)).toBe(quoted);
});

test('literals', () => {
  expect(quoteLiteral("it's")).toBe("'it''s'");
  expect(quoteLiteral('a\\b')).toBe("E'a\\\\b'");
});
