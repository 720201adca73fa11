/**
 * External merge sort (Knuth, The Art of Computer Programming 3, 5.4): rows that are sorted piece by piece are written as
 * runs, and runs are merged, a batch at a time. Where there are more runs than blocks fit into memory, runs become longer
 * ones first. Stable: of equal rows those of the earlier run come first.
 */
import { SCAN_ROWS_MAX } from '../../limits.ts';
import type { SortKey } from '../../plan/plan.ts';
import { OID } from '../../types/oids.ts';
import type { Batch, Vector } from '../../types/column/vector.ts';
import { bytesOf } from '../held-rows.ts';
import { checkpoint, type Run } from '../state.ts';
import { MergedRuns, type RowKeys, type RunBlocks } from './merged-runs.ts';
import type { SpilledBatches, SpillSpace } from './space.ts';

/** Runs merged at once, at the least and most. */
const MERGED_MIN = 6;
const MERGED_MAX = 64;

/** The key of rows that carry their places in the order in which they came, as doubles. */
export const BY_PLACE: SortKey = {
  expression: { kind: 'column', index: 0, type: { oid: OID.float8, modifier: -1 } },
  descending: false,
  nullsFirst: false,
};

/** Rows in memory and the order in which they are wanted. */
export interface SortedRows {
  readonly all: Batch;
  readonly order: Uint32Array;
}

export class SortedRuns implements Disposable {
  readonly #rowKeys: RowKeys;
  readonly #run: Run;
  readonly #space: SpillSpace;
  #file: SpilledBatches | null = null;
  #runs: number[][] = [];
  /** Most bytes on disk at a time. */
  peakBytes = 0;

  constructor(rowKeys: RowKeys, run: Run) {
    this.#rowKeys = rowKeys;
    this.#run = run;
    this.#space = run.context.spill;
  }

  get isEmpty(): boolean {
    return this.#runs.every((blocks) => blocks.length === 0);
  }

  /** Writes a run. */
  async add({ all, order }: SortedRows): Promise<void> {
    this.#file ??= await this.#space.open();
    const rows = this.#rowsABlock(all);
    const blocks: number[] = [];
    for (let start = 0; start < order.length; start += rows) {
      const taken = order.subarray(start, start + rows);
      const columns: Vector[] = [];
      for (const column of all.columns) {
        columns.push(column.take(taken));
        await checkpoint(this.#run);
      }
      blocks.push(await this.#file.write({ length: taken.length, columns }));
    }
    this.#runs.push(blocks);
    this.#measure(this.#file.size);
  }

  /** Begins a run whose rows come in order. */
  begin(): void {
    this.#runs.push([]);
  }

  /** The next rows of the run that was begun. */
  async append(batch: Batch): Promise<void> {
    this.#file ??= await this.#space.open();
    this.#runs.at(-1)?.push(await this.#file.write(batch));
    this.#measure(this.#file.size);
  }

  #rowsABlock(all: Batch): number {
    const rowBytes = bytesOf(all) / Math.max(all.length, 1);
    return Math.max(1, Math.min(SCAN_ROWS_MAX, Math.floor(this.#space.blockBytes / Math.max(rowBytes, 1))));
  }

  #measure(bytes: number): void {
    this.peakBytes = Math.max(this.peakBytes, bytes);
  }

  /** All rows in order. */
  async merged(): Promise<MergedRuns> {
    const { memoryBytes, blockBytes } = this.#space;
    const fitting = Math.floor(memoryBytes / (2 * blockBytes));
    const count = Math.max(MERGED_MIN, Math.min(fitting, MERGED_MAX));
    this.#runs = this.#runs.filter((blocks) => blocks.length > 0);
    while (this.#runs.length > count) await this.#lengthen(count);
    return this.#merge(this.#runs);
  }

  #merge(runs: readonly RunBlocks[]): Promise<MergedRuns> {
    const file = this.#file as SpilledBatches;
    return MergedRuns.of(runs, (block) => file.read(block), this.#rowKeys);
  }

  /** One run in place of so many. */
  async #lengthen(count: number): Promise<void> {
    const longer: number[][] = [];
    const file = await this.#space.open();
    try {
      for (let i = 0; i < this.#runs.length; i += count) {
        longer.push(await this.#copy(await this.#merge(this.#runs.slice(i, i + count)), file));
        this.#measure((this.#file?.size ?? 0) + file.size);
      }
    } catch (error) {
      file[Symbol.dispose]();
      throw error;
    }
    this.#file?.[Symbol.dispose]();
    this.#file = file;
    this.#runs = longer;
  }

  async #copy(rows: MergedRuns, file: SpilledBatches): Promise<number[]> {
    const blocks: number[] = [];
    for (let batch = await rows.next(); batch !== null; batch = await rows.next()) {
      await checkpoint(this.#run);
      blocks.push(await file.write(batch));
    }
    return blocks;
  }

  [Symbol.dispose](): void {
    this.#file?.[Symbol.dispose]();
    this.#file = null;
    this.#runs = [];
  }
}
