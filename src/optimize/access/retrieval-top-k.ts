/**
 * A sorted, limited scan with rankings asks the scan for its best rows only, so that it may use its indexes.
 * Sort and limit stay above: they order the few rows that come.
 */
import type { Expression } from '../../plan/expression.ts';
import type { Limit, Plan, Scan, SortKey } from '../../plan/plan.ts';
import { substituteColumns } from '../../plan/free-references.ts';
import { columnsRead, isFixed, isMovable } from '../conditions.ts';
import type { Rule } from '../rule.ts';

export const retrievalTopK: Rule = {
  name: 'retrieval-top-k',
  summary: 'Lets a ranked scan give its best rows by its indexes.',
  rewrite: (plan) => (plan.kind === 'limit' && plan.ties === null ? rankedLimit(plan) : plan),
};

function rankedLimit(limit: Limit): Plan {
  const { count, offset } = limit;
  if (count === null || !isFixed(count) || (offset !== null && !isFixed(offset))) return limit;
  const input = askBelow(limit.input, { count, offset });
  return input === limit.input ? limit : { ...limit, input };
}

interface Wanted {
  readonly count: Expression;
  readonly offset: Expression | null;
}

/** Looks for the sort, through projections that keep rows as they are. */
function askBelow(plan: Plan, wanted: Wanted): Plan {
  if (plan.kind === 'project' && plan.sets.length === 0) {
    const input = askBelow(plan.input, wanted);
    return input === plan.input ? plan : { ...plan, input };
  }
  if (plan.kind !== 'sort') return plan;
  const input = askScan(plan.input, plan.keys, wanted);
  return input === plan.input ? plan : { ...plan, input };
}

/** Follows the sort keys down to the scan. */
function askScan(plan: Plan, keys: readonly SortKey[], wanted: Wanted): Plan {
  if (plan.kind === 'project' && plan.sets.length === 0) {
    const below = keys.map((key) => ({
      ...key,
      expression: substitute(key.expression, plan.expressions),
    }));
    if (below.some((key) => key.expression === null)) return plan;
    const input = askScan(plan.input, below as SortKey[], wanted);
    return input === plan.input ? plan : { ...plan, input };
  }
  if (plan.kind !== 'scan') return plan;
  return canRank(plan, keys) ? { ...plan, topK: { ...wanted, keys } } : plan;
}

/** An expression over a projection's output in terms of its input; null where that would evaluate it otherwise. */
export function substitute(expression: Expression, by: readonly Expression[]): Expression | null {
  if (!isMovable(expression)) return null;
  if ([...columnsRead(expression)].some((index) => !isMovable(by[index] as Expression))) return null;
  return substituteColumns(expression, (index) => by[index] as Expression);
}

export function canRank(scan: Scan, keys: readonly SortKey[]): boolean {
  if (scan.arms.length === 0 || scan.topK !== null || scan.lookup !== null) return false;
  if (!keys.every((key) => isMovable(key.expression))) return false;
  const firstArm = scan.columns.length;
  return keys.some((key) => [...columnsRead(key.expression)].some((index) => index >= firstArm));
}
