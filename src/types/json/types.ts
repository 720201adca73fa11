/** The rows of json (text kept as it came) and jsonb (canonical text; binary form has a version byte 1). */
import { invalidBinary } from '../type-errors.ts';
import { checkText, decodeText, encodeText } from '../column/bytes.ts';
import { canonicalJsonb } from './canonical.ts';
import { compareJsonb, jsonbKey, parseJson } from './json.ts';
import { OID } from '../oids.ts';
import { TEXT_CODEC } from '../text/text.ts';
import type { SqlType } from '../type.ts';

const JSONB_VERSION = 1;

/** @throws SqlError 22P02. @returns the text itself. */
export function checkJson(text: string): string {
  checkText(text);
  try {
    JSON.parse(text);
  } catch {
    parseJson(text);
  }
  return text;
}

export const JSON_TYPE: SqlType = {
  oid: OID.json,
  name: 'json',
  displayName: 'json',
  arrayOid: 199,
  category: 'U',
  typlen: -1,
  vector: 'text',
  parse: checkJson,
  format: TEXT_CODEC.format,
  receive: (bytes) => checkJson(decodeText(bytes)),
  send: TEXT_CODEC.send,
};

export const JSONB: SqlType = {
  oid: OID.jsonb,
  name: 'jsonb',
  displayName: 'jsonb',
  arrayOid: 3807,
  category: 'U',
  typlen: -1,
  vector: 'text',
  comparison: { samples: ['{}', '{"a": 1}'], extremes: false },
  parse: (text) => canonicalJsonb(checkText(text)),
  format: TEXT_CODEC.format,
  receive: (bytes) => {
    if (bytes[0] !== JSONB_VERSION) throw invalidBinary(`unsupported jsonb version number ${bytes[0]}`);
    return canonicalJsonb(decodeText(bytes.subarray(1)));
  },
  send: (datum) => {
    const text = encodeText(datum as string);
    const bytes = new Uint8Array(text.length + 1);
    bytes[0] = JSONB_VERSION;
    bytes.set(text, 1);
    return bytes;
  },
  compare: (a, b) => (a === b ? 0 : compareJsonb(parseJson(a as string), parseJson(b as string))),
  hashKey: (datum) => jsonbKey(datum as string),
};
