/** Subqueries made part of the plan around them: which conditions tie them to the row, and how to lift them. */
import type { Expression } from '../../plan/expression.ts';
import type { Plan } from '../../plan/plan.ts';
import {
  mapFreeInExpression,
  mapFreeReferences,
  shiftColumns,
  visitFreeInExpression,
  visitFreeReferences,
} from '../../plan/free-references.ts';
import { allOf, conjuncts } from '../conditions.ts';

/** True when the plan looks at the row of the directly enclosing query. */
export function seesRow(plan: Plan): boolean {
  let found = false;
  visitFreeReferences(plan, (depth) => {
    if (depth === 1) found = true;
  });
  return found;
}

export function tiesToRow(condition: Expression): boolean {
  let found = false;
  visitFreeInExpression(condition, (depth) => {
    if (depth === 1) found = true;
  });
  return found;
}

/** The subquery's plan one level further out: its references to outer rows lose one step. */
export const raise = (plan: Plan): Plan =>
  mapFreeReferences(plan, (depth, index) => ({ depth: depth - 1, index }));

/** A condition of a subquery over a join with it: the outer row's columns in front, the subquery's behind. */
export function overJoin(condition: Expression, outerWidth: number): Expression {
  return mapFreeInExpression(shiftColumns(condition, outerWidth), (depth, index) => ({
    depth: depth - 1,
    index,
  }));
}

export interface Pulled {
  /** Without the conditions; same output. */
  readonly plan: Plan;
  /** Those that look at the outer row, over the plan's output. */
  readonly tied: readonly Expression[];
}

/** Takes conditions that look at the outer row out of a plan; null when something else in it does. */
export function pullTied(plan: Plan): Pulled | null {
  if (!seesRow(plan)) return { plan, tied: [] };
  if (plan.kind === 'scan' && plan.lookup === null && plan.topK === null) {
    const { tied, free } = split(conjuncts(plan.filter));
    const freed: Plan = { ...plan, filter: allOf(free) };
    return seesRow(freed) ? null : { plan: freed, tied };
  }
  if (plan.kind === 'filter') {
    const input = pullTied(plan.input);
    if (input === null) return null;
    const { tied, free } = split(conjuncts(plan.condition));
    const condition = allOf(free);
    const freed: Plan = condition === null ? input.plan : { ...plan, input: input.plan, condition };
    return { plan: freed, tied: [...input.tied, ...tied] };
  }
  return plan.kind === 'join' ? pullFromJoin(plan) : null;
}

function pullFromJoin(plan: Plan & { kind: 'join' }): Pulled | null {
  if ((plan.join !== 'inner' && plan.join !== 'cross') || plan.lateral) return null;
  if (plan.keys.some((key) => tiesToRow(key.left) || tiesToRow(key.right))) return null;
  const [left, right] = [pullTied(plan.left), pullTied(plan.right)];
  if (left === null || right === null) return null;
  const { tied, free } = split(conjuncts(plan.condition));
  const width = plan.left.output.length;
  const fromRight = right.tied.map((condition) => shiftColumns(condition, width));
  const freed: Plan = { ...plan, left: left.plan, right: right.plan, condition: allOf(free) };
  return { plan: freed, tied: [...left.tied, ...fromRight, ...tied] };
}

const split = (conditions: readonly Expression[]): { tied: Expression[]; free: Expression[] } => ({
  tied: conditions.filter(tiesToRow),
  free: conditions.filter((condition) => !tiesToRow(condition)),
});
