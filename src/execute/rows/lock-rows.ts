/**
 * SELECT … FOR UPDATE and its kin. Rows are locked in the order they come, and no more of them than a LIMIT
 * above can use. A row that changed before it could be locked is looked at again in its newest version:
 * locked and passed on if it still belongs to the answer, left out if not.
 */
import { present } from '../../assert.ts';
import { BATCH_ROWS_MAX } from '../../limits.ts';
import type { LockRows } from '../../physical/physical.ts';
import type { MarkedRow } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import type { Batch, Float64Vector } from '../../types/column/vector.ts';
import { sliceBatch, takeBatch } from '../expression/evaluate.ts';
import { limitBounds } from './limit.ts';
import { lookAgain } from '../write/locked-rows.ts';
import type { Steps, StepsUntil } from '../plan-rows.ts';
import { eachBatch, type Run, turn } from '../state.ts';

type LockedRow = MarkedRow & { readonly lock: NonNullable<MarkedRow['lock']> };

/** No row of that scan: the empty side of an outer join. */
const NO_ROW = -1;

export function* runLockRows(plan: LockRows, run: Run): Steps {
  const bounds = plan.wanted && (yield* limitBounds(plan.wanted, run));
  const step = new Step(plan, run, bounds === null ? Number.POSITIVE_INFINITY : bounds.count + bounds.offset);
  yield* eachBatch(plan.input, run, function* (batch): StepsUntil {
    for (let start = 0; start < batch.length; ) {
      yield* turn(run);
      const end = Math.min(start + Math.min(step.wanted, BATCH_ROWS_MAX), batch.length);
      yield* step.lock(sliceBatch(batch, start, end));
      if (step.wanted <= 0) return true;
      start = end;
    }
    return false;
  });
}

class Step {
  readonly #plan: LockRows;
  readonly #run: Run;
  readonly #targets: readonly LockedRow[];
  /** Combinations of rows that were looked at again. */
  readonly #again = new Set<string>();
  /** Rows that a LIMIT above can still use. */
  wanted: number;

  constructor(plan: LockRows, run: Run, wanted: number) {
    this.#plan = plan;
    this.#run = run;
    this.wanted = wanted;
    this.#targets = plan.rows.filter((row): row is LockedRow => row.lock !== null);
  }

  /** The rows of the batch that are there, in order. */
  *lock(batch: Batch): Steps {
    const before = this.#targets.map((target) => numbersOf(batch, target));
    const newest: Float64Array[] = [];
    for (const [i, target] of this.#targets.entries()) {
      newest.push(yield* this.#lockAll(target, before[i] as Float64Array));
    }
    let kept: number[] = [];
    for (let row = 0; row < batch.length; row++) {
      const now = newest.map((numbers) => numbers[row] as number);
      if (now.every((number, i) => number === before[i]?.[row])) {
        kept.push(row);
        continue;
      }
      const found = yield* this.#lookAgain(batch, row, now);
      if (found === null) continue;
      yield* this.#give(takeBatch(batch, Uint32Array.from(kept)));
      kept = [];
      yield* this.#give(found);
    }
    yield* this.#give(takeBatch(batch, Uint32Array.from(kept)));
  }

  *#give(locked: Batch): Steps {
    if (locked.length === 0) return;
    this.wanted -= locked.length;
    yield locked;
  }

  *#lockAll({ relation, partition, lock }: LockedRow, numbers: Float64Array): Task<Float64Array> {
    const { transaction, signal } = this.#run.context;
    const some = numbers.filter((number) => number !== NO_ROW);
    const newest = yield* wait(transaction.lock(relation, partition, some, { ...lock, signal }));
    if (some.length === numbers.length) return newest;
    let next = 0;
    return numbers.map((number) => (number === NO_ROW ? NO_ROW : (newest[next++] as number)));
  }

  /** @param now the targets' newest versions. Null: the row is gone, was skipped, or was given already. */
  *#lookAgain(batch: Batch, row: number, now: readonly number[]): Task<Batch | null> {
    const { rows, input } = this.#plan;
    const before = rows.map((marked) => numbersOf(batch, marked)[row] as number);
    const name = before.join();
    if (this.#again.has(name)) return null;
    this.#again.add(name);
    const isGone = (number: number, i: number): boolean =>
      number === NO_ROW && before[rows.indexOf(present(this.#targets[i], 'target'))] !== NO_ROW;
    let wanted = now;
    while (!wanted.some(isGone)) {
      using newer = this.#run.context.transaction.snapshot();
      const pins = new Map(
        rows.map((marked, i) => {
          const target = this.#targets.indexOf(marked as LockedRow);
          const [snapshot, rowNumber] =
            target < 0 ? [this.#run.snapshot, before[i]] : [newer, wanted[target]];
          return [marked.mark, { snapshot, rowNumber: rowNumber as number }];
        }),
      );
      const again = yield* lookAgain(input, pins, this.#run);
      if (again.length === 0) return null;
      const newest: number[] = [];
      for (const [i, target] of this.#targets.entries()) {
        newest.push((yield* this.#lockAll(target, Float64Array.of(wanted[i] as number)))[0] as number);
      }
      if (newest.every((number, i) => number === wanted[i])) return again;
      wanted = newest;
    }
    return null;
  }
}

/** Row numbers of a marked scan; NO_ROW where there is none. */
function numbersOf(batch: Batch, { rowNumber }: MarkedRow): Float64Array {
  const { values, nulls } = batch.columns[rowNumber] as Float64Vector;
  return values.slice(0, batch.length).map((number, row) => (nulls?.[row] === 1 ? NO_ROW : number));
}
