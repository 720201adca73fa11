/**
 * GROUP BY and aggregates: one hash table of groups for every grouping set. A query without GROUP BY is one
 * set without keys, which has its one group even when there are no rows.
 */
import { BATCH_ROWS_MAX } from '../../limits.ts';
import type { Aggregate } from '../../physical/physical.ts';
import { type Task, wait } from '../../task.ts';
import { type Batch, concatVectors, constantVector, type Vector } from '../../types/column/vector.ts';
import { Accumulation } from './accumulation.ts';
import { evaluateAll, sliceBatch } from '../expression/evaluate.ts';
import { kindOf } from '../expression/compiled.ts';
import { HeldRows } from '../held-rows.ts';
import { KeyNumbers } from '../rows/key-numbers.ts';
import { firstRows } from './group-rows.ts';
import { runMaskedAggregate } from './masked-aggregate.ts';
import type { Steps } from '../plan-rows.ts';
import { eachBatch, type Run, turn } from '../state.ts';

/** About what an aggregate keeps for a group. */
const GROUP_BYTES = 64;

export function runAggregate(plan: Aggregate, run: Run): Steps {
  return plan.masked ? runMaskedAggregate(plan, run) : runSets(plan, run);
}

function* runSets(plan: Aggregate, run: Run): Steps {
  using held = new HeldRows(run.context.account);
  const sets = plan.sets.map((set) => new GroupingSet(plan, set, { run, held }));
  yield* eachBatch(plan.input, run, function* (batch): Task<void> {
    if (batch.length === 0) return;
    const keys = yield* wait(evaluateAll(plan.keys, batch, run));
    for (const set of sets) yield* set.add(batch, keys);
  });
  for (const set of sets) {
    const groups = yield* set.result();
    held.add(groups);
    for (let start = 0; start < groups.length; start += BATCH_ROWS_MAX) {
      yield* turn(run);
      yield sliceBatch(groups, start, start + BATCH_ROWS_MAX);
    }
  }
}

class GroupingSet {
  readonly #plan: Aggregate;
  /** Positions of this set's keys among all. */
  readonly #set: readonly number[];
  readonly #held: HeldRows;
  readonly #table: KeyNumbers;
  readonly #accumulations: readonly Accumulation[];
  /** The set's key values, by key, in pieces: each batch adds those of its new groups. */
  readonly #keyPieces: Vector[][];

  constructor(plan: Aggregate, set: readonly number[], { run, held }: { run: Run; held: HeldRows }) {
    this.#plan = plan;
    this.#held = held;
    this.#set = set;
    this.#table = new KeyNumbers(
      set.flatMap((position) => plan.keys[position]?.type ?? []),
      true,
      held,
    );
    this.#accumulations = plan.aggregates.map((call) => new Accumulation(call, run, held));
    this.#keyPieces = set.map(() => []);
    if (set.length === 0) this.#grow(1);
  }

  *add(batch: Batch, allKeys: readonly Vector[]): Task<void> {
    const groups = this.#set.length === 0 ? new Int32Array(batch.length) : this.#number(batch, allKeys);
    for (const accumulation of this.#accumulations) yield* accumulation.add(batch, groups);
  }

  #number(batch: Batch, allKeys: readonly Vector[]): Int32Array {
    const keys = this.#set.map((position) => allKeys[position] as Vector);
    const before = this.#table.size;
    const groups = this.#table.insert(keys, batch.length);
    if (this.#table.size > before) {
      const firsts = firstRows(groups, before, this.#table.size);
      const columns = keys.map((key) => key.take(firsts));
      this.#held.add({ length: firsts.length, columns });
      this.#held.addBytes(GROUP_BYTES * firsts.length * this.#accumulations.length);
      for (const [i, column] of columns.entries()) this.#keyPieces[i]?.push(column);
      this.#grow(this.#table.size);
    }
    return groups;
  }

  #grow(count: number): void {
    for (const accumulation of this.#accumulations) accumulation.grow(count);
  }

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
    return { length, columns };
  }

  /** One bit a key, the first highest: 1 where the key is not in the set. */
  #mask(): number {
    const { length } = this.#plan.keys;
    return this.#plan.keys.reduce(
      (mask, _, position) => (this.#set.includes(position) ? mask : mask | (1 << (length - 1 - position))),
      0,
    );
  }
}
