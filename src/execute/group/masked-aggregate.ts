/**
 * GROUP BY over a filtered scan without copying the rows that pass: the scan gives all rows with a mask, and those
 * that fail are added up in a group of their own, number 0, which nobody sees. It pays where many rows pass;
 * elsewhere the scan copies them as ever. Only for aggregates of plain columns in typed arrays: they cannot fail.
 */
import { assert } from '../../assert.ts';
import type { Aggregate } from '../../physical/physical.ts';
import type { Task } from '../../task.ts';
import { type Batch, type BoolVector, concatVectors, type Vector } from '../../types/column/vector.ts';
import { type Accumulator, grown } from './accumulator.ts';
import { accumulatorOf } from './accumulators.ts';
import { takeBatch } from '../expression/evaluate.ts';
import { kindOf } from '../expression/compiled.ts';
import { groupsOf, slicesOf } from './given-groups.ts';
import { firstRows } from './group-rows.ts';
import { GroupingSet, TYPED_BYTES } from './grouping-set.ts';
import type { HeldRows } from '../held-rows.ts';
import { heldFor } from '../node-statistics.ts';
import { KeyNumbers } from '../rows/key-numbers.ts';
import type { Steps } from '../plan-rows.ts';
import { eachBatch, type Run } from '../state.ts';

export function* runMaskedAggregate(plan: Aggregate, run: Run): Steps {
  using held = heldFor(plan, run);
  using groups = new MaskedGroups(plan, run, held);
  yield* eachBatch(plan.input, run, function* (batch): Task<void> {
    if (batch.length === 0) return;
    const later = groups.add(batch);
    if (later !== null) yield* later;
  });
  yield* slicesOf(groups.result(), run);
  held.clear();
  if (groups.later !== null) yield* groupsOf(groups.later, run);
}

class MaskedGroups implements Disposable {
  readonly #plan: Aggregate;
  readonly #run: Run;
  readonly #held: HeldRows;
  /** Groups that came when these took `work_mem`; null before that. */
  later: GroupingSet | null = null;
  /** Null without GROUP BY: then there is one group, seen from the start. */
  readonly #table: KeyNumbers | null;
  readonly #accumulators: readonly Accumulator[];
  /** Key values of groups 1, 2, … in pieces. */
  readonly #keyPieces: Vector[] = [];
  /** By group: 1 once a row that passed was in it. */
  #seen = new Uint8Array(2);
  /** Groups, the unseen one at 0 included. */
  #count = 1;

  constructor(plan: Aggregate, run: Run, held: HeldRows) {
    this.#plan = plan;
    this.#run = run;
    this.#held = held;
    this.#accumulators = plan.aggregates.map((call) => accumulatorOf(call, run.context.functions));
    for (const accumulator of this.#accumulators) accumulator.hideFirst?.();
    const [key] = plan.keys;
    this.#table = key === undefined ? null : new KeyNumbers([key.type], true, held);
    if (key !== undefined) return;
    this.#grow(2);
    this.#seen[1] = 1;
  }

  /** @returns how rows of later groups are added; null where there are none. */
  add(batch: Batch): Task<void> | null {
    const extra = batch.columns[this.#plan.input.output.length] as BoolVector | undefined;
    const mask = extra?.values ?? null;
    const groups = this.later === null ? this.#number(batch) : this.#find(batch);
    const others = this.later === null ? NO_ROWS : unknownRows(groups, mask);
    if (mask !== null) hideRows(groups, mask);
    const seen = this.#seen;
    for (let row = 0; row < groups.length; row++) seen[groups[row] as number] = 1;
    for (const [i, accumulator] of this.#accumulators.entries()) {
      const args = this.#plan.aggregates[i]?.args ?? [];
      accumulator.step(
        groups,
        args.map((arg) => columnOf(arg, batch)),
      );
    }
    if (this.later === null || others.length === 0) return null;
    const rows = takeBatch(batch, others);
    return this.later.add(
      rows,
      this.#plan.keys.map((key) => columnOf(key, rows)),
    );
  }

  /** As `#number`, 0 for keys that are not here. */
  #find(batch: Batch): Int32Array {
    const columns = this.#plan.keys.map((key) => columnOf(key, batch));
    const numbers = (this.#table as KeyNumbers).find(columns, batch.length);
    return numbers.map((number) => number + 1);
  }

  /** Numbers from 1 on, also for rows that do not pass. */
  #number(batch: Batch): Int32Array {
    const [key] = this.#plan.keys;
    if (this.#table === null || key === undefined) return new Int32Array(batch.length).fill(1);
    const column = columnOf(key, batch);
    const before = this.#table.size;
    const groups = this.#table.insert([column], batch.length);
    if (this.#table.size > before) {
      this.#keyPieces.push(column.take(firstRows(groups, before, this.#table.size)));
      this.#grow(this.#table.size + 1);
      this.#countNew(this.#table.size - before);
    }
    for (let row = 0; row < groups.length; row++) groups[row] = (groups[row] as number) + 1;
    return groups;
  }

  #grow(count: number): void {
    this.#count = count;
    this.#seen = grown(this.#seen, count);
    for (const accumulator of this.#accumulators) accumulator.grow(count);
  }

  [Symbol.dispose](): void {
    this.later?.[Symbol.dispose]();
  }

  #countNew(groups: number): void {
    this.#held.addBytes(TYPED_BYTES * groups * (this.#accumulators.length + 1));
    const { memoryBytes } = this.#run.context.spill;
    // As much again for the result.
    const isFull =
      this.#held.bytes > memoryBytes || !this.#held.hasRoom(this.#held.bytes, Number.POSITIVE_INFINITY);
    if (isFull) this.later = GroupingSet.of(this.#plan, [0], this.#run);
  }

  result(): Batch {
    const rows: number[] = [];
    for (let group = 1; group < this.#count; group++) if (this.#seen[group] === 1) rows.push(group);
    const values = this.#accumulators.map((accumulator) => accumulator.result().take(rows));
    const [key] = this.#plan.keys;
    if (key === undefined || rows.length === 0) {
      const none = key === undefined ? [] : [concatVectors(kindOf(key.type), [])];
      return { length: rows.length, columns: [...none, ...values] };
    }
    const keys = concatVectors(kindOf(key.type), this.#keyPieces);
    return { length: rows.length, columns: [keys.take(rows.map((group) => group - 1)), ...values] };
  }
}

const NO_ROWS = new Uint32Array(0);

/** Rows that pass and have no group. */
function unknownRows(groups: Int32Array, mask: Uint8Array | null): Uint32Array {
  const rows: number[] = [];
  for (let row = 0; row < groups.length; row++) {
    if (groups[row] === 0 && (mask === null || mask[row] === 1)) rows.push(row);
  }
  return Uint32Array.from(rows);
}

/** Without a branch a row. */
function hideRows(groups: Int32Array, mask: Uint8Array): void {
  for (let row = 0; row < groups.length; row++) {
    groups[row] = (groups[row] as number) * (mask[row] as number);
  }
}

function columnOf(expression: Aggregate['keys'][number], batch: Batch): Vector {
  assert(expression.kind === 'column', 'only plain columns are aggregated under a mask');
  return batch.columns[expression.index] as Vector;
}
