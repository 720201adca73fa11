/** A set-returning function in FROM, WITH ORDINALITY if asked. */
import { BATCH_ROWS_MAX } from '../limits.ts';
import type { FunctionScan } from '../plan/plan.ts';
import type { Batch } from '../types/vector.ts';
import { BatchBuilder } from './batches.ts';
import { ONE_ROW } from './expression.ts';
import { argumentVectors, callSetFunction } from './set-functions.ts';
import { checkpoint, type Run } from './state.ts';

export async function* runFunctionScan(plan: FunctionScan, run: Run): AsyncGenerator<Batch> {
  const args = await argumentVectors(plan.args, ONE_ROW, run);
  const builder = new BatchBuilder(plan.output);
  let ordinal = 0n;
  for (const row of callSetFunction(plan.function, args, 0, run)) {
    ordinal++;
    builder.add(plan.ordinality ? [...row, ordinal] : row);
    if (builder.length < BATCH_ROWS_MAX) continue;
    const pause = checkpoint(run);
    if (pause !== null) await pause;
    yield builder.take();
  }
  if (builder.length > 0) yield builder.take();
}
