/**
 * Cuts the byte stream of a connection into messages. A length is judged as soon as its four bytes are
 * there, before anything is kept for it; a message above the limit is read past, not stored, so that a
 * statement of 100 MB costs no memory and leaves the connection usable.
 */
import { SqlError } from '../errors.ts';
import { MESSAGE_BYTES_MAX, STARTUP_BYTES_MAX } from '../limits.ts';
import { isFrontendMessage } from './decode.ts';

/** PostgreSQL's own bound (MaxAllocSize): a length above it is taken for a lie. */
const LENGTH_MAX = 0x3fffffff;

/** Type byte and length word. */
const HEADER_BYTES = 5;

export interface Frame {
  /** Type byte; 0 for a start-up packet. */
  readonly code: number;
  /** Without type and length. A view of what was read, unless the message came in pieces. */
  readonly body: Buffer;
}

export type Phase = 'startup' | 'authentication' | 'ready';

export class Framer {
  /** Start-up packets have no type byte; before sign-in every message is short. */
  phase: Phase = 'startup';
  #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes of an over-long message still to be read past. */
  #skip = 0;
  #skipped: { readonly size: number } | null = null;
  /** Type of the last message that was too long. */
  skippedCode = 0;

  /** Bytes held that are not yet a message. */
  get pending(): number {
    return this.#size;
  }

  /** Type of the message that has begun to arrive; undefined where none has. */
  get nextCode(): number | undefined {
    return this.#chunks[0]?.[0];
  }

  push(chunk: Buffer): void {
    if (this.#skip >= chunk.length) {
      this.#skip -= chunk.length;
      return;
    }
    const rest = this.#skip === 0 ? chunk : chunk.subarray(this.#skip);
    this.#skip = 0;
    this.#chunks.push(rest);
    this.#size += rest.length;
  }

  /**
   * The next whole message, or null when more bytes are needed.
   * @throws SqlError 08P01 (FATAL) on an unknown type or an impossible length; 54000 once a message above
   *         the limit has been read past, after which the stream goes on.
   */
  next(): Frame | null {
    if (this.#skipped !== null && this.#skip === 0) {
      const { size } = this.#skipped;
      this.#skipped = null;
      throw new SqlError('program_limit_exceeded', `message of ${size} bytes is too large`, {
        detail: `A message may have ${MESSAGE_BYTES_MAX} bytes.`,
        hint: 'Send the data in several statements.',
      });
    }
    return this.phase === 'startup' ? this.#nextStartup() : this.#nextMessage();
  }

  #nextStartup(): Frame | null {
    const head = this.#peek(4);
    if (head === null) return null;
    const length = head.readUInt32BE(0);
    if (length < 8 || length > STARTUP_BYTES_MAX) throw fatal('invalid length of startup packet');
    const packet = this.#take(length);
    return packet === null ? null : { code: 0, body: packet.subarray(4) };
  }

  #nextMessage(): Frame | null {
    const head = this.#peek(HEADER_BYTES);
    if (head === null) {
      const first = this.#peek(1);
      if (first !== null) this.#checkType(first[0] as number);
      return null;
    }
    const code = head[0] as number;
    this.#checkType(code);
    const length = head.readUInt32BE(1);
    const longest = this.phase === 'ready' ? LENGTH_MAX : STARTUP_BYTES_MAX;
    if (length < 4 || length > longest) throw fatal('invalid message length');
    if (length > MESSAGE_BYTES_MAX) return this.#skipMessage(code, length + 1);
    const message = this.#take(length + 1);
    return message === null ? null : { code, body: message.subarray(HEADER_BYTES) };
  }

  #checkType(code: number): void {
    if (!isFrontendMessage(code)) throw fatal(`invalid frontend message type ${code}`);
  }

  #skipMessage(code: number, size: number): Frame | null {
    this.#skipped = { size };
    this.skippedCode = code;
    const held = this.#join();
    if (held.length >= size) {
      this.#hold(held.subarray(size));
      return this.next();
    }
    this.#skip = size - held.length;
    this.#hold(held.subarray(held.length));
    return null;
  }

  /** Makes the first `count` bytes contiguous; null when there are fewer. */
  #peek(count: number): Buffer | null {
    if (this.#size < count) return null;
    const first = this.#chunks[0] as Buffer;
    return first.length >= count ? first : this.#join();
  }

  #take(count: number): Buffer | null {
    if (this.#size < count) return null;
    const first = this.#chunks[0] as Buffer;
    const held = first.length >= count ? first : this.#join();
    if (held.length === count) this.#chunks.shift();
    else this.#chunks[0] = held.subarray(count);
    this.#size -= count;
    return held.subarray(0, count);
  }

  #join(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks, this.#size)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  #hold(rest: Buffer): void {
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#size = rest.length;
  }
}

function fatal(message: string): SqlError {
  return new SqlError('protocol_violation', message, { severity: 'FATAL' });
}
