/** boolean. Text output is `t` and `f`; input takes any unambiguous prefix of true, false, yes, no, on, off. */
import type { Datum } from '../datum.ts';
import { expectBytes } from '../column/bytes.ts';
import { OID } from '../oids.ts';
import type { SqlType } from '../type.ts';
import { invalidText } from '../type-errors.ts';

const WORDS: readonly (readonly [word: string, shortest: number, value: boolean])[] = [
  ['true', 1, true],
  ['false', 1, false],
  ['yes', 1, true],
  ['no', 1, false],
  ['on', 2, true],
  ['off', 2, false],
  ['1', 1, true],
  ['0', 1, false],
];

/** Null when the text is no boolean. */
function parseBoolean(text: string): boolean | null {
  const given = text.trim().toLowerCase();
  const found = WORDS.find(([word, shortest]) => given.length >= shortest && word.startsWith(given));
  return found === undefined ? null : found[2];
}

export const BOOLEAN: SqlType = {
  oid: OID.bool,
  name: 'bool',
  displayName: 'boolean',
  arrayOid: 1000,
  category: 'B',
  preferred: true,
  typlen: 1,
  vector: 'bool',
  comparison: { samples: ['f', 't'], extremes: false },
  parse: (text) => {
    const value = parseBoolean(text);
    if (value === null) throw invalidText('boolean', text);
    return value;
  },
  format: (datum) => (datum === true ? 't' : 'f'),
  receive: (bytes) => {
    expectBytes(bytes, 1);
    return bytes[0] !== 0;
  },
  send: (datum) => Uint8Array.of(datum === true ? 1 : 0),
  compare: (a: Datum, b: Datum) => Number(a) - Number(b),
  hashKey: (datum) => datum as boolean,
};
