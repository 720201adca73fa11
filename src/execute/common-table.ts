/**
 * WITH: a definition is run once at most, as far as its readers pull it; one that writes is run to its end.
 * WITH RECURSIVE repeats the recursive term over the rows of the round before until a round gives none.
 */
import { present } from '../assert.ts';
import type { CommonTable } from '../physical/physical.ts';
import type { CommonTableScan, Plan } from '../plan/plan.ts';
import { planChildren } from '../plan/walk.ts';
import { wait } from '../task.ts';
import { newRows } from './rows/distinct.ts';
import { takeBatch } from './expression/evaluate.ts';
import { heldFor } from './node-statistics.ts';
import { KeyNumbers } from './rows/key-numbers.ts';
import { SharedRows } from './shared-rows.ts';
import { KeptBatches } from './spill/kept-batches.ts';
import { passOn, SteppedRows, type Steps } from './plan-rows.ts';
import { eachBatchOf, type Run } from './state.ts';

type Recursion = NonNullable<CommonTable['recursive']>;

export function* runCommonTable(plan: CommonTable, run: Run): Steps {
  using kept = keptBy(run);
  const definition =
    plan.recursive === null
      ? run.execute(plan.definition, run)
      : new SteppedRows(runRecursive(plan, plan.recursive, run));
  const rows = SharedRows.made(definition, kept);
  // A subquery's result was read from the table's rows, which may be others for the next outer row.
  const inner: Run = { ...run, tables: new Map(run.tables).set(plan.id, rows), memo: new Map() };
  try {
    if (isWrite(plan.definition)) yield* rows.drain();
    yield* passOn(run.execute(plan.body, inner));
  } finally {
    yield* wait(rows.close());
  }
}

const keptBy = ({ context }: Run): KeptBatches => new KeptBatches(context.spill, context.account);

const isWrite = (plan: Plan): boolean =>
  plan.kind === 'insert' ||
  plan.kind === 'update' ||
  plan.kind === 'delete' ||
  plan.kind === 'merge' ||
  planChildren(plan).some(isWrite);

function* runRecursive(plan: CommonTable, recursion: Recursion, run: Run): Steps {
  /** Rows of the round that is made, behind those of the round before, which it reads. */
  const rounds: KeptBatches[] = [];
  try {
    yield* runRounds(plan, { recursion, rounds }, run);
  } finally {
    endAll(rounds);
  }
}

function* runRounds(
  plan: CommonTable,
  { recursion, rounds }: { readonly recursion: Recursion; readonly rounds: KeptBatches[] },
  run: Run,
): Steps {
  const types = plan.definition.output.map((column) => column.type);
  using held = heldFor(plan, run);
  const table = recursion.all ? null : new KeyNumbers(types, true, held);
  let round = run.execute(plan.definition, run);
  while (true) {
    const rows = keptBy(run);
    rounds.push(rows);
    yield* eachBatchOf(round, run, function* (batch): Steps {
      const fresh = table === null ? batch : takeBatch(batch, newRows(table, batch));
      if (fresh.length === 0) return;
      yield* wait(rows.add(fresh));
      yield fresh;
    });
    endAll(rounds.splice(0, rounds.length - 1));
    if (rows.count === 0) return;
    const tables = new Map(run.tables).set(plan.id, SharedRows.of(rows));
    round = run.execute(recursion.term, { ...run, tables, memo: new Map() });
  }
}

function endAll(rounds: readonly KeptBatches[]): void {
  for (const rows of rounds) rows[Symbol.dispose]();
}

export function runCommonTableScan(plan: CommonTableScan, run: Run): Steps {
  return present(run.tables.get(plan.id), `common table ${plan.id}`).read();
}
