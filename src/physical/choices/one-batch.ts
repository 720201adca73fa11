/**
 * Plans whose rows are one batch: constants, the row of a key, the best rows of a ranking, and INSERT and UPDATE of
 * these. Most statements of a busy server are such; they run as one task instead of a generator an operator.
 */
import { BATCH_ROWS_MAX } from '../../limits.ts';
import type { Expression } from '../../plan/expression.ts';
import type { Choice } from '../choice.ts';
import type { PhysicalPlan, Scan } from '../physical.ts';

export const oneBatch: Choice = {
  name: 'one-batch',
  summary: 'Runs what gives one batch as one task.',
  choose: (plan) => {
    const counts = countsOf(plan);
    return counts === null ? plan : ({ ...plan, oneBatch: counts } as PhysicalPlan);
  },
};

/** Null: there may be many batches. */
function countsOf(plan: PhysicalPlan): readonly Expression[] | null {
  switch (plan.kind) {
    case 'values':
      return plan.rows.length <= BATCH_ROWS_MAX ? [] : null;
    case 'fusion':
      return [];
    case 'scan':
      return countsOfScan(plan);
    case 'insert':
    case 'update':
    case 'filter':
    case 'sort':
      return ofInput(plan.input);
    case 'project':
      return plan.sets.length === 0 ? ofInput(plan.input) : null;
    case 'limit':
      return plan.ties === null ? ofInput(plan.input) : null;
    default:
      return null;
  }
}

const ofInput = (input: PhysicalPlan): readonly Expression[] | null =>
  ('oneBatch' in input ? input.oneBatch : undefined) ?? null;

function countsOfScan({ request, arms, topK }: Scan): readonly Expression[] | null {
  if (request.kind === 'key') return arms.length === 0 ? [] : null;
  if (request.kind !== 'best rows' || topK === null || topK.groups !== undefined) return null;
  return topK.offset === null ? [topK.count] : [topK.count, topK.offset];
}
