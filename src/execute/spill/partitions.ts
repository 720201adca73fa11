/**
 * Rows in partitions by the hash of their keys, on disk (Kitsuregawa et al., Application of Hash to Data Base Machine and Its
 * Architecture, 1983): rows of one key lie in one partition, in the order they came. Each partition that is still too much
 * is partitioned by the next bits of the hash, as long as there are any and they split it.
 */
import { type Batch, concatVectors, Int32Vector, type Vector } from '../../types/column/vector.ts';
import { bytesOf } from '../held-rows.ts';
import { checkpoint, type Run } from '../state.ts';
import type { SpilledBatches, SpillSpace } from './space.ts';

const PARTITION_BITS = 5;
const PARTITIONS = 2 ** PARTITION_BITS;
/** As often as a hash has bits for. */
const LEVELS_MAX = Math.floor(32 / PARTITION_BITS);
/** A partition with a larger share of the rows than this would be partitioned for nothing. */
const SPLIT_SHARE = 0.9;
/** Share of `work_mem` for rows on their way to their partitions. */
const PENDING_SHARE = 1 / 8;

/** One partition that has been written. */
export interface Partition {
  /** Numbers of its batches, each with the rows' hashes as its last column. */
  readonly blocks: readonly number[];
  readonly rows: number;
  /** In memory, about. */
  readonly bytes: number;
}

interface Growing extends Partition {
  readonly blocks: number[];
  rows: number;
  bytes: number;
}

/**
 * True when a partition that is too large may become smaller ones.
 * @param rows of all partitions beside it: where it has nearly all of them, its keys do not split.
 */
export const splits = (partition: Partition, rows: number, level: number): boolean =>
  level + 1 < LEVELS_MAX && partition.rows <= SPLIT_SHARE * rows;

export class Partitions implements Disposable {
  readonly #run: Run;
  readonly #space: SpillSpace;
  readonly #shift: number;
  readonly #partitions: readonly Growing[];
  #file: SpilledBatches | null = null;
  #pending: Batch[] = [];
  #pendingBytes = 0;

  /** @param level how often these rows have been partitioned before. */
  constructor(run: Run, level: number) {
    this.#run = run;
    this.#space = run.context.spill;
    this.#shift = 32 - PARTITION_BITS * (level + 1);
    this.#partitions = Array.from({ length: PARTITIONS }, () => ({ blocks: [], rows: 0, bytes: 0 }));
  }

  get size(): number {
    return this.#file?.size ?? 0;
  }

  /** @param hashes of the rows' keys. */
  async add({ length, columns }: Batch, hashes: Int32Array): Promise<void> {
    const batch = { length, columns: [...columns, new Int32Vector(hashes)] };
    this.#pending.push(batch);
    this.#pendingBytes += bytesOf(batch);
    if (this.#pendingBytes >= this.#space.memoryBytes * PENDING_SHARE) await this.#flush();
  }

  /** A partition of others, to be partitioned further. */
  async addAll(from: Partitions, { blocks }: Partition): Promise<void> {
    for (const block of blocks) {
      const { batch, hashes } = await from.read(block);
      await this.add(batch, hashes);
      await checkpoint(this.#run);
    }
  }

  /** All partitions, with what is still on its way to them. */
  async finish(): Promise<readonly Partition[]> {
    await this.#flush();
    return this.#partitions;
  }

  /** Rows as they were added, and their hashes. */
  async read(block: number): Promise<{ readonly batch: Batch; readonly hashes: Int32Array }> {
    const { length, columns } = await (this.#file as SpilledBatches).read(block);
    const hashes = columns.at(-1) as Int32Vector;
    return { batch: { length, columns: columns.slice(0, -1) }, hashes: hashes.values };
  }

  async #flush(): Promise<void> {
    const pending = this.#pending;
    if (pending.length === 0) return;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#file ??= await this.#space.open();
    const columns = await this.#together(pending);
    const { rows, ends } = this.#sorted((columns.at(-1) as Int32Vector).values);
    for (const [i, partition] of this.#partitions.entries()) {
      const own = rows.subarray(ends[i - 1] ?? 0, ends[i]);
      if (own.length === 0) continue;
      const batch = { length: own.length, columns: columns.map((column) => column.take(own)) };
      partition.rows += own.length;
      partition.bytes += bytesOf(batch);
      partition.blocks.push(await this.#file.write(batch));
      await checkpoint(this.#run);
    }
  }

  async #together(batches: readonly Batch[]): Promise<Vector[]> {
    const columns: Vector[] = [];
    for (const [i, { kind }] of (batches[0] as Batch).columns.entries()) {
      columns.push(
        concatVectors(
          kind,
          batches.map((batch) => batch.columns[i] as Vector),
        ),
      );
      await checkpoint(this.#run);
    }
    return columns;
  }

  /** Rows by partition, and where each ends. */
  #sorted(hashes: Int32Array): { rows: Uint32Array; ends: Uint32Array } {
    const [shift, mask] = [this.#shift, PARTITIONS - 1];
    const ends = new Uint32Array(PARTITIONS);
    for (const hash of hashes) {
      const partition = (hash >>> shift) & mask;
      ends[partition] = (ends[partition] as number) + 1;
    }
    const next = new Uint32Array(PARTITIONS);
    for (let i = 1; i < PARTITIONS; i++) {
      next[i] = (next[i - 1] as number) + (ends[i - 1] as number);
    }
    const rows = new Uint32Array(hashes.length);
    for (let row = 0; row < hashes.length; row++) {
      const partition = ((hashes[row] as number) >>> shift) & mask;
      const at = next[partition] as number;
      rows[at] = row;
      next[partition] = at + 1;
    }
    return { rows, ends: next };
  }

  [Symbol.dispose](): void {
    this.#file?.[Symbol.dispose]();
    this.#file = null;
    this.#pending = [];
  }
}
