/**
 * INSERT. Rows go through in batches: columns and defaults put together, faults found, semantic columns
 * embedded while the batch before is being written. A fault anywhere stops the statement, and the session
 * rolls back what it wrote.
 */
import { liveColumns, type Relation } from '../../catalog/model.ts';
import type { NewRows } from '../../engine/engine.ts';
import type { Insert } from '../../physical/physical.ts';
import { type Task, wait } from '../../task.ts';
import { type Batch, concatVectors, constantVector, type Vector } from '../../types/column/vector.ts';
import { insertUnlessConflict, lastOfKeys } from './conflict.ts';
import { embedRows } from '../embedding/embeddings.ts';
import { evaluate, evaluateAll } from '../expression/evaluate.ts';
import { checkRows, checkShown, generateColumns } from './row-rules.ts';
import { FaultFinder } from './row-faults.ts';
import type { Steps } from '../plan-rows.ts';
import { eachBatch, type Run } from '../state.ts';
import { rowColumns } from './row-columns.ts';
import { placeUndeclared, relationOf, type WrittenRows } from './written-rows.ts';
import { checkStructs } from './struct-faults.ts';

/** Batches whose texts may be with the model at the same time. */
const BATCHES_EMBEDDING_MAX = 3;

/** A batch that is complete but for its embeddings. */
interface Pending {
  readonly rows: WrittenRows;
  readonly embeddings: NewRows['embeddings'] | Promise<NewRows['embeddings']>;
}

export function* runInsert(plan: Insert, run: Run): Steps {
  const faults =
    run.context.faults ?? new FaultFinder(run.context.functions.settings, run.context.documentBytesMax);
  const bound = relationOf(plan.relation, run);
  const pending: Pending[] = [];
  const write = function* ({ rows, embeddings }: Pending): Steps {
    const written = yield* writeRows(plan, rows, yield* wait(embeddings), run);
    if (written.length > 0) yield yield* returned(plan, bound, written, run);
  };
  yield* eachBatch(plan.input, run, function* (batch): Steps {
    if (batch.length === 0) return;
    const rows = yield* checkedRows({ plan, bound, faults }, batch, run);
    if (faults.any) return;
    const embeddings = embedRows(relationOf(plan.relation, run), rows, run.context);
    // Awaited in turn by `write`; when an earlier batch fails first, nobody else looks at this one.
    if (embeddings instanceof Promise) embeddings.catch(() => undefined);
    pending.push({ rows, embeddings });
    if (pending.length >= BATCHES_EMBEDDING_MAX) yield* write(pending.shift() as Pending);
  });
  faults.raise();
  for (const next of pending) yield* write(next);
}

interface Checks {
  readonly plan: Insert;
  /** The relation as the plan was bound. */
  readonly bound: Relation;
  readonly faults: FaultFinder;
}

/** The rows of a batch complete; what is wrong with them is in `faults`, or thrown. */
function* checkedRows({ plan, bound, faults }: Checks, batch: Batch, run: Run): Task<WrittenRows> {
  const given = yield* completeRows(plan, batch, run);
  const columns = yield* generateColumns(plan.rules, { ...given, relation: bound }, run);
  const rows = { ...given, columns };
  const relation = relationOf(plan.relation, run);
  yield* checkStructs(faults, relation, rows, { run });
  faults.check(relation, rows.columns, rows.length);
  if (plan.rules && !faults.any) yield* checkRows(plan.rules, { ...rows, relation: bound }, run);
  return rows;
}

/** The batch's columns by attribute number, with defaults and undeclared columns in place. */
function* completeRows(plan: Insert, batch: Batch, run: Run): Task<WrittenRows> {
  const columns = new Map<number, Vector>();
  for (const [i, attribute] of plan.columns.entries()) columns.set(attribute, batch.columns[i] as Vector);
  const bare: Batch = { length: batch.length, columns: [] };
  for (const { column, value } of plan.defaults) columns.set(column, yield* wait(evaluate(value, bare, run)));
  const undeclared = plan.undeclared.map((_, i) => batch.columns[plan.columns.length + i] as Vector);
  const brought = plan.undeclared.map((column, i) => ({ ...column, values: undeclared[i] as Vector }));
  const placed = yield* placeUndeclared(plan.relation, columns, brought, run);
  return { length: batch.length, columns: placed, undeclared };
}

function* writeRows(
  plan: Insert,
  rows: WrittenRows,
  embeddings: NewRows['embeddings'],
  run: Run,
): Task<WrittenRows> {
  const { conflict } = plan;
  if (conflict.action === 'replace' && plan.met !== null) {
    const last = lastOfKeys({ ...plan, conflict }, { rows, embeddings }, run);
    return yield* insertUnlessConflict({ ...plan, conflict }, last.rows, last.embeddings, run);
  }
  if (conflict.action === 'nothing' || conflict.action === 'update') {
    return yield* insertUnlessConflict({ ...plan, conflict }, rows, embeddings, run);
  }
  const { transaction, signal } = run.context;
  const newRows: NewRows = { length: rows.length, columns: rows.columns, embeddings };
  yield* wait(transaction.insert(plan.relation, plan.partition, newRows, conflict.action, signal));
  yield* checkShown(plan.rules, { ...rows, relation: relationOf(plan.relation, run) }, run);
  return rows;
}

/** PostgreSQL has the transaction that updates a row here: any but 0. */
const UPDATED_BY = 3;

/** `xmax` of written rows. */
function replacedBy({ length, insertedCount = length }: WrittenRows): Vector {
  const inserted = constantVector('float64', 0, insertedCount);
  if (insertedCount === length) return inserted;
  return concatVectors('float64', [inserted, constantVector('float64', UPDATED_BY, length - insertedCount)]);
}

/** RETURNING's columns, or a batch without columns that counts the rows. */
function* returned(plan: Insert, bound: Relation, rows: WrittenRows, run: Run): Task<Batch> {
  if (plan.returning === null) return { length: rows.length, columns: [] };
  const columns = [
    ...rowColumns(liveColumns(bound), rows.columns, rows.length),
    ...rows.undeclared,
    ...(plan.conflict.action === 'replace' ? [] : [replacedBy(rows)]),
  ];
  return {
    length: rows.length,
    columns: yield* wait(evaluateAll(plan.returning, { length: rows.length, columns }, run)),
  };
}
