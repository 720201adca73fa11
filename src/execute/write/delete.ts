/** DELETE: the locked rows are removed; RETURNING shows what they were. */
import { liveColumns } from '../../catalog/model.ts';
import type { Delete } from '../../physical/physical.ts';
import { wait } from '../../task.ts';
import { evaluateAll } from '../expression/evaluate.ts';
import { lockRows } from './locked-rows.ts';
import type { Steps } from '../plan-rows.ts';
import { type Run, turn } from '../state.ts';
import { readAddresses } from '../scan/stored-rows.ts';
import { relationOf } from './written-rows.ts';

export function* runDelete(plan: Delete, run: Run): Steps {
  // A request of a client has an LSN whatever it finds; plain tables have no use for one.
  if (relationOf(plan.relation, run).kind === 'collection') {
    run.context.transaction.touch(plan.relation, plan.partition);
  }
  yield* lockRows(plan, run, function* ({ batch, rowNumbers, addresses }): Steps {
    yield* turn(run);
    const { length } = batch;
    if (plan.returning === null) {
      run.context.transaction.delete(plan.relation, plan.partition, rowNumbers);
      yield { length, columns: [] };
      return;
    }
    const old = yield* readAddresses(addresses, liveColumns(relationOf(plan.relation, run)));
    run.context.transaction.delete(plan.relation, plan.partition, rowNumbers);
    const columns = [...old, ...batch.columns];
    yield { length, columns: yield* wait(evaluateAll(plan.returning, { length, columns }, run)) };
  });
}
