/** WHERE and HAVING: the rows for which the condition is TRUE. */
import type { Filter } from '../../physical/physical.ts';
import type { Batch } from '../../types/column/vector.ts';
import { filterBatch } from '../expression/evaluate.ts';
import { checkpoint, type Run } from '../state.ts';

export async function* runFilter(plan: Filter, run: Run): AsyncGenerator<Batch> {
  for await (const batch of run.execute(plan.input, run)) {
    const pause = checkpoint(run);
    if (pause !== null) await pause;
    const kept = await filterBatch(plan.condition, batch, run);
    if (kept.length > 0) yield kept;
  }
}
