/** bytea: hex (`\x00ff`) or escape (`\000`, `\\`) text; the datum is the bytes. */
import { SqlError } from '../../errors.ts';
import { compareBytes, encodeText, toHex } from '../column/bytes.ts';
import { OID } from '../oids.ts';
import type { SqlType } from '../type.ts';

const BACKSLASH = 92;

function parseBytea(text: string): Uint8Array {
  return text.startsWith('\\x') ? parseHex(text) : parseEscape(text);
}

function parseHex(text: string): Uint8Array {
  const digits = text.slice(2).replace(/\s+/g, '');
  const wrong = /[^0-9a-fA-F]/u.exec(digits);
  if (wrong !== null) {
    throw new SqlError('invalid_parameter_value', `invalid hexadecimal digit: "${wrong[0]}"`);
  }
  if (digits.length % 2 !== 0) {
    throw new SqlError('invalid_parameter_value', 'invalid hexadecimal data: odd number of digits');
  }
  return new Uint8Array(Buffer.from(digits, 'hex'));
}

function parseEscape(text: string): Uint8Array {
  const source = encodeText(text);
  const bytes: number[] = [];
  for (let i = 0; i < source.length; i++) {
    const byte = source[i] as number;
    if (byte !== BACKSLASH) {
      bytes.push(byte);
      continue;
    }
    if (source[i + 1] === BACKSLASH) {
      bytes.push(BACKSLASH);
      i++;
      continue;
    }
    const octal = String.fromCharCode(...source.subarray(i + 1, i + 4));
    if (!/^[0-3][0-7][0-7]$/.test(octal)) throw invalidEscape();
    bytes.push(Number.parseInt(octal, 8));
    i += 3;
  }
  return Uint8Array.from(bytes);
}

function invalidEscape(): SqlError {
  return new SqlError('invalid_text_representation', 'invalid input syntax for type bytea');
}

/** @param output `bytea_output`: hex or escape. */
function formatBytea(bytes: Uint8Array, output: string): string {
  if (output !== 'escape') return `\\x${toHex(bytes)}`;
  let text = '';
  for (const byte of bytes) {
    if (byte === BACKSLASH) text += '\\\\';
    else if (byte >= 32 && byte < 127) text += String.fromCharCode(byte);
    else text += `\\${byte.toString(8).padStart(3, '0')}`;
  }
  return text;
}

export const BYTEA: SqlType = {
  oid: OID.bytea,
  name: 'bytea',
  displayName: 'bytea',
  arrayOid: 1001,
  category: 'U',
  typlen: -1,
  vector: 'object',
  comparison: { samples: ['\\x01', '\\x02'], extremes: true },
  parse: parseBytea,
  format: (datum, settings) => formatBytea(datum as Uint8Array, settings.byteaOutput),
  receive: (bytes) => bytes.slice(),
  send: (datum) => datum as Uint8Array,
  compare: (a, b) => compareBytes(a as Uint8Array, b as Uint8Array),
  hashKey: (datum) => toHex(datum as Uint8Array),
};
