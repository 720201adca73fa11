/**
 * Answers of many requests over one response: browsers open few connections to one server. Each line begins with the id of its
 * request; a client that reads slowly holds all of them up.
 */
import type { ServerResponse } from 'node:http';
import { SqlError } from '../../errors.ts';
import { HTTP_STREAMS_OF_KEY_COUNT_MAX, SOCKET_WRITE_BYTES } from '../../limits.ts';
import { ByteWriter } from '../../types/column/byte-writer.ts';
import { Refusal } from '../refusal.ts';
import { drained, LINES_HEADERS, type Output } from './output.ts';

const TOKEN_BYTES = 24;
const LINE_END = 0x0a;
/** An empty line keeps proxies from ending a stream that is quiet, and tells of a client that has gone. */
const QUIET_MS_MAX = 20_000;

interface Stream {
  readonly owner: string;
  readonly response: ServerResponse;
  /** Called when it ends. */
  readonly listeners: Set<() => void>;
  /** All answers wait for the same. */
  draining: Promise<void> | null;
}

export class Streams {
  readonly #randomBytes: (size: number) => Uint8Array;
  readonly #streams = new Map<string, Stream>();

  constructor(randomBytes: (size: number) => Uint8Array) {
    this.#randomBytes = randomBytes;
  }

  /** Resolves when the client has gone, or the server ends. @throws SqlError 53300. */
  async serve(owner: string, response: ServerResponse): Promise<void> {
    const own = [...this.#streams.values()].filter((stream) => stream.owner === owner).length;
    if (own >= HTTP_STREAMS_OF_KEY_COUNT_MAX) {
      throw new SqlError('too_many_connections', `a key may have ${HTTP_STREAMS_OF_KEY_COUNT_MAX} streams`);
    }
    const token = Buffer.from(this.#randomBytes(TOKEN_BYTES)).toString('base64url');
    const stream: Stream = { owner, response, listeners: new Set(), draining: null };
    this.#streams.set(token, stream);
    response.writeHead(200, LINES_HEADERS);
    response.write(`${JSON.stringify({ stream: { token } })}\n`);
    const quiet = setInterval(() => void (response.writableNeedDrain || response.write('\n')), QUIET_MS_MAX);
    if (!response.destroyed) await new Promise((resolve) => response.once('close', resolve));
    clearInterval(quiet);
    this.#streams.delete(token);
    for (const tell of stream.listeners) tell();
  }

  /** Where the lines of one request go. @throws Refusal 404 for a stream that is not, or not theirs. */
  output(owner: string, token: string): Output {
    const stream = this.#streams.get(token);
    if (stream === undefined || stream.owner !== owner) {
      throw new Refusal(404, 'there is no stream of this token', 'Open one by POST /sql/stream.');
    }
    return new StreamOutput(stream);
  }

  close(): void {
    for (const { response } of this.#streams.values()) response.destroy();
  }
}

/** Whole lines leave, one answer's between another's. */
class StreamOutput implements Output {
  writer = new ByteWriter();
  status = 200;
  readonly headers = {};
  readonly hasBegun = true;
  readonly #stream: Stream;
  #listener: (() => void) | null = null;

  constructor(stream: Stream) {
    this.#stream = stream;
  }

  get full(): boolean {
    return this.writer.size >= SOCKET_WRITE_BYTES;
  }

  get isOver(): boolean {
    return this.#stream.response.destroyed;
  }

  flush(): void {
    const bytes = this.writer.finish();
    const end = bytes.lastIndexOf(LINE_END) + 1;
    if (end === 0 || this.isOver) return;
    this.#stream.response.write(bytes.subarray(0, end));
    const rest = bytes.subarray(end);
    this.writer = new ByteWriter(Math.max(rest.length * 2, SOCKET_WRITE_BYTES));
    this.writer.writeBytes(rest);
  }

  async drain(): Promise<void> {
    this.flush();
    const stream = this.#stream;
    if (!stream.response.writableNeedDrain || this.isOver) return;
    stream.draining ??= drained(stream.response).finally(() => {
      stream.draining = null;
    });
    await stream.draining;
  }

  onClose(listener: () => void): void {
    this.#listener = listener;
    this.#stream.listeners.add(listener);
    if (this.isOver) listener();
  }

  end(): void {
    this.flush();
    if (this.#listener !== null) this.#stream.listeners.delete(this.#listener);
  }
}
