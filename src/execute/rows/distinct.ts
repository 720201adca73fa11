/** DISTINCT and DISTINCT ON: the first row of each key. */
import type { Distinct } from '../../physical/physical.ts';
import { wait } from '../../task.ts';
import type { Batch } from '../../types/column/vector.ts';
import { evaluateAll, takeBatch } from '../expression/evaluate.ts';
import { HeldRows } from '../held-rows.ts';
import { KeyNumbers } from './key-numbers.ts';
import type { Steps } from '../plan-rows.ts';
import { eachBatch, type Run } from '../state.ts';

export function* runDistinct(plan: Distinct, run: Run): Steps {
  const types = (plan.on ?? plan.output).map((column) => column.type);
  using held = new HeldRows(run.context.account);
  const table = new KeyNumbers(types, true, held);
  yield* eachBatch(plan.input, run, function* (batch): Steps {
    const keys = plan.on === null ? batch.columns : yield* wait(evaluateAll(plan.on, batch, run));
    const fresh = newRows(table, { length: batch.length, columns: keys });
    if (fresh.length > 0) yield takeBatch(batch, fresh);
  });
}

/** Positions of rows whose key the table had not seen. */
export function newRows(table: KeyNumbers, keys: Batch): Uint32Array {
  let seen = table.size;
  const numbers = table.insert(keys.columns, keys.length);
  const rows: number[] = [];
  for (let row = 0; row < numbers.length; row++) {
    if (numbers[row] !== seen) continue;
    seen++;
    rows.push(row);
  }
  return Uint32Array.from(rows);
}
