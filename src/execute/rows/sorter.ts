/**
 * Sorts rows, stable: all of them, or the best ones only, kept by cutting back to them whenever four times as many have
 * gathered. Rows past `work_mem` become sorted runs on disk, which are merged at the end.
 */
import { BATCH_ROWS_MAX } from '../../limits.ts';
import type { PhysicalPlan } from '../../physical/physical.ts';
import type { Expression } from '../../plan/expression.ts';
import type { SortKey } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import type { Batch, Vector } from '../../types/column/vector.ts';
import { concatSliced } from '../batches.ts';
import { evaluateAll, sliceBatch } from '../expression/evaluate.ts';
import { bytesOf, type HeldRows } from '../held-rows.ts';
import { heldFor, noteSpill } from '../node-statistics.ts';
import type { RowKeys } from '../spill/merged-runs.ts';
import { SortedRuns, type SortedRows } from '../spill/sorted-runs.ts';
import { rowOrder, sortRows } from './order.ts';
import type { Steps } from '../plan-rows.ts';
import { type Run, turn } from '../state.ts';

/** Rows are gathered, then put together. */
const COPIES = 2;
/** Fewer gathered rows than this are not worth cutting back. */
const GATHERED_ROWS_MIN = 4 * BATCH_ROWS_MAX;

export interface SorterOptions {
  /** EXPLAIN ANALYZE tells of it there. */
  readonly node: PhysicalPlan;
  readonly keys: readonly SortKey[];
  /** Columns of a row. */
  readonly width: number;
  /** Infinity: all rows. */
  readonly wanted: number;
}

export class Sorter implements Disposable {
  readonly #options: SorterOptions;
  readonly #run: Run;
  readonly #rowKeys: RowKeys;
  /** Keys that are no columns of the input, and stand behind those. */
  readonly #made: readonly Expression[];
  readonly #held: HeldRows;
  readonly #runs: SortedRuns;
  #gathered: Batch[] = [];
  #count = 0;

  constructor(options: SorterOptions, run: Run) {
    const { keys, width } = options;
    this.#options = options;
    this.#run = run;
    this.#held = heldFor(options.node, run);
    const made = keys.map((key) => key.expression).filter(({ kind }) => kind !== 'column');
    const places = keys.map(({ expression }) =>
      expression.kind === 'column' ? expression.index : width + made.indexOf(expression),
    );
    this.#made = made;
    this.#rowKeys = { keys, places };
    this.#runs = new SortedRuns(this.#rowKeys, run);
  }

  *add(batch: Batch): Task<void> {
    if (batch.length === 0) return;
    const made = this.#made.length === 0 ? [] : yield* wait(evaluateAll(this.#made, batch, this.#run));
    const gathered = { length: batch.length, columns: [...batch.columns, ...made] };
    const bytes = COPIES * bytesOf(gathered);
    const { memoryBytes } = this.#run.context.spill;
    if (this.#count > 0 && !this.#held.hasRoom(bytes, memoryBytes)) yield* this.#spill();
    this.#held.addBytes(bytes);
    this.#gathered.push(gathered);
    this.#count += batch.length;
    if (this.#count >= Math.max(GATHERED_ROWS_MIN, 4 * this.#options.wanted)) yield* this.#cut();
  }

  *rows(): Steps {
    if (this.#count === 0) return;
    if (!this.#runs.isEmpty) return yield* this.#merged();
    const { all, order } = yield* this.#sorted();
    for (let start = 0; start < order.length; start += BATCH_ROWS_MAX) {
      const rows = order.subarray(start, start + BATCH_ROWS_MAX);
      yield* turn(this.#run);
      yield this.#given({ length: rows.length, columns: all.columns }, (column) => column.take(rows));
    }
  }

  /** Rows of all runs, what is gathered being the last. */
  *#merged(): Steps {
    yield* this.#spill();
    const merged = yield* wait(this.#runs.merged());
    noteSpill(this.#options.node, this.#run, { sort: 'external merge', diskBytes: this.#runs.peakBytes });
    for (let left = this.#options.wanted; left > 0; ) {
      const batch = yield* wait(merged.next());
      if (batch === null) return;
      yield* turn(this.#run);
      const rows = sliceBatch(batch, 0, Math.min(left, batch.length));
      left -= rows.length;
      yield this.#given(rows, (column) => column);
    }
  }

  /** Without the keys that were made. */
  #given({ length, columns }: Batch, take: (column: Vector) => Vector): Batch {
    return { length, columns: columns.slice(0, columns.length - this.#made.length).map(take) };
  }

  *#spill(): Task<void> {
    yield* wait(this.#runs.add(yield* this.#sorted()));
    this.#gathered = [];
    this.#count = 0;
    this.#held.clear();
  }

  *#cut(): Task<void> {
    const { all, order } = yield* this.#sorted();
    const best = { length: order.length, columns: all.columns.map((column) => column.take(order)) };
    this.#gathered = [best];
    this.#count = order.length;
    this.#held.clear();
    this.#held.add(best, COPIES);
  }

  /** Everything gathered, and the positions of the wanted rows in order. */
  *#sorted(): Task<SortedRows> {
    const all = yield* concatSliced([], this.#gathered, this.#run);
    const keys = this.#rowKeys.places.map((place) => all.columns[place] as Vector);
    const sorted = yield* sortRows(all.length, rowOrder(this.#options.keys, keys), this.#run);
    return { all, order: sorted.subarray(0, Math.min(this.#options.wanted, sorted.length)) };
  }

  [Symbol.dispose](): void {
    this.#held[Symbol.dispose]();
    this.#runs[Symbol.dispose]();
  }
}
