/** Plans whose rows are one batch (`physical/choices/one-batch.ts`) run as one task instead of a generator an operator. */
import { AssertionError } from '../assert.ts';
import { BATCH_ROWS_MAX } from '../limits.ts';
import type { Expression } from '../plan/expression.ts';
import type { Limit, PhysicalPlan, Sort } from '../physical/physical.ts';
import { type Task, wait } from '../task.ts';
import type { Batch } from '../types/column/vector.ts';
import { concatBatches } from './batches.ts';
import { evaluateAll, evaluateConstant, filterBatch, sliceBatch } from './expression/evaluate.ts';
import { fusionBatch } from './ranking/fusion.ts';
import { insertBatch } from './write/insert.ts';
import { limitBounds } from './rows/limit.ts';
import { areSorted, rowOrder, sortRows } from './rows/order.ts';
import { lookUpKey } from './scan/scan.ts';
import { checkpoint, type Run } from './state.ts';
import { isRanked, topKBatch } from './ranking/top-k.ts';
import { updateBatch } from './write/update.ts';
import { valuesBatch } from './rows/values.ts';

/** True when the rows are one batch with these parameters. */
export function isOneBatch(plan: PhysicalPlan, run: Run): boolean {
  const counts = 'oneBatch' in plan ? plan.oneBatch : undefined;
  if (counts === undefined) return false;
  return counts.reduce((sum, count) => sum + numberOf(count, run), 0) <= BATCH_ROWS_MAX;
}

/** All rows of a plan for which it is true that they are one batch. */
export function oneBatch(plan: PhysicalPlan, run: Run): Task<Batch> {
  switch (plan.kind) {
    case 'values':
      return valuesBatch(plan, plan.rows, run);
    case 'scan':
      return isRanked(plan, run) ? topKBatch(plan, run) : lookUpKey(plan, run);
    case 'insert':
      return insertBatch(plan, oneBatch(plan.input, run), run);
    case 'update':
      return updateBatch(plan, oneBatch(plan.input, run), run);
    case 'filter':
      return filtered(oneBatch(plan.input, run), plan.condition, run);
    case 'project':
      return projected(oneBatch(plan.input, run), plan.expressions, run);
    case 'fusion':
      return fusionBatch(plan, run);
    case 'sort':
      return sorted(oneBatch(plan.input, run), plan, run);
    case 'limit':
      return limited(oneBatch(plan.input, run), plan, run);
    default:
      throw new AssertionError(`${plan.kind} is not one batch`);
  }
}

/** Infinity where it is not at hand. */
function numberOf(expression: Expression, { frame }: Run): number {
  const value =
    expression.kind === 'literal'
      ? expression.value
      : expression.kind === 'parameter'
        ? frame.parameters[expression.index]
        : null;
  return typeof value === 'bigint' ? Number(value) : Number.POSITIVE_INFINITY;
}

function* sorted(input: Task<Batch>, { keys, top }: Sort, run: Run): Task<Batch> {
  const batch = yield* input;
  yield* turn(run);
  const expressions = keys.map((key) => key.expression);
  const columns = yield* wait(evaluateAll(expressions, batch, run));
  const wanted = top === null ? null : yield* wait(evaluateConstant(top, run));
  const count = wanted === null ? batch.length : Math.max(Number(wanted), 0);
  const order = rowOrder(keys, columns);
  // The best rows of a ranking come in its order.
  if (areSorted(batch.length, order)) return sliceBatch(batch, 0, count);
  const rows = yield* wait(sortRows(batch.length, order, run));
  const best = rows.subarray(0, count);
  return { length: best.length, columns: batch.columns.map((column) => column.take(best)) };
}

function* limited(input: Task<Batch>, plan: Limit, run: Run): Task<Batch> {
  const { count, offset } = yield* limitBounds(plan, run);
  if (count === 0) return concatBatches(plan.output, []);
  const batch = yield* input;
  return sliceBatch(batch, Math.min(offset, batch.length), offset + count);
}

function* filtered(input: Task<Batch>, condition: Expression, run: Run): Task<Batch> {
  const batch = yield* input;
  yield* turn(run);
  return yield* wait(filterBatch(condition, batch, run));
}

function* projected(input: Task<Batch>, expressions: readonly Expression[], run: Run): Task<Batch> {
  const { length, columns } = yield* input;
  yield* turn(run);
  return { length, columns: yield* wait(evaluateAll(expressions, { length, columns }, run)) };
}

/** Raises the cancel reason, and waits when others are due. */
function* turn(run: Run): Task<void> {
  const pause = checkpoint(run);
  if (pause !== null) yield* wait(pause);
}
