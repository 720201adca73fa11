/** How many rows a plan gives: sizes of relations, statistics of their columns, default shares for the rest. */
import type { Expression } from '../plan/expression.ts';
import type { Aggregate, Join, Plan } from '../plan/plan.ts';
import { originOf } from './column-origin.ts';
import type { OptimizerContext } from './rule.ts';
import { Selectivity } from './selectivity.ts';

const GROUPS_SHARE = 1 / 10;
const DISTINCT_SHARE = 1 / 3;
/** Rows of set-returning functions, system relations and other plans without statistics. */
export const ROWS_UNKNOWN = 1_000;

/** 0 or more, not rounded. Kept by plan: an estimate of a join asks for its inputs' several times. */
export function estimateRows(plan: Plan, context: OptimizerContext): number {
  const known = context.estimates.get(plan);
  if (known !== undefined) return known;
  const rows = estimate(plan, context);
  context.estimates.set(plan, rows);
  return rows;
}

function estimate(plan: Plan, context: OptimizerContext): number {
  const of = (input: Plan): number => estimateRows(input, context);
  switch (plan.kind) {
    case 'scan': {
      if (plan.lookup !== null) return 1;
      const rows = context.statistics(plan.relation).rows;
      return plan.filter === null ? rows : rows * new Selectivity(plan, context).of(plan.filter);
    }
    case 'values':
      return plan.rows.length;
    case 'constants':
      return plan.count;
    case 'filter':
      return of(plan.input) * new Selectivity(plan.input, context).of(plan.condition);
    case 'project':
    case 'sort':
    case 'lock rows':
    case 'window':
    case 'insert':
    case 'update':
    case 'delete':
      return of(plan.input);
    case 'limit': {
      const rows = of(plan.input);
      return plan.count?.kind === 'literal' && plan.count.value !== null
        ? Math.min(rows, Number(plan.count.value))
        : rows;
    }
    case 'distinct':
      return of(plan.input) * DISTINCT_SHARE;
    case 'aggregate':
      return groups(plan, context);
    case 'set':
      return plan.operation === 'union'
        ? plan.inputs.reduce((rows, input) => rows + of(input), 0)
        : of(plan.inputs[0] as Plan);
    case 'with':
      return of(plan.body);
    case 'join':
      return joined(plan, context);
    default:
      return ROWS_UNKNOWN;
  }
}

/** Distinct values of each key multiplied, but no more than there are rows. */
function groups(plan: Aggregate, context: OptimizerContext): number {
  if (plan.keys.length === 0) return 1;
  const rows = estimateRows(plan.input, context);
  let count = 1;
  for (const key of plan.keys) {
    const origin = originOf(key, plan.input, context);
    count *= origin === null ? Math.max(1, rows * GROUPS_SHARE) : Math.min(origin.distinct, rows);
  }
  return Math.min(count, rows);
}

function joined(plan: Join, context: OptimizerContext): number {
  const left = estimateRows(plan.left, context);
  const right = estimateRows(plan.right, context);
  const both = new Selectivity({ ...plan, join: 'inner' }, context);
  const share = plan.condition === null ? 1 : both.of(plan.condition);
  const keyed = plan.keys.reduce((product, key) => product * keyShare(key, plan, context), share);
  const pairs = left * right * keyed;
  switch (plan.join) {
    case 'semi':
      return left * matchShare(plan, right, context);
    case 'anti':
      return left * (1 - matchShare(plan, right, context));
    case 'left':
      return Math.max(left, pairs);
    case 'right':
      return Math.max(right, pairs);
    case 'full':
      return Math.max(left + right, pairs);
    default:
      return pairs;
  }
}

function keyShare(key: Join['keys'][number], plan: Join, context: OptimizerContext): number {
  const left = distinctKeys(key.left, plan.left, context);
  return 1 / Math.max(left, distinctKeys(key.right, plan.right, context));
}

/** Distinct values of a join key among the plan's rows. */
function distinctKeys(key: Expression, plan: Plan, context: OptimizerContext): number {
  const rows = Math.max(1, estimateRows(plan, context));
  return Math.min(rows, originOf(key, plan, context)?.distinct ?? rows);
}

/** Share of left rows that some right row matches. */
function matchShare(plan: Join, right: number, context: OptimizerContext): number {
  const [key] = plan.keys;
  if (key === undefined) return right > 0 ? 0.5 : 0;
  const values = originOf(key.left, plan.left, context)?.distinct ?? estimateRows(plan.left, context);
  return Math.min(1, distinctKeys(key.right, plan.right, context) / Math.max(1, values));
}
