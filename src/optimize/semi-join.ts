/**
 * `EXISTS (…)` and `x IN (…)` in WHERE become semi joins, NOT EXISTS an anti join. NOT IN stays as it is: a
 * NULL on either side makes it NULL, which a join cannot say.
 */
import type { Expression, Subquery } from '../plan/expression.ts';
import type { Filter, Join, Plan } from '../plan/plan.ts';
import {
  mapFreeInExpression,
  mapFreeReferences,
  shiftColumns,
  visitFreeInExpression,
  visitFreeReferences,
} from '../plan/walk.ts';
import { allOf, conjuncts, hasSubquery } from './conditions.ts';
import type { Rule } from './rule.ts';

export const semiJoin: Rule = {
  name: 'semi-join',
  summary: 'Runs EXISTS and IN subqueries of WHERE as joins.',
  early: true,
  rewrite: (plan) => (plan.kind === 'filter' ? withJoins(plan) : plan),
};

function withJoins(filter: Filter): Plan {
  let input = filter.input;
  const kept: Expression[] = [];
  for (const condition of conjuncts(filter.condition)) {
    const join = condition.kind === 'subquery' ? joinFor(condition, input) : null;
    if (join === null) kept.push(condition);
    else input = join;
  }
  if (input === filter.input) return filter;
  const condition = allOf(kept);
  return condition === null ? input : { ...filter, input, condition };
}

function joinFor(subquery: Subquery, input: Plan): Join | null {
  if (subquery.form === 'exists') return existsJoin(subquery, input);
  return subquery.form === 'in' && !subquery.negated ? inJoin(subquery, input) : null;
}

/** True when the plan looks at the row of the directly enclosing query. */
function seesRow(plan: Plan): boolean {
  let found = false;
  visitFreeReferences(plan, (depth) => {
    if (depth === 1) found = true;
  });
  return found;
}

/** The subquery's plan one level further out: its references to outer rows lose one step. */
const raise = (plan: Plan): Plan => mapFreeReferences(plan, (depth, index) => ({ depth: depth - 1, index }));

const semi = (input: Plan, right: Plan, options: { anti: boolean; condition: Expression | null }): Join => ({
  kind: 'join',
  join: options.anti ? 'anti' : 'semi',
  left: input,
  right,
  lateral: false,
  keys: [],
  condition: options.condition,
  output: input.output,
});

/** `compare` over the joined row: the subquery's columns behind, the outer row in front. */
function inJoin(subquery: Subquery, input: Plan): Join | null {
  const { compare, plan } = subquery;
  if (compare === null || hasSubquery(compare) || seesRow(plan)) return null;
  return semi(input, raise(plan), { anti: false, condition: overJoin(compare, input) });
}

function overJoin(condition: Expression, input: Plan): Expression {
  return mapFreeInExpression(shiftColumns(condition, input.output.length), (depth, index) => ({
    depth: depth - 1,
    index,
  }));
}

/** Conditions that tie the subquery to the row are pulled out of it, as far as it has a filter on top. */
function existsJoin(subquery: Subquery, input: Plan): Join | null {
  const plan = withoutProjection(subquery.plan);
  if (plan === null) return null;
  if (!seesRow(plan)) return semi(input, raise(plan), { anti: subquery.negated, condition: null });
  const { inner, conditions } = filterOf(plan);
  const tied = conditions.filter(tiesToRow);
  const free = conditions.filter((condition) => !tiesToRow(condition));
  if (tied.length === 0 || tied.some(hasSubquery) || seesRow(inner)) return null;
  const condition = allOf(free);
  const right: Plan =
    condition === null ? inner : { kind: 'filter', input: inner, condition, output: inner.output };
  return semi(input, raise(right), {
    anti: subquery.negated,
    condition: allOf(tied.map((part) => overJoin(part, input))),
  });
}

/** Whether there are rows does not depend on the select list; null when something else decides it. */
function withoutProjection(plan: Plan): Plan | null {
  if (plan.kind === 'project') return plan.sets.length > 0 ? null : withoutProjection(plan.input);
  return plan.kind === 'filter' || plan.kind === 'scan' || plan.kind === 'join' ? plan : null;
}

function filterOf(plan: Plan): { inner: Plan; conditions: readonly Expression[] } {
  if (plan.kind === 'filter') return { inner: plan.input, conditions: conjuncts(plan.condition) };
  if (plan.kind === 'scan' && plan.lookup === null && plan.topK === null) {
    return { inner: { ...plan, filter: null }, conditions: conjuncts(plan.filter) };
  }
  return { inner: plan, conditions: [] };
}

function tiesToRow(condition: Expression): boolean {
  let found = false;
  visitFreeInExpression(condition, (depth) => {
    if (depth === 1) found = true;
  });
  return found;
}
