/**
 * SQL cursors (DECLARE, FETCH, MOVE, CLOSE). Rows are kept once they were fetched when the cursor may go
 * back (SCROLL) or outlives its transaction (WITH HOLD); a plain cursor only goes forward and keeps nothing.
 */
import { SqlError } from '../../errors.ts';
import type { OutputColumn } from '../../plan/plan.ts';
import type { Batch } from '../../types/column/vector.ts';
import type { Running } from '../running/running.ts';
import type { KeptRows } from './kept-rows.ts';

/** Takes rows in the order asked for. @throws SqlError 53200 when they are more than may be held. */
type TakeRows = (batch: Batch) => void | Promise<void>;

/** The request of a FETCH. */
interface Fetch {
  readonly direction: FetchDirection;
  readonly count: number | 'all';
  readonly take: TakeRows;
}

export type FetchDirection = 'forward' | 'backward' | 'absolute' | 'relative';

export interface CursorOptions {
  readonly name: string;
  readonly scroll: boolean;
  readonly hold: boolean;
  readonly text: string;
  readonly createdMicros: bigint;
  /** Ends what its statement computes or waits for. */
  readonly cancel: (reason: unknown) => void;
  /** Rows that a cursor keeps which may go back or outlive its transaction; it ends them. */
  readonly kept: KeptRows | null;
}

export class Cursor {
  readonly options: CursorOptions;
  readonly columns: readonly OutputColumn[];
  #running: Running | null;
  /** Row the cursor is on, 1-based; 0 before the first. */
  #position = 0;
  #held = false;

  constructor(options: CursorOptions, running: Running) {
    this.options = options;
    this.columns = running.columns ?? [];
    this.#running = running;
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
      const { kept } = this.options;
      if (kept === null) await this.#fetchForward(direction, count, take);
      else await this.#fetchKept(kept, { direction, count, take });
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  async #fetchKept(rows: KeptRows, { direction, count, take }: Fetch): Promise<void> {
    const from = this.#position;
    const all = count === 'all' ? Number.POSITIVE_INFINITY : count;
    switch (direction) {
      case 'forward':
        return this.#move(rows, all, take);
      case 'backward':
        return this.#move(rows, -all, take);
      case 'absolute':
        return this.#jump(rows, await this.#absolute(rows, count === 'all' ? -1 : count), take);
      case 'relative':
        return this.#jump(rows, from + (count === 'all' ? 0 : count), take);
    }
  }

  /** Outlived the transaction it was declared in. */
  get held(): boolean {
    return this.#held;
  }

  /** Reads what is left, so that the rows outlive the transaction. */
  async hold(): Promise<void> {
    if (this.options.kept !== null) await this.#fill(this.options.kept, Number.POSITIVE_INFINITY);
    this.#held = true;
    await this.#finish();
  }

  async close(): Promise<void> {
    this.options.kept?.[Symbol.dispose]();
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
  async #move(rows: KeptRows, count: number, take: TakeRows): Promise<void> {
    const from = this.#position;
    if (count === 0) return this.#jump(rows, from, take);
    const target = from + count;
    if (count > 0) {
      await this.#fill(rows, target);
      this.#position = Math.min(target, rows.length + 1);
      return rows.forward(from, target, take);
    }
    const first = Math.max(target, 0);
    this.#position = first;
    return rows.backward(Math.max(first - 1, 0), from - 1, take);
  }

  async #absolute(rows: KeptRows, count: number): Promise<number> {
    if (count >= 0) return count;
    await this.#fill(rows, Number.POSITIVE_INFINITY);
    return rows.length + 1 + count;
  }

  async #jump(rows: KeptRows, target: number, take: TakeRows): Promise<void> {
    await this.#fill(rows, target);
    this.#position = Math.max(0, Math.min(target, rows.length + 1));
    if (target > 0) await rows.forward(target - 1, target, take);
  }

  async #fill(rows: KeptRows, count: number): Promise<void> {
    while (rows.length < count && this.#running !== null) {
      const batch = await this.#running.next(0);
      if (batch === null) return this.#finish();
      await rows.add(batch);
    }
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
