/**
 * The groups of one grouping set: their keys, and what aggregates keep of them. Once they take more than `work_mem` there are
 * no new ones: rows of other groups go to partitions by their keys' hashes, and each of those is a set of its own later, as in
 * PostgreSQL's hash aggregation (nodeAgg.c). Aggregates that keep values grow within a group, too: then all rows go there,
 * those that came before with them.
 */
import type { Aggregate } from '../../physical/physical.ts';
import type { AggregateCall } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import type { TypeRef } from '../../types/type.ts';
import { type Batch, concatVectors, constantVector, type Vector } from '../../types/column/vector.ts';
import { kindOf } from '../expression/compiled.ts';
import { takeBatch } from '../expression/evaluate.ts';
import { bytesOf, type HeldRows } from '../held-rows.ts';
import { heldFor, noteSpill } from '../node-statistics.ts';
import { takeValues } from '../../types/column/vector-rows.ts';
import { KeyNumbers } from '../rows/key-numbers.ts';
import { KeyHash } from '../spill/key-hash.ts';
import { type Partition, Partitions, splits } from '../spill/partitions.ts';
import { type Run, turn } from '../state.ts';
import { isTyped } from './accumulators.ts';
import { Accumulation, keepsRows } from './accumulation.ts';
import { firstRows } from './group-rows.ts';

/** About what an aggregate keeps for a group: in typed arrays, and as an object. */
export const TYPED_BYTES = 24;
const OBJECT_BYTES = 64;
/** Where states are less than this part of what is held with the rows, groups are few: no rows are kept for them. */
const STATE_SHARE = 1 / 4;

const groupBytes = (call: AggregateCall): number => (isTyped(call) ? TYPED_BYTES : OBJECT_BYTES);

interface Source {
  readonly partitions: Partitions;
  readonly partition: Partition;
}

interface SetOptions {
  /** How often its rows have been partitioned. */
  readonly level: number;
  /** False where partitioning them again would be in vain. */
  readonly splits: boolean;
  /** Where `fill` finds them; null: they are added. */
  readonly source: Source | null;
}

const WHOLE: SetOptions = { level: 0, splits: true, source: null };

export class GroupingSet implements Disposable {
  readonly #plan: Aggregate;
  /** Positions of this set's keys among all. */
  readonly #set: readonly number[];
  readonly #run: Run;
  readonly #options: SetOptions;
  readonly #held: HeldRows;
  readonly #heldRows: HeldRows;
  readonly #groupBytes: number;
  #table: KeyNumbers;
  #accumulations: readonly Accumulation[];
  /** The set's key values, by key, in pieces: each batch adds those of its new groups. */
  #keyPieces: Vector[][];
  /** Rows so far, keys behind them, as long as they may have to be partitioned. */
  #rows: Batch[] | null;
  #rowCount = 0;
  /** Rows of groups that are not here; null as long as all are. */
  #others: Partitions | null = null;
  #hash: KeyHash | null = null;
  #peakBytes = 0;

  private constructor(plan: Aggregate, set: readonly number[], run: Run, options: SetOptions) {
    this.#plan = plan;
    this.#set = set;
    this.#run = run;
    this.#options = options;
    this.#held = heldFor(plan, run);
    this.#heldRows = heldFor(plan, run);
    this.#groupBytes = plan.aggregates.reduce((sum, call) => sum + groupBytes(call), 0);
    this.#rows = this.#maySpill && plan.aggregates.some(keepsRows) ? [] : null;
    this.#table = this.#newTable();
    this.#accumulations = this.#newAccumulations();
    this.#keyPieces = set.map(() => []);
    if (set.length === 0) this.#grow(1);
  }

  static of(plan: Aggregate, set: readonly number[], run: Run): GroupingSet {
    return new GroupingSet(plan, set, run, WHOLE);
  }

  /** One group is never two. */
  get #maySpill(): boolean {
    return this.#set.length > 0 && this.#options.splits;
  }

  get #memoryBytes(): number {
    return this.#run.context.spill.memoryBytes / this.#plan.sets.length;
  }

  #types(): TypeRef[] {
    return this.#set.flatMap((position) => this.#plan.keys[position]?.type ?? []);
  }

  #newTable(): KeyNumbers {
    return new KeyNumbers(this.#types(), true, this.#held);
  }

  #newAccumulations(): Accumulation[] {
    return this.#plan.aggregates.map((call) => new Accumulation(call, this.#run, this.#held));
  }

  /** @param allKeys of every set. */
  add(batch: Batch, allKeys: readonly Vector[]): Task<void> {
    const keys = this.#set.map((position) => allKeys[position] as Vector);
    return this.#add(batch, keys, null);
  }

  /** Adds the rows of the partition that it is made of. */
  *fill(): Task<void> {
    const { partitions, partition } = this.#options.source as Source;
    for (const block of partition.blocks) {
      const { batch, hashes } = yield* wait(partitions.read(block));
      const width = batch.columns.length - this.#set.length;
      const rows = { length: batch.length, columns: batch.columns.slice(0, width) };
      yield* turn(this.#run);
      yield* this.#add(rows, batch.columns.slice(width), hashes);
    }
  }

  *#add(batch: Batch, keys: readonly Vector[], hashes: Int32Array | null): Task<void> {
    this.#rowCount += batch.length;
    if (this.#others !== null) return yield* this.#addKnown(batch, keys, hashes);
    const groups = this.#set.length === 0 ? new Int32Array(batch.length) : this.#number(keys, batch.length);
    for (const accumulation of this.#accumulations) yield* accumulation.add(batch, groups);
    this.#keep(batch, keys);
    if (this.#maySpill && !this.#hasRoom()) yield* this.#overflow();
  }

  #hasRoom(): boolean {
    const bytes = this.#held.bytes + this.#heldRows.bytes;
    this.#peakBytes = Math.max(this.#peakBytes, bytes);
    // As much again for the result.
    return bytes <= this.#memoryBytes && this.#held.hasRoom(bytes, Number.POSITIVE_INFINITY);
  }

  #keep(batch: Batch, keys: readonly Vector[]): void {
    if (this.#rows === null) return;
    const rows = { length: batch.length, columns: [...batch.columns, ...keys] };
    const bytes = bytesOf(rows);
    const kept = this.#heldRows.bytes + bytes;
    const groupsAreFew = this.#held.bytes < STATE_SHARE * kept && kept > this.#memoryBytes / 2;
    if (groupsAreFew || !this.#heldRows.hasRoom(bytes, Number.POSITIVE_INFINITY)) {
      this.#rows = null;
      this.#heldRows.clear();
      return;
    }
    this.#heldRows.addBytes(bytes);
    this.#rows.push(rows);
  }

  /** From here on there are no new groups. */
  *#overflow(): Task<void> {
    this.#others = new Partitions(this.#run, this.#options.level);
    const rows = this.#rows;
    if (rows === null) return;
    this.#clear();
    for (const { length, columns } of rows) {
      const width = columns.length - this.#set.length;
      yield* this.#addKnown({ length, columns: columns.slice(0, width) }, columns.slice(width), null);
    }
  }

  /** Rows of groups that are here; the others are put off. */
  *#addKnown(batch: Batch, keys: readonly Vector[], hashes: Int32Array | null): Task<void> {
    const numbers = this.#table.find(keys, batch.length);
    const [here, others] = partedRows(numbers);
    if (here.length > 0) {
      const groups = takeValues(numbers, new Int32Array(here.length), here);
      const rows = takeBatch(batch, here);
      for (const accumulation of this.#accumulations) yield* accumulation.add(rows, groups);
    }
    if (others.length === 0) return;
    const rows = takeBatch({ length: batch.length, columns: [...batch.columns, ...keys] }, others);
    const own =
      hashes === null ? this.#hashes(rows) : takeValues(hashes, new Int32Array(others.length), others);
    yield* wait((this.#others as Partitions).add(rows, own));
  }

  #hashes({ length, columns }: Batch): Int32Array {
    this.#hash ??= new KeyHash(this.#types());
    return this.#hash.of(columns.slice(columns.length - this.#set.length), length);
  }

  #number(keys: readonly Vector[], length: number): Int32Array {
    const before = this.#table.size;
    const groups = this.#table.insert(keys, length);
    if (this.#table.size > before) {
      const firsts = firstRows(groups, before, this.#table.size);
      const columns = keys.map((key) => key.take(firsts));
      this.#held.add({ length: firsts.length, columns });
      this.#held.addBytes(this.#groupBytes * firsts.length);
      for (const [i, column] of columns.entries()) this.#keyPieces[i]?.push(column);
      this.#grow(this.#table.size);
    }
    return groups;
  }

  #grow(count: number): void {
    for (const accumulation of this.#accumulations) accumulation.grow(count);
  }

  /** The groups that are here. */
  *result(): Task<Batch> {
    const length = this.#set.length === 0 ? 1 : this.#table.size;
    const keys = this.#plan.keys.map((key, position) => {
      const at = this.#set.indexOf(position);
      const pieces = at < 0 ? [] : (this.#keyPieces[at] ?? []);
      const kind = kindOf(key.type);
      return pieces.length === 0 ? constantVector(kind, null, length) : concatVectors(kind, pieces);
    });
    const values: Vector[] = [];
    for (const accumulation of this.#accumulations) values.push(yield* accumulation.result());
    const columns = [...keys, ...values];
    if (this.#plan.sets.length > 1) columns.push(constantVector('int32', this.#mask(), length));
    const groups = { length, columns };
    this.#held.add(groups);
    return groups;
  }

  /** Sets of the groups that are not here, each to be filled; those that are here have been given. */
  *parts(): Task<Iterable<GroupingSet>> {
    this.#clear();
    const others = this.#others;
    if (others === null) return [];
    const partitions = yield* wait(others.finish());
    const filled = partitions.filter(({ rows }) => rows > 0);
    const [diskBytes, memoryBytes] = [others.size, this.#peakBytes];
    noteSpill(this.#plan, this.#run, { batches: 1 + filled.length, memoryBytes, diskBytes });
    return filled.values().map((partition) => this.#part({ partitions: others, partition }));
  }

  #part(source: Source): GroupingSet {
    const { level } = this.#options;
    const options = { level: level + 1, splits: splits(source.partition, this.#rowCount, level), source };
    return new GroupingSet(this.#plan, this.#set, this.#run, options);
  }

  /** Lets go of all groups. */
  #clear(): void {
    this.#held.clear();
    this.#heldRows.clear();
    this.#rows = null;
    this.#table = this.#newTable();
    this.#accumulations = this.#newAccumulations();
    this.#keyPieces = this.#set.map(() => []);
  }

  /** One bit a key, the first highest: 1 where the key is not in the set. */
  #mask(): number {
    const { length } = this.#plan.keys;
    return this.#plan.keys.reduce(
      (mask, _, position) => (this.#set.includes(position) ? mask : mask | (1 << (length - 1 - position))),
      0,
    );
  }

  [Symbol.dispose](): void {
    this.#held[Symbol.dispose]();
    this.#heldRows[Symbol.dispose]();
    this.#others?.[Symbol.dispose]();
  }
}

/** Rows with a number, and those without. */
function partedRows(numbers: Int32Array): [here: Uint32Array, others: Uint32Array] {
  const rows = new Uint32Array(numbers.length);
  let [first, last] = [0, numbers.length];
  for (let row = 0; row < numbers.length; row++) {
    if ((numbers[row] as number) >= 0) rows[first++] = row;
  }
  const here = rows.subarray(0, first);
  for (let row = numbers.length - 1; row >= 0; row--) {
    if ((numbers[row] as number) < 0) rows[--last] = row;
  }
  return [here, rows.subarray(last)];
}
