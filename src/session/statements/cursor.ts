/**
 * SQL cursors (DECLARE, FETCH, MOVE, CLOSE). Rows are kept once they were fetched when the cursor may go
 * back (SCROLL) or outlives its transaction (WITH HOLD); a plain cursor only goes forward and keeps nothing.
 */
import { SqlError } from '../../errors.ts';
import type { Account } from '../../execute/account.ts';
import { bytesOf } from '../../execute/held-rows.ts';
import type { OutputColumn } from '../../plan/plan.ts';
import type { Batch } from '../../types/column/vector.ts';
import type { Running } from '../running/running.ts';

/** Takes rows in the order asked for. @throws SqlError 53200 when they are more than may be held. */
type TakeRows = (batch: Batch) => void | Promise<void>;

export type FetchDirection = 'forward' | 'backward' | 'absolute' | 'relative';

export interface CursorOptions {
  readonly name: string;
  readonly scroll: boolean;
  readonly hold: boolean;
  readonly text: string;
  readonly createdMicros: bigint;
  /** Ends what its statement computes or waits for. */
  readonly cancel: (reason: unknown) => void;
  /** Counts the rows it keeps, which the cursor gives back; null for one that keeps none. */
  readonly account: Account | null;
}

/** One row of a batch. */
interface Row {
  readonly batch: Batch;
  readonly row: number;
}

export class Cursor {
  readonly options: CursorOptions;
  readonly columns: readonly OutputColumn[];
  #running: Running | null;
  /** Rows that a cursor keeps which may go back. */
  #rows: Row[] | null;
  /** Row the cursor is on, 1-based; 0 before the first. */
  #position = 0;
  #held = false;

  constructor(options: CursorOptions, running: Running) {
    this.options = options;
    this.columns = running.columns ?? [];
    this.#running = running;
    this.#rows = options.scroll || options.hold ? [] : null;
  }

  /**
   * @param request the FETCH's signal, which ends the cursor's statement, and who takes the rows.
   * @throws SqlError 55000 when a plain cursor is to go back; what `take` throws.
   */
  async fetch(
    direction: FetchDirection,
    count: number | 'all',
    { signal, take }: { readonly signal: AbortSignal; readonly take: TakeRows },
  ): Promise<void> {
    const cancel = (): void => this.options.cancel(signal.reason);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const rows = this.#rows;
      if (rows === null) await this.#fetchForward(direction, count, take);
      else for (const batch of await this.#fetchKept(rows, direction, count)) await take(batch);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  async #fetchKept(rows: Row[], direction: FetchDirection, count: number | 'all'): Promise<Iterable<Batch>> {
    const from = this.#position;
    switch (direction) {
      case 'forward':
        return this.#move(rows, from, count === 'all' ? Number.POSITIVE_INFINITY : count);
      case 'backward':
        return this.#move(rows, from, count === 'all' ? Number.NEGATIVE_INFINITY : -count);
      case 'absolute':
        return this.#jump(rows, await this.#absolute(rows, count === 'all' ? -1 : count));
      case 'relative':
        return this.#jump(rows, from + (count === 'all' ? 0 : count));
    }
  }

  /** Outlived the transaction it was declared in. */
  get held(): boolean {
    return this.#held;
  }

  /** Reads what is left, so that the rows outlive the transaction. */
  async hold(): Promise<void> {
    if (this.#rows !== null) await this.#fill(this.#rows, Number.POSITIVE_INFINITY);
    this.#held = true;
    await this.#finish();
  }

  async close(): Promise<void> {
    if (this.#rows !== null) this.#rows = [];
    this.options.account?.[Symbol.dispose]();
    await this.#finish();
  }

  /** Its statement has no more rows, or is not asked for them. */
  async #finish(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    await running?.close();
  }

  async #fetchForward(direction: FetchDirection, count: number | 'all', take: TakeRows): Promise<void> {
    if (direction !== 'forward' || (count !== 'all' && count < 0)) {
      throw new SqlError('object_not_in_prerequisite_state', 'cursor can only scan forward', {
        hint: 'Declare it with SCROLL option to enable backward scan.',
      });
    }
    let left = count === 'all' ? Number.POSITIVE_INFINITY : count;
    while (left > 0) {
      const batch = (await this.#running?.next(left === Number.POSITIVE_INFINITY ? 0 : left)) ?? null;
      if (batch === null) break;
      left -= batch.length;
      await take(batch);
    }
  }

  /** Steps over `count` rows, backward when negative, and gives each of them. */
  async #move(rows: Row[], from: number, count: number): Promise<Iterable<Batch>> {
    if (count === 0) return this.#jump(rows, from);
    const target = from + count;
    if (count > 0) {
      await this.#fill(rows, target);
      this.#position = Math.min(target, rows.length + 1);
      return pick(rows.slice(from, target));
    }
    const first = Math.max(target, 0);
    this.#position = first;
    const last = Math.min(from - 1, rows.length);
    return pick(rows.slice(Math.max(first - 1, 0), last).reverse());
  }

  async #absolute(rows: Row[], count: number): Promise<number> {
    if (count >= 0) return count;
    await this.#fill(rows, Number.POSITIVE_INFINITY);
    return rows.length + 1 + count;
  }

  async #jump(rows: Row[], target: number): Promise<Iterable<Batch>> {
    await this.#fill(rows, target);
    this.#position = Math.max(0, Math.min(target, rows.length + 1));
    const row = rows[target - 1];
    return pick(row === undefined ? [] : [row]);
  }

  async #fill(rows: Row[], count: number): Promise<void> {
    while (rows.length < count && this.#running !== null) {
      const batch = await this.#running.next(0);
      if (batch === null) return this.#finish();
      this.options.account?.hold(bytesOf(batch));
      for (let row = 0; row < batch.length; row++) rows.push({ batch, row });
    }
  }
}

/** Rows in order, as few batches as their sources allow. */
function* pick(rows: readonly Row[]): Generator<Batch> {
  for (let start = 0; start < rows.length; ) {
    const { batch } = rows[start] as Row;
    let end = start;
    while (end < rows.length && rows[end]?.batch === batch) end++;
    const numbers = rows.slice(start, end).map((row) => row.row);
    yield { length: numbers.length, columns: batch.columns.map((column) => column.take(numbers)) };
    start = end;
  }
}

export class Cursors {
  #cursors = new Map<string, Cursor>();
  /** FETCH and MOVE also take the name of a portal (asyncpg moves so); the session knows those. */
  readonly #ofPortal: (name: string) => Cursor | undefined;

  constructor(ofPortal: (name: string) => Cursor | undefined) {
    this.#ofPortal = ofPortal;
  }

  /** @throws SqlError 42P03. */
  add(cursor: Cursor): void {
    const { name } = cursor.options;
    if (this.#cursors.has(name)) {
      throw new SqlError('duplicate_cursor', `cursor "${name}" already exists`);
    }
    this.#cursors.set(name, cursor);
  }

  /** @throws SqlError 34000. */
  get(name: string): Cursor {
    const cursor = this.#cursors.get(name) ?? this.#ofPortal(name);
    if (cursor !== undefined) return cursor;
    throw new SqlError('invalid_cursor_name', `cursor "${name}" does not exist`);
  }

  get empty(): boolean {
    return this.#cursors.size === 0;
  }

  find(name: string): Cursor | undefined {
    return this.#cursors.get(name);
  }

  async close(name: string): Promise<void> {
    const cursor = this.get(name);
    this.#cursors.delete(name);
    await cursor.close();
  }

  async closeAll(): Promise<void> {
    const cursors = [...this.#cursors.values()];
    this.#cursors.clear();
    for (const cursor of cursors) await cursor.close();
  }

  /** The transaction ends: cursors WITH HOLD stay if it commits. */
  async endTransaction(committed: boolean): Promise<void> {
    for (const [name, cursor] of this.#cursors) {
      if (cursor.held) continue;
      if (committed && cursor.options.hold) await cursor.hold();
      else await this.close(name);
    }
  }

  all(): Iterable<Cursor> {
    return this.#cursors.values();
  }
}
