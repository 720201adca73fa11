/** WHERE and HAVING: the rows for which the condition is TRUE. */
import type { Filter } from '../../physical/physical.ts';
import { wait } from '../../task.ts';
import { filterBatch } from '../expression/evaluate.ts';
import type { Steps } from '../plan-rows.ts';
import { eachBatch, type Run } from '../state.ts';

export function runFilter(plan: Filter, run: Run): Steps {
  return eachBatch(plan.input, run, function* (batch): Steps {
    const kept = yield* wait(filterBatch(plan.condition, batch, run));
    if (kept.length > 0) yield kept;
  });
}
