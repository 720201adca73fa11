/** A set-returning function in FROM, WITH ORDINALITY if asked. */
import { BATCH_ROWS_MAX } from '../../limits.ts';
import type { FunctionScan } from '../../physical/physical.ts';
import { wait } from '../../task.ts';
import { BatchBuilder } from '../batches.ts';
import { ONE_ROW } from '../expression/compiled.ts';
import { argumentVectors, callSetFunction } from '../expression/set-functions.ts';
import { Pace } from '../pace.ts';
import type { Steps } from '../plan-rows.ts';
import type { Run } from '../state.ts';

/** The clock is looked at after so many. */
const ROWS_A_LOOK = 64;

export function* runFunctionScan(plan: FunctionScan, run: Run): Steps {
  const args = yield* argumentVectors(plan.args, ONE_ROW, run);
  const builder = new BatchBuilder(plan.output);
  const pace = new Pace(run, ROWS_A_LOOK);
  let ordinal = 0n;
  const rows = yield* callSetFunction(plan.function, args, 0, run);
  try {
    for (;;) {
      const next = rows.next();
      const step = next instanceof Promise ? yield* wait(next) : next;
      if (step.done === true) break;
      ordinal++;
      builder.add(plan.ordinality ? [...step.value, ordinal] : step.value);
      const pause = pace.after(1);
      if (pause !== null) yield* wait(pause);
      // Rows that had to be waited for are not kept waiting.
      if (builder.length >= BATCH_ROWS_MAX || next instanceof Promise) yield builder.take();
    }
    if (builder.length > 0) yield builder.take();
  } finally {
    yield* wait(rows.return?.());
  }
}
