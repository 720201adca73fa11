/**
 * ORDER BY: all rows, or with `top` the best ones only, kept by cutting back to them whenever four times as
 * many have gathered. Stable.
 */
import { BATCH_ROWS_MAX } from '../../limits.ts';
import type { Sort } from '../../physical/physical.ts';
import type { Expression } from '../../plan/expression.ts';
import { type Task, wait } from '../../task.ts';
import type { Batch } from '../../types/column/vector.ts';
import { concatSliced } from '../batches.ts';
import { evaluateAll, evaluateConstant } from '../expression/evaluate.ts';
import { HeldRows } from '../held-rows.ts';
import { rowOrder, sortRows } from './order.ts';
import type { Steps } from '../plan-rows.ts';
import { eachBatch, type Run, turn } from '../state.ts';

/** Rows are gathered, then put together. */
const COPIES = 2;
/** Fewer gathered rows than this are not worth cutting back. */
const GATHERED_ROWS_MIN = 4 * BATCH_ROWS_MAX;

export function* runSort(plan: Sort, run: Run): Steps {
  const top = plan.top === null ? null : yield* wait(evaluateConstant(plan.top, run));
  const wanted = top === null ? Number.POSITIVE_INFINITY : Math.max(Number(top), 0);
  using held = new HeldRows(run.context.account);
  const sorter = new Sorter(plan, run, { wanted, held });
  yield* eachBatch(plan.input, run, (batch) => sorter.add(batch));
  yield* sorter.rows();
}

class Sorter {
  readonly #plan: Sort;
  readonly #run: Run;
  readonly #wanted: number;
  readonly #keys: readonly Expression[];
  #gathered: Batch[] = [];
  readonly #held: HeldRows;
  #count = 0;

  constructor(plan: Sort, run: Run, { wanted, held }: { wanted: number; held: HeldRows }) {
    this.#plan = plan;
    this.#run = run;
    this.#wanted = wanted;
    this.#held = held;
    this.#keys = plan.keys.map((key) => key.expression);
  }

  *add(batch: Batch): Task<void> {
    if (batch.length === 0) return;
    const keys = yield* wait(evaluateAll(this.#keys, batch, this.#run));
    const gathered = { length: batch.length, columns: [...batch.columns, ...keys] };
    this.#held.add(gathered, COPIES);
    this.#gathered.push(gathered);
    this.#count += batch.length;
    if (this.#count >= Math.max(GATHERED_ROWS_MIN, 4 * this.#wanted)) yield* this.#cut();
  }

  *rows(): Steps {
    if (this.#count === 0) return;
    const { all, order } = yield* this.#sorted();
    const columns = all.columns.slice(0, all.columns.length - this.#keys.length);
    for (let start = 0; start < order.length; start += BATCH_ROWS_MAX) {
      const rows = order.subarray(start, start + BATCH_ROWS_MAX);
      yield* turn(this.#run);
      yield { length: rows.length, columns: columns.map((column) => column.take(rows)) };
    }
  }

  *#cut(): Task<void> {
    const { all, order } = yield* this.#sorted();
    this.#gathered = [{ length: order.length, columns: all.columns.map((column) => column.take(order)) }];
    this.#count = order.length;
    this.#held.clear();
    for (const batch of this.#gathered) this.#held.add(batch, COPIES);
  }

  /** Everything gathered, and the positions of the wanted rows in order. */
  *#sorted(): Task<{ all: Batch; order: Uint32Array }> {
    const all = yield* concatSliced([], this.#gathered, this.#run);
    const keys = all.columns.slice(all.columns.length - this.#keys.length);
    const sorted = yield* sortRows(all.length, rowOrder(this.#plan.keys, keys), this.#run);
    return { all, order: sorted.subarray(0, Math.min(this.#wanted, sorted.length)) };
  }
}
