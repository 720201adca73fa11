/** Conditions as lists of conjuncts, and what rules ask of expressions. */
import type { Expression } from '../plan/expression.ts';
import { isVolatile } from '../plan/volatile.ts';
import { visitExpression } from '../plan/walk.ts';
import { OID } from '../types/oids.ts';

export const BOOLEAN = { oid: OID.bool, modifier: -1 } as const;

/** The conjuncts of a condition; [] for none. */
export function conjuncts(condition: Expression | null): readonly Expression[] {
  if (condition === null) return [];
  return condition.kind === 'and' ? condition.args.flatMap((arg) => conjuncts(arg)) : [condition];
}

/** One condition of conjuncts; null for none. */
export function allOf(conditions: readonly Expression[]): Expression | null {
  const [only, second] = conditions;
  if (only === undefined) return null;
  return second === undefined ? only : { kind: 'and', args: conditions, type: BOOLEAN };
}

/** Columns an expression reads outside of subqueries. */
export function columnsRead(expression: Expression): ReadonlySet<number> {
  const columns = new Set<number>();
  visitExpression(expression, (part) => {
    if (part.kind === 'column') columns.add(part.index);
  });
  return columns;
}

export function hasSubquery(expression: Expression): boolean {
  let found = false;
  visitExpression(expression, (part) => {
    if (part.kind === 'subquery') found = true;
  });
  return found;
}

/** It may be evaluated elsewhere, more or less often: no subquery, nothing volatile. */
export const isMovable = (expression: Expression): boolean =>
  !hasSubquery(expression) && !isVolatile(expression);

/** The same value for every row of one run. */
export const isFixed = (expression: Expression): boolean =>
  isMovable(expression) && columnsRead(expression).size === 0;
