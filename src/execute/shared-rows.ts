/**
 * Rows that are made once and read by several: each reader starts at the first batch, and the source is
 * pulled only as far as the furthest reader wants, so a LIMIT ends an endless recursion.
 */
import { type Task, wait } from '../task.ts';
import type { Batch } from '../types/column/vector.ts';
import type { PlanRows, Steps } from './plan-rows.ts';
import type { KeptBatches } from './spill/kept-batches.ts';

/** Batches that are there already. */
type BatchList = Pick<KeptBatches, 'count' | 'get'>;

/** Where batches come from, and where they are kept. */
interface Source {
  readonly rows: PlanRows;
  readonly kept: KeptBatches;
}

export class SharedRows {
  readonly #batches: BatchList;
  /** Null once it has ended. */
  #source: Source | null;
  /** While a batch is waited for. */
  #pull: Promise<void> | null = null;

  private constructor(batches: BatchList, source: Source | null) {
    this.#batches = batches;
    this.#source = source;
  }

  /** @param kept empty; whoever made it ends it. */
  static made(rows: PlanRows, kept: KeptBatches): SharedRows {
    return new SharedRows(kept, { rows, kept });
  }

  static of(batches: BatchList): SharedRows {
    return new SharedRows(batches, null);
  }

  *read(): Steps {
    for (let i = 0; ; i++) {
      while (i >= this.#batches.count && this.#source !== null) yield* this.#pullOne(this.#source);
      if (i >= this.#batches.count) return;
      yield yield* wait(this.#batches.get(i));
    }
  }

  /** Makes all rows, whether anyone reads them or not. */
  *drain(): Task<void> {
    while (this.#source !== null) yield* this.#pullOne(this.#source);
  }

  close(): void | Promise<void> {
    return this.#source?.rows.close();
  }

  /** Readers that come while one waits for the next batch wait with it. */
  *#pullOne(source: Source): Task<void> {
    if (this.#pull === null) {
      const next = source.rows.next();
      const taken =
        next instanceof Promise ? next.then((batch) => this.#take(batch, source)) : this.#take(next, source);
      if (!(taken instanceof Promise)) return;
      this.#pull = taken.finally(() => (this.#pull = null));
    }
    yield* wait(this.#pull);
  }

  #take(batch: Batch | null, { kept }: Source): void | Promise<void> {
    if (batch !== null) return kept.add(batch);
    this.#source = null;
  }
}
