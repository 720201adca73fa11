/**
 * The rows an UPDATE or DELETE may change: locked, and looked at again when another transaction changed them
 * meanwhile. Under READ COMMITTED the newest version is tested against the statement's conditions once more;
 * under REPEATABLE READ it is a serialization failure.
 */
import { present } from '../assert.ts';
import { columnByAttribute, primaryKey } from '../catalog/model.ts';
import type { RowAddress, Snapshot } from '../engine/engine.ts';
import { SqlError } from '../errors.ts';
import type { Expression } from '../plan/expression.ts';
import type { Delete, Plan, Update } from '../plan/plan.ts';
import { mapPlan } from '../plan/walk.ts';
import type { Batch, Float64Vector, Vector } from '../types/vector.ts';
import { takeBatch } from './evaluate.ts';
import { collect, type Run } from './state.ts';
import { concatBatches } from './batches.ts';
import { findRows, readAddresses } from './stored-rows.ts';
import { relationOf } from './written-rows.ts';

export interface LockedRows {
  /** Rows of the statement's input. */
  readonly batch: Batch;
  readonly rowNumbers: Float64Array;
  /** Where their current versions are. */
  readonly addresses: readonly RowAddress[];
}

type Change = Update | Delete;

/** Times one row is looked at again before the statement gives up. */
const ATTEMPTS_MAX = 100;

/** Locks the input's rows batch by batch; a row that comes several times is given once. */
export async function* lockRows(plan: Change, run: Run): AsyncGenerator<LockedRows> {
  const seen = new Set<number>();
  for await (const batch of run.execute(plan.input, run)) {
    const fresh = freshRows(plan, batch, seen);
    if (fresh.length > 0) yield* lockBatch(plan, { batch: fresh, snapshot: run.snapshot, attempt: 0 }, run);
  }
}

const numbersOf = (plan: Change, batch: Batch): Float64Array =>
  (batch.columns[plan.rowNumber] as Float64Vector).values;

function freshRows(plan: Change, batch: Batch, seen: Set<number>): Batch {
  const numbers = numbersOf(plan, batch);
  const { nulls } = batch.columns[plan.rowNumber] as Float64Vector;
  const rows: number[] = [];
  for (let row = 0; row < batch.length; row++) {
    const number = numbers[row] as number;
    if (seen.has(number) || (nulls !== null && nulls[row] === 1)) continue;
    seen.add(number);
    rows.push(row);
  }
  return takeBatch(batch, Uint32Array.from(rows));
}

async function* lockBatch(
  plan: Change,
  { batch, snapshot, attempt }: { batch: Batch; snapshot: Snapshot; attempt: number },
  run: Run,
): AsyncGenerator<LockedRows> {
  const { transaction, isolation, signal } = run.context;
  const numbers = numbersOf(plan, batch).slice();
  const there = await transaction.lock(plan.relation, plan.partition, numbers, signal);
  const isThere = (_: number, row: number): boolean => there[row] === true;
  const rows = Uint32Array.from(numbers.keys());
  const kept = takeBatch(batch, rows.filter(isThere));
  if (kept.length > 0) {
    const rowNumbers = numbers.filter(isThere);
    yield { batch: kept, rowNumbers, addresses: findRows(snapshot, plan, rowNumbers) };
  }
  if (kept.length === batch.length) return;
  if (isolation === 'repeatable read' || attempt >= ATTEMPTS_MAX) throw concurrentUpdate();
  const lost = numbers.filter((_, row) => there[row] !== true);
  using newer = transaction.snapshot();
  for (const row of lost) {
    const again = await lookAgain(plan, { rowNumber: row, old: snapshot, newer }, run);
    if (again.length > 0)
      yield* lockBatch(plan, { batch: again, snapshot: newer, attempt: attempt + 1 }, run);
  }
}

const concurrentUpdate = (): SqlError =>
  new SqlError('serialization_failure', 'could not serialize access due to concurrent update');

/** The statement's input for the newest version of one row, found by primary key; empty when it is gone. */
async function lookAgain(
  plan: Change,
  { rowNumber, old, newer }: { rowNumber: number; old: Snapshot; newer: Snapshot },
  run: Run,
): Promise<Batch> {
  const relation = relationOf(plan.relation, run);
  const primary = primaryKey(relation);
  if (primary === undefined) throw concurrentUpdate();
  const columns = primary.columns.map((attribute) =>
    present(columnByAttribute(relation, attribute), `attribute ${attribute}`),
  );
  const values = await readAddresses(findRows(old, plan, Float64Array.of(rowNumber)), columns);
  const key = columns.map(
    (column, i): Expression => ({
      kind: 'literal',
      value: (values[i] as Vector).get(0),
      type: column.type,
    }),
  );
  const restricted = restrict(plan.input, plan.relation, { index: primary.oid, key });
  const found = await collect(restricted, { ...run, snapshot: newer, memo: new Map() });
  const again = concatBatches(plan.input.output, found);
  return takeBatch(again, Uint32Array.from(again.length > 0 ? [0] : []));
}

/** The plan with the changed relation's scan narrowed to one key. */
function restrict(
  plan: Plan,
  relation: number,
  lookup: { readonly index: number; readonly key: readonly Expression[] },
): Plan {
  if (plan.kind === 'scan') {
    return plan.relation === relation && plan.rowNumber ? { ...plan, lookup, topK: null } : plan;
  }
  return mapPlan(plan, (input) => restrict(input, relation, lookup));
}
