/**
 * WITH: a definition is run once at most, as far as its readers pull it; one that writes is run to its end.
 * WITH RECURSIVE repeats the recursive term over the rows of the round before until a round gives none.
 */
import { present } from '../assert.ts';
import type { CommonTable } from '../physical/physical.ts';
import type { CommonTableScan, Plan } from '../plan/plan.ts';
import { planChildren } from '../plan/walk.ts';
import type { Batch } from '../types/column/vector.ts';
import { newRows } from './rows/distinct.ts';
import { takeBatch } from './expression/evaluate.ts';
import { HeldRows } from './held-rows.ts';
import { KeyNumbers } from './rows/key-numbers.ts';
import { SharedRows } from './shared-rows.ts';
import { checkpoint, type Run } from './state.ts';

export async function* runCommonTable(plan: CommonTable, run: Run): AsyncGenerator<Batch> {
  using held = new HeldRows(run.context.account);
  const rows = new SharedRows(
    plan.recursive === null ? run.execute(plan.definition, run) : runRecursive(plan, run),
    held,
  );
  // A subquery's result was read from the table's rows, which may be others for the next outer row.
  const inner: Run = { ...run, tables: new Map(run.tables).set(plan.id, rows), memo: new Map() };
  const writes = isWrite(plan.definition);
  if (writes) await rows.drain();
  yield* run.execute(plan.body, inner);
}

const isWrite = (plan: Plan): boolean =>
  plan.kind === 'insert' ||
  plan.kind === 'update' ||
  plan.kind === 'delete' ||
  plan.kind === 'merge' ||
  planChildren(plan).some(isWrite);

async function* runRecursive(plan: CommonTable, run: Run): AsyncGenerator<Batch> {
  const { term, all } = present(plan.recursive, 'recursive term');
  const types = plan.definition.output;
  using held = new HeldRows(run.context.account);
  using heldRound = new HeldRows(run.context.account);
  const table = all
    ? null
    : new KeyNumbers(
        types.map((column) => column.type),
        true,
        held,
      );
  let round: AsyncGenerator<Batch> = run.execute(plan.definition, run);
  while (true) {
    const rows: Batch[] = [];
    heldRound.clear();
    for await (const batch of round) {
      const pause = checkpoint(run);
      if (pause !== null) await pause;
      const kept = table === null ? batch : takeBatch(batch, newRows(table, batch));
      if (kept.length === 0) continue;
      heldRound.add(kept);
      rows.push(kept);
      yield kept;
    }
    if (rows.length === 0) return;
    const tables = new Map(run.tables).set(plan.id, SharedRows.of(rows));
    round = run.execute(term, { ...run, tables, memo: new Map() });
  }
}

export function runCommonTableScan(plan: CommonTableScan, run: Run): AsyncGenerator<Batch> {
  return present(run.tables.get(plan.id), `common table ${plan.id}`).read();
}
