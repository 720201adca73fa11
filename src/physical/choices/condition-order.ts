/** Conditions on columns before those that need scores or subqueries: these are computed for the rows that are left. */
import { visitExpression } from '../../plan/walk.ts';
import type { Choice } from '../choice.ts';
import type { Condition, Scan } from '../physical.ts';

export const conditionOrder: Choice = {
  name: 'condition-order',
  summary: 'Asks conditions on columns before those that need scores or subqueries.',
  choose: (plan) => {
    if (plan.kind !== 'scan' || plan.conditions.length < 2) return plan;
    const dear = plan.conditions.filter((condition) => isDear(plan, condition));
    if (dear.length === 0) return plan;
    const cheap = plan.conditions.filter((condition) => !dear.includes(condition));
    return { ...plan, conditions: [...cheap, ...dear] };
  },
};

function isDear({ columns }: Scan, { expression }: Condition): boolean {
  let found = false;
  visitExpression(expression, (part) => {
    found ||= part.kind === 'subquery' || (part.kind === 'column' && part.index >= columns.length);
  });
  return found;
}
