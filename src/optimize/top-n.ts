/** A sort below a LIMIT keeps only as many rows as the limit can use. */
import type { Expression } from '../plan/expression.ts';
import type { Limit, Plan } from '../plan/plan.ts';
import { OID } from '../types/oids.ts';
import { isFixed } from './conditions.ts';
import type { Rule } from './rule.ts';

export const topN: Rule = {
  name: 'top-n',
  summary: 'Keeps only the best rows while sorting for a LIMIT.',
  rewrite: (plan) => (plan.kind === 'limit' && plan.ties === null ? limitSort(plan) : plan),
};

function limitSort(limit: Limit): Plan {
  const top = rowsUsed(limit);
  if (top === null) return limit;
  const input = withTop(limit.input, top);
  return input === limit.input ? limit : { ...limit, input };
}

function withTop(plan: Plan, top: Expression): Plan {
  if (plan.kind === 'sort') return plan.top === null ? { ...plan, top } : plan;
  if (plan.kind !== 'project' || plan.sets.length > 0) return plan;
  const input = withTop(plan.input, top);
  return input === plan.input ? plan : { ...plan, input };
}

/** LIMIT + OFFSET; null when it is not known before the rows are. */
function rowsUsed({ count, offset }: Limit): Expression | null {
  if (count === null || !isFixed(count) || count.type.oid !== OID.int8) return null;
  if (offset === null) return count;
  if (!isFixed(offset) || offset.type.oid !== OID.int8) return null;
  const zero: Expression = { kind: 'literal', value: 0n, type: offset.type };
  const skipped: Expression = { kind: 'coalesce', args: [offset, zero], type: offset.type };
  return { kind: 'call', function: '+(int8,int8)', args: [count, skipped], type: count.type };
}
