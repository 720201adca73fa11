/** References that leave a plan or an expression, to the rows around it, and columns that others stand for. */
import { assert } from '../assert.ts';
import type { Expression, Subquery } from './expression.ts';
import type { Plan } from './plan.ts';
import {
  mapPlan,
  mapPlanExpressions,
  planChildren,
  planExpressions,
  rewriteExpression,
  visitExpression,
  withChanges,
} from './walk.ts';

/**
 * Calls `found` for every reference that leaves `plan`: depth 1 is the row of the directly enclosing query.
 */
export function visitFreeReferences(
  plan: Plan,
  found: (depth: number, index: number) => void,
  level = 1,
): void {
  for (const expression of planExpressions(plan)) visitFreeInExpression(expression, found, level);
  if (plan.kind === 'join' && plan.lateral) {
    visitFreeReferences(plan.left, found, level);
    visitFreeReferences(plan.right, found, level + 1);
    return;
  }
  for (const child of planChildren(plan)) visitFreeReferences(child, found, level);
}

/** Where a reference that leaves a plan points after a rewrite; depth 0 is a column of the plan's own row. */
export type FreeChange = (depth: number, index: number) => { readonly depth: number; readonly index: number };

/** Rewrites every reference that leaves `plan`. */
export function mapFreeReferences(plan: Plan, change: FreeChange, level = 1): Plan {
  const mapped = mapPlanExpressions(plan, (expression) => mapFreeInExpression(expression, change, level));
  if (mapped.kind === 'join' && mapped.lateral) {
    return withChanges(mapped, {
      left: mapFreeReferences(mapped.left, change, level),
      right: mapFreeReferences(mapped.right, change, level + 1),
    });
  }
  return mapPlan(mapped, (child) => mapFreeReferences(child, change, level));
}

/** As `mapFreeReferences`, for an expression; `level` 1 when its own outer references count from 1. */
export function mapFreeInExpression(expression: Expression, change: FreeChange, level = 1): Expression {
  return rewriteExpression(expression, (part) => {
    if (part.kind === 'subquery') return mapFreeInSubquery(part, change, level);
    if (part.kind !== 'outer' || part.depth < level) return part;
    const { depth, index } = change(part.depth - level + 1, part.index);
    const { type } = part;
    if (depth === 0) return { kind: 'column', index, type };
    return withChanges(part, { depth: depth + level - 1, index });
  });
}

function mapFreeInSubquery(subquery: Subquery, change: FreeChange, level: number): Subquery {
  const { compare } = subquery;
  return withChanges(subquery, {
    plan: mapFreeReferences(subquery.plan, change, level + 1),
    compare: compare === null ? null : mapFreeInExpression(compare, change, level + 1),
  });
}

/**
 * The expression over other columns: `change` says what stands for column `index`. Subqueries in it see the
 * same row from inside, so they may only be renumbered: a change to anything but a column is refused.
 */
export function substituteColumns(expression: Expression, change: (index: number) => Expression): Expression {
  return rewriteExpression(expression, (part) => {
    if (part.kind === 'column') {
      const next = change(part.index);
      return next.kind === 'column' && next.index === part.index ? part : next;
    }
    if (part.kind !== 'subquery') return part;
    return mapFreeInSubquery(
      part,
      (depth, index) => (depth === 1 ? renumber(index, change) : { depth, index }),
      0,
    );
  });
}

/** The expression with its columns counted from `by` on, in subqueries too. */
export function shiftColumns(expression: Expression, by: number): Expression {
  return rewriteExpression(expression, (part) => {
    if (part.kind === 'column') return { ...part, index: part.index + by };
    if (part.kind !== 'subquery') return part;
    const shift: FreeChange = (depth, index) => ({ depth, index: depth === 1 ? index + by : index });
    return mapFreeInSubquery(part, shift, 0);
  });
}

function renumber(index: number, change: (index: number) => Expression): { depth: number; index: number } {
  const next = change(index);
  assert(next.kind === 'column', 'a subquery sees columns only');
  return { depth: 1, index: next.index };
}

/** As `visitFreeReferences`, for an expression; `level` 1 when its own outer references count from 1. */
export function visitFreeInExpression(
  expression: Expression,
  found: (depth: number, index: number) => void,
  level = 1,
): void {
  visitExpression(expression, (part) => {
    if (part.kind === 'outer' && part.depth >= level) found(part.depth - level + 1, part.index);
    if (part.kind !== 'subquery') return;
    visitFreeReferences(part.plan, found, level + 1);
    if (part.compare !== null) visitFreeInExpression(part.compare, found, level + 1);
  });
}
