/** bit(n) and bit varying(n): strings of bits, `101` or `X1F` in, `101` out; the modifier is the length. */
import { SqlError } from '../../errors.ts';
import { compareBytes, expectBytes, expectBytesAtLeast, viewOf } from '../column/bytes.ts';
import type { BitsDatum } from '../datum.ts';
import { OID } from '../oids.ts';
import type { SqlType } from '../type.ts';
import { invalidBinary } from '../type-errors.ts';

const LENGTH_MAX = 83_886_080;
const HEX_DIGIT_BITS = 4;

/** @param digits of 0 and 1. */
export function bitsDatum(digits: string): BitsDatum {
  const bytes = new Uint8Array(Math.ceil(digits.length / 8));
  for (let i = 0; i < digits.length; i++) {
    if (digits[i] === '1') bytes[i >> 3] = (bytes[i >> 3] as number) | (0x80 >> (i & 7));
  }
  return { datum: 'bits', length: digits.length, bytes };
}

/** As 0 and 1. */
export function formatBits({ length, bytes }: BitsDatum): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(2).padStart(8, '0');
  return text.slice(0, length);
}

/** @throws SqlError 22P02 naming the first character that is no digit. */
function parseBits(text: string): BitsDatum {
  const isHex = /^[xX]/.test(text);
  const digits = text.replace(/^[xXbB]/, '');
  const wrong = (isHex ? /[^0-9a-fA-F]/u : /[^01]/u).exec(digits)?.[0];
  if (wrong !== undefined) {
    const what = isHex ? 'hexadecimal' : 'binary';
    throw new SqlError('invalid_text_representation', `"${wrong}" is not a valid ${what} digit`);
  }
  if (!isHex) return bitsDatum(digits);
  const bits = Array.from(digits, (digit) =>
    Number.parseInt(digit, 16).toString(2).padStart(HEX_DIGIT_BITS, '0'),
  );
  return bitsDatum(bits.join(''));
}

/** Explicit casts cut or pad with zeros on the right. @throws SqlError 22026, 22001 otherwise. */
function fitLength(value: BitsDatum, modifier: number, varying: boolean, explicit: boolean): BitsDatum {
  if (modifier < 0 || value.length === modifier || (varying && value.length < modifier)) return value;
  if (explicit) return bitsDatum(formatBits(value).slice(0, modifier).padEnd(modifier, '0'));
  if (varying) {
    throw new SqlError(
      'string_data_right_truncation',
      `bit string too long for type bit varying(${modifier})`,
    );
  }
  throw new SqlError(
    'string_data_length_mismatch',
    `bit string length ${value.length} does not match type bit(${modifier})`,
  );
}

function receiveBits(bytes: Uint8Array): BitsDatum {
  expectBytesAtLeast(bytes, 4);
  const length = viewOf(bytes).getInt32(0);
  if (length < 0) throw invalidBinary('invalid length in external bit string');
  expectBytes(bytes, 4 + Math.ceil(length / 8));
  return { datum: 'bits', length, bytes: bytes.slice(4) };
}

function sendBits({ length, bytes }: BitsDatum): Uint8Array {
  const sent = new Uint8Array(4 + bytes.length);
  viewOf(sent).setInt32(0, length);
  sent.set(bytes, 4);
  return sent;
}

function bitType(name: 'bit' | 'varbit', displayName: string, arrayOid: number): SqlType {
  const varying = name === 'varbit';
  return {
    oid: OID[name],
    name,
    displayName,
    arrayOid,
    category: 'V',
    preferred: varying,
    typlen: -1,
    vector: 'object',
    comparison: { samples: ['0', '1'], extremes: false },
    parse: (text, modifier) => fitLength(parseBits(text), modifier, varying, false),
    format: (datum) => formatBits(datum as BitsDatum),
    receive: (bytes, modifier) => fitLength(receiveBits(bytes), modifier, varying, false),
    send: (datum) => sendBits(datum as BitsDatum),
    compare: (a, b) => {
      const [x, y] = [a as BitsDatum, b as BitsDatum];
      return compareBytes(x.bytes, y.bytes) || x.length - y.length;
    },
    hashKey: (datum) => formatBits(datum as BitsDatum),
    packModifier: ([length, ...more]) => {
      if (length === undefined || more.length > 0) {
        throw new SqlError('invalid_parameter_value', 'invalid type modifier');
      }
      if (length < 1) {
        throw new SqlError('invalid_parameter_value', `length for type ${displayName} must be at least 1`);
      }
      if (length > LENGTH_MAX) {
        throw new SqlError(
          'invalid_parameter_value',
          `length for type ${displayName} cannot exceed ${LENGTH_MAX}`,
        );
      }
      return length;
    },
    showModifier: (modifier) => (modifier < 0 ? '' : `(${modifier})`),
    coerce: (datum, modifier, explicit) => fitLength(datum as BitsDatum, modifier, varying, explicit),
  };
}

export const BIT = bitType('bit', 'bit', 1561);
export const VARBIT = bitType('varbit', 'bit varying', 1563);
