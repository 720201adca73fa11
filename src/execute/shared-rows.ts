/**
 * Rows that are made once and read by several: each reader starts at the first batch, and the source is
 * pulled only as far as the furthest reader wants, so a LIMIT ends an endless recursion.
 */
import type { Batch } from '../types/column/vector.ts';
import type { HeldRows } from './held-rows.ts';

export class SharedRows {
  readonly #batches: Batch[] = [];
  readonly #source: AsyncIterator<Batch>;
  readonly #held: HeldRows | null;
  #pull: Promise<void> | null = null;
  #ended = false;

  /** @param held what the rows are counted to; null when somebody else counts them. */
  constructor(source: AsyncIterator<Batch>, held: HeldRows | null) {
    this.#source = source;
    this.#held = held;
  }

  /** Rows that are there already. */
  static of(batches: readonly Batch[]): SharedRows {
    return new SharedRows(replay(batches), null);
  }

  async *read(): AsyncGenerator<Batch> {
    for (let i = 0; ; i++) {
      while (i >= this.#batches.length && !this.#ended) {
        this.#pull ??= this.#pullOne();
        await this.#pull;
      }
      const batch = this.#batches[i];
      if (batch === undefined) return;
      yield batch;
    }
  }

  /** Makes all rows, whether anyone reads them or not. */
  async drain(): Promise<void> {
    while (!this.#ended) {
      this.#pull ??= this.#pullOne();
      await this.#pull;
    }
  }

  async #pullOne(): Promise<void> {
    try {
      const next = await this.#source.next();
      if (next.done) this.#ended = true;
      else {
        this.#held?.add(next.value);
        this.#batches.push(next.value);
      }
    } finally {
      this.#pull = null;
    }
  }
}

async function* replay(batches: readonly Batch[]): AsyncGenerator<Batch> {
  yield* batches;
}
