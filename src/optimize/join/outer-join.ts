/** An outer join whose made-up NULLs a condition above throws away is an inner join. */
import { functionById } from '../../functions/registry.ts';
import type { Expression } from '../../plan/expression.ts';
import type { Filter, Join, Plan } from '../../plan/plan.ts';
import { conjuncts } from '../conditions.ts';
import type { Rule } from '../rule.ts';

export const outerJoin: Rule = {
  name: 'outer-join',
  summary: 'Turns outer joins into inner ones where a condition drops the rows with NULLs.',
  rewrite: (plan) => (plan.kind === 'filter' ? throughFilter(plan) : plan),
};

function throughFilter(filter: Filter): Plan {
  const { input } = filter;
  if (input.kind !== 'join' || input.lateral) return filter;
  const width = input.left.output.length;
  const rejected = conjuncts(filter.condition).flatMap((condition) => [...nullRejected(condition)]);
  const left = rejected.some((index) => index < width);
  const right = rejected.some((index) => index >= width);
  const join = narrowed(input.join, left, right);
  return join === input.join ? filter : { ...filter, input: { ...input, join } };
}

/** @param left whether a NULL of every left column at once is thrown away; `right` alike. */
function narrowed(join: Join['join'], left: boolean, right: boolean): Join['join'] {
  if (join === 'left') return right ? 'inner' : join;
  if (join === 'right') return left ? 'inner' : join;
  if (join !== 'full') return join;
  if (left && right) return 'inner';
  return left ? 'left' : right ? 'right' : join;
}

/** Columns whose NULL keeps the condition from being TRUE. */
function nullRejected(condition: Expression): ReadonlySet<number> {
  if (condition.kind === 'is' && condition.test === 'null' && condition.negated)
    return strictColumns(condition.input);
  return condition.kind === 'call' || condition.kind === 'in' ? strictColumns(condition) : new Set();
}

/** Columns whose NULL makes the expression NULL. */
function strictColumns(expression: Expression): ReadonlySet<number> {
  switch (expression.kind) {
    case 'column':
      return new Set([expression.index]);
    case 'call': {
      if (functionById(expression.function).strict === false) return new Set();
      return new Set(expression.args.flatMap((arg) => [...strictColumns(arg)]));
    }
    case 'cast':
      return strictColumns(expression.input);
    case 'in':
      return expression.negated ? new Set() : strictColumns(expression.input);
    default:
      return new Set();
  }
}
