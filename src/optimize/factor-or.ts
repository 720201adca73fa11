/**
 * `(a AND b) OR (a AND c)` becomes `a AND (b OR c)`: what all branches ask for can then be pushed, or join. It
 * holds with NULLs too.
 */
import { sameTree } from '../plan/same-tree.ts';
import type { Expression } from '../plan/expression.ts';
import { mapPlanExpressions, rewriteExpression } from '../plan/walk.ts';
import { allOf, BOOLEAN, conjuncts, isMovable } from './conditions.ts';
import type { Rule } from './rule.ts';

export const factorOr: Rule = {
  name: 'factor-or',
  summary: 'Takes conditions that every branch of an OR has out of it.',
  rewrite: (plan) => mapPlanExpressions(plan, (expression) => rewriteExpression(expression, factor)),
};

function factor(expression: Expression): Expression {
  if (expression.kind !== 'or') return expression;
  const branches = expression.args.map((arg) => conjuncts(arg));
  const [first = [], ...others] = branches;
  const common = first.filter(
    (part) => isMovable(part) && others.every((branch) => branch.some((other) => sameTree(part, other))),
  );
  if (common.length === 0) return expression;
  const rests = branches.map((branch) =>
    allOf(branch.filter((part) => !common.some((shared) => sameTree(part, shared)))),
  );
  // A branch that asks for nothing else holds whenever the common part does.
  const rest = rests.flatMap((branch) => branch ?? []);
  const either: Expression = { kind: 'or', args: rest, type: BOOLEAN };
  return allOf(rest.length < rests.length ? common : [...common, either]) as Expression;
}
