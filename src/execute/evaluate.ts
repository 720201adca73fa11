/**
 * Evaluating expressions within a run: subqueries first (they are asynchronous), then the compiled function
 * over the batch with one extra column for every subquery.
 */
import type { Expression } from '../plan/expression.ts';
import type { Datum } from '../types/datum.ts';
import type { Batch, Vector } from '../types/vector.ts';
import { ONE_ROW } from './expression.ts';
import { trueRows } from './expression-logic.ts';
import { markedRows } from './selection.ts';
import type { Run } from './state.ts';
import { resolveSubqueries } from './subquery.ts';

/** The expression's values for every row of the batch. */
export function evaluate(expression: Expression, batch: Batch, run: Run): Vector | Promise<Vector> {
  const compiled = run.cache.get(expression);
  if (compiled.subqueries.length === 0) return compiled.evaluate(batch, run.frame);
  return resolveSubqueries(compiled.subqueries, batch, run).then((extra) =>
    compiled.evaluate({ length: batch.length, columns: [...batch.columns, ...extra] }, run.frame),
  );
}

export async function evaluateAll(
  expressions: readonly Expression[],
  batch: Batch,
  run: Run,
): Promise<Vector[]> {
  const vectors: Vector[] = [];
  for (const expression of expressions) {
    const vector = evaluate(expression, batch, run);
    vectors.push(vector instanceof Promise ? await vector : vector);
  }
  return vectors;
}

/** The value of an expression that reads no columns. */
export async function evaluateConstant(expression: Expression, run: Run): Promise<Datum> {
  return (await evaluate(expression, ONE_ROW, run)).get(0);
}

/** Positions of the rows for which the condition is TRUE. */
export async function rowsWhere(condition: Expression, batch: Batch, run: Run): Promise<Uint32Array> {
  const { select } = run.cache.get(condition);
  if (select !== null) {
    const mask = new Uint8Array(batch.length).fill(1);
    if (select(batch, run.frame, mask)) return markedRows(mask);
  }
  return trueRows(await evaluate(condition, batch, run));
}

/** The batch without the rows for which the condition is not TRUE; the same batch when all stay. */
export async function filterBatch(condition: Expression, batch: Batch, run: Run): Promise<Batch> {
  return takeBatch(batch, await rowsWhere(condition, batch, run));
}

/** @param rows ascending positions. */
export function takeBatch(batch: Batch, rows: Uint32Array): Batch {
  if (rows.length === batch.length) return batch;
  return { length: rows.length, columns: batch.columns.map((column) => column.take(rows)) };
}

export function sliceBatch(batch: Batch, start: number, end: number): Batch {
  if (start === 0 && end >= batch.length) return batch;
  const stop = Math.min(end, batch.length);
  return { length: stop - start, columns: batch.columns.map((column) => column.slice(start, stop)) };
}
