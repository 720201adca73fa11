/** WHERE and HAVING: the rows for which the condition is TRUE. */
import type { Filter } from '../../physical/physical.ts';
import { filterBatch } from '../expression/evaluate.ts';
import type { PlanRows } from '../plan-rows.ts';
import { mapBatches, type Run } from '../state.ts';

export const runFilter = ({ input, condition }: Filter, run: Run): PlanRows =>
  mapBatches(input, run, (batch) => filterBatch(condition, batch, run));
