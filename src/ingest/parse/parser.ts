/**
 * Parses files in processes of their own, with limits on time and memory: a hostile file can only fail itself. A
 * process serves many files, and is ended by the first that harms it.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { programFile } from '../../program-file.ts';
import type { Chunk } from '../chunk/chunk.ts';
import { DocumentError, type DocumentProblem } from '../document-error.ts';
import type { DrawRequest, ParseLimits } from '../formats/format.ts';
import type { WorkerReply, WorkerRequest } from './parse-worker.ts';
import type { ParsedFile } from './parsed-file.ts';
import { type Patience, ProgressWatch } from './progress-watch.ts';

const WORKER = programFile('./parse-worker', import.meta.url);
/** Beside the heap a parser holds the file's bytes and what its libraries keep outside. */
const HEAP_MB = 512;
/** V8's last words, on standard error. */
const OUT_OF_MEMORY = 'heap out of memory';
const LAST_WORDS_MAX = 16_384;
/** From one sign of progress to the next, for a file of no bytes, and more for each MiB: texts are read at once. */
const PATIENCE: Patience = { busyMs: 60_000, waitMs: 600_000 };
const BUSY_MS_A_MIB = 3_000;

export function patienceFor(bytes: number): Patience {
  const more = Math.ceil((BUSY_MS_A_MIB * bytes) / 1024 ** 2);
  return { busyMs: PATIENCE.busyMs + more, waitMs: PATIENCE.waitMs + 10 * more };
}
/** An idle process ends after this, and at once after a large file: its memory goes back as a whole. */
const IDLE_MS = 10_000;
const LARGE_BYTES = 1024 * 1024;
const LARGE_CHUNKS_COUNT = 500;
/** Behind everything that a client waits for. */
const NICENESS = 10;

export interface ParseOrder {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly password: string | undefined;
  readonly limits: ParseLimits;
  readonly onProgress: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

export interface DrawOrder extends Omit<DrawRequest, 'password'> {
  readonly name: string;
  readonly password: string | undefined;
  readonly signal: AbortSignal;
}

/** One file or page at a time. */
export class Parser implements Disposable {
  readonly #heapMb: number;
  #worker: ChildProcess | null = null;
  #idle: NodeJS.Timeout | null = null;
  #lastWords = '';

  constructor(heapMb = HEAP_MB) {
    this.#heapMb = heapMb;
  }

  /** @throws DocumentError for the file's own fault; another Error where the process failed; the signal's reason. */
  async parse({ onProgress, signal, ...file }: ParseOrder): Promise<ParsedFile> {
    const chunks: Chunk[] = [];
    const tables: Uint8Array[] = [];
    return this.#ask<ParsedFile>({ kind: 'parse', ...file }, signal, (reply, answer) => {
      if (reply.kind === 'progress') onProgress(reply.done, reply.total);
      else if (reply.kind === 'chunks') chunks.push(...reply.chunks);
      else if (reply.kind === 'tables') tables.push(reply.batch);
      else if (reply.kind === 'done') answer({ ...reply.parsed, chunks, tables });
    });
  }

  /** @returns PNG. @throws as `parse`. */
  async draw({ signal, ...page }: DrawOrder): Promise<Uint8Array> {
    return this.#ask<Uint8Array>({ kind: 'draw', ...page }, signal, (reply, answer) => {
      if (reply.kind === 'drawn') answer(reply.png);
    });
  }

  #start(): ChildProcess {
    const worker = startWorker(this.#heapMb);
    this.#lastWords = '';
    worker.stderr?.on('data', (text: string) => {
      this.#lastWords = (this.#lastWords + text).slice(-LAST_WORDS_MAX);
    });
    return worker;
  }

  async #ask<Answer>(
    request: WorkerRequest,
    signal: AbortSignal,
    take: (reply: WorkerReply, answer: (value: Answer) => void) => void,
  ): Promise<Answer> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const answer = Promise.withResolvers<Answer>();
    let chunkCount = 0;
    const end = (error: unknown): void => {
      this[Symbol.dispose]();
      answer.reject(error);
    };
    const patience = patienceFor(request.bytes.byteLength);
    const seconds = Math.round(patience.busyMs / 1000);
    const message = `nothing came of it within ${seconds} seconds of processor time`;
    using watch = new ProgressWatch(worker.pid, patience, () =>
      end(new DocumentError('time_exceeded', message)),
    );
    const heard = (reply: WorkerReply): void => {
      watch.heard();
      if (reply.kind === 'chunks') chunkCount += reply.chunks.length;
      if (reply.kind === 'failed') answer.reject(failureOf(reply));
      else take(reply, answer.resolve);
    };
    const gone = (code: number | null, killed: string | null): void => {
      this.#worker = null;
      const tooMuch = `reading it takes more than ${this.#heapMb} MB of memory`;
      const isFull = this.#lastWords.includes(OUT_OF_MEMORY);
      answer.reject(isFull ? new DocumentError('limit_exceeded', tooMuch) : endedBy(killed ?? code));
    };
    const aborted = (): void => end(signal.reason);
    worker.on('message', heard);
    // Not `exit`: what it said last may come after that.
    worker.once('close', gone);
    worker.once('error', end);
    signal.addEventListener('abort', aborted, { once: true });
    try {
      signal.throwIfAborted();
      worker.send(request);
      return await answer.promise;
    } finally {
      worker.off('message', heard);
      worker.off('close', gone);
      worker.off('error', end);
      signal.removeEventListener('abort', aborted);
      const wasLarge = request.bytes.byteLength > LARGE_BYTES || chunkCount > LARGE_CHUNKS_COUNT;
      if (wasLarge) this[Symbol.dispose]();
      else this.#idle = setTimeout(() => this[Symbol.dispose](), IDLE_MS).unref();
    }
  }

  [Symbol.dispose](): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    const worker = this.#worker;
    this.#worker = null;
    worker?.kill('SIGKILL');
  }
}

function startWorker(heapMb: number): ChildProcess {
  const worker = fork(WORKER, [], {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${heapMb}`],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: {},
  });
  if (worker.pid !== undefined) setPriority(worker.pid, NICENESS);
  worker.unref();
  worker.channel?.unref();
  worker.stderr?.setEncoding('utf8');
  if (worker.stderr instanceof Socket) worker.stderr.unref();
  return worker;
}

const endedBy = (cause: string | number | null): Error => new Error(`the parser ended (${cause})`);

function failureOf({ problem, message }: Extract<WorkerReply, { kind: 'failed' }>): Error {
  return problem === null ? new Error(message) : new DocumentError(problem as DocumentProblem, message);
}
