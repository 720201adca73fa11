/** Columns that an expression reads of its rows: some of them, or nothing at all. */
import { functionById } from '../../functions/registry.ts';
import type { Expression } from '../../plan/expression.ts';
import { expressionChildren, visitExpression } from '../../plan/walk.ts';
import type { Batch } from '../../types/column/vector.ts';

/** True when the value is the same for every row of a batch and evaluating it twice does no harm. */
export function isConstant(expression: Expression): boolean {
  if (expression.kind === 'column' || expression.kind === 'subquery') return false;
  if (expression.kind === 'call' && functionById(expression.function).volatility === 'volatile') return false;
  return expressionChildren(expression).every(isConstant);
}

/** Columns an expression reads, and whether subqueries hang on it. */
export function columnsOf(expression: Expression): ReadonlySet<number> {
  const columns = new Set<number>();
  visitExpression(expression, (part) => {
    if (part.kind === 'column') columns.add(part.index);
  });
  return columns;
}

/**
 * Some rows of a batch for a part of an expression: only the columns it reads and the deferred ones are
 * taken; the others stay in place, longer than the batch and never looked at.
 */
export function takeRows(
  batch: Batch,
  rows: ArrayLike<number>,
  used: ReadonlySet<number>,
  deferred: number,
): Batch {
  const firstExtra = batch.columns.length - deferred;
  const columns = batch.columns.map((column, index) =>
    used.has(index) || index >= firstExtra ? column.take(rows) : column,
  );
  return { length: rows.length, columns };
}
