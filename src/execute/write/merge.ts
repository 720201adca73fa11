/**
 * MERGE. The joined rows are all there before the first is written, so that no row is met twice; the rows of the
 * target that are to change are locked, and when another transaction changed one meanwhile, the join is made
 * again over what is committed then.
 */
import { SqlError } from '../../errors.ts';
import type { Snapshot } from '../../engine/engine.ts';
import { BATCH_ROWS_MAX } from '../../limits.ts';
import type { Merge } from '../../physical/physical.ts';
import { type Task, wait } from '../../task.ts';
import type { Batch, Float64Vector } from '../../types/column/vector.ts';
import { concatSliced } from '../batches.ts';
import { evaluateAll, sliceBatch, takeBatch } from '../expression/evaluate.ts';
import { HeldRows } from '../held-rows.ts';
import type { Steps } from '../plan-rows.ts';
import { SharedRows } from '../shared-rows.ts';
import { collect, type Run } from '../state.ts';
import { relationOf } from './written-rows.ts';

export function* runMerge(plan: Merge, run: Run): Steps {
  let newer: Snapshot | null = null;
  using held = new HeldRows(run.context.account);
  try {
    let rows = yield* joinedRows(plan, run, held);
    while (!(yield* lockTargets(plan, rows, run))) {
      newer?.[Symbol.dispose]();
      newer = run.context.transaction.snapshot();
      rows = yield* joinedRows(plan, { ...run, snapshot: newer, memo: new Map() }, held);
    }
    checkGuards(plan, rows, run);
    yield* writeRows(plan, rows, newer === null ? run : { ...run, snapshot: newer });
  } finally {
    newer?.[Symbol.dispose]();
  }
}

function* joinedRows(plan: Merge, run: Run, held: HeldRows): Task<Batch> {
  held.clear();
  return yield* concatSliced(plan.input.output, yield* collect(plan.input, run, held, 2), run);
}

const actionOf = (plan: Merge, rows: Batch, row: number): number | null =>
  (rows.columns[plan.action]?.get(row) ?? null) as number | null;

/**
 * Locks the rows of the target that will change.
 * @returns false when one of them is not the newest version any more.
 * @throws SqlError 21000 for a row that would change twice, 40001 under REPEATABLE READ.
 */
function* lockTargets(plan: Merge, rows: Batch, run: Run): Task<boolean> {
  const { values } = rows.columns[plan.rowNumber] as Float64Vector;
  const numbers = new Set<number>();
  for (let row = 0; row < rows.length; row++) {
    const action = actionOf(plan, rows, row);
    if (action === null || plan.actions[action]?.kind === 'insert') continue;
    const number = values[row] as number;
    if (numbers.has(number)) throw twice();
    numbers.add(number);
  }
  if (numbers.size === 0) return true;
  const { transaction, signal } = run.context;
  const wanted = Float64Array.from(numbers);
  const request = { mode: 'update', wait: 'block', signal } as const;
  const newest = yield* wait(transaction.lock(plan.relation, plan.partition, wanted, request));
  return wanted.every((number, i) => newest[i] === number);
}

const twice = (): SqlError =>
  new SqlError('cardinality_violation', 'MERGE command cannot affect row a second time', {
    hint: 'Ensure that not more than one source row matches any one target row.',
  });

/** @throws SqlError 42501 for the first row that policies do not let be changed. */
function checkGuards({ relation, guards }: Merge, rows: Batch, run: Run): void {
  if (guards === null) return;
  for (let row = 0; row < rows.length; row++) {
    const violated = rows.columns[guards.violated]?.get(row) as number | null;
    if (violated === null) continue;
    const name = guards.policies[violated];
    const policy = name === null ? '' : ` "${name}"`;
    const table = relationOf(relation, run).name;
    const message = `target row violates row-level security policy${policy} (USING expression) for table "${table}"`;
    throw new SqlError('insufficient_privilege', message);
  }
}

/** Action by action; RETURNING gives the rows in the order in which they were joined. */
function* writeRows(plan: Merge, rows: Batch, run: Run): Steps {
  const order: number[] = [];
  const returned: Batch[] = [];
  using held = new HeldRows(run.context.account);
  for (const [number, action] of plan.actions.entries()) {
    const picked: number[] = [];
    for (let row = 0; row < rows.length; row++) if (actionOf(plan, rows, row) === number) picked.push(row);
    if (picked.length === 0) continue;
    const own = takeBatch(rows, Uint32Array.from(picked));
    const tables = new Map(run.tables).set(plan.id, SharedRows.of(listOf(pieces(own))));
    const written = yield* collect(action, { ...run, tables }, held);
    if (plan.returning === null) {
      yield { length: picked.length, columns: [] };
      continue;
    }
    const { columns } = yield* concatSliced(action.output, written, run);
    const seen = { length: picked.length, columns: [...columns, ...own.columns] };
    returned.push({ length: picked.length, columns: yield* wait(evaluateAll(plan.returning, seen, run)) });
    order.push(...picked);
  }
  if (returned.length === 0) return;
  const places = Uint32Array.from(order.keys()).sort((a, b) => (order[a] ?? 0) - (order[b] ?? 0));
  yield* pieces(takeBatch(yield* concatSliced(plan.output, returned, run), places));
}

const listOf = (batches: readonly Batch[]) => ({
  count: batches.length,
  get: (i: number) => batches[i] as Batch,
});

function pieces(rows: Batch): Batch[] {
  const count = Math.ceil(rows.length / BATCH_ROWS_MAX);
  return Array.from({ length: count }, (_, i) =>
    sliceBatch(rows, i * BATCH_ROWS_MAX, (i + 1) * BATCH_ROWS_MAX),
  );
}
