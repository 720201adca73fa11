/**
 * Cuts the byte stream of a connection into messages. A length is judged as soon as its four bytes are
 * there, before anything is kept for it; a message above the limit is read past, not stored, so that a
 * statement of 100 MB costs no memory and leaves the connection usable.
 */
import { SqlError } from '../errors.ts';
import { MESSAGE_BYTES_MAX, STARTUP_BYTES_MAX } from '../limits.ts';
import type { Holding } from '../session/protocol.ts';
import { isFrontendMessage } from './decode.ts';

/** PostgreSQL's own bound (MaxAllocSize): a length above it is taken for a lie. */
const LENGTH_MAX = 0x3fffffff;

/** Shorter messages are not counted; what waits of them is bounded by the connection. */
const COUNTED_BYTES_MIN = 64 * 1024;
/** Pieces of a message are put together: both are there for a moment. */
const COPIES = 2;

/** Messages of COPY's data that are shorter, a row each, are joined to about so much. */
const ROW_BYTES = 1024;
const JOINED_BYTES = 16 * 1024;
/** CopyData. */
const COPY_DATA = 0x64;

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
  /** Counts the client's messages, from sign-in on. */
  account: Holding | null = null;
  /** Counted of the message that arrives, or was taken last. */
  #held = 0;
  #isTaken = false;
  #chunks: Buffer[] = [];
  /** Bytes of the first chunk that have been read. */
  #at = 0;
  /** Bytes that have not. */
  #size = 0;
  /** Bytes of an over-long message still to be read past. */
  #skip = 0;
  /** Why it is not stored. */
  #skipped: SqlError | null = null;
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
   *         the limit has been read past, 53200 one for which there is no memory, after which the stream goes on.
   */
  next(): Frame | null {
    if (this.#skipped !== null && this.#skip === 0) {
      const error = this.#skipped;
      this.#skipped = null;
      throw error;
    }
    if (this.#isTaken) this.#giveBack();
    return this.phase === 'startup' ? this.#nextStartup() : this.#nextMessage();
  }

  /** As `next`, but short messages of COPY's data that lie there one behind the other are one; bytes are moved. */
  nextOfCopy(): Frame | null {
    const frame = this.next();
    if (frame === null || frame.code !== COPY_DATA || frame.body.length >= ROW_BYTES) return frame;
    const { buffer, byteOffset, length } = frame.body;
    const [chunk] = this.#chunks;
    const isHere = chunk?.buffer === buffer && byteOffset + length === chunk.byteOffset + this.#at;
    if (chunk === undefined || !isHere) return frame;
    const start = this.#at - length;
    let end = this.#at;
    for (let at = this.#at; end - start < JOINED_BYTES; at = this.#at) {
      if (chunk.length - at < HEADER_BYTES || chunk[at] !== COPY_DATA) break;
      const size = chunk.readUInt32BE(at + 1) + 1;
      if (size < HEADER_BYTES || size >= ROW_BYTES || size > chunk.length - at) break;
      chunk.copyWithin(end, at + HEADER_BYTES, at + size);
      end += size - HEADER_BYTES;
      this.#advance(size);
      if (this.#chunks[0] !== chunk) break;
    }
    return { code: frame.code, body: chunk.subarray(start, end) };
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
    const size = length + 1;
    if (length > MESSAGE_BYTES_MAX) return this.#skipMessage(code, size, tooLarge(size));
    const refused = this.#count(size);
    if (refused !== null) return this.#skipMessage(code, size, refused);
    const body = this.#take(size, HEADER_BYTES);
    if (body === null) return null;
    this.#isTaken = true;
    return { code, body };
  }

  /** Counts what has arrived of a message. @returns an error where there is no memory for it. */
  #count(size: number): SqlError | null {
    if (size < COUNTED_BYTES_MIN) return null;
    const here = COPIES * Math.min(size, this.#size);
    try {
      this.account?.hold(here - this.#held);
      this.#held = here;
      return null;
    } catch (error) {
      if (error instanceof SqlError) return error;
      throw error;
    }
  }

  /** Gives back what a message took that is dealt with, or dropped. */
  #giveBack(): void {
    this.#isTaken = false;
    if (this.#held === 0) return;
    this.#held = 0;
    this.account?.[Symbol.dispose]();
  }

  #checkType(code: number): void {
    if (!isFrontendMessage(code)) throw fatal(`invalid frontend message type ${code}`);
  }

  #skipMessage(code: number, size: number, reason: SqlError): Frame | null {
    this.#skipped = reason;
    this.skippedCode = code;
    const read = Math.min(size, this.#size);
    for (let left = read; left > 0; ) {
      const count = Math.min(left, (this.#chunks[0]?.length ?? 0) - this.#at);
      this.#advance(count);
      left -= count;
    }
    this.#giveBack();
    if (read === size) return this.next();
    this.#skip = size - read;
    return null;
  }

  /** The first chunk, with `count` bytes that have not been read; null when there are fewer. */
  #first(count: number): Buffer | null {
    if (this.#size < count) return null;
    const first = this.#chunks[0] ?? NO_BYTES;
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

const NO_BYTES = Buffer.alloc(0);

function tooLarge(size: number): SqlError {
  return new SqlError('program_limit_exceeded', `message of ${size} bytes is too large`, {
    detail: `A message may have ${MESSAGE_BYTES_MAX} bytes.`,
    hint: 'Send the data in several statements.',
  });
}

function fatal(message: string): SqlError {
  return new SqlError('protocol_violation', message, { severity: 'FATAL' });
}
