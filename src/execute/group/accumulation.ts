/**
 * One aggregate call over all groups of a grouping set: which rows reach it (FILTER, DISTINCT, ORDER BY) and
 * the states it keeps. Counts and sums of plain numbers have states in typed arrays (`accumulators.ts`).
 */
import { aggregateById } from '../../functions/registry.ts';
import type { AggregateCall, SortKey } from '../../plan/plan.ts';
import { SCAN_ROWS_MAX } from '../../limits.ts';
import { type Task, wait } from '../../task.ts';
import { OID } from '../../types/oids.ts';
import { type Batch, Float64Vector, type Vector } from '../../types/column/vector.ts';
import { vectorWeight } from '../../types/weight.ts';
import type { Accumulator } from './accumulator.ts';
import { accumulatorOf, isTyped } from './accumulators.ts';
import { concatBatches } from '../batches.ts';
import { newRows } from '../rows/distinct.ts';
import { evaluateAll, rowsWhere, takeBatch } from '../expression/evaluate.ts';
import type { HeldRows } from '../held-rows.ts';
import { KeyNumbers } from '../rows/key-numbers.ts';
import { rowOrder, sortRows } from '../rows/order.ts';
import { type Run, turn } from '../state.ts';

/** Their value does not depend on the order of their input. */
const UNORDERED: ReadonlySet<string> = new Set([
  'count',
  'sum',
  'min',
  'max',
  'avg',
  'bool_and',
  'bool_or',
  'every',
]);

/** Rows are gathered, then put together; values are kept, and become one value. */
const ROW_COPIES = 2;
const VALUE_COPIES = 2;

/** True when what it makes of a group grows with the group. */
function keepsValues(call: AggregateCall): boolean {
  const { name, ordered } = aggregateById(call.function);
  return ordered === true || name.endsWith('agg');
}

/** True when it keeps something of every row, or of many. */
export const keepsRows = (call: AggregateCall): boolean =>
  call.distinct || call.order.length > 0 || keepsValues(call);

const GROUP_NUMBER = { oid: OID.float8, modifier: -1 };

export class Accumulation {
  readonly #call: AggregateCall;
  readonly #run: Run;
  readonly #held: HeldRows;
  readonly #keepsValues: boolean;
  readonly #accumulator: Accumulator;
  readonly #isTyped: boolean;
  readonly #order: readonly SortKey[];
  /** Keys seen by DISTINCT: the group's number, then the arguments. */
  readonly #distinct: KeyNumbers | null;
  /** Rows kept for ORDER BY: arguments, sort keys, group numbers. */
  readonly #kept: Batch[] = [];

  /** @param held what rows, keys and values that are kept are counted to. */
  constructor(call: AggregateCall, run: Run, held: HeldRows) {
    this.#call = call;
    this.#run = run;
    this.#held = held;
    this.#keepsValues = keepsValues(call);
    this.#accumulator = accumulatorOf(call, run.context.functions);
    this.#isTyped = isTyped(call);
    this.#order = effectiveOrder(call);
    this.#distinct = call.distinct
      ? new KeyNumbers([GROUP_NUMBER, ...call.args.map((arg) => arg.type)], true, held)
      : null;
  }

  /** Makes room for groups 0..count-1. */
  grow(count: number): void {
    this.#accumulator.grow(count);
  }

  /** @param groups number of each row's group. */
  *add(batch: Batch, groups: Int32Array): Task<void> {
    const { filter, args } = this.#call;
    let rows = batch;
    let numbers = groups;
    if (filter !== null) {
      const kept = yield* wait(rowsWhere(filter, batch, this.#run));
      rows = takeBatch(batch, kept);
      numbers = pick(numbers, kept);
    }
    if (rows.length === 0) return;
    let values = yield* wait(evaluateAll(args, rows, this.#run));
    if (this.#distinct !== null) {
      const keys = [new Float64Vector(Float64Array.from(numbers)), ...values];
      const fresh = newRows(this.#distinct, { length: rows.length, columns: keys });
      rows = takeBatch(rows, fresh);
      numbers = pick(numbers, fresh);
      values = values.map((value) => value.take(fresh));
    }
    if (this.#keepsValues) this.#held.add({ length: rows.length, columns: values }, VALUE_COPIES);
    if (this.#order.length === 0) yield* this.#step(numbers, values);
    else yield* this.#keep(rows, numbers, values);
  }

  /** In steps between which others have their turn. */
  *#step(groups: Int32Array, values: readonly Vector[]): Task<void> {
    const count = this.#isTyped ? SCAN_ROWS_MAX : stepRows(groups.length, values);
    for (let start = 0; start < groups.length; start += count) {
      const end = Math.min(start + count, groups.length);
      if (end - start === groups.length) this.#accumulator.step(groups, values);
      else {
        this.#accumulator.step(
          groups.subarray(start, end),
          values.map((value) => value.slice(start, end)),
        );
      }
      yield* turn(this.#run);
    }
  }

  *#keep(rows: Batch, numbers: Int32Array, values: readonly Vector[]): Task<void> {
    const expressions = this.#order.map((key) => key.expression);
    const keys = yield* wait(evaluateAll(expressions, rows, this.#run));
    const columns = [...values, ...keys, new Float64Vector(Float64Array.from(numbers))];
    this.#held.add({ length: rows.length, columns }, ROW_COPIES);
    this.#kept.push({ length: rows.length, columns });
  }

  /** One value a group. */
  *result(): Task<Vector> {
    if (this.#kept.length > 0) yield* this.#stepInOrder();
    return (yield* wait(this.#accumulator.resultLater?.(this.#run))) ?? this.#accumulator.result();
  }

  *#stepInOrder(): Task<void> {
    const all = concatBatches([], this.#kept);
    const width = this.#call.args.length;
    const keys = all.columns.slice(width, width + this.#order.length);
    const sorted = yield* sortRows(all.length, rowOrder(this.#order, keys), this.#run);
    const numbers = (all.columns.at(-1) as Float64Vector).values;
    const groups = Int32Array.from(sorted, (row) => numbers[row] as number);
    yield* this.#step(
      groups,
      all.columns.slice(0, width).map((column) => column.take(sorted)),
    );
  }
}

const STEP_ROWS_MAX = 256;
const STEP_BYTES_MAX = 256 * 1024;

/** Rows of about so many bytes at a time. */
function stepRows(length: number, values: readonly Vector[]): number {
  const weight = values.reduce((sum, value) => sum + vectorWeight(value), 0);
  const fitting = Math.floor((STEP_BYTES_MAX * length) / Math.max(weight, 1));
  return Math.max(1, Math.min(fitting, STEP_ROWS_MAX));
}

function pick(numbers: Int32Array, rows: Uint32Array): Int32Array {
  if (rows.length === numbers.length) return numbers;
  const picked = new Int32Array(rows.length);
  for (let i = 0; i < rows.length; i++) picked[i] = numbers[rows[i] as number] as number;
  return picked;
}

/** DISTINCT sorts its input, as PostgreSQL does: `array_agg(DISTINCT x)` comes out in order. */
function effectiveOrder(call: AggregateCall): readonly SortKey[] {
  if (!call.distinct) return call.order;
  if (call.order.length === 0 && UNORDERED.has(aggregateById(call.function).name)) return [];
  const byArguments = call.args.map((expression) => ({ expression, descending: false, nullsFirst: false }));
  return [...call.order, ...byArguments];
}
