/**
 * ORDER BY: all rows, or with `top` the best ones only, kept by cutting back to them whenever four times as
 * many have gathered. Stable.
 */
import { BATCH_ROWS_MAX } from '../../limits.ts';
import type { Sort } from '../../physical/physical.ts';
import type { Batch, Vector } from '../../types/column/vector.ts';
import { concatSliced } from '../batches.ts';
import { evaluateAll, evaluateConstant } from '../expression/evaluate.ts';
import { HeldRows } from '../held-rows.ts';
import { rowOrder, sortRows } from './order.ts';
import { checkpoint, type Run } from '../state.ts';

/** Rows are gathered, then put together. */
const COPIES = 2;
/** Fewer gathered rows than this are not worth cutting back. */
const GATHERED_ROWS_MIN = 4 * BATCH_ROWS_MAX;

export async function* runSort(plan: Sort, run: Run): AsyncGenerator<Batch> {
  const top = plan.top === null ? null : await evaluateConstant(plan.top, run);
  const wanted = top === null ? Number.POSITIVE_INFINITY : Math.max(Number(top), 0);
  using held = new HeldRows(run.context.account);
  const sorter = new Sorter(plan, run, { wanted, held });
  for await (const batch of run.execute(plan.input, run)) {
    const pause = checkpoint(run);
    if (pause !== null) await pause;
    if (batch.length > 0) await sorter.add(batch);
  }
  yield* sorter.rows();
}

class Sorter {
  readonly #plan: Sort;
  readonly #run: Run;
  readonly #wanted: number;
  #gathered: Batch[] = [];
  readonly #held: HeldRows;
  #count = 0;

  constructor(plan: Sort, run: Run, { wanted, held }: { wanted: number; held: HeldRows }) {
    this.#plan = plan;
    this.#run = run;
    this.#wanted = wanted;
    this.#held = held;
  }

  async add(batch: Batch): Promise<void> {
    const keys = await evaluateAll(
      this.#plan.keys.map((key) => key.expression),
      batch,
      this.#run,
    );
    const gathered = { length: batch.length, columns: [...batch.columns, ...keys] };
    this.#held.add(gathered, COPIES);
    this.#gathered.push(gathered);
    this.#count += batch.length;
    if (this.#count >= Math.max(GATHERED_ROWS_MIN, 4 * this.#wanted)) await this.#cut();
  }

  async *rows(): AsyncGenerator<Batch> {
    if (this.#count === 0) return;
    const { all, order } = await this.#sorted();
    const columns = all.columns.slice(0, all.columns.length - this.#plan.keys.length);
    for (let start = 0; start < order.length; start += BATCH_ROWS_MAX) {
      const rows = order.subarray(start, start + BATCH_ROWS_MAX);
      const pause = checkpoint(this.#run);
      if (pause !== null) await pause;
      yield { length: rows.length, columns: columns.map((column) => column.take(rows)) };
    }
  }

  async #cut(): Promise<void> {
    const { all, order } = await this.#sorted();
    this.#gathered = [{ length: order.length, columns: all.columns.map((column) => column.take(order)) }];
    this.#count = order.length;
    this.#held.clear();
    for (const batch of this.#gathered) this.#held.add(batch, COPIES);
  }

  /** Everything gathered, and the positions of the wanted rows in order. */
  async #sorted(): Promise<{ all: Batch; order: Uint32Array }> {
    const all = await concatSliced([], this.#gathered, this.#run);
    const keys = all.columns.slice(all.columns.length - this.#plan.keys.length) as Vector[];
    const sorted = await sortRows(all.length, rowOrder(this.#plan.keys, keys), this.#run);
    return { all, order: sorted.subarray(0, Math.min(this.#wanted, sorted.length)) };
  }
}
