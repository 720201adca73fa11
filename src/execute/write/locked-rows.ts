/**
 * The rows an UPDATE or DELETE may change: locked, and looked at again when another transaction changed them
 * meanwhile. Under READ COMMITTED the newest version is put through the statement's input once more, beside
 * what the statement saw before of everything else; under REPEATABLE READ it is a serialization failure.
 */
import type { RowLockMode } from '../../catalog/lock-modes.ts';
import type { RowAddress } from '../../engine/engine.ts';
import type { Delete, Update } from '../../physical/physical.ts';
import { runTask, type Task, wait } from '../../task.ts';
import type { Batch, Float64Vector } from '../../types/column/vector.ts';
import { concatBatches } from '../batches.ts';
import { sliceBatch, takeBatch } from '../expression/evaluate.ts';
import { HeldRows } from '../held-rows.ts';
import { collect, type Pins, type Run } from '../state.ts';
import { findRows } from '../scan/stored-rows.ts';

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
  const seen = new Set<number>();
  for await (const batch of run.execute(plan.input, run)) {
    const fresh = freshRows(plan, batch, seen);
    if (fresh.length === 0) continue;
    const { unchanged, newest } = await runTask(lockUnchanged(plan, fresh, run));
    if (unchanged !== null) yield unchanged;
    else yield* changedRows(plan, fresh, newest, run);
  }
}

const modeOf = (plan: Change): RowLockMode => (plan.kind === 'delete' ? 'update' : plan.lock);

const numbersOf = (plan: Change, batch: Batch): Float64Array =>
  (batch.columns[plan.rowNumber] as Float64Vector).values;

/** Those of the batch that are not in `seen`, which takes them. */
export function freshRows(plan: Change, batch: Batch, seen: Set<number>): Batch {
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

/** Locks a batch. @returns it, where its rows are as the statement saw them, else what has become of each. */
export function* lockUnchanged(
  plan: Change,
  batch: Batch,
  run: Run,
): Task<{ readonly unchanged: LockedRows | null; readonly newest: Float64Array }> {
  const { transaction, signal } = run.context;
  const rowNumbers = numbersOf(plan, batch).slice(0, batch.length);
  const request = { mode: modeOf(plan), wait: 'block', signal } as const;
  const newest = yield* wait(transaction.lock(plan.relation, plan.partition, rowNumbers, request));
  if (!rowNumbers.every((number, row) => newest[row] === number)) return { unchanged: null, newest };
  const addresses = findRows(run.snapshot, plan, rowNumbers);
  return { unchanged: { batch, rowNumbers, addresses }, newest };
}

/** A locked batch of which some rows have changed: the others, then these in their newest versions. */
export async function* changedRows(
  plan: Change,
  batch: Batch,
  newest: Float64Array,
  run: Run,
): AsyncGenerator<LockedRows> {
  const numbers = numbersOf(plan, batch).slice(0, batch.length);
  const isSame = (number: number, row: number): boolean => newest[row] === number;
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
    yield* lockNewest(plan, { rowNumber: number, joined: joinedRows(plan, batch, row, run) }, run);
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
  run: Run,
): AsyncGenerator<LockedRows> {
  const { transaction, signal } = run.context;
  const request = { mode: modeOf(plan), wait: 'block', signal } as const;
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

/** Rows of an input when some of its scans have one given row only. */
export async function lookAgain(input: Change['input'], pins: Pins, run: Run): Promise<Batch> {
  using held = new HeldRows(run.context.account);
  return concatBatches(input.output, await collect(input, { ...run, pins }, held));
}
