/** Window functions. */
import { notSupported } from '../errors.ts';
import type { Window } from '../plan/plan.ts';
import type { Batch } from '../types/vector.ts';
import type { Run } from './state.ts';

export async function* runWindow(plan: Window, run: Run): AsyncGenerator<Batch> {
  for await (const batch of run.execute(plan.input, run)) {
    if (batch.length > 0) throw notSupported('a window function');
    yield batch;
  }
}
