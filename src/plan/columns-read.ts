/** Columns that an expression reads of its rows: some of them, all, or nothing at all. */
import { waits } from '../functions/function.ts';
import { functionById } from '../functions/registry.ts';
import type { Expression } from './expression.ts';
import { expressionChildren, visitExpression } from './walk.ts';

/** True when the value is the same for every row of a batch and evaluating it twice does no harm. */
export function isConstant(expression: Expression): boolean {
  if (expression.kind === 'column' || expression.kind === 'subquery') return false;
  if (expression.kind === 'call' && functionById(expression.function).volatility === 'volatile') return false;
  return expressionChildren(expression).every(isConstant);
}

/** Columns an expression reads; what subqueries and calls that wait read of the row is not known (`readsAny`). */
export function columnsOf(expression: Expression): ReadonlySet<number> {
  const columns = new Set<number>();
  visitExpression(expression, (part) => {
    if (part.kind === 'column') columns.add(part.index);
  });
  return columns;
}

/** True when subqueries or calls that wait hang on it, which are computed before it and may read any column. */
export function readsAny(expression: Expression): boolean {
  let any = false;
  visitExpression(expression, (part) => {
    any ||= part.kind === 'subquery' || (part.kind === 'call' && waits(functionById(part.function)));
  });
  return any;
}
