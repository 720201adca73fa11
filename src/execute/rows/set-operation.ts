/** UNION, INTERSECT and EXCEPT, with ALL counting duplicates and without it holding NULLs equal. */
import type { PhysicalPlan, SetOperation } from '../../physical/physical.ts';
import type { Task } from '../../task.ts';
import { newRows } from './distinct.ts';
import { takeBatch } from '../expression/evaluate.ts';
import { HeldRows } from '../held-rows.ts';
import { KeyNumbers } from './key-numbers.ts';
import type { Steps } from '../plan-rows.ts';
import { eachBatch, type Run } from '../state.ts';

export const runSetOperation = (plan: SetOperation, run: Run): Steps =>
  plan.operation === 'union' ? union(plan, run) : compareCounts(plan, run);

function* union(plan: SetOperation, run: Run): Steps {
  using held = new HeldRows(run.context.account);
  const table = plan.all ? null : tableOf(plan, held);
  for (const input of plan.inputs) {
    yield* eachBatch(input, run, function* (batch): Steps {
      const kept = table === null ? batch : takeBatch(batch, newRows(table, batch));
      if (kept.length > 0) yield kept;
    });
  }
}

const tableOf = (plan: SetOperation, held: HeldRows): KeyNumbers =>
  new KeyNumbers(
    plan.output.map((column) => column.type),
    true,
    held,
  );

/** Counts the rows of all inputs but the first, then passes the first's by comparison with these counts. */
function* compareCounts(plan: SetOperation, run: Run): Steps {
  using held = new HeldRows(run.context.account);
  const table = tableOf(plan, held);
  const [first, ...others] = plan.inputs;
  let counts: number[] = [];
  for (const input of others) {
    const more = plan.operation === 'except' || input === others[0] ? counts : [];
    yield* count(input, { run, table, counts: more });
    if (more !== counts) counts = counts.map((number, i) => Math.min(number, more[i] ?? 0));
  }
  const given = new Set<number>();
  const keeps = (number: number): boolean => {
    const left = counts[number] ?? 0;
    if (plan.all) {
      counts[number] = left - 1;
      return plan.operation === 'intersect' ? left > 0 : left <= 0;
    }
    const wanted = plan.operation === 'intersect' ? left > 0 : left === 0;
    if (!wanted || given.has(number)) return false;
    given.add(number);
    return true;
  };
  yield* eachBatch(first as PhysicalPlan, run, function* (batch): Steps {
    const numbers = table.insert(batch.columns, batch.length);
    const rows = Uint32Array.from(Array.from(numbers.keys()).filter((row) => keeps(numbers[row] as number)));
    if (rows.length > 0) yield takeBatch(batch, rows);
  });
}

/** Counts rows, those that the table does not know yet, too: they come after all others. */
function* count(
  input: PhysicalPlan,
  { run, table, counts }: { readonly run: Run; readonly table: KeyNumbers; readonly counts: number[] },
): Task<void> {
  yield* eachBatch(input, run, (batch) => {
    for (const number of table.insert(batch.columns, batch.length))
      counts[number] = (counts[number] ?? 0) + 1;
  });
}
