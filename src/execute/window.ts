/**
 * Window functions: all rows are put in order of their partitions and sort keys, and each call gives one
 * value a row over its frame. Rows come out in that order, as in PostgreSQL.
 */
import { BATCH_ROWS_MAX } from '../limits.ts';
import type { Expression } from '../plan/expression.ts';
import type { Window, WindowCall } from '../plan/plan.ts';
import { type Batch, concatVectors, type Vector, vectorOf } from '../types/vector.ts';
import { concatBatches } from './batches.ts';
import { evaluate } from './evaluate.ts';
import { kindOf } from './expression.ts';
import { trueRows } from './expression-logic.ts';
import { KeyTable } from './key-table.ts';
import { rowOrder, sortRows } from './order.ts';
import { checkpoint, collect, type Run } from './state.ts';
import { callWindow, type WindowArguments } from './window-calls.ts';
import { type FrameOffsets, frameOffsets, Partition } from './window-frame.ts';

export async function* runWindow(plan: Window, run: Run): AsyncGenerator<Batch> {
  const batches = await collect(plan.input, run);
  if (batches.length === 0) return;
  const input = concatBatches(plan.input.output, batches);
  const keys = await overAll(
    plan.order.map((key) => key.expression),
    batches,
    run,
  );
  const { sorted, starts } = await partitions(plan, { batches, keys, length: input.length }, run);
  const inOrder = keys.map((key) => key.take(sorted));
  const ordered: Batch = {
    length: input.length,
    columns: input.columns.map((column) => column.take(sorted)),
  };
  const results: Vector[] = [];
  for (const call of plan.calls) {
    results.push(await runCall(plan, call, { ordered, keys: inOrder, starts }, run));
  }
  const columns = [...ordered.columns, ...results];
  for (let start = 0; start < ordered.length; start += BATCH_ROWS_MAX) {
    const end = Math.min(start + BATCH_ROWS_MAX, ordered.length);
    yield { length: end - start, columns: columns.map((column) => column.slice(start, end)) };
  }
}

/** Expressions over all batches, one vector each. */
async function overAll(expressions: readonly Expression[], batches: readonly Batch[], run: Run) {
  const vectors: Vector[] = [];
  for (const expression of expressions) {
    const pieces: Vector[] = [];
    for (const batch of batches) {
      const pause = checkpoint(run);
      if (pause !== null) await pause;
      pieces.push(await evaluate(expression, batch, run));
    }
    vectors.push(concatVectors(kindOf(expression.type), pieces));
  }
  return vectors;
}

/** Rows in order of partition and sort keys; `starts` has each partition's first place, and the end. */
async function partitions(
  plan: Window,
  { batches, keys, length }: { batches: readonly Batch[]; keys: readonly Vector[]; length: number },
  run: Run,
): Promise<{ sorted: Uint32Array; starts: readonly number[] }> {
  const columns = await overAll(plan.partition, batches, run);
  const table = new KeyTable(
    plan.partition.map((key) => key.type),
    true,
  );
  const numbers = plan.partition.length === 0 ? new Int32Array(length) : table.insert(columns, length);
  const byKeys = rowOrder(plan.order, keys);
  const order = (a: number, b: number): number =>
    (numbers[a] as number) - (numbers[b] as number) || byKeys(a, b);
  const sorted = await sortRows(length, order, run);
  const starts: number[] = [];
  for (let place = 0; place < length; place++) {
    const isFirst = place === 0 || numberAt(numbers, sorted, place) !== numberAt(numbers, sorted, place - 1);
    if (isFirst) starts.push(place);
  }
  return { sorted, starts: [...starts, length] };
}

const numberAt = (numbers: Int32Array, sorted: Uint32Array, place: number): number =>
  numbers[sorted[place] as number] as number;

interface OrderedRows {
  readonly ordered: Batch;
  readonly keys: readonly Vector[];
  readonly starts: readonly number[];
}

async function runCall(
  plan: Window,
  call: WindowCall,
  { ordered, keys, starts }: OrderedRows,
  run: Run,
): Promise<Vector> {
  const args: Vector[] = [];
  for (const arg of call.args) args.push(await evaluate(arg, ordered, run));
  const offsets: FrameOffsets = await frameOffsets(call.frame, run);
  const passes = call.filter === null ? null : await filterMarks(call.filter, ordered, run);
  const given: WindowArguments = { args, passes, context: run.context.functions };
  const order = rowOrder(plan.order, keys);
  const values = [];
  for (let i = 0; i + 1 < starts.length; i++) {
    const pause = checkpoint(run);
    if (pause !== null) await pause;
    const bounds = { start: starts[i] as number, end: starts[i + 1] as number };
    const partition = new Partition(bounds, { keys: plan.order, columns: keys, order });
    for (const value of callWindow(call, given, partition, offsets)) values.push(value);
  }
  return vectorOf(kindOf(call.type), values);
}

async function filterMarks(filter: Expression, ordered: Batch, run: Run): Promise<Uint8Array> {
  const marks = new Uint8Array(ordered.length);
  for (const row of trueRows(await evaluate(filter, ordered, run))) marks[row] = 1;
  return marks;
}
