/**
 * Plans whose rows are one batch: constants, the row of a key, and INSERT and UPDATE of these. Most statements
 * of a busy server are such, and their rows are usually at hand, so they run as one task instead of a generator
 * an operator.
 */
import { BATCH_ROWS_MAX } from '../limits.ts';
import type { Expression } from '../plan/expression.ts';
import type { Plan } from '../plan/plan.ts';
import { type Task, wait } from '../task.ts';
import type { Batch } from '../types/vector.ts';
import { evaluateAll, filterBatch } from './evaluate.ts';
import { insertBatch } from './insert.ts';
import { lookUpKey } from './scan.ts';
import { checkpoint, type Run } from './state.ts';
import { updateBatch } from './update.ts';
import { valuesBatch } from './values.ts';

/** All rows of a plan for which it is true that they are one batch; null for any other. */
export function oneBatch(plan: Plan, run: Run): Task<Batch> | null {
  switch (plan.kind) {
    case 'values':
      return plan.rows.length <= BATCH_ROWS_MAX ? valuesBatch(plan, plan.rows, run) : null;
    case 'scan':
      return plan.lookup !== null && plan.arms.length === 0 ? lookUpKey(plan, run) : null;
    case 'insert': {
      const input = oneBatch(plan.input, run);
      return input && insertBatch(plan, input, run);
    }
    case 'update': {
      const input = oneBatch(plan.input, run);
      return input && updateBatch(plan, input, run);
    }
    case 'filter': {
      const input = oneBatch(plan.input, run);
      return input && filtered(input, plan.condition, run);
    }
    case 'project': {
      const input = plan.sets.length === 0 ? oneBatch(plan.input, run) : null;
      return input && projected(input, plan.expressions, run);
    }
    default:
      return null;
  }
}

function* filtered(input: Task<Batch>, condition: Expression, run: Run): Task<Batch> {
  const batch = yield* input;
  yield* turn(run);
  return yield* wait(filterBatch(condition, batch, run));
}

function* projected(input: Task<Batch>, expressions: readonly Expression[], run: Run): Task<Batch> {
  const { length, columns } = yield* input;
  yield* turn(run);
  return { length, columns: yield* wait(evaluateAll(expressions, { length, columns }, run)) };
}

/** Raises the cancel reason, and waits when others are due. */
function* turn(run: Run): Task<void> {
  const pause = checkpoint(run);
  if (pause !== null) yield* wait(pause);
}
