/** UTF-8 bytes of many short texts: copied and decoded without a call a text; and what is wrong with some. */
import { isUtf8 } from 'node:buffer';
import { SqlError } from '../../errors.ts';

/** A text may begin with U+FEFF, which is a character of it. */
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });

/** Short texts are copied by hand: a call into `set` costs more than 32 byte moves. */
export function copyBytes(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): void {
  if (end - start > 32) to.set(from.subarray(start, end), at);
  else for (let i = start; i < end; i++) to[at++] = from[i] as number;
}

/** Short ASCII texts are built by hand: TextDecoder's call costs about 200 ns whatever it decodes. */
export function decodeUtf8(bytes: Uint8Array, start: number, end: number): string {
  if (end - start <= 24) {
    let text = '';
    let i = start;
    for (; i < end; i++) {
      const byte = bytes[i] as number;
      if (byte > 127) break;
      text += String.fromCharCode(byte);
    }
    if (i === end) return text;
  }
  return DECODER.decode(shareSafe(bytes.subarray(start, end)));
}

/** TextDecoder refuses shared memory, so those bytes are copied first. */
function shareSafe(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof SharedArrayBuffer ? bytes.slice() : bytes;
}

/** Names the first wrong sequence of bytes that are not UTF-8, or are but for a zero byte. */
export function invalidUtf8(bytes: Uint8Array): SqlError {
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes[at] as number);
    const sequence = bytes.subarray(at, at + length);
    if (sequence.length < length || !isUtf8(sequence)) return invalidSequence(sequence);
    at += length;
  }
  return invalidSequence([0]);
}

function invalidSequence(bytes: ArrayLike<number>): SqlError {
  const shown = Array.from(bytes, (byte) => `0x${byte.toString(16).padStart(2, '0')}`).join(' ');
  return new SqlError('character_not_in_repertoire', `invalid byte sequence for encoding "UTF8": ${shown}`);
}

/** By the lead byte, as PostgreSQL's pg_utf_mblen counts it. */
function sequenceLength(lead: number): number {
  if (lead >= 0xf0 && lead < 0xf8) return 4;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xc0 && lead < 0xe0 ? 2 : 1;
}
