/** Rows of one statement between a driver that pushes and an iteration that pulls. */
import type { Link, Statement } from './link.ts';
import type { Pool } from './pool.ts';

type Row = Record<string, unknown>;

export class RowStream {
  readonly #pool: Pool;
  readonly #link: Link;
  readonly #signal: AbortSignal | undefined;
  readonly #all: Promise<void>;
  readonly #rows: Row[] = [];
  readonly #stop: () => void;
  #wake: (() => void) | null = null;
  #isDone = false;
  #isOver = false;
  #isClosed = false;
  #failure: unknown = null;

  /** @param link is given back by `close`. */
  constructor(pool: Pool, link: Link, statement: Statement, signal: AbortSignal | undefined) {
    this.#pool = pool;
    this.#link = link;
    this.#signal = signal;
    this.#all = link
      .statement(statement)
      .forEach((row) => {
        this.#rows.push(row);
        this.#wake?.();
      })
      .then(
        () => this.#end(null),
        (error: unknown) => this.#end(error),
      )
      .finally(() => {
        this.#isOver = true;
      });
    this.#stop = () => {
      this.#rows.length = 0;
      this.#end(signal?.reason);
      this.close();
    };
    if (signal?.aborted) this.#stop();
    else signal?.addEventListener('abort', this.#stop, { once: true });
  }

  /** The next row, or null after the last. @throws what the statement failed with, the signal's reason */
  async next(): Promise<Row | null> {
    for (;;) {
      const row = this.#rows.shift();
      if (row !== undefined) return row;
      if (this.#failure !== null) throw this.#failure;
      if (this.#isDone) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Cancels the statement where it still runs, and gives the connection back. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#signal?.removeEventListener('abort', this.#stop);
    if (this.#isOver) {
      this.#pool.give(this.#link);
      return;
    }
    this.#link.cancel();
    void this.#link.settle(this.#all).then(() => this.#pool.discard(this.#link));
  }

  #end(failure: unknown): void {
    if (!this.#isDone) this.#failure = failure;
    this.#isDone = true;
    this.#wake?.();
  }
}
