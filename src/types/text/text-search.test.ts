/** Binary forms of tsvector and tsquery: PostgreSQL's bytes, there and back. */
import { expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../settings.ts';
import { TSQUERY } from './text-search-query.ts';
import { TSVECTOR } from './text-search-vector.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

// As `tsvectorsend` and `tsquerysend` of PostgreSQL 18 write them.
it.each([
  [TSVECTOR, "'a':1,2A 'bc'", '00000002610000020001c0026263000000'],
  [TSVECTOR, '', '00000000'],
  [TSQUERY, "'a' & !'b':*A", '0000000402020201010801620001000061 00'.replaceAll(' ', '')],
  [TSQUERY, "'a' <2> 'b'", '000000030204000201000062000100006100'],
  [TSQUERY, '', '00000000'],
])('%s %s', (type, text, bytes) => {
  const datum = type.parse(text, -1, DEFAULT_SETTINGS);
  expect(hex(type.send(datum))).toBe(bytes);
  expect(type.receive(Buffer.from(bytes, 'hex'), -1)).toBe(text);
  expect(() => type.receive(Buffer.from(`${bytes}00`, 'hex'), -1)).toThrow();
});
