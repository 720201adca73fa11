/** UPDATE: each locked row is deleted and its new version inserted. */
import { liveColumns, type Relation } from '../../catalog/model.ts';
import type { NewRows } from '../../engine/engine.ts';
import type { Update } from '../../physical/physical.ts';
import { type Task, wait } from '../../task.ts';
import type { Batch, Vector } from '../../types/column/vector.ts';
import { embedRows } from '../embedding/embeddings.ts';
import { evaluate, evaluateAll } from '../expression/evaluate.ts';
import { type LockedRows, lockRows } from './locked-rows.ts';
import { checkRows, checkShown, generateColumns } from './row-rules.ts';
import { FaultFinder } from './row-faults.ts';
import type { Steps } from '../plan-rows.ts';
import { type Run, turn } from '../state.ts';
import { readAddresses } from '../scan/stored-rows.ts';
import { unchangedPassages } from '../embedding/unchanged-passages.ts';
import { rowColumns } from './row-columns.ts';
import { placeUndeclared, relationOf } from './written-rows.ts';
import { checkStructs } from './struct-faults.ts';

export function* runUpdate(plan: Update, run: Run): Steps {
  const change = new UpdateRows(plan, run);
  yield* lockRows(plan, run, function* (locked): Steps {
    yield* turn(run);
    yield yield* change.write(locked);
  });
  yield* change.end();
}

/** One run of an UPDATE. */
class UpdateRows {
  readonly #plan: Update;
  readonly #run: Run;
  readonly #bound: Relation;
  readonly #faults: FaultFinder;
  readonly #waiting: NewRows[] = [];

  constructor(plan: Update, run: Run) {
    this.#plan = plan;
    this.#run = run;
    this.#bound = relationOf(plan.relation, run);
    this.#faults =
      run.context.faults ?? new FaultFinder(run.context.functions.settings, run.context.documentBytesMax);
  }

  /** @returns RETURNING's columns, or a batch without columns that counts the rows. */
  *write(locked: LockedRows): Task<Batch> {
    const plan = this.#plan;
    const rows = yield* newVersions(plan, { locked, bound: this.#bound }, this.#faults, this.#run);
    this.#run.context.transaction.delete(plan.relation, plan.partition, locked.rowNumbers);
    if (plan.waits) this.#waiting.push(rows);
    else yield* this.#insert(rows);
    const { length } = locked.batch;
    if (plan.returning === null) return { length, columns: [] };
    const bound = rowColumns(liveColumns(this.#bound), rows.columns, length);
    const row = { length, columns: [...bound, ...locked.batch.columns] };
    return { length, columns: yield* wait(evaluateAll(plan.returning, row, this.#run)) };
  }

  *end(): Task<void> {
    if (this.#run.context.faults === undefined) this.#faults.raise();
    for (const rows of this.#waiting) yield* this.#insert(rows);
  }

  *#insert(rows: NewRows): Task<void> {
    const { transaction, signal } = this.#run.context;
    const { relation, partition } = this.#plan;
    yield* wait(transaction.insert(relation, partition, rows, 'error', signal));
  }
}

const generatedColumns = ({ rules }: Update): readonly number[] =>
  rules?.generated.map(({ column }) => column) ?? [];

/** The rows as they are to be written. @throws SqlError 23502, 23514 and of the new values. */
function* newVersions(
  plan: Update,
  { locked, bound }: { readonly locked: LockedRows; readonly bound: Relation },
  faults: FaultFinder,
  run: Run,
): Task<NewRows> {
  const { batch, addresses } = locked;
  const changed = new Map<number, Vector>();
  for (const { column, value } of plan.set) changed.set(column, yield* wait(evaluate(value, batch, run)));
  const brought = [];
  for (const { name, type, value } of plan.undeclared) {
    brought.push({ name, type, values: yield* wait(evaluate(value, batch, run)) });
  }
  const placed = yield* placeUndeclared(plan.relation, changed, brought, run);
  const relation = relationOf(plan.relation, run);
  const live = liveColumns(relation);
  const untouched = live.filter((column) => !placed.has(column.attribute));
  const old = yield* readAddresses(addresses, untouched);
  const kept = new Map(placed);
  for (const [i, column] of untouched.entries()) kept.set(column.attribute, old[i] as Vector);
  const ruled = { relation: bound, columns: kept, length: batch.length };
  const columns = yield* generateColumns(plan.rules, ruled, run);
  yield* checkStructs(faults, relation, { columns, length: batch.length }, { run, written: placed });
  faults.check(relation, columns, batch.length, placed);
  // Those of a request are told together, when all of it has been looked at.
  if (run.context.faults === undefined) faults.raise();
  if (plan.rules) yield* checkRows(plan.rules, { ...ruled, columns }, run);
  if (plan.rules) yield* checkShown(plan.rules, { ...ruled, columns }, run);
  const rows = { length: batch.length, columns };
  const embeddings = yield* wait(
    embedRows(relation, rows, run.context, unchangedPassages(relation, rows, addresses)),
  );
  const written = new Set([...generatedColumns(plan), ...placed.keys()]);
  return { ...rows, embeddings, replaces: locked.rowNumbers, changed: written };
}
