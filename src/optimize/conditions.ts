/** Conditions as lists of conjuncts, and what rules ask of expressions. */
import { functionById } from '../functions/registry.ts';
import type { Expression } from '../plan/expression.ts';
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

export function isVolatile(expression: Expression): boolean {
  let found = false;
  visitExpression(expression, (part) => {
    if (part.kind === 'call' && functionById(part.function).volatility === 'volatile') found = true;
  });
  return found;
}

/** It may be evaluated elsewhere, more or less often: no subquery, nothing volatile. */
export const isMovable = (expression: Expression): boolean =>
  !hasSubquery(expression) && !isVolatile(expression);

/** The same value for every row of one run. */
export const isFixed = (expression: Expression): boolean =>
  isMovable(expression) && columnsRead(expression).size === 0;

/** Structural equality; source positions (`at`) do not count. */
export function sameExpression(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const keysOf = (value: object): string[] => Object.keys(value).filter((key) => key !== 'at');
  const keys = keysOf(a);
  if (keys.length !== keysOf(b).length) return false;
  return keys.every((key) =>
    sameExpression((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  );
}
