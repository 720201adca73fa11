/** A condition that is never true gives no rows; one that always is goes away. */
import type { Plan } from '../plan/plan.ts';
import type { Rule } from './rule.ts';

export const emptyInputs: Rule = {
  name: 'empty-inputs',
  summary: 'Does not run what a constant condition excludes.',
  rewrite,
};

function rewrite(plan: Plan): Plan {
  if (plan.kind === 'filter' && plan.condition.kind === 'literal') {
    return plan.condition.value === true ? plan.input : empty(plan);
  }
  if (plan.kind === 'scan' && plan.filter?.kind === 'literal') {
    if (plan.filter.value === true) return { ...plan, filter: null };
    return plan.rowNumber ? plan : empty(plan);
  }
  return plan;
}

const empty = (plan: Plan): Plan => ({ kind: 'values', rows: [], output: plan.output });
