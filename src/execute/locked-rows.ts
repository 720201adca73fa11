/**
 * The rows an UPDATE or DELETE may change: locked, and looked at again when another transaction changed them
 * meanwhile. Under READ COMMITTED the newest version is put through the statement's input once more, beside
 * what the statement saw before of everything else; under REPEATABLE READ it is a serialization failure.
 */
import type { RowLockMode } from '../catalog/lock-modes.ts';
import type { Relation } from '../catalog/model.ts';
import type { RowAddress } from '../engine/engine.ts';
import type { Assignment, Delete, Update } from '../plan/plan.ts';
import type { Batch, Float64Vector } from '../types/vector.ts';
import { concatBatches } from './batches.ts';
import { sliceBatch, takeBatch } from './evaluate.ts';
import { collect, type Pins, type Run } from './state.ts';
import { findRows } from './stored-rows.ts';
import { relationOf } from './written-rows.ts';

export interface LockedRows {
  /** Rows of the statement's input. */
  readonly batch: Batch;
  readonly rowNumbers: Float64Array;
  /** Where their current versions are. */
  readonly addresses: readonly RowAddress[];
}

type Change = Update | Delete;

/** Locks the input's rows batch by batch; a row that comes several times is given once. */
export async function* lockRows(plan: Change, run: Run): AsyncGenerator<LockedRows> {
  const mode = plan.kind === 'delete' ? 'update' : updateMode(relationOf(plan.relation, run), plan.set);
  const seen = new Set<number>();
  for await (const batch of run.execute(plan.input, run)) {
    const fresh = freshRows(plan, batch, seen);
    if (fresh.length > 0) yield* lockBatch(plan, fresh, mode, run);
  }
}

/** Those who refer to a row by a key need not wait while other columns change. */
export function updateMode(relation: Relation, set: readonly Assignment[]): RowLockMode {
  return changesKey(relation, set) ? 'update' : 'no key update';
}

export function changesKey({ indexes }: Relation, set: readonly Assignment[]): boolean {
  const changed = new Set(set.map(({ column }) => column));
  return indexes.some((index) => index.unique && index.columns.some((attribute) => changed.has(attribute)));
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
  batch: Batch,
  mode: RowLockMode,
  run: Run,
): AsyncGenerator<LockedRows> {
  const { transaction, signal } = run.context;
  const numbers = numbersOf(plan, batch).slice(0, batch.length);
  const request = { mode, wait: 'block', signal } as const;
  const newest = await transaction.lock(plan.relation, plan.partition, numbers, request);
  const isSame = (number: number, row: number): boolean => newest[row] === number;
  if (numbers.every(isSame)) {
    yield { batch, rowNumbers: numbers, addresses: findRows(run.snapshot, plan, numbers) };
    return;
  }
  const rows = Uint32Array.from(numbers.keys());
  const kept = takeBatch(
    batch,
    rows.filter((row) => newest[row] === numbers[row]),
  );
  if (kept.length > 0) {
    const rowNumbers = numbers.filter(isSame);
    yield { batch: kept, rowNumbers, addresses: findRows(run.snapshot, plan, rowNumbers) };
  }
  for (const [row, number] of newest.entries()) {
    if (number < 0 || number === numbers[row]) continue;
    yield* lockNewest(plan, { rowNumber: number, joined: joinedRows(plan, batch, row, run) }, mode, run);
  }
}

/** The rows of FROM that a row was joined with. */
function joinedRows({ others }: Change, batch: Batch, row: number, { snapshot }: Run): Pins {
  return new Map(
    others.map(({ mark, rowNumber }) => {
      const { values, nulls } = batch.columns[rowNumber] as Float64Vector;
      return [mark, { snapshot, rowNumber: nulls?.[row] === 1 ? -1 : (values[row] as number) }];
    }),
  );
}

/** A row in its newest version, if that still belongs to the statement's input. */
async function* lockNewest(
  plan: Change,
  { rowNumber, joined }: { readonly rowNumber: number; readonly joined: Pins },
  mode: RowLockMode,
  run: Run,
): AsyncGenerator<LockedRows> {
  const { transaction, signal } = run.context;
  const request = { mode, wait: 'block', signal } as const;
  for (let wanted = rowNumber; wanted >= 0; ) {
    using snapshot = transaction.snapshot();
    const pins = new Map(joined).set(plan.mark, { snapshot, rowNumber: wanted });
    const again = await lookAgain(plan.input, pins, run);
    if (again.length === 0) return;
    const rowNumbers = Float64Array.of(wanted);
    const [newest = -1] = await transaction.lock(plan.relation, plan.partition, rowNumbers, request);
    if (newest === wanted) {
      yield { batch: sliceBatch(again, 0, 1), rowNumbers, addresses: findRows(snapshot, plan, rowNumbers) };
      return;
    }
    wanted = newest;
  }
}

/** What an input gives when some of its scans have one given row only. */
export async function lookAgain(input: Change['input'], pins: Pins, run: Run): Promise<Batch> {
  return concatBatches(input.output, await collect(input, { ...run, pins }));
}
