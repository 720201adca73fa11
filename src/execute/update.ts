/** UPDATE: each locked row is deleted and its new version inserted. */
import { liveColumns, type Relation } from '../catalog/model.ts';
import type { NewRows } from '../engine/engine.ts';
import type { Update } from '../plan/plan.ts';
import type { Batch, Vector } from '../types/vector.ts';
import { embedRows } from './embeddings.ts';
import { evaluate, evaluateAll } from './evaluate.ts';
import { changesKey, type LockedRows, lockRows } from './locked-rows.ts';
import { checkRows, checkShown, generateColumns } from './row-rules.ts';
import { FaultFinder } from './row-faults.ts';
import { checkpoint, type Run } from './state.ts';
import { readAddresses } from './stored-rows.ts';
import { unchangedPassages } from './unchanged-passages.ts';
import { placeUndeclared, relationOf, rowColumns } from './written-rows.ts';

export async function* runUpdate(plan: Update, run: Run): AsyncGenerator<Batch> {
  const relation = relationOf(plan.relation, run);
  const bound = liveColumns(relation);
  const faults = new FaultFinder(run.context.functions.settings);
  const { transaction, signal } = run.context;
  // Keys may move from one row to another: the new versions are then written when all old ones are gone.
  const waits = changesKey(relation, plan.set);
  const waiting: NewRows[] = [];
  for await (const locked of lockRows(plan, run)) {
    const pause = checkpoint(run);
    if (pause !== null) await pause;
    const rows = await newVersions(plan, { locked, bound: relation }, faults, run);
    transaction.delete(plan.relation, plan.partition, locked.rowNumbers);
    if (waits) waiting.push(rows);
    else await transaction.insert(plan.relation, plan.partition, rows, 'error', signal);
    const { columns } = rows;
    const { length } = locked.batch;
    if (plan.returning === null) {
      yield { length, columns: [] };
      continue;
    }
    const row = [...rowColumns(bound, columns, length), ...locked.batch.columns];
    yield { length, columns: await evaluateAll(plan.returning, { length, columns: row }, run) };
  }
  for (const rows of waiting) {
    await transaction.insert(plan.relation, plan.partition, rows, 'error', signal);
  }
}

const generatedColumns = ({ rules }: Update): readonly number[] =>
  rules?.generated.map(({ column }) => column) ?? [];

/** The rows as they are to be written. @throws SqlError 23502, 23514 and of the new values. */
async function newVersions(
  plan: Update,
  { locked, bound }: { readonly locked: LockedRows; readonly bound: Relation },
  faults: FaultFinder,
  run: Run,
): Promise<NewRows> {
  const { batch, addresses } = locked;
  const changed = new Map<number, Vector>();
  for (const { column, value } of plan.set) changed.set(column, await evaluate(value, batch, run));
  const brought = [];
  for (const { name, type, value } of plan.undeclared) {
    brought.push({ name, type, values: await evaluate(value, batch, run) });
  }
  const placed = await placeUndeclared(plan.relation, changed, brought, run);
  const relation = relationOf(plan.relation, run);
  const live = liveColumns(relation);
  const untouched = live.filter((column) => !placed.has(column.attribute));
  const old = await readAddresses(addresses, untouched);
  const kept = new Map(placed);
  for (const [i, column] of untouched.entries()) kept.set(column.attribute, old[i] as Vector);
  const ruled = { relation: bound, columns: kept, length: batch.length };
  const columns = await generateColumns(plan.rules, ruled, run);
  faults.check(relation, columns, batch.length);
  faults.raise();
  await checkRows(plan.rules, { ...ruled, columns }, run);
  await checkShown(plan.rules, { ...ruled, columns }, run);
  const rows = { length: batch.length, columns };
  const embeddings = await embedRows(
    relation,
    rows,
    run.context,
    unchangedPassages(relation, rows, addresses),
  );
  const written = new Set([...generatedColumns(plan), ...placed.keys()]);
  return { ...rows, embeddings, replaces: locked.rowNumbers, changed: written };
}
