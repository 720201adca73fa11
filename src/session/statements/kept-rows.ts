/** Rows that a cursor keeps, to be given again forward and backward; a row has the place at which it came, from 0. */
import { firstNot } from '../../binary-search.ts';
import type { KeptBatches } from '../../execute/spill/kept-batches.ts';
import type { Batch } from '../../types/column/vector.ts';

export class KeptRows implements Disposable {
  readonly #batches: KeptBatches;
  /** Rows up to the end of each batch. */
  readonly #ends: number[] = [];

  constructor(batches: KeptBatches) {
    this.#batches = batches;
  }

  get length(): number {
    return this.#ends.at(-1) ?? 0;
  }

  async add(batch: Batch): Promise<void> {
    if (batch.length === 0) return;
    await this.#batches.add(batch);
    this.#ends.push(this.length + batch.length);
  }

  /** Gives rows `start..end - 1`. */
  async forward(start: number, end: number, take: (batch: Batch) => unknown): Promise<void> {
    for (let at = start; at < Math.min(end, this.length); ) {
      const [batch, first] = await this.#batchAt(at);
      const stop = Math.min(end - first, batch.length);
      const columns = batch.columns.map((column) => column.slice(at - first, stop));
      await take({ length: first + stop - at, columns });
      at = first + stop;
    }
  }

  /** Gives rows `start..end - 1`, the last one first. */
  async backward(start: number, end: number, take: (batch: Batch) => unknown): Promise<void> {
    for (let at = Math.min(end, this.length); at > start; ) {
      const [batch, first] = await this.#batchAt(at - 1);
      const count = at - Math.max(first, start);
      const rows = Array.from({ length: count }, (_, i) => at - 1 - first - i);
      await take({ length: count, columns: batch.columns.map((column) => column.take(rows)) });
      at -= count;
    }
  }

  /** The batch of a row, and the place of its first. */
  async #batchAt(place: number): Promise<[batch: Batch, first: number]> {
    const ends = this.#ends;
    const number = firstNot(0, ends.length, (i) => (ends[i] as number) <= place);
    return [await this.#batches.get(number), ends[number - 1] ?? 0];
  }

  [Symbol.dispose](): void {
    this.#batches[Symbol.dispose]();
    this.#ends.length = 0;
  }
}
