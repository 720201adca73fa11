/**
 * Several sorted runs as one, a batch at a time: a heap of the runs by their next rows. One block of each run is in
 * memory; a batch ends where a block does.
 */
import { BATCH_ROWS_MAX } from '../../limits.ts';
import type { SortKey } from '../../plan/plan.ts';
import { type Batch, concatVectors, type Vector } from '../../types/column/vector.ts';
import { type RowOrder, rowOrder } from '../rows/order.ts';

/** Rows and how they are ordered. */
export interface RowKeys {
  readonly keys: readonly SortKey[];
  /** Places of the keys' values among a row's columns. */
  readonly places: readonly number[];
}

/** Numbers of a run's blocks, in order. */
export type RunBlocks = readonly number[];

type ReadBlock = (block: number) => Promise<Batch>;

/** A run that is read. */
interface Source {
  readonly blocks: RunBlocks;
  /** The block after the one that is here. */
  next: number;
  batch: Batch;
  /** The next row of the batch, and the first that is not given yet. */
  row: number;
  start: number;
}

const NOTHING: Batch = { length: 0, columns: [] };

export class MergedRuns {
  readonly #read: ReadBlock;
  readonly #rowKeys: RowKeys;
  readonly #sources: readonly Source[];
  /** Places of sources, the one with the least row first. */
  readonly #heap: number[] = [];
  /** By two sources: how a row of the first compares with one of the second. */
  readonly #orders: RowOrder[][];
  /** The source of each row of the batch that is made. */
  readonly #taken = new Int32Array(BATCH_ROWS_MAX);

  private constructor(runs: readonly RunBlocks[], read: ReadBlock, rowKeys: RowKeys) {
    this.#read = read;
    this.#rowKeys = rowKeys;
    this.#sources = runs.map((blocks) => ({ blocks, next: 0, batch: NOTHING, row: 0, start: 0 }));
    this.#orders = runs.map(() => []);
  }

  static async of(runs: readonly RunBlocks[], read: ReadBlock, rowKeys: RowKeys): Promise<MergedRuns> {
    const merged = new MergedRuns(runs, read, rowKeys);
    for (let i = 0; i < runs.length; i++) if (await merged.#load(i)) merged.#push(i);
    return merged;
  }

  /** The next rows; null at the end. */
  async next(): Promise<Batch | null> {
    const [first] = this.#heap;
    if (first === undefined) return null;
    const [count, ended] = this.#heap.length === 1 ? this.#step(first) : this.#merge();
    const batch = this.#give(count);
    if (ended >= 0 && !(await this.#load(ended))) this.#removeFirst();
    else this.#sink(0);
    return batch;
  }

  /** The rest of a batch of the only source. */
  #step(only: number): [count: number, ended: number] {
    const source = this.#sources[only] as Source;
    const count = Math.min(BATCH_ROWS_MAX, source.batch.length - source.row);
    source.row += count;
    this.#taken.fill(only, 0, count);
    return [count, source.row === source.batch.length ? only : -1];
  }

  /** Until a batch is full, or a source, which is at the top of the heap then, has to be loaded. */
  #merge(): [count: number, ended: number] {
    const taken = this.#taken;
    for (let count = 0; count < BATCH_ROWS_MAX; ) {
      const first = this.#heap[0] as number;
      const source = this.#sources[first] as Source;
      taken[count++] = first;
      if (++source.row === source.batch.length) return [count, first];
      this.#sink(0);
    }
    return [BATCH_ROWS_MAX, -1];
  }

  /** Rows from each source, put together in the order in which they were taken. */
  #give(count: number): Batch {
    const places = new Int32Array(this.#sources.length);
    const pieces: Batch[] = [];
    let length = 0;
    for (const [i, { batch, start, row }] of this.#sources.entries()) {
      if (row === start) continue;
      places[i] = length;
      length += row - start;
      pieces.push({ length: row - start, columns: batch.columns.map((column) => column.slice(start, row)) });
    }
    for (const source of this.#sources) source.start = source.row;
    const [only, second] = pieces;
    if (only === undefined || second === undefined) return only ?? NOTHING;
    const rows = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      const source = this.#taken[i] as number;
      rows[i] = places[source] as number;
      places[source] = (places[source] as number) + 1;
    }
    const columns = only.columns.map((column, i) =>
      concatVectors(
        column.kind,
        pieces.map((piece) => piece.columns[i] as Vector),
      ).take(rows),
    );
    return { length: count, columns };
  }

  /** False when the source has no more rows. */
  async #load(place: number): Promise<boolean> {
    const source = this.#sources[place] as Source;
    const block = source.blocks[source.next++];
    if (block === undefined) return false;
    source.batch = await this.#read(block);
    source.row = 0;
    source.start = 0;
    const keys = this.#keysOf(source);
    for (const [i, other] of this.#sources.entries()) {
      if (other.batch === NOTHING) continue;
      const others = this.#keysOf(other);
      (this.#orders[place] as RowOrder[])[i] = rowOrder(this.#rowKeys.keys, keys, others);
      (this.#orders[i] as RowOrder[])[place] = rowOrder(this.#rowKeys.keys, others, keys);
    }
    return true;
  }

  #keysOf({ batch }: Source): Vector[] {
    return this.#rowKeys.places.map((place) => batch.columns[place] as Vector);
  }

  #isBefore(a: number, b: number): boolean {
    const order = (this.#orders[a] as RowOrder[])[b] as RowOrder;
    const result = order((this.#sources[a] as Source).row, (this.#sources[b] as Source).row);
    return result === 0 ? a < b : result < 0;
  }

  #push(source: number): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(source);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(source, heap[parent] as number)) break;
      heap[at] = heap[parent] as number;
      at = parent;
    }
    heap[at] = source;
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink(0);
  }

  #sink(from: number): void {
    const heap = this.#heap;
    const source = heap[from] as number;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      const right = child + 1;
      if (right < heap.length && this.#isBefore(heap[right] as number, heap[child] as number)) child = right;
      if (!this.#isBefore(heap[child] as number, source)) break;
      heap[at] = heap[child] as number;
      at = child;
    }
    heap[at] = source;
  }
}
