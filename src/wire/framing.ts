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
  /** Bytes of the first chunk that have been read. */
  #at = 0;
  /** Bytes that have not. */
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
    return this.#chunks[0]?.[this.#at];
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
    const head = this.#first(4);
    if (head === null) return null;
    const length = head.readUInt32BE(this.#at);
    if (length < 8 || length > STARTUP_BYTES_MAX) throw fatal('invalid length of startup packet');
    const body = this.#take(length, 4);
    return body === null ? null : { code: 0, body };
  }

  #nextMessage(): Frame | null {
    const head = this.#first(HEADER_BYTES);
    if (head === null) {
      if (this.nextCode !== undefined) this.#checkType(this.nextCode);
      return null;
    }
    const code = head[this.#at] as number;
    this.#checkType(code);
    const length = head.readUInt32BE(this.#at + 1);
    const longest = this.phase === 'ready' ? LENGTH_MAX : STARTUP_BYTES_MAX;
    if (length < 4 || length > longest) throw fatal('invalid message length');
    if (length > MESSAGE_BYTES_MAX) return this.#skipMessage(code, length + 1);
    const body = this.#take(length + 1, HEADER_BYTES);
    return body === null ? null : { code, body };
  }

  #checkType(code: number): void {
    if (!isFrontendMessage(code)) throw fatal(`invalid frontend message type ${code}`);
  }

  #skipMessage(code: number, size: number): Frame | null {
    this.#skipped = { size };
    this.skippedCode = code;
    const read = Math.min(size, this.#size);
    this.#first(this.#size);
    this.#advance(read);
    if (read === size) return this.next();
    this.#skip = size - read;
    return null;
  }

  /** The first chunk, with `count` bytes that have not been read; null when there are fewer. */
  #first(count: number): Buffer | null {
    if (this.#size < count) return null;
    const [first = Buffer.alloc(0)] = this.#chunks;
    if (first.length - this.#at >= count) return first;
    const joined = Buffer.concat(this.#chunks).subarray(this.#at);
    this.#chunks = [joined];
    this.#at = 0;
    return joined;
  }

  /** The next `count` bytes without the first `head` of them; null when there are fewer. */
  #take(count: number, head: number): Buffer | null {
    const body = this.#first(count)?.subarray(this.#at + head, this.#at + count) ?? null;
    if (body !== null) this.#advance(count);
    return body;
  }

  /** @param count bytes of the first chunk. */
  #advance(count: number): void {
    this.#at += count;
    this.#size -= count;
    if (this.#at < (this.#chunks[0]?.length ?? 0)) return;
    this.#chunks.shift();
    this.#at = 0;
  }
}

function fatal(message: string): SqlError {
  return new SqlError('protocol_violation', message, { severity: 'FATAL' });
}
