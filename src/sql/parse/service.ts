/**
 * Parsing for sessions: a bounded cache by text, and a worker thread for texts that would keep the main
 * thread too long or nest deeper than its stack allows.
 */
import { Worker } from 'node:worker_threads';
import { SqlError } from '../../errors.ts';
import { PARSE_INLINE_BYTES_MAX, STATEMENT_BYTES_MAX } from '../../limits.ts';
import { loadParser, type ParsedStatement, parseStatements } from './parse.ts';
import type { ParseReply } from './parse-worker.ts';

/** A text's tree takes about 30 times its length, so texts above this are not kept. */
const CACHED_TEXT_UNITS_MAX = 4 * 1024;
const CACHE_UNITS_MAX = 512 * 1024;
const CACHE_COUNT_MAX = 2_000;
/** More operators than this in one text may overflow the main thread's stack when they form one chain. */
const INLINE_OPERATORS_MAX = 600;
const WORKER_STACK_MB = 64;

export class ParseService {
  readonly #cache = new Map<string, readonly ParsedStatement[]>();
  #cachedUnits = 0;
  #worker: WorkerParser | null = null;

  /**
   * @returns statements in order; shared with other callers of the same text.
   * @param signal ends the wait, not the worker's work.
   * @throws SqlError as parseStatements does; the signal's reason.
   */
  parse(
    text: string,
    signal?: AbortSignal,
  ): readonly ParsedStatement[] | Promise<readonly ParsedStatement[]> {
    const known = this.#cache.get(text);
    if (known === undefined) {
      const parsed = this.#parseAnew(text);
      return signal === undefined ? parsed : untilAborted(parsed, signal);
    }
    this.#cache.delete(text);
    this.#cache.set(text, known);
    return known;
  }

  async #parseAnew(text: string): Promise<readonly ParsedStatement[]> {
    await loadParser();
    const parsed = isSmall(text) ? parseStatements(text) : await this.#parseElsewhere(text);
    if (text.length <= CACHED_TEXT_UNITS_MAX) this.#remember(text, parsed);
    return parsed;
  }

  /** Ends the worker; later calls start a new one. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.close();
  }

  #parseElsewhere(text: string): Promise<readonly ParsedStatement[]> {
    // The main thread words this error, so that 100 MB are not copied for it.
    if (text.length > STATEMENT_BYTES_MAX) return Promise.resolve(parseStatements(text));
    this.#worker ??= new WorkerParser(() => {
      this.#worker = null;
    });
    return this.#worker.parse(text);
  }

  #remember(text: string, parsed: readonly ParsedStatement[]): void {
    if (this.#cache.has(text)) return;
    this.#cache.set(text, parsed);
    this.#cachedUnits += text.length;
    for (const oldest of this.#cache.keys()) {
      if (this.#cachedUnits <= CACHE_UNITS_MAX && this.#cache.size <= CACHE_COUNT_MAX) break;
      this.#cache.delete(oldest);
      this.#cachedUnits -= oldest.length;
    }
  }
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

function isSmall(text: string): boolean {
  if (text.length > PARSE_INLINE_BYTES_MAX) return false;
  if (text.length < 2 * INLINE_OPERATORS_MAX) return true;
  return (text.match(/[-+*/<>=~!@#%^&|?[]+|::|\bunion\b/gi)?.length ?? 0) <= INLINE_OPERATORS_MAX;
}

interface Waiting {
  resolve(parsed: readonly ParsedStatement[]): void;
  reject(error: Error): void;
}

/** One worker thread; a worker that dies fails what it had and is replaced by the next call. */
class WorkerParser {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;

  constructor(onExit: () => void) {
    this.#worker = new Worker(new URL('./parse-worker.ts', import.meta.url), {
      resourceLimits: { stackSizeMb: WORKER_STACK_MB },
    });
    this.#worker.unref();
    this.#worker.on('message', (reply: ParseReply) => this.#settle(reply));
    const fail = (error?: unknown): void => {
      onExit();
      const cause = error instanceof Error ? error : undefined;
      for (const waiting of this.#waiting.values()) {
        waiting.reject(new SqlError('statement_too_complex', 'the statement could not be parsed', { cause }));
      }
      this.#waiting.clear();
    };
    this.#worker.on('error', fail);
    this.#worker.on('messageerror', fail);
    this.#worker.on('exit', () => fail());
  }

  parse(text: string): Promise<readonly ParsedStatement[]> {
    const id = this.#next++;
    this.#worker.ref();
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, text });
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(reply: ParseReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if (reply.parsed !== null) waiting?.resolve(JSON.parse(reply.parsed) as readonly ParsedStatement[]);
    else waiting?.reject(new SqlError(reply.condition, reply.message, reply.fields));
  }
}
