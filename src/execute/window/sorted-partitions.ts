/**
 * Rows of a window that are more than `work_mem`: sorted in temporary files by partition and sort keys, then given back some
 * whole partitions at a time. A partition is held as a whole: frames may begin and end anywhere in it.
 */
import type { Window } from '../../physical/physical.ts';
import type { SortKey } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import { OID } from '../../types/oids.ts';
import { type Batch, Int32Vector } from '../../types/column/vector.ts';
import { concatSliced } from '../batches.ts';
import { evaluateAll, sliceBatch } from '../expression/evaluate.ts';
import type { HeldRows } from '../held-rows.ts';
import { heldFor } from '../node-statistics.ts';
import { SteppedRows, type Steps } from '../plan-rows.ts';
import { KeyNumbers } from '../rows/key-numbers.ts';
import { Sorter } from '../rows/sorter.ts';
import { eachBatchOf, type Run } from '../state.ts';

/** About as many rows are given together. */
const ROWS_TOGETHER = 32 * 1024;
/** Rows are gathered, then put together; keys and arguments are made of them. */
const COPIES = 3;

/** Rows of whole partitions, in window order. */
export interface WholePartitions {
  /** Columns of the input, the partition's number, sort keys. */
  readonly rows: Batch;
  readonly held: HeldRows;
}

export class SortedPartitions implements Disposable {
  readonly #plan: Window;
  readonly #run: Run;
  readonly #width: number;
  readonly #held: HeldRows;
  readonly #table: KeyNumbers;
  readonly #sorter: Sorter;

  constructor(plan: Window, run: Run) {
    this.#plan = plan;
    this.#run = run;
    this.#width = plan.input.output.length;
    this.#held = heldFor(plan, run);
    const types = plan.partition.map((key) => key.type);
    this.#table = new KeyNumbers(types, true, this.#held);
    const keys = [BY_NUMBER, ...plan.order].map((key, i): SortKey => {
      const { type } = key.expression;
      return { ...key, expression: { kind: 'column', index: this.#width + i, type } };
    });
    const width = this.#width + keys.length;
    this.#sorter = new Sorter({ node: plan, keys, width, wanted: Number.POSITIVE_INFINITY }, run);
  }

  *add(batch: Batch): Task<void> {
    const { partition, order } = this.#plan;
    const columns = yield* wait(evaluateAll(partition, batch, this.#run));
    const numbers = new Int32Vector(this.#table.insert(columns, batch.length));
    const expressions = order.map((key) => key.expression);
    const keys = yield* wait(evaluateAll(expressions, batch, this.#run));
    yield* this.#sorter.add({ length: batch.length, columns: [...batch.columns, numbers, ...keys] });
  }

  /** All rows. @param give what is made of some partitions, which are held no longer than that. */
  *each(give: (some: WholePartitions) => Steps): Steps {
    using held = heldFor(this.#plan, this.#run);
    let gathered: Batch[] = [];
    let count = 0;
    const add = (batch: Batch): void => {
      if (batch.length === 0) return;
      held.add(batch, COPIES);
      gathered.push(batch);
      count += batch.length;
    };
    const giveAll = function* (run: Run): Steps {
      const rows = yield* concatSliced([], gathered, run);
      gathered = [];
      count = 0;
      yield* give({ rows, held });
      held.clear();
    };
    const run = this.#run;
    const sorted = new SteppedRows(this.#sorter.rows());
    yield* eachBatchOf(sorted, run, (batch): Steps | undefined => {
      const end = count < ROWS_TOGETHER ? batch.length : this.#partitionEnd(batch, gathered.at(-1));
      add(sliceBatch(batch, 0, end));
      if (end === batch.length) return;
      const rest = sliceBatch(batch, end, batch.length);
      return (function* (): Steps {
        yield* giveAll(run);
        add(rest);
      })();
    });
    if (count > 0) yield* giveAll(run);
  }

  /** The first row that is of another partition than the one before; the batch's length where none is. */
  #partitionEnd(batch: Batch, before: Batch | undefined): number {
    const last = before === undefined ? -1 : this.#numbers(before)[before.length - 1];
    const end = this.#numbers(batch).findIndex((number) => number !== last);
    return end < 0 ? batch.length : end;
  }

  #numbers({ columns }: Batch): Int32Array {
    return (columns[this.#width] as Int32Vector).values;
  }

  [Symbol.dispose](): void {
    this.#held[Symbol.dispose]();
    this.#sorter[Symbol.dispose]();
  }
}

const BY_NUMBER: SortKey = {
  expression: { kind: 'column', index: 0, type: { oid: OID.int4, modifier: -1 } },
  descending: false,
  nullsFirst: false,
};
