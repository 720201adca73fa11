/**
 * Reading and making the big-endian integers of PostgreSQL's binary formats, and UTF-8.
 * Readers assume that the caller has checked lengths with `expectBytes`.
 */
import { SqlError } from '../../errors.ts';
import { invalidBinary } from '../type-errors.ts';

const ENCODER = new TextEncoder();
const STRICT_DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws SqlError 22P03 unless `bytes` is exactly `count` long. */
export function expectBytes(bytes: Uint8Array, count: number): void {
  if (bytes.length !== count) throw invalidBinary(`Expected ${count} bytes, got ${bytes.length}.`);
}

/** @throws SqlError 22P03 when fewer than `count` bytes are there. */
export function expectBytesAtLeast(bytes: Uint8Array, count: number): void {
  if (bytes.length < count) throw invalidBinary('Insufficient data left in message.');
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** For short values by the thousand: a view of each costs more than its numbers. */
export function int32At(bytes: Uint8Array, at: number): number {
  const [a, b, c, d] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]] as [
    number,
    number,
    number,
    number,
  ];
  return (a << 24) | (b << 16) | (c << 8) | d;
}

export function int16Bytes(value: number): Uint8Array {
  return Uint8Array.of(value >> 8, value);
}

export function int32Bytes(value: number): Uint8Array {
  return Uint8Array.of(value >> 24, value >> 16, value >> 8, value);
}

export function int64Bytes(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  viewOf(bytes).setBigInt64(0, value);
  return bytes;
}

/** TextEncoder takes a microsecond to begin, most of what a short text's bytes need; Latin ones are copied here. */
const COPIED_LENGTH_MAX = 32;

export function encodeText(text: string): Uint8Array {
  if (text.length > COPIED_LENGTH_MAX) return ENCODER.encode(text);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) return ENCODER.encode(text);
    bytes[i] = code;
  }
  return bytes;
}

/** @throws SqlError 22021 for bytes that are not UTF-8, or hold a zero. */
export function decodeText(bytes: Uint8Array): string {
  let text: string;
  try {
    text = STRICT_DECODER.decode(bytes.buffer instanceof SharedArrayBuffer ? bytes.slice() : bytes);
  } catch {
    throw new SqlError('character_not_in_repertoire', 'invalid byte sequence for encoding "UTF8"');
  }
  return checkText(text);
}

/** @throws SqlError 22021 when the text holds U+0000, which PostgreSQL's text cannot. */
export function checkText(text: string): string {
  if (text.includes('\0')) {
    throw new SqlError('character_not_in_repertoire', 'invalid byte sequence for encoding "UTF8": 0x00');
  }
  return text;
}

/** Lower-case hex of all bytes. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** Bytewise order; a prefix comes first. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
