/** LIMIT, OFFSET and FETCH FIRST … WITH TIES. The input is not pulled further than needed. */
import { SqlError } from '../../errors.ts';
import type { Expression } from '../../plan/expression.ts';
import type { Limit } from '../../physical/physical.ts';
import type { SortKey } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import { type Batch, concatVectors, type Vector } from '../../types/column/vector.ts';
import { evaluateAll, evaluateConstant, sliceBatch } from '../expression/evaluate.ts';
import { rowOrder } from './order.ts';
import type { Steps, StepsUntil } from '../plan-rows.ts';
import { eachBatch, type Run } from '../state.ts';

export function* runLimit(plan: Limit, run: Run): Steps {
  let { count, offset: skip } = yield* limitBounds(plan, run);
  if (count === 0) return;
  let last: Vector[] | null = null;
  yield* eachBatch(plan.input, run, function* (batch): StepsUntil {
    const rest = sliceBatch(batch, Math.min(skip, batch.length), batch.length);
    skip -= batch.length - rest.length;
    if (rest.length === 0) return false;
    const taken = count > 0 ? sliceBatch(rest, 0, Math.min(count, rest.length)) : null;
    if (taken !== null) {
      yield taken;
      count -= taken.length;
      if (count > 0) return false;
      if (plan.ties === null) return true;
      last = yield* lastKeys(plan.ties, taken, run);
    }
    const more = sliceBatch(rest, taken?.length ?? 0, rest.length);
    const tied = yield* countTies(plan.ties ?? [], last ?? [], more, run);
    if (tied > 0) yield sliceBatch(more, 0, tied);
    return tied < more.length;
  });
}

/** Rows to give (Infinity: all) and rows to skip. @throws SqlError 2201W, 2201X when negative. */
export function* limitBounds(
  plan: { readonly count: Expression | null; readonly offset: Expression | null },
  run: Run,
): Task<{ count: number; offset: number }> {
  const count = yield* boundOf(plan.count, run);
  const offset = yield* boundOf(plan.offset, run);
  if (count !== null && count < 0) {
    throw new SqlError('invalid_row_count_in_limit_clause', 'LIMIT must not be negative');
  }
  if (offset !== null && offset < 0) {
    throw new SqlError('invalid_row_count_in_result_offset_clause', 'OFFSET must not be negative');
  }
  return { count: count ?? Number.POSITIVE_INFINITY, offset: offset ?? 0 };
}

function* boundOf(expression: Expression | null, run: Run): Task<number | null> {
  if (expression === null) return null;
  const value = yield* wait(evaluateConstant(expression, run));
  return value === null ? null : Number(value);
}

function* lastKeys(ties: readonly SortKey[], batch: Batch, run: Run): Task<Vector[]> {
  const lastRow = sliceBatch(batch, batch.length - 1, batch.length);
  return yield* keysOf(ties, lastRow, run);
}

/** How many of the first rows have the same keys as `last`. */
function* countTies(ties: readonly SortKey[], last: readonly Vector[], batch: Batch, run: Run): Task<number> {
  if (batch.length === 0) return 0;
  const keys = yield* keysOf(ties, batch, run);
  const columns = keys.map((column, i) => concatVectors(column.kind, [last[i] as Vector, column]));
  const order = rowOrder(ties, columns);
  let tied = 0;
  while (tied < batch.length && order(0, tied + 1) === 0) tied++;
  return tied;
}

function* keysOf(ties: readonly SortKey[], batch: Batch, run: Run): Task<Vector[]> {
  const expressions = ties.map((key) => key.expression);
  return yield* wait(evaluateAll(expressions, batch, run));
}
