/**
 * Reads the body of one message, field by field. Every read is checked against the body's end, so a count
 * or length that lies ends in 08P01 and never reads another message's bytes.
 */
import { isUtf8 } from 'node:buffer';
import { SqlError } from '../errors.ts';
import { invalidUtf8 } from '../types/text/utf8.ts';

export class MessageReader {
  #bytes: Buffer;
  #at = 0;

  /** @param body the message without type and length; not copied, `bytes()` gives views of it. */
  constructor(body: Buffer) {
    this.#bytes = body;
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  uint8(): number {
    return this.#bytes[this.#advance(1)] as number;
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.#advance(2));
  }

  /** Counts are sent as unsigned 16-bit numbers: a statement may have 65,535 parameters. */
  uint16(): number {
    return this.#bytes.readUInt16BE(this.#advance(2));
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#advance(4));
  }

  uint32(): number {
    return this.#bytes.readUInt32BE(this.#advance(4));
  }

  /** A view that is valid until the connection reads its next bytes. */
  bytes(length: number): Buffer {
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  rest(): Buffer {
    return this.bytes(this.remaining);
  }

  /** Text up to a zero byte. @throws SqlError 22021 when it is not UTF-8. */
  string(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    if (end < 0) throw new SqlError('protocol_violation', 'invalid string in message');
    const start = this.#at;
    this.#at = end + 1;
    // Names are empty as a rule.
    if (start === end) return '';
    const text = this.#bytes.toString('utf8', start, end);
    return text.includes('\ufffd') ? decodeText(this.#bytes.subarray(start, end)) : text;
  }

  /** @throws SqlError 08P01 when bytes are left over. */
  end(): void {
    if (this.remaining !== 0) throw new SqlError('protocol_violation', 'invalid message format');
  }

  #advance(length: number): number {
    const start = this.#at;
    if (length < 0 || length > this.#bytes.length - start) {
      throw new SqlError('protocol_violation', 'insufficient data left in message');
    }
    this.#at = start + length;
    return start;
  }
}

/** UTF-8 to text. @throws SqlError 22021 naming the first wrong byte; zero bytes are wrong too. */
export function decodeText(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (text.includes('\ufffd') && !isUtf8(bytes)) throw invalidUtf8(bytes);
  if (text.includes('\0')) throw invalidUtf8(bytes);
  return text;
}
