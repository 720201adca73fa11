/**
 * Hands entries of the audit on, in their order and once they are stored, to a log outside of the database. One thing to
 * know: a log that is behind holds nobody up; it is handed what it missed when it can be written again.
 */
import type { ReusedSessions } from '../reused-sessions.ts';
import { entriesAfter } from './verify.ts';

const PAGE = 500;
/** Each time costs a query. */
const GATHERED_MS = 100;
const AGAIN_MS = 5_000;
const NEVER = new AbortController().signal;

/** A log of lines. */
export interface AuditSink {
  /** Number of the last entry that it has; null: it begins with what comes next. */
  readonly last: number | null;
  /** @param lines each with its end. Durable when it resolves, as far as the log is. */
  write(lines: string): Promise<void>;
  close(): Promise<void>;
}

interface FollowerOptions {
  readonly sink: AuditSink;
  readonly keeping: ReusedSessions;
  /** Number of the last entry that is there. */
  readonly last: number;
  /** Null: it can be written again. */
  readonly became: (fault: unknown) => void;
}

export class AuditFollower {
  readonly #options: FollowerOptions;
  #handed: number;
  #isMore = true;
  #running: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isFailing = false;
  #isClosed = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#handed = options.sink.last ?? options.last;
    this.more();
  }

  /** Entries have been stored. */
  more(): void {
    this.#isMore = true;
    this.#later(GATHERED_MS);
  }

  #later(ms: number): void {
    if (this.#isClosed || this.#running !== null) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#running = this.#hand().finally(() => {
        this.#running = null;
        if (this.#isMore) this.#later(this.#isFailing ? AGAIN_MS : GATHERED_MS);
      });
    }, ms);
    this.#timer.unref();
  }

  /** Ends when all that is stored has been handed on, or cannot be. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
    if (this.#isMore) await this.#hand();
    await this.#options.sink.close();
  }

  async #hand(): Promise<void> {
    const { became } = this.#options;
    this.#isMore = false;
    try {
      while ((await this.#page()) === PAGE);
      this.#isFailing = false;
      became(null);
    } catch (error) {
      this.#isMore = true;
      this.#isFailing = true;
      became(error);
    }
  }

  async #page(): Promise<number> {
    const { keeping, sink } = this.#options;
    const entries = await keeping.transaction((query) => entriesAfter(query, this.#handed, PAGE), NEVER);
    if (entries.length === 0) return 0;
    const lines = entries.map(
      ({ sequence, hash, entry }) => `{"sequence":${sequence},"hash":"${hash}","entry":${entry}}\n`,
    );
    await sink.write(lines.join(''));
    this.#handed = entries.at(-1)?.sequence ?? this.#handed;
    return entries.length;
  }
}
