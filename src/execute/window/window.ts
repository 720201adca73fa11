/**
 * Window functions: all rows are put in order of their partitions and sort keys, and each call gives one
 * value a row over its frame. Rows come out in that order, as in PostgreSQL.
 */
import { present } from '../../assert.ts';
import { BATCH_ROWS_MAX } from '../../limits.ts';
import type { Expression } from '../../plan/expression.ts';
import type { Window } from '../../physical/physical.ts';
import type { WindowCall } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import type { Datum } from '../../types/datum.ts';
import {
  type Batch,
  concatVectors,
  type Int32Vector,
  type Vector,
  vectorOf,
} from '../../types/column/vector.ts';
import { concatSliced } from '../batches.ts';
import { evaluateAll } from '../expression/evaluate.ts';
import { columnsOf } from '../../plan/columns-read.ts';
import { kindOf } from '../expression/compiled.ts';
import { trueRows } from '../expression/logic.ts';
import { bytesOf, type HeldRows } from '../held-rows.ts';
import { heldFor } from '../node-statistics.ts';
import { insertKeys } from '../rows/joiner.ts';
import { KeyNumbers } from '../rows/key-numbers.ts';
import { rowOrder, sortRows } from '../rows/order.ts';
import { Pace } from '../pace.ts';
import type { Steps } from '../plan-rows.ts';
import { eachBatch, type Run, turn } from '../state.ts';
import { SortedPartitions, type WholePartitions } from './sorted-partitions.ts';
import { callWindow, type WindowArguments } from './calls.ts';
import { type FrameOffsets, frameOffsets, Partition } from './frame.ts';

/** Rows are gathered, then put together; keys and arguments are made of them. */
const COPIES = 3;
/** Copies of what expressions give: by batch, then put together. */
const MADE_COPIES = 2;
/** Rows evaluated or put in order between two looks at the clock. */
const SLICE_ROWS = 8 * 1024;

export function* runWindow(plan: Window, run: Run): Steps {
  using held = heldFor(plan, run);
  using sorted = new SortedPartitions(plan, run);
  let batches: Batch[] | null = [];
  yield* eachBatch(plan.input, run, function* (batch): Task<void> {
    if (batch.length === 0) return;
    if (batches !== null && fits(plan, batch, { run, held })) {
      held.add(batch, COPIES);
      batches.push(batch);
      return;
    }
    for (const before of batches ?? []) yield* sorted.add(before);
    batches = null;
    held.clear();
    yield* sorted.add(batch);
  });
  if (batches === null) yield* sorted.each((some) => valuesOf(plan, orderedRows(plan, some), run));
  else if (batches.length > 0) yield* valuesInMemory(plan, { batches, held }, run);
}

/** A single partition is held as a whole. */
function fits(
  plan: Window,
  batch: Batch,
  { run, held }: { readonly run: Run; readonly held: HeldRows },
): boolean {
  return plan.partition.length === 0 || held.hasRoom(COPIES * bytesOf(batch), run.context.spill.memoryBytes);
}

/** Rows that are in window order, each partition numbered. */
function orderedRows(plan: Window, { rows, held }: WholePartitions): OrderedRows {
  const width = plan.input.output.length;
  const input = { length: rows.length, columns: rows.columns.slice(0, width) };
  const numbers = (rows.columns[width] as Int32Vector).values;
  const sorted = Uint32Array.from(numbers.keys());
  return { input, sorted, starts: startsOf(numbers, sorted), keys: rows.columns.slice(width + 1), held };
}

interface HeldBatches {
  readonly batches: readonly Batch[];
  readonly held: HeldRows;
}

function* valuesInMemory(plan: Window, { batches, held }: HeldBatches, run: Run): Steps {
  const input = yield* concatSliced(plan.input.output, batches, run);
  const expressions = plan.order.map((key) => key.expression);
  const keys = yield* overAll(expressions, { batches, held }, run);
  const rowsOf = { batches, keys, length: input.length, held };
  const { sorted, starts } = yield* partitions(plan, rowsOf, run);
  const ordered = yield* inOrder(keys, sorted, run);
  yield* valuesOf(plan, { input, sorted, starts, keys: ordered, held }, run);
}

/** The rows in window order, with what the calls give for each. */
function* valuesOf(plan: Window, rows: OrderedRows, run: Run): Steps {
  const { input, sorted, held } = rows;
  const results: Vector[] = [];
  for (const call of plan.calls) {
    const result = yield* runCall(plan, call, rows, run);
    held.add({ length: result.length, columns: [result] });
    results.push(result);
  }
  for (let start = 0; start < input.length; start += BATCH_ROWS_MAX) {
    yield* turn(run);
    const end = Math.min(start + BATCH_ROWS_MAX, input.length);
    const taken = sorted.subarray(start, end);
    yield {
      length: end - start,
      columns: [
        ...input.columns.map((column) => column.take(taken)),
        ...results.map((result) => result.slice(start, end)),
      ],
    };
  }
}

interface Counted {
  readonly batches: Iterable<Batch>;
  readonly held: HeldRows;
}

/** Expressions over all batches, one vector each. @throws SqlError 53200 when they are too much to hold. */
function* overAll(expressions: readonly Expression[], { batches, held }: Counted, run: Run): Task<Vector[]> {
  const pieces: Vector[][] = expressions.map(() => []);
  for (const batch of batches) {
    yield* turn(run);
    const vectors = yield* wait(evaluateAll(expressions, batch, run));
    held.add({ length: batch.length, columns: vectors }, MADE_COPIES);
    for (const [i, vector] of vectors.entries()) pieces[i]?.push(vector);
  }
  return expressions.map(({ type }, i) => concatVectors(kindOf(type), pieces[i] ?? []));
}

function* inOrder(columns: readonly Vector[], sorted: Uint32Array, run: Run): Task<Vector[]> {
  const ordered: Vector[] = [];
  for (const column of columns) {
    const pieces: Vector[] = [];
    for (let start = 0; start < sorted.length; start += SLICE_ROWS) {
      pieces.push(column.take(sorted.subarray(start, start + SLICE_ROWS)));
      yield* turn(run);
    }
    ordered.push(concatVectors(column.kind, pieces));
  }
  return ordered;
}

interface Gathered {
  readonly batches: readonly Batch[];
  readonly keys: readonly Vector[];
  readonly length: number;
  readonly held: HeldRows;
}

/** Rows in order of partition and sort keys; `starts` has each partition's first place, and the end. */
function* partitions(
  plan: Window,
  { batches, keys, length, held }: Gathered,
  run: Run,
): Task<{ sorted: Uint32Array; starts: readonly number[] }> {
  const columns = yield* overAll(plan.partition, { batches, held }, run);
  const table = new KeyNumbers(
    plan.partition.map((key) => key.type),
    true,
    held,
  );
  const numbers =
    plan.partition.length === 0 ? new Int32Array(length) : yield* insertKeys(table, columns, length, run);
  const byKeys = rowOrder(plan.order, keys);
  const order = (a: number, b: number): number =>
    (numbers[a] as number) - (numbers[b] as number) || byKeys(a, b);
  const sorted = yield* sortRows(length, order, run);
  return { sorted, starts: startsOf(numbers, sorted) };
}

/** Where partitions begin, and the end. @param numbers of rows' partitions. */
function startsOf(numbers: Int32Array, sorted: Uint32Array): number[] {
  const starts: number[] = [];
  for (let place = 0; place < sorted.length; place++) {
    const isFirst = place === 0 || numberAt(numbers, sorted, place) !== numberAt(numbers, sorted, place - 1);
    if (isFirst) starts.push(place);
  }
  starts.push(sorted.length);
  return starts;
}

const numberAt = (numbers: Int32Array, sorted: Uint32Array, place: number): number =>
  numbers[sorted[place] as number] as number;

interface OrderedRows {
  readonly input: Batch;
  /** Rows of `input` in window order. */
  readonly sorted: Uint32Array;
  /** Sort keys, in window order. */
  readonly keys: readonly Vector[];
  readonly starts: readonly number[];
  readonly held: HeldRows;
}

function* runCall(plan: Window, call: WindowCall, rows: OrderedRows, run: Run): Task<Vector> {
  const { keys, starts } = rows;
  const args = yield* overOrdered(call.args, rows, run);
  const offsets: FrameOffsets = yield* frameOffsets(call.frame, run);
  const passes = call.filter === null ? null : yield* filterMarks(call.filter, rows, run);
  const given: WindowArguments = { args, passes, context: run.context.functions };
  const order = rowOrder(plan.order, keys);
  const values: Datum[] = [];
  const pace = new Pace(run);
  for (let i = 0; i + 1 < starts.length; i++) {
    const bounds = { start: starts[i] as number, end: starts[i + 1] as number };
    const ordered = { keys: plan.order, columns: keys, order };
    const partition = yield* Partition.of(bounds, ordered, pace);
    yield* callWindow({ call, given, partition, offsets, pace }, values);
  }
  return vectorOf(kindOf(call.type), values);
}

/** Expressions over the rows in window order. */
function* overOrdered(expressions: readonly Expression[], rows: OrderedRows, run: Run): Task<Vector[]> {
  if (expressions.length === 0) return [];
  const used = new Set(expressions.flatMap((expression) => [...columnsOf(expression)]));
  const isWhole = expressions.some((expression) => run.cache.get(expression).deferred.length > 0);
  const batches = orderedSlices(rows, isWhole ? null : used);
  return yield* overAll(expressions, { batches, held: rows.held }, run);
}

/** @param used columns that are looked at; null: all. */
function* orderedSlices({ input, sorted }: OrderedRows, used: ReadonlySet<number> | null): Generator<Batch> {
  for (let start = 0; start < sorted.length; start += SLICE_ROWS) {
    const rows = sorted.subarray(start, start + SLICE_ROWS);
    const columns = input.columns.map((column, i) =>
      used === null || used.has(i) ? column.take(rows) : column,
    );
    yield { length: rows.length, columns };
  }
}

function* filterMarks(filter: Expression, rows: OrderedRows, run: Run): Task<Uint8Array> {
  const [truth] = yield* overOrdered([filter], rows, run);
  const marks = new Uint8Array(rows.sorted.length);
  for (const row of trueRows(present(truth, 'the filter of a window call'))) marks[row] = 1;
  return marks;
}
