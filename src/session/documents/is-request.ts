/** Plans of requests (`quern.upsert()`, `quern.update()`): a statement that is only that may end its own transaction. */
import { setFunctionById } from '../../functions/registry.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Expression } from '../../plan/expression.ts';
import { isVolatile } from '../../plan/volatile.ts';
import { visitExpression } from '../../plan/walk.ts';

/** True when a plan is a request's function and nothing else that would be asked of the database. */
export function isRequest(plan: Plan | null): boolean {
  if (plan?.kind === 'function') return isRequestFunction(plan.function);
  if (plan?.kind !== 'project' || !plan.expressions.every(isPlain)) return false;
  const [set, ...more] = plan.sets;
  if (set === undefined) return isRequest(plan.input);
  const isOneRow = plan.input.kind === 'values' && plan.input.rows.length === 1;
  return isOneRow && more.length === 0 && set.args.every(isPlain) && isRequestFunction(set.function);
}

const isRequestFunction = (id: string): boolean => setFunctionById(id).commits === true;

function isPlain(expression: Expression): boolean {
  if (isVolatile(expression)) return false;
  let asks = false;
  visitExpression(expression, ({ kind }) => {
    asks ||= kind === 'subquery';
  });
  return !asks;
}
