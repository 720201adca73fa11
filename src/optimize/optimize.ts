/**
 * The optimizer: an ordered list of rules, applied to every node and every subquery until nothing changes.
 * Each rule can be switched off by name, all of them by `all`: then the plan is run as the binder made it.
 */
import type { Expression } from '../plan/expression.ts';
import type { Plan } from '../plan/plan.ts';
import { mapPlan, mapPlanExpressions, rewriteExpression } from '../plan/walk.ts';
import { bestPerGroup } from './access/best-per-group.ts';
import { decorrelate } from './join/decorrelate.ts';
import { emptyInputs } from './empty-inputs.ts';
import { factorOr } from './factor-or.ts';
import { foldConstants } from './fold-constants.ts';
import { geoRanges } from './access/geo-ranges.ts';
import { joinOrder } from './join/order.ts';
import { joinSide } from './join/side.ts';
import { joinKeys } from './join/keys.ts';
import { keyLookup } from './access/key-lookup.ts';
import { orderAccess } from './access/order-access.ts';
import { outerJoin } from './join/outer-join.ts';
import { pruneColumns } from './prune-columns.ts';
import { pushFilter } from './push-filter.ts';
import { retrievalTopK } from './access/retrieval-top-k.ts';
import type { OptimizerContext, Rule } from './rule.ts';
import { semiJoin } from './join/semi-join.ts';
import { textAccess } from './access/text-access.ts';
import { topN } from './top-n.ts';
import { vectorOperator } from './access/vector-operator.ts';

export const RULES: readonly Rule[] = [
  geoRanges,
  foldConstants,
  factorOr,
  semiJoin,
  decorrelate,
  outerJoin,
  pushFilter,
  joinKeys,
  joinOrder,
  emptyInputs,
  keyLookup,
  joinSide,
  vectorOperator,
  retrievalTopK,
  bestPerGroup,
  topN,
  orderAccess,
  textAccess,
  pruneColumns,
];

/** Rounds over all rules; a plan settles in two or three. */
const ROUNDS_MAX = 6;

export function optimize(plan: Plan, context: OptimizerContext): Plan {
  if (context.disabled.has('all')) return plan;
  const rules = RULES.filter((rule) => !context.disabled.has(rule.name));
  return rules.length === 0 ? plan : settle(plan, rules, context);
}

function settle(plan: Plan, rules: readonly Rule[], context: OptimizerContext): Plan {
  let current = plan;
  for (const { early, rewrite } of rules) {
    if (early === true && rewrite !== undefined)
      current = everywhere(current, (node) => rewrite(node, context));
  }
  current = mapSubqueryPlans(current, (subquery) => settle(subquery, rules, context));
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const before = current;
    for (const { rewrite, rewriteRoot } of rules) {
      if (rewrite !== undefined) current = everywhere(current, (node) => rewrite(node, context));
      if (rewriteRoot !== undefined) current = rewriteRoot(current, context);
    }
    if (current === before) return current;
  }
  return current;
}

/** Rewrites every node, inputs first. */
function everywhere(plan: Plan, rewrite: (plan: Plan) => Plan): Plan {
  return rewrite(mapPlan(plan, (input) => everywhere(input, rewrite)));
}

/** Rewrites the plans of subqueries in the expressions of all nodes. */
function mapSubqueryPlans(plan: Plan, change: (plan: Plan) => Plan): Plan {
  const inExpression = (expression: Expression): Expression =>
    rewriteExpression(expression, (part) => {
      if (part.kind !== 'subquery') return part;
      const changed = change(part.plan);
      return changed === part.plan ? part : { ...part, plan: changed };
    });
  return mapPlanExpressions(
    mapPlan(plan, (input) => mapSubqueryPlans(input, change)),
    inExpression,
  );
}
