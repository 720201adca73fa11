/**
 * GROUP BY over a filtered scan without copying the rows that pass: the scan gives all rows with a mask, and those
 * that fail are added up in a group of their own, number 0, which nobody sees. It pays where many rows pass;
 * elsewhere the scan copies them as ever. Only for aggregates of plain columns in typed arrays: they cannot fail.
 */
import { assert } from '../../assert.ts';
import { BATCH_ROWS_MAX } from '../../limits.ts';
import type { Aggregate } from '../../physical/physical.ts';
import { type Batch, type BoolVector, concatVectors, type Vector } from '../../types/column/vector.ts';
import { type Accumulator, grown } from './accumulator.ts';
import { accumulatorOf } from './accumulators.ts';
import { sliceBatch } from '../expression/evaluate.ts';
import { kindOf } from '../expression/compiled.ts';
import { firstRows } from './group-rows.ts';
import { HeldRows } from '../held-rows.ts';
import { KeyNumbers } from '../rows/key-numbers.ts';
import type { Steps } from '../plan-rows.ts';
import { eachBatch, type Run, turn } from '../state.ts';

export function* runMaskedAggregate(plan: Aggregate, run: Run): Steps {
  using held = new HeldRows(run.context.account);
  const groups = new MaskedGroups(plan, run, held);
  yield* eachBatch(plan.input, run, (batch) => {
    if (batch.length > 0) groups.add(batch);
  });
  const result = groups.result();
  held.add(result);
  for (let start = 0; start < result.length; start += BATCH_ROWS_MAX) {
    yield* turn(run);
    yield sliceBatch(result, start, start + BATCH_ROWS_MAX);
  }
}

class MaskedGroups {
  readonly #plan: Aggregate;
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
    this.#accumulators = plan.aggregates.map((call) => accumulatorOf(call, run.context.functions));
    for (const accumulator of this.#accumulators) accumulator.hideFirst?.();
    const [key] = plan.keys;
    this.#table = key === undefined ? null : new KeyNumbers([key.type], true, held);
    if (key !== undefined) return;
    this.#grow(2);
    this.#seen[1] = 1;
  }

  add(batch: Batch): void {
    const extra = batch.columns[this.#plan.input.output.length] as BoolVector | undefined;
    const mask = extra?.values ?? null;
    const groups = this.#number(batch);
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
    }
    for (let row = 0; row < groups.length; row++) groups[row] = (groups[row] as number) + 1;
    return groups;
  }

  #grow(count: number): void {
    this.#count = count;
    this.#seen = grown(this.#seen, count);
    for (const accumulator of this.#accumulators) accumulator.grow(count);
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
