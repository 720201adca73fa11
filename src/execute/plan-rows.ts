/** A plan's rows as whoever runs it takes them: batch by batch, or the one batch there is. */
import type { Task } from '../task.ts';
import { runTask } from '../task.ts';
import type { Batch } from '../types/column/vector.ts';

export interface PlanRows {
  /** Null at the end. */
  next(): Batch | null | Promise<Batch | null>;
  /** Releases what it holds; may be called at any time, and again. */
  close(): void | Promise<void>;
}

export class GeneratedRows implements PlanRows {
  readonly #batches: AsyncGenerator<Batch>;

  constructor(batches: AsyncGenerator<Batch>) {
    this.#batches = batches;
  }

  async next(): Promise<Batch | null> {
    const step = await this.#batches.next();
    return step.done === true ? null : step.value;
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined);
  }
}

export class OneBatch implements PlanRows {
  #batch: Task<Batch> | null;

  constructor(batch: Task<Batch>) {
    this.#batch = batch;
  }

  next(): Batch | null | Promise<Batch | null> {
    const batch = this.#batch;
    this.#batch = null;
    return batch === null ? null : runTask(batch);
  }

  close(): void {
    this.#batch = null;
  }
}
