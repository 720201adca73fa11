/** A join whose right side refers to the left row: the right plan is run for each, with that row outside. */
import type { Join } from '../../physical/physical.ts';
import { wait } from '../../task.ts';
import { constantVector, type Batch } from '../../types/column/vector.ts';
import { nullColumns } from '../batches.ts';
import { filterBatch, sliceBatch } from '../expression/evaluate.ts';
import type { Steps, StepsUntil } from '../plan-rows.ts';
import { eachBatch, type Run, turn, withOuter } from '../state.ts';

export function runLateralJoin(plan: Join, run: Run): Steps {
  return eachBatch(plan.left, run, function* (left): Steps {
    for (let row = 0; row < left.length; row++) {
      yield* turn(run);
      yield* joinRow(plan, left, row, run);
    }
  });
}

function* joinRow(plan: Join, left: Batch, row: number, run: Run): Steps {
  const condition = plan.rest;
  const exists = plan.join === 'semi' || plan.join === 'anti';
  let matched = false;
  const inner = withOuter(run, { columns: left.columns, row });
  yield* eachBatch(plan.right, inner, function* (right): StepsUntil {
    const combined = besides(left, row, right);
    const kept = condition === null ? combined : yield* wait(filterBatch(condition, combined, run));
    if (kept.length === 0) return false;
    matched = true;
    if (!exists) yield kept;
    return exists;
  });
  const single = sliceBatch(left, row, row + 1);
  if (exists) {
    if (matched === (plan.join === 'semi')) yield single;
  } else if (!matched && plan.join === 'left') {
    yield { length: 1, columns: [...single.columns, ...nullColumns(plan.right.output, 1)] };
  }
}

/** One left row before each right row. */
function besides(left: Batch, row: number, right: Batch): Batch {
  const columns = left.columns.map((column) => constantVector(column.kind, column.get(row), right.length));
  return { length: right.length, columns: [...columns, ...right.columns] };
}
