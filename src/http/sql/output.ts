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

export class AnswerOutput {
  /** Ask for it anew after every wait: it is another one after a long write. */
  writer = new ByteWriter(FIRST_CAPACITY);
  /** The answer's, unless it fails before its first piece leaves. */
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

  /** The client has gone, or has all it gets. */
  get isOver(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  /** Sends what has gathered. */
  flush(): void {
    if (this.writer.size === 0 || this.isOver) return;
    this.#begin();
    this.#response.write(this.writer.finish());
    this.writer = new ByteWriter(STREAM_CAPACITY);
  }

  /** Sends what has gathered and waits while the client takes nothing; returns at once when it has gone. */
  async drain(): Promise<void> {
    this.flush();
    const response = this.#response;
    if (!response.writableNeedDrain || this.isOver) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        response.off('drain', done);
        response.off('close', done);
        resolve();
      };
      response.on('drain', done);
      response.on('close', done);
    });
  }

  /** As `drain`, once enough has gathered; null: not yet. */
  drainFull(): Promise<void> | null {
    return this.full ? this.drain() : null;
  }

  /** Forgets what has gathered and has not left. */
  discard(): void {
    this.writer.reset();
  }

  /** Sends the rest, which is all there is. */
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
    if (!this.hasBegun) this.#response.writeHead(this.status, this.headers);
  }
}
