/**
 * Parsing for sessions: a bounded cache by text, and a worker thread for texts that would keep the main
 * thread too long or nest deeper than its stack allows.
 */
import { setImmediate } from 'node:timers/promises';
import { BoundedCache } from '../../bounded-cache.ts';
import { SqlError } from '../../errors.ts';
import { PARSE_INLINE_BYTES_MAX, STATEMENT_BYTES_MAX, TIME_SLICE_MS } from '../../limits.ts';
import { programFile } from '../../program-file.ts';
import { WorkerCalls } from '../../worker-calls.ts';
import { unlessAborted } from '../../unless-aborted.ts';
import { loadParser, type ParsedStatement, parseStatements } from './parse.ts';
import type { ShapedStatement } from '../ast.ts';
import { Shapes } from './shapes.ts';

const TREE_BYTES_PER_UNIT = 30;
/** Their trees would be large: texts above this are not kept. */
const CACHED_TEXT_UNITS_MAX = 4 * 1024;
const CACHE_UNITS_MAX = 512 * 1024;
const CACHE_COUNT_MAX = 2_000;
/** More operators than this in one text may overflow the main thread's stack when they form one chain. */
const INLINE_OPERATORS_MAX = 600;
const WORKER_STACK_MB = 64;
/** A text that nobody waits for any more is parsed on for so long; starting a worker takes about as much. */
const ABANDONED_MS_MAX = 250;
/** After a longer text the worker ends: its memory goes back as a whole. */
const WORKER_TEXT_UNITS_MAX = 1024 * 1024;

/** Bytes of a text and its tree, with what parsing takes meanwhile; more where it is all small words. */
export const treeBytes = (text: string): number => TREE_BYTES_PER_UNIT * text.length;

export class ParseService {
  readonly #cache = new BoundedCache<string, readonly ParsedStatement[]>({
    entriesMax: CACHE_COUNT_MAX,
    sizeMax: CACHE_UNITS_MAX,
    sizeOf: (_, text) => text.length,
  });
  readonly #shapes = new Shapes();
  readonly #worker = new WorkerParser();

  /** The text's statements, if it was parsed before. */
  known(text: string): readonly ParsedStatement[] | undefined {
    return this.#cache.get(text);
  }

  /** The text's statement as one with parameters, where its shape is known. */
  shapeOf(text: string): ShapedStatement | null {
    return this.#shapes.find(text);
  }

  /**
   * @returns statements in order; shared with other callers of the same text.
   * @param signal ends the wait, and soon the work.
   * @throws SqlError as parseStatements does; the signal's reason.
   */
  parse(
    text: string,
    signal?: AbortSignal,
  ): readonly ParsedStatement[] | Promise<readonly ParsedStatement[]> {
    const known = this.#cache.get(text);
    if (known !== undefined) return known;
    const parsed = this.#parseAnew(text, signal);
    return signal === undefined ? parsed : unlessAborted(parsed, signal);
  }

  async #parseAnew(text: string, signal: AbortSignal | undefined): Promise<readonly ParsedStatement[]> {
    await loadParser();
    const parsed = isSmall(text) ? parseStatements(text) : await this.#parseElsewhere(text, signal);
    if (text.length <= CACHED_TEXT_UNITS_MAX) this.#cache.set(text, parsed);
    this.#shapes.learn(text, parsed);
    return parsed;
  }

  /** Ends the worker; later calls start a new one. */
  close(): Promise<void> {
    return this.#worker.close();
  }

  #parseElsewhere(text: string, signal: AbortSignal | undefined): Promise<readonly ParsedStatement[]> {
    // The main thread words this error, so that 100 MB are not copied for it.
    if (text.length > STATEMENT_BYTES_MAX) return Promise.resolve(parseStatements(text));
    return this.#worker.parse(text, signal);
  }
}

function isSmall(text: string): boolean {
  if (text.length > PARSE_INLINE_BYTES_MAX) return false;
  if (text.length < 2 * INLINE_OPERATORS_MAX) return true;
  return (text.match(/[-+*/<>=~!@#%^&|?[]+|::|\bunion\b/gi)?.length ?? 0) <= INLINE_OPERATORS_MAX;
}

interface Waiting {
  readonly text: string;
  readonly signal: AbortSignal | undefined;
  resolve(parsed: readonly ParsedStatement[]): void;
  reject(error: Error): void;
}

/** One text after the other, in a worker thread that is replaced when it dies or its text is given up. */
class WorkerParser {
  readonly #calls = new WorkerCalls<string, readonly string[]>(
    programFile('./parse-worker', import.meta.url),
    {
      resourceLimits: { stackSizeMb: WORKER_STACK_MB },
    },
  );
  /** The first is being parsed. */
  readonly #queue: Waiting[] = [];
  #began = 0;

  parse(text: string, signal: AbortSignal | undefined): Promise<readonly ParsedStatement[]> {
    return new Promise((resolve, reject) => {
      const waiting = { text, signal, resolve, reject };
      signal?.addEventListener('abort', () => this.#giveUp(waiting), { once: true });
      this.#queue.push(waiting);
      if (this.#queue.length === 1) this.#begin();
    });
  }

  close(): Promise<void> {
    for (const { reject } of this.#queue.splice(0)) reject(failed());
    return this.#calls.end(failed());
  }

  #begin(): void {
    const [first] = this.#queue;
    if (first === undefined) return;
    this.#began = performance.now();
    void this.#parse(first);
    if (first.signal?.aborted === true) this.#giveUp(first);
  }

  async #parse(waiting: Waiting): Promise<void> {
    try {
      const trees = await this.#calls.call(waiting.text);
      if (this.#isOver(waiting)) void readAll(trees).then(waiting.resolve, waiting.reject);
    } catch (error) {
      if (this.#isOver(waiting)) waiting.reject(error instanceof SqlError ? error : failed(error));
    }
  }

  /** The next one's turn. False where nobody waits for this one. */
  #isOver(waiting: Waiting): boolean {
    if (this.#queue[0] !== waiting) return false;
    this.#queue.shift();
    if (waiting.text.length > WORKER_TEXT_UNITS_MAX) void this.#calls.end(failed());
    this.#begin();
    return waiting.signal?.aborted !== true;
  }

  /** Who waited for the text does not any more. */
  #giveUp(waiting: Waiting): void {
    const at = this.#queue.indexOf(waiting);
    if (at > 0) this.#queue.splice(at, 1);
    if (at !== 0) return;
    const left = Math.max(0, ABANDONED_MS_MAX - (performance.now() - this.#began));
    setTimeout(() => this.#replace(waiting), left).unref();
  }

  #replace(waiting: Waiting): void {
    if (this.#queue[0] !== waiting) return;
    this.#queue.shift();
    void this.#calls.end(failed());
    this.#begin();
  }
}

/** With turns for others. */
async function readAll(texts: readonly string[]): Promise<readonly ParsedStatement[]> {
  const statements: ParsedStatement[] = [];
  let began = performance.now();
  for (const text of texts) {
    if (performance.now() - began > TIME_SLICE_MS) {
      await setImmediate();
      began = performance.now();
    }
    statements.push(JSON.parse(text) as ParsedStatement);
  }
  return statements;
}

const failed = (error?: unknown): SqlError =>
  new SqlError('statement_too_complex', 'the statement could not be parsed', {
    cause: error instanceof Error ? error : undefined,
  });
