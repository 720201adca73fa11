/**
 * Rows that are made once and read by several: each reader starts at the first batch, and the source is
 * pulled only as far as the furthest reader wants, so a LIMIT ends an endless recursion.
 */
import { type Task, wait } from '../task.ts';
import type { Batch } from '../types/column/vector.ts';
import type { HeldRows } from './held-rows.ts';
import type { PlanRows, Steps } from './plan-rows.ts';

export class SharedRows {
  readonly #batches: Batch[];
  /** Null once it has ended. */
  #source: PlanRows | null;
  readonly #held: HeldRows | null;
  /** While a batch is waited for. */
  #pull: Promise<void> | null = null;

  /** @param held what the rows are counted to. */
  constructor(source: PlanRows | null, held: HeldRows | null, batches: Batch[] = []) {
    this.#source = source;
    this.#held = held;
    this.#batches = batches;
  }

  /** Rows that are there already, and counted by somebody else. */
  static of(batches: Batch[]): SharedRows {
    return new SharedRows(null, null, batches);
  }

  *read(): Steps {
    for (let i = 0; ; i++) {
      while (i >= this.#batches.length && this.#source !== null) yield* this.#pullOne(this.#source);
      const batch = this.#batches[i];
      if (batch === undefined) return;
      yield batch;
    }
  }

  /** Makes all rows, whether anyone reads them or not. */
  *drain(): Task<void> {
    while (this.#source !== null) yield* this.#pullOne(this.#source);
  }

  close(): void | Promise<void> {
    return this.#source?.close();
  }

  /** Readers that come while one waits for the next batch wait with it. */
  *#pullOne(source: PlanRows): Task<void> {
    if (this.#pull !== null) {
      yield* wait(this.#pull);
      return;
    }
    const next = source.next();
    if (next instanceof Promise) {
      this.#pull = next.then((batch) => this.#take(batch)).finally(() => (this.#pull = null));
      yield* wait(this.#pull);
    } else this.#take(next);
  }

  #take(batch: Batch | null): void {
    if (batch === null) {
      this.#source = null;
      return;
    }
    this.#held?.add(batch);
    this.#batches.push(batch);
  }
}
