/**
 * Rows of which some are given, as their keys' numbers tell: DISTINCT, UNION, INTERSECT, EXCEPT. Once keys take more than
 * `work_mem` there are no new ones: rows of other keys go to partitions, which are gone through one by one at the end, and
 * what they give is merged again by the order in which it came. So the first rows of keys come in the order of the input,
 * which DISTINCT ON owes to an ORDER BY.
 */
import type { PhysicalPlan } from '../../physical/physical.ts';
import { type Task, wait } from '../../task.ts';
import type { TypeRef } from '../../types/type.ts';
import { type Batch, Float64Vector, type Int32Vector, type Vector } from '../../types/column/vector.ts';
import { takeBatch } from '../expression/evaluate.ts';
import type { HeldRows } from '../held-rows.ts';
import { heldFor, noteSpill } from '../node-statistics.ts';
import type { Steps } from '../plan-rows.ts';
import { KeyHash } from '../spill/key-hash.ts';
import { type Partition, Partitions, splits } from '../spill/partitions.ts';
import { BY_PLACE, SortedRuns } from '../spill/sorted-runs.ts';
import { type Run, turn } from '../state.ts';
import { KeyNumbers } from './key-numbers.ts';

/** Which rows of a batch are given. Numbers of keys go up from 0 as they first come; rows of one key come in order. */
export interface Judge {
  /** @param marks of the rows, where they have any. */
  given(numbers: Int32Array, marks: Int32Array | null): Uint32Array;
}

export interface KeyedOptions {
  readonly plan: PhysicalPlan;
  /** Columns of a row that are given, and all: keys and marks may stand behind those. */
  readonly given: number;
  readonly width: number;
  readonly types: readonly TypeRef[];
  /** Places of the keys among a row's columns. */
  readonly places: readonly number[];
  /** The place of the rows' marks; null where they have none. */
  readonly mark: number | null;
  /** One for the keys of each partition. */
  readonly judge: () => Judge;
}

/** Keys may grow by so much with the next batch. */
const GROWTH = 1 / 4;
interface Judged {
  readonly batch: Batch;
  readonly numbers: Int32Array;
  readonly hashes: Int32Array | null;
}

interface Level {
  readonly level: number;
  readonly splits: boolean;
}

export class KeyedRows implements Disposable {
  readonly #options: KeyedOptions;
  readonly #run: Run;
  readonly #level: Level;
  readonly #held: HeldRows;
  readonly #hash: KeyHash;
  #table: KeyNumbers;
  #judge: Judge;
  /** Rows of keys that are not here, with their places in the order in which rows came. */
  #others: Partitions | null = null;
  #count = 0;
  #peakBytes = 0;

  constructor(options: KeyedOptions, run: Run, level: Level = { level: 0, splits: true }) {
    this.#options = options;
    this.#run = run;
    this.#level = level;
    this.#held = heldFor(options.plan, run);
    this.#hash = new KeyHash(options.types);
    this.#table = new KeyNumbers(options.types, true, this.#held);
    this.#judge = options.judge();
  }

  /** @returns rows that can be given now; the others come at the end. */
  *add(batch: Batch): Task<Batch> {
    const judged = yield* this.#judged(batch, null);
    return this.#narrowed(judged);
  }

  /** @param hashes of the rows' keys, where they are known: then their places are their last column. */
  *#judged(batch: Batch, hashes: Int32Array | null): Task<Batch> {
    const { mark } = this.#options;
    const keys = this.#keysOf(batch);
    const others = this.#others;
    const numbers =
      others === null ? this.#table.insert(keys, batch.length) : this.#table.find(keys, batch.length);
    if (others !== null) yield* this.#putOff(others, { batch, numbers, hashes });
    this.#count += batch.length;
    const marks = mark === null ? null : (batch.columns[mark] as Int32Vector).values;
    const given = this.#judge.given(numbers, marks);
    if (others === null && this.#level.splits && this.#isFull()) {
      this.#others = new Partitions(this.#run, this.#level.level);
    }
    return takeBatch(batch, given);
  }

  #isFull(): boolean {
    const { bytes } = this.#held;
    this.#peakBytes = Math.max(this.#peakBytes, bytes);
    return !this.#held.hasRoom(bytes * GROWTH, this.#run.context.spill.memoryBytes);
  }

  #keysOf({ columns }: Batch): Vector[] {
    return this.#options.places.map((place) => columns[place] as Vector);
  }

  *#putOff(others: Partitions, { batch, numbers, hashes }: Judged): Task<void> {
    const rows: number[] = [];
    for (let row = 0; row < numbers.length; row++) if ((numbers[row] as number) < 0) rows.push(row);
    if (rows.length === 0) return;
    const taken = takeBatch(batch, Uint32Array.from(rows));
    if (hashes !== null) {
      yield* wait(
        others.add(
          taken,
          Int32Array.from(rows, (row) => hashes[row] as number),
        ),
      );
      return;
    }
    const places = new Float64Vector(Float64Array.from(rows, (row) => this.#count + row));
    const placed = { length: taken.length, columns: [...taken.columns, places] };
    yield* wait(others.add(placed, this.#hash.of(this.#keysOf(taken), taken.length)));
  }

  /** Rows that were put off and are given, in the order in which they came. */
  *rest(): Steps {
    if (this.#others === null) return;
    using runs = new SortedRuns({ keys: [BY_PLACE], places: [this.#options.width] }, this.#run);
    yield* this.#judgeRest(runs);
    if (runs.isEmpty) return;
    const merged = yield* wait(runs.merged());
    for (;;) {
      const batch = yield* wait(merged.next());
      if (batch === null) return;
      yield* turn(this.#run);
      yield this.#narrowed(batch);
    }
  }

  *#judgeRest(runs: SortedRuns): Task<void> {
    const others = this.#others;
    this.#held.clear();
    this.#table = new KeyNumbers(this.#options.types, true, this.#held);
    this.#judge = this.#options.judge();
    if (others === null) return;
    const partitions = (yield* wait(others.finish())).filter(({ rows }) => rows > 0);
    const [memoryBytes, diskBytes] = [this.#peakBytes, others.size];
    noteSpill(this.#options.plan, this.#run, { batches: 1 + partitions.length, memoryBytes, diskBytes });
    const rows = partitions.reduce((sum, partition) => sum + partition.rows, 0);
    for (const partition of partitions) yield* this.#judgePartition(partition, rows, runs);
    others[Symbol.dispose]();
  }

  *#judgePartition(partition: Partition, rows: number, runs: SortedRuns): Task<void> {
    const { level } = this.#level;
    const next = { level: level + 1, splits: splits(partition, rows, level) };
    using part = new KeyedRows(this.#options, this.#run, next);
    runs.begin();
    for (const block of partition.blocks) {
      const { batch, hashes } = yield* wait((this.#others as Partitions).read(block));
      yield* turn(this.#run);
      const given = yield* part.#judged(batch, hashes);
      if (given.length > 0) yield* wait(runs.append(given));
    }
    yield* part.#judgeRest(runs);
  }

  #narrowed({ length, columns }: Batch): Batch {
    return { length, columns: columns.slice(0, this.#options.given) };
  }

  [Symbol.dispose](): void {
    this.#held[Symbol.dispose]();
    this.#others?.[Symbol.dispose]();
  }
}
