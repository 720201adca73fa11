/** How many rows a plan gives, roughly: sizes of relations and a fixed share for every filter. */
import type { Plan } from '../plan/plan.ts';
import type { OptimizerContext } from './rule.ts';

/** A filter of unknown selectivity keeps this share; PostgreSQL's default for inequalities. */
const FILTER_SHARE = 1 / 3;
const GROUPS_SHARE = 1 / 10;
/** Of set-returning functions, system relations and other plans without statistics. */
const ROWS_UNKNOWN = 1_000;

export function estimateRows(plan: Plan, context: OptimizerContext): number {
  const of = (input: Plan): number => estimateRows(input, context);
  switch (plan.kind) {
    case 'scan': {
      if (plan.lookup !== null) return 1;
      const { rows } = context.statistics(plan.relation);
      return plan.filter === null ? rows : rows * FILTER_SHARE;
    }
    case 'values':
      return plan.rows.length;
    case 'filter':
      return of(plan.input) * FILTER_SHARE;
    case 'project':
    case 'sort':
    case 'lock rows':
    case 'window':
      return of(plan.input);
    case 'distinct':
      return of(plan.input) * FILTER_SHARE;
    case 'aggregate':
      return plan.keys.length === 0 ? 1 : of(plan.input) * GROUPS_SHARE;
    case 'join':
      if (plan.join === 'semi' || plan.join === 'anti') return of(plan.left);
      if (plan.keys.length === 0) return of(plan.left) * of(plan.right);
      return Math.max(of(plan.left), of(plan.right));
    default:
      return ROWS_UNKNOWN;
  }
}
