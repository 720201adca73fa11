/**
 * Plans whose rows are one batch: constants, the row of a key, the best rows of a ranking, and INSERT and UPDATE of
 * these. Most statements of a busy server are such, and their rows are usually at hand, so they run as one task
 * instead of a generator an operator.
 */
import { BATCH_ROWS_MAX } from '../limits.ts';
import type { Expression } from '../plan/expression.ts';
import type { Limit, Plan, Scan, Sort } from '../plan/plan.ts';
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
import { topKBatch } from './ranking/top-k.ts';
import { updateBatch } from './write/update.ts';
import { valuesBatch } from './rows/values.ts';

/** All rows of a plan for which it is true that they are one batch; null for any other. */
export function oneBatch(plan: Plan, run: Run): Task<Batch> | null {
  switch (plan.kind) {
    case 'values':
      return plan.rows.length <= BATCH_ROWS_MAX ? valuesBatch(plan, plan.rows, run) : null;
    case 'scan':
      return oneBatchOfScan(plan, run);
    case 'insert': {
      const input = oneBatch(plan.input, run);
      return input && insertBatch(plan, input, run);
    }
    case 'update': {
      const input = oneBatch(plan.input, run);
      return input && updateBatch(plan, input, run);
    }
    case 'filter': {
      const input = oneBatch(plan.input, run);
      return input && filtered(input, plan.condition, run);
    }
    case 'project': {
      const input = plan.sets.length === 0 ? oneBatch(plan.input, run) : null;
      return input && projected(input, plan.expressions, run);
    }
    case 'fusion':
      return fusionBatch(plan, run);
    case 'sort': {
      const input = oneBatch(plan.input, run);
      return input && sorted(input, plan, run);
    }
    case 'limit': {
      const input = plan.ties === null ? oneBatch(plan.input, run) : null;
      return input && limited(input, plan, run);
    }
    default:
      return null;
  }
}

function oneBatchOfScan(plan: Scan, run: Run): Task<Batch> | null {
  if (plan.lookup !== null) return plan.arms.length === 0 ? lookUpKey(plan, run) : null;
  return plan.topK !== null && wantsOneBatch(plan.topK, run) ? topKBatch(plan, run) : null;
}

function wantsOneBatch({ count, offset, groups }: NonNullable<Scan['topK']>, run: Run): boolean {
  return groups === undefined && numberOf(count, run) + numberOf(offset, run) <= BATCH_ROWS_MAX;
}

/** Infinity where it is not at hand. */
function numberOf(expression: Expression | null, { frame }: Run): number {
  if (expression === null) return 0;
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
