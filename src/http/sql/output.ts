/**
 * The body of an answer on its way out: bytes gather, and leave in pieces of SOCKET_WRITE_BYTES or when somebody waits for
 * them. One thing to know: the head leaves with the first piece, so the status can say what went wrong until then.
 */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { SOCKET_WRITE_BYTES } from '../../limits.ts';
import { ByteWriter } from '../../types/column/byte-writer.ts';

const FIRST_CAPACITY = 4 * 1024;
/** One row more than a full write, in most cases. */
const STREAM_CAPACITY = SOCKET_WRITE_BYTES + 16 * 1024;

export const LINES = 'application/x-ndjson; charset=utf-8';

export const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

export const LINES_HEADERS = { ...HEADERS, 'content-type': LINES };

/** Where the bytes of one answer go. */
export interface Output {
  /** Ask for it anew after every wait: it is another one after a long write. */
  readonly writer: ByteWriter;
  /** The answer's, unless it fails before its first piece leaves. */
  status: number;
  readonly full: boolean;
  /** The client has gone, or has all it gets. */
  readonly isOver: boolean;
  /** Sends what has gathered. */
  flush(): void;
  /** Sends what has gathered and waits while the client takes nothing; returns at once when it has gone. */
  drain(): Promise<void>;
  /** @param listener called when the client has gone; perhaps when it has all, too. */
  onClose(listener: () => void): void;
  /** Sends the rest. */
  end(): void;
}

/** Resolves when the response takes more, or has closed. */
export async function drained(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.on('drain', resolve);
  response.on('close', resolve);
  await promise;
  response.off('drain', resolve);
  response.off('close', resolve);
}

/** A response of its own. */
export class ResponseOutput implements Output {
  writer = new ByteWriter(FIRST_CAPACITY);
  status = 200;
  /** They may be added to until the first piece leaves. */
  readonly headers: OutgoingHttpHeaders;
  readonly #response: ServerResponse;

  constructor(response: ServerResponse, headers: OutgoingHttpHeaders) {
    this.#response = response;
    this.headers = headers;
  }

  get full(): boolean {
    return this.writer.size >= SOCKET_WRITE_BYTES;
  }

  /** The first piece has left. */
  get hasBegun(): boolean {
    return this.#response.headersSent;
  }

  get isOver(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  flush(): void {
    if (this.writer.size === 0 || this.isOver) return;
    this.#begin();
    this.#response.write(this.writer.finish());
    this.writer = new ByteWriter(STREAM_CAPACITY);
  }

  async drain(): Promise<void> {
    this.flush();
    const response = this.#response;
    if (response.writableNeedDrain && !this.isOver) await drained(response);
  }

  onClose(listener: () => void): void {
    this.#response.once('close', listener);
  }

  /** As `drain`, once enough has gathered; null: not yet. */
  drainFull(): Promise<void> | null {
    return this.full ? this.drain() : null;
  }

  /** Forgets what has gathered and has not left. */
  discard(): void {
    this.writer.reset();
  }

  end(): void {
    if (this.isOver) return;
    if (!this.hasBegun) this.headers['content-length'] = this.writer.size;
    this.#begin();
    this.#response.end(this.writer.finish());
  }

  /** The client is told that what it has is not the whole: the connection ends before the answer does. */
  breakOff(): void {
    this.#response.destroy();
  }

  #begin(): void {
    if (this.hasBegun) return;
    if (this.status === 401) this.headers['www-authenticate'] = 'Bearer';
    this.#response.writeHead(this.status, this.headers);
  }
}
