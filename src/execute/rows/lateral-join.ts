/** A join whose right side refers to the left row: the right plan is run for each, with that row outside. */
import type { Join } from '../../physical/physical.ts';
import { constantVector, type Batch } from '../../types/column/vector.ts';
import { nullColumns } from '../batches.ts';
import { filterBatch, sliceBatch } from '../expression/evaluate.ts';
import { checkpoint, type Run, withOuter } from '../state.ts';

export async function* runLateralJoin(plan: Join, run: Run): AsyncGenerator<Batch> {
  const condition = plan.rest;
  const exists = plan.join === 'semi' || plan.join === 'anti';
  for await (const left of run.execute(plan.left, run)) {
    for (let row = 0; row < left.length; row++) {
      const pause = checkpoint(run);
      if (pause !== null) await pause;
      let matched = false;
      for await (const right of run.execute(plan.right, withOuter(run, { columns: left.columns, row }))) {
        const combined = besides(left, row, right);
        const kept = condition === null ? combined : await filterBatch(condition, combined, run);
        if (kept.length === 0) continue;
        matched = true;
        if (exists) break;
        yield kept;
      }
      const single = sliceBatch(left, row, row + 1);
      if (exists) {
        if (matched === (plan.join === 'semi')) yield single;
      } else if (!matched && plan.join === 'left') {
        yield { length: 1, columns: [...single.columns, ...nullColumns(plan.right.output, 1)] };
      }
    }
  }
}

/** One left row before each right row. */
function besides(left: Batch, row: number, right: Batch): Batch {
  const columns = left.columns.map((column) => constantVector(column.kind, column.get(row), right.length));
  return { length: right.length, columns: [...columns, ...right.columns] };
}
