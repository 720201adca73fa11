/** DELETE: the locked rows are removed; RETURNING shows what they were. */
import { liveColumns } from '../../catalog/model.ts';
import type { Delete } from '../../physical/physical.ts';
import { runTask } from '../../task.ts';
import type { Batch } from '../../types/column/vector.ts';
import { evaluateAll } from '../expression/evaluate.ts';
import { lockRows } from './locked-rows.ts';
import { checkpoint, type Run } from '../state.ts';
import { readAddresses } from '../scan/stored-rows.ts';
import { relationOf } from './written-rows.ts';

export async function* runDelete(plan: Delete, run: Run): AsyncGenerator<Batch> {
  // A request of a client has an LSN whatever it finds; plain tables have no use for one.
  if (relationOf(plan.relation, run).kind === 'collection') {
    run.context.transaction.touch(plan.relation, plan.partition);
  }
  for await (const { batch, rowNumbers, addresses } of lockRows(plan, run)) {
    const pause = checkpoint(run);
    if (pause !== null) await pause;
    const { length } = batch;
    if (plan.returning === null) {
      run.context.transaction.delete(plan.relation, plan.partition, rowNumbers);
      yield { length, columns: [] };
      continue;
    }
    const old = await runTask(readAddresses(addresses, liveColumns(relationOf(plan.relation, run))));
    run.context.transaction.delete(plan.relation, plan.partition, rowNumbers);
    const columns = [...old, ...batch.columns];
    yield { length, columns: await evaluateAll(plan.returning, { length, columns }, run) };
  }
}
