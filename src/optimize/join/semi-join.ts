/**
 * `EXISTS (…)` and `x IN (…)` in WHERE become semi joins, NOT EXISTS an anti join. NOT IN stays as it is: a
 * NULL on either side makes it NULL, which a join cannot say.
 */
import type { Expression, Subquery } from '../../plan/expression.ts';
import type { Filter, Join, Plan } from '../../plan/plan.ts';
import { allOf, conjuncts, hasSubquery } from '../conditions.ts';
import { overJoin, pullTied, raise, seesRow } from './correlation.ts';
import type { Rule } from '../rule.ts';

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
  return semi(input, raise(plan), { anti: false, condition: overJoin(compare, input.output.length) });
}

/** Conditions that tie the subquery to the row become the join's. */
function existsJoin(subquery: Subquery, input: Plan): Join | null {
  const plan = withoutProjection(subquery.plan);
  const pulled = plan === null ? null : pullTied(plan);
  if (pulled === null || pulled.tied.some(hasSubquery)) return null;
  return semi(input, raise(pulled.plan), {
    anti: subquery.negated,
    condition: allOf(pulled.tied.map((part) => overJoin(part, input.output.length))),
  });
}

/** Drops the select list, as it does not decide whether there are rows; null when something else decides it. */
function withoutProjection(plan: Plan): Plan | null {
  if (plan.kind === 'project') return plan.sets.length > 0 ? null : withoutProjection(plan.input);
  return plan.kind === 'filter' || plan.kind === 'scan' || plan.kind === 'join' ? plan : null;
}
