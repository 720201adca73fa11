/**
 * A hash join of more rows than `work_mem`: both sides are partitioned by their keys' hashes, then partitions are joined one
 * by one. Rows come out by partition, within one in the order of the left side. Where that is an order to be kept, they go to
 * disk once more, to be merged by the places of their left rows.
 */
import type { Join } from '../../physical/physical.ts';
import { type Task, wait } from '../../task.ts';
import { type Batch, constantVector, Float64Vector, type Vector } from '../../types/column/vector.ts';
import { HeldRows } from '../held-rows.ts';
import { noteSpill } from '../node-statistics.ts';
import { KeyHash } from '../spill/key-hash.ts';
import { type Partition, Partitions, splits } from '../spill/partitions.ts';
import { BY_PLACE, SortedRuns } from '../spill/sorted-runs.ts';
import { joinerOf, keyColumns, needsLeft, needsRight, RIGHT_COPIES } from './joiner.ts';
import { SteppedRows, type Steps } from '../plan-rows.ts';
import { eachBatch, eachBatchOf, type Run, turn } from '../state.ts';

/** The same partition of both sides. */
interface Sides<T> {
  readonly left: T;
  readonly right: T;
}

export class PartitionedJoin implements Disposable {
  readonly #plan: Join;
  readonly #run: Run;
  readonly #memoryBytes: number;
  readonly #hash: KeyHash;
  readonly #sides: Sides<Partitions>;
  /** Joined rows, a run a partition, in the order of the left side; null where no order is to be kept. */
  readonly #runs: SortedRuns | null;
  #count = 0;

  /** @param memoryBytes what its rows took before it was partitioned. */
  constructor(plan: Join, run: Run, memoryBytes: number) {
    this.#plan = plan;
    this.#run = run;
    this.#memoryBytes = memoryBytes;
    this.#hash = new KeyHash(plan.hashed.map((key) => key.right.type));
    const width = plan.output.length;
    this.#runs = plan.ordered ? new SortedRuns({ keys: [BY_PLACE], places: [width] }, run) : null;
    this.#sides = { left: new Partitions(run, 0), right: new Partitions(run, 0) };
  }

  addRight(batch: Batch): Task<void> {
    return this.#add(batch, 'right');
  }

  *#add(batch: Batch, side: 'left' | 'right'): Task<void> {
    if (batch.length === 0) return;
    const keys = yield* keyColumns(this.#plan.hashed, side, batch, this.#run);
    const rows = side === 'left' && this.#runs !== null ? this.#placed(batch) : batch;
    yield* wait(this.#sides[side].add(rows, this.#hash.of(keys, batch.length)));
  }

  #placed({ length, columns }: Batch): Batch {
    const places = new Float64Array(length);
    for (let row = 0; row < length; row++) places[row] = this.#count + row;
    this.#count += length;
    return { length, columns: [...columns, new Float64Vector(places)] };
  }

  *rows(): Steps {
    yield* eachBatch(this.#plan.left, this.#run, (batch) => this.#add(batch, 'left'));
    const joined = this.#joinAll(this.#sides, 0);
    if (this.#runs === null) yield* joined;
    else yield* this.#merged(joined, this.#runs);
  }

  /** Joined rows in the order of the left side; those without a left one come last. */
  *#merged(joined: Steps, runs: SortedRuns): Steps {
    yield* eachBatchOf(new SteppedRows(joined), this.#run, function* (batch): Task<void> {
      yield* wait(runs.append(batch));
    });
    if (runs.isEmpty) return;
    const merged = yield* wait(runs.merged());
    for (;;) {
      const batch = yield* wait(merged.next());
      if (batch === null) return;
      yield* turn(this.#run);
      yield { length: batch.length, columns: batch.columns.slice(0, -1) };
    }
  }

  *#joinAll(sides: Sides<Partitions>, level: number): Steps {
    const rights = yield* wait(sides.right.finish());
    const lefts = yield* wait(sides.left.finish());
    this.#note(sides, rights);
    const rows = rights.reduce((sum, partition) => sum + partition.rows, 0);
    for (const [i, right] of rights.entries()) {
      const left = lefts[i] as Partition;
      if (right.rows === 0 && needsRight(this.#plan)) continue;
      if (left.rows === 0 && needsLeft(this.#plan)) continue;
      const isLarge = RIGHT_COPIES * right.bytes > this.#run.context.spill.memoryBytes;
      if (isLarge && splits(right, rows, level)) yield* this.#split(sides, { left, right }, level + 1);
      else yield* this.#join(sides, { left, right });
    }
  }

  #note({ left, right }: Sides<Partitions>, rights: readonly Partition[]): void {
    noteSpill(this.#plan, this.#run, {
      batches: rights.filter(({ rows }) => rows > 0).length,
      memoryBytes: this.#memoryBytes,
      diskBytes: left.size + right.size,
    });
  }

  /** A partition, whose right side is too large, by the next bits of the hash. */
  *#split(from: Sides<Partitions>, { left, right }: Sides<Partition>, level: number): Steps {
    using rights = new Partitions(this.#run, level);
    using lefts = new Partitions(this.#run, level);
    yield* wait(rights.addAll(from.right, right));
    yield* wait(lefts.addAll(from.left, left));
    yield* this.#joinAll({ left: lefts, right: rights }, level);
  }

  *#join({ left: lefts, right: rights }: Sides<Partitions>, { left, right }: Sides<Partition>): Steps {
    using held = new HeldRows(this.#run.context.account);
    const gathered: Batch[] = [];
    for (const block of right.blocks) {
      const { batch } = yield* wait(rights.read(block));
      held.add(batch, RIGHT_COPIES);
      gathered.push(batch);
      yield* turn(this.#run);
    }
    const joiner = yield* joinerOf(this.#plan, gathered, { run: this.#run, held });
    if (joiner === null) return;
    this.#runs?.begin();
    for (const block of left.blocks) {
      const { batch } = yield* wait(lefts.read(block));
      yield* turn(this.#run);
      if (this.#runs === null) yield* joiner.join(batch);
      else yield* joiner.join(...withoutPlace(batch));
    }
    for (const batch of joiner.unmatchedRight()) yield this.#runs === null ? batch : atTheEnd(batch);
  }

  [Symbol.dispose](): void {
    this.#sides.left[Symbol.dispose]();
    this.#sides.right[Symbol.dispose]();
    this.#runs?.[Symbol.dispose]();
  }
}

function withoutPlace({ length, columns }: Batch): [left: Batch, place: Vector] {
  return [{ length, columns: columns.slice(0, -1) }, columns.at(-1) as Vector];
}

function atTheEnd({ length, columns }: Batch): Batch {
  return { length, columns: [...columns, constantVector('float64', Number.POSITIVE_INFINITY, length)] };
}
