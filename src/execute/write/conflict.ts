/**
 * INSERT … ON CONFLICT DO NOTHING | DO UPDATE. Rows are looked up by the unique index first, and those that
 * are met are locked; when another transaction adds, changes or deletes one of them in between, all is
 * looked up again. So the newest row is updated, also one that the statement's snapshot does not have.
 */
import { present } from '../../assert.ts';
import type { RowLockMode } from '../../catalog/lock-modes.ts';
import { type Index, liveColumns, type Relation } from '../../catalog/model.ts';
import type { NewRows, RowAddress, Snapshot } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import type { Insert } from '../../physical/physical.ts';
import type { Conflict } from '../../plan/plan.ts';
import type { Datum } from '../../types/datum.ts';
import { type Task, wait } from '../../task.ts';
import { type Batch, concatVectors, constantVector, type Vector } from '../../types/column/vector.ts';
import { embedRows } from '../embedding/embeddings.ts';
import { lockOf } from '../../physical/key-changes.ts';
import { evaluate, rowsWhere } from '../expression/evaluate.ts';
import { rowColumns } from './row-columns.ts';
import { relationOf, type WrittenRows } from './written-rows.ts';
import { checkMet, checkRows, checkShown, generateColumns, withPolicies } from './row-rules.ts';
import { FaultFinder } from './row-faults.ts';
import { keyPart } from '../expression/subquery.ts';
import type { Run } from '../state.ts';
import { readAddresses } from '../scan/stored-rows.ts';
import { checkStructs } from './struct-faults.ts';

type DoNothing = Extract<Conflict, { action: 'nothing' }>;
type DoUpdate = Extract<Conflict, { action: 'update' }>;
/** An upsert of a collection whose policies are asked about the rows that it meets. */
type Replace = Extract<Conflict, { action: 'replace' }>;
type ConflictInsert = Insert & { readonly conflict: DoNothing | DoUpdate | Replace };

/** Times another transaction may get in between: each time one has come to its end. */
const ATTEMPTS_MAX = 10_000;

/** @returns the rows written: inserted ones, then updated ones in their new version. */
export function* insertUnlessConflict(
  plan: ConflictInsert,
  rows: WrittenRows,
  embeddings: NewRows['embeddings'],
  run: Run,
): Task<WrittenRows> {
  const { transaction, isolation } = run.context;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const savepoint = transaction.savepoint();
    try {
      const written = yield* tryOnce(plan, rows, embeddings, run);
      if (written !== null) return written;
    } catch (error) {
      if (error instanceof TakenByUpdate) throw error.cause;
      if (!isRace(error, plan, run)) throw error;
      // The row in the way is one that this transaction will never see.
      if (isolation !== 'read committed') throw concurrentUpdate();
      transaction.rollbackTo(savepoint);
    }
  }
  throw concurrentUpdate();
}

/** A key that an update of a met row wants is taken, however often it is tried. */
class TakenByUpdate extends Error {}

const concurrentUpdate = (): SqlError =>
  new SqlError('serialization_failure', 'could not serialize access due to concurrent update');

/** Another transaction took a key that was free a moment ago. */
function isRace(error: unknown, plan: ConflictInsert, run: Run): boolean {
  if (!(error instanceof SqlError) || error.condition !== 'unique_violation') return false;
  const relation = relationOf(plan.relation, run);
  return arbiters(relation, plan.conflict).some(({ oid, name }) => {
    const constraint = relation.constraints.find(({ index }) => index === oid);
    return (constraint?.name ?? name) === error.fields.constraint;
  });
}

/** Null: a row met is not what it was any more. */
function* tryOnce(
  plan: ConflictInsert,
  rows: WrittenRows,
  embeddings: NewRows['embeddings'],
  run: Run,
): Task<WrittenRows | null> {
  using snapshot = run.context.transaction.snapshot();
  const { free, taken } = sortOut(plan, rows, snapshot, run);
  if (!(yield* lockTaken(plan, taken, run))) return null;
  const fresh = pickRows(rows, free);
  if (free.length > 0) {
    const picked = new Map(
      [...embeddings].map(([index, passages]) => [index, free.map((row) => passages[row] ?? null)] as const),
    );
    const { transaction, signal } = run.context;
    const newRows: NewRows = { length: free.length, columns: fresh.columns, embeddings: picked };
    yield* wait(transaction.insert(plan.relation, plan.partition, newRows, 'error', signal));
    yield* checkShown(plan.rules, { ...fresh, relation: relationOf(plan.relation, run) }, run);
  }
  if (plan.conflict.action === 'nothing' || taken.length === 0) return fresh;
  const { met } = plan;
  const rowNumbers = taken.map(({ address }) => address.rowNumber);
  if (met !== null)
    yield* checkMet(met, { relation: relationOf(plan.relation, run), snapshot, rowNumbers }, run);
  const updated =
    plan.conflict.action === 'replace'
      ? yield* replaceExisting(plan, { rows, taken }, run)
      : yield* updateExisting(plan, plan.conflict, { rows, taken }, run);
  return joinRows(fresh, updated);
}

/** DO UPDATE keeps its rows; DO NOTHING only waits for who may be about to remove them. */
function* lockTaken(plan: ConflictInsert, taken: readonly TakenRow[], run: Run): Task<boolean> {
  if (taken.length === 0) return true;
  const { transaction, signal } = run.context;
  const { conflict } = plan;
  const numbers = Float64Array.from(taken, ({ address }) => address.rowNumber);
  const mode =
    MODES[conflict.action] ?? lockOf(relationOf(plan.relation, run), { ...plan, set: setOf(conflict) });
  const savepoint = transaction.savepoint();
  const request = { mode, wait: 'block', signal } as const;
  const newest = yield* wait(transaction.lock(plan.relation, plan.partition, numbers, request));
  if (conflict.action === 'nothing') transaction.rollbackTo(savepoint);
  return numbers.every((number, i) => newest[i] === number);
}

const MODES: { readonly [Action in ConflictInsert['conflict']['action']]?: RowLockMode } = {
  nothing: 'key share',
  replace: 'update',
};
const setOf = (conflict: ConflictInsert['conflict']): DoUpdate['set'] =>
  conflict.action === 'update' ? conflict.set : [];

interface TakenRow {
  readonly row: number;
  readonly address: RowAddress;
}

/** Which rows are new and which meet an existing row. @throws SqlError 21000 when one is met twice. */
function sortOut(
  plan: ConflictInsert,
  rows: WrittenRows,
  snapshot: Snapshot,
  run: Run,
): { free: number[]; taken: TakenRow[] } {
  const relation = relationOf(plan.relation, run);
  const indexes = arbiters(relation, plan.conflict);
  const proposed = new Set<string>();
  const free: number[] = [];
  const taken: TakenRow[] = [];
  for (let row = 0; row < rows.length; row++) {
    const keys = indexes.map((index) => keyOf(index, rows, row));
    const names = keys.flatMap((key, i) => (key === null ? [] : [`${i}/${key.map(keyPart).join('')}`]));
    const repeated = names.some((name) => proposed.has(name));
    for (const name of names) proposed.add(name);
    if (repeated) {
      if (plan.conflict.action === 'nothing') continue;
      throw new SqlError(
        'cardinality_violation',
        'ON CONFLICT DO UPDATE command cannot affect row a second time',
        {
          hint:
            'Ensure that no rows proposed for insertion within the same command ' +
            'have duplicate constrained values.',
        },
      );
    }
    let address: RowAddress | null = null;
    for (const [i, index] of indexes.entries()) {
      const key = keys[i] ?? null;
      if (key !== null) address ??= snapshot.lookup(plan.relation, plan.partition, index.oid, key);
    }
    if (address === null) free.push(row);
    else taken.push({ row, address });
  }
  return { free, taken };
}

function arbiters(relation: Relation, conflict: ConflictInsert['conflict']): readonly Index[] {
  if (conflict.action === 'replace') return relation.indexes.filter(({ primary }) => primary);
  const { index } = conflict;
  const unique = relation.indexes.filter((candidate) => candidate.unique || candidate.primary);
  return index === 0 ? unique : unique.filter((candidate) => candidate.oid === index);
}

/** Null when a part is NULL that equals nothing: such a row conflicts with none. */
function keyOf(index: Index, rows: WrittenRows, row: number): Datum[] | null {
  const key = index.columns.map((attribute) => rows.columns.get(attribute)?.get(row) ?? null);
  return key.slice(index.equalNulls ?? 0).includes(null) ? null : key;
}

/** The last of the rows that share a key: the others are replaced by it before anybody sees them. */
export function lastOfKeys(
  plan: ConflictInsert,
  { rows, embeddings }: { readonly rows: WrittenRows; readonly embeddings: NewRows['embeddings'] },
  run: Run,
): { readonly rows: WrittenRows; readonly embeddings: NewRows['embeddings'] } {
  const [index] = arbiters(relationOf(plan.relation, run), plan.conflict);
  const last = new Map<string, number>();
  for (let row = 0; index !== undefined && row < rows.length; row++) {
    last.set((keyOf(index, rows, row) ?? []).map(keyPart).join(''), row);
  }
  if (last.size === rows.length) return { rows, embeddings };
  const picked = [...last.values()].sort((a, b) => a - b);
  const kept = [...embeddings].map(
    ([oid, passages]) => [oid, picked.map((row) => passages[row] ?? null)] as const,
  );
  return { rows: pickRows(rows, picked), embeddings: new Map(kept) };
}

function* replaceExisting(
  plan: ConflictInsert,
  { rows, taken }: { readonly rows: WrittenRows; readonly taken: readonly TakenRow[] },
  run: Run,
): Task<WrittenRows> {
  const proposed = pickRows(
    rows,
    taken.map(({ row }) => row),
  );
  const rowNumbers = Float64Array.from(taken, ({ address }) => address.rowNumber);
  yield* replaceRows(plan, proposed, rowNumbers, run);
  return { ...proposed, insertedCount: 0 };
}

function* updateExisting(
  plan: ConflictInsert,
  conflict: DoUpdate,
  { rows, taken }: { rows: WrittenRows; taken: readonly TakenRow[] },
  run: Run,
): Task<WrittenRows> {
  const relation = relationOf(plan.relation, run);
  const live = liveColumns(relation);
  const numbers = Float64Array.from(taken, ({ address }) => address.rowNumber);
  const addresses = taken.map(({ address }) => address);
  const old = yield* readAddresses(addresses, live);
  const proposed = pickRows(
    rows,
    taken.map(({ row }) => row),
  );
  const both: Batch = {
    length: taken.length,
    columns: [...old, ...rowColumns(live, proposed.columns, taken.length), ...proposed.undeclared],
  };
  const wanted =
    conflict.where === null
      ? Uint32Array.from(taken.keys())
      : yield* wait(rowsWhere(conflict.where, both, run));
  const matched: Batch = {
    length: wanted.length,
    columns: both.columns.map((column) => column.take(wanted)),
  };
  const columns = new Map(live.map((column, i) => [column.attribute, matched.columns[i] as Vector]));
  for (const { column, value } of conflict.set)
    columns.set(column, yield* wait(evaluate(value, matched, run)));
  const ruled = { relation, columns, length: wanted.length };
  const updated = {
    length: wanted.length,
    columns: yield* generateColumns(plan.rules, ruled, run),
    undeclared: proposed.undeclared.map((column) => column.take(wanted)),
    insertedCount: 0,
  };
  if (updated.length > 0) {
    yield* replaceRows(
      plan,
      updated,
      Float64Array.from(wanted, (i) => present(numbers[i], 'row number')),
      run,
    );
  }
  return updated;
}

function* replaceRows(
  plan: ConflictInsert,
  rows: WrittenRows,
  rowNumbers: Float64Array,
  run: Run,
): Task<void> {
  const relation = relationOf(plan.relation, run);
  const faults = new FaultFinder(run.context.functions.settings, run.context.documentBytesMax);
  yield* checkStructs(faults, relation, rows, { run });
  faults.check(relation, rows.columns, rows.length);
  faults.raise();
  const rules = plan.met === null ? plan.rules : withPolicies(plan.rules, plan.met.policies);
  yield* checkRows(rules, { ...rows, relation }, run);
  yield* checkShown(plan.rules, { ...rows, relation }, run);
  const embeddings = yield* wait(embedRows(relation, rows, run.context));
  const { transaction, signal } = run.context;
  transaction.delete(plan.relation, plan.partition, rowNumbers);
  const { length, columns } = rows;
  const newRows: NewRows = { length, columns, embeddings, replaces: rowNumbers };
  try {
    yield* wait(transaction.insert(plan.relation, plan.partition, newRows, 'error', signal));
  } catch (error) {
    const isTaken = error instanceof SqlError && error.condition === 'unique_violation';
    throw isTaken ? new TakenByUpdate('', { cause: error }) : error;
  }
}

function pickRows(rows: WrittenRows, picked: readonly number[]): WrittenRows {
  if (picked.length === rows.length) return rows;
  return {
    length: picked.length,
    columns: new Map(
      [...rows.columns].map(([attribute, column]) => [attribute, column.take(picked)] as const),
    ),
    undeclared: rows.undeclared.map((column) => column.take(picked)),
  };
}

function joinRows(first: WrittenRows, second: WrittenRows): WrittenRows {
  if (first.length === 0) return second;
  if (second.length === 0) return first;
  const columns = new Map<number, Vector>();
  for (const [attribute, after] of second.columns) {
    const before = first.columns.get(attribute) ?? constantVector(after.kind, null, first.length);
    columns.set(attribute, concatVectors(after.kind, [before, after]));
  }
  const undeclared = first.undeclared.map((before, i) =>
    concatVectors(before.kind, [before, second.undeclared[i] as Vector]),
  );
  const insertedCount = first.length;
  return { length: first.length + second.length, columns, undeclared, insertedCount };
}
