/**
 * The rows an UPDATE or DELETE may change: locked, and looked at again when another transaction changed them
 * meanwhile. Under READ COMMITTED the newest version is put through the statement's input once more, beside
 * what the statement saw before of everything else; under REPEATABLE READ it is a serialization failure.
 */
import type { RowLockMode } from '../../catalog/lock-modes.ts';
import type { RowAddress } from '../../engine/engine.ts';
import type { Delete, Update } from '../../physical/physical.ts';
import { type Task, wait } from '../../task.ts';
import type { Batch, Float64Vector } from '../../types/column/vector.ts';
import { concatBatches } from '../batches.ts';
import { sliceBatch, takeBatch } from '../expression/evaluate.ts';
import { HeldRows } from '../held-rows.ts';
import type { Steps } from '../plan-rows.ts';
import { collect, eachBatch, type Pins, type Run } from '../state.ts';
import { findRows } from '../scan/stored-rows.ts';

export interface LockedRows {
  /** Rows of the statement's input. */
  readonly batch: Batch;
  readonly rowNumbers: Float64Array;
  /** Where their current versions are. */
  readonly addresses: readonly RowAddress[];
}

type Change = Update | Delete;

/** The work on rows that are locked. */
type WithLocked = (locked: LockedRows) => Steps;

/** Locks the input's rows and gives them to `step`, batch by batch; a row that comes several times is given once. */
export function lockRows(plan: Change, run: Run, step: WithLocked): Steps {
  const seen = new Set<number>();
  return eachBatch(plan.input, run, function* (batch): Steps {
    const fresh = freshRows(plan, batch, seen);
    if (fresh.length === 0) return;
    const { unchanged, newest } = yield* lockUnchanged(plan, fresh, run);
    if (unchanged !== null) yield* step(unchanged);
    else yield* withChanged({ plan, run, step }, fresh, newest);
  });
}

const modeOf = (plan: Change): RowLockMode => (plan.kind === 'delete' ? 'update' : plan.lock);

const numbersOf = (plan: Change, batch: Batch): Float64Array =>
  (batch.columns[plan.rowNumber] as Float64Vector).values;

/** Those of the batch that are not in `seen`, which takes them. */
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

/** Locks a batch. @returns it, where its rows are as the statement saw them, else what has become of each. */
function* lockUnchanged(
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

interface Locking {
  readonly plan: Change;
  readonly run: Run;
  readonly step: WithLocked;
}

/** A locked batch of which some rows have changed: the others, then these in their newest versions. */
function* withChanged(locking: Locking, batch: Batch, newest: Float64Array): Steps {
  const { plan, run, step } = locking;
  const numbers = numbersOf(plan, batch).slice(0, batch.length);
  const isSame = (number: number, row: number): boolean => newest[row] === number;
  const rows = Uint32Array.from(numbers.keys());
  const kept = takeBatch(
    batch,
    rows.filter((row) => newest[row] === numbers[row]),
  );
  if (kept.length > 0) {
    const rowNumbers = numbers.filter(isSame);
    yield* step({ batch: kept, rowNumbers, addresses: findRows(run.snapshot, plan, rowNumbers) });
  }
  for (const [row, number] of newest.entries()) {
    if (number < 0 || number === numbers[row]) continue;
    yield* withNewest(locking, number, joinedRows(plan, batch, row, run));
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
function* withNewest({ plan, run, step }: Locking, rowNumber: number, joined: Pins): Steps {
  const { transaction, signal } = run.context;
  const request = { mode: modeOf(plan), wait: 'block', signal } as const;
  for (let wanted = rowNumber; wanted >= 0; ) {
    using snapshot = transaction.snapshot();
    const pins = new Map(joined).set(plan.mark, { snapshot, rowNumber: wanted });
    const again = yield* lookAgain(plan.input, pins, run);
    if (again.length === 0) return;
    const rowNumbers = Float64Array.of(wanted);
    const locked = transaction.lock(plan.relation, plan.partition, rowNumbers, request);
    const [newest = -1] = yield* wait(locked);
    if (newest === wanted) {
      const addresses = findRows(snapshot, plan, rowNumbers);
      yield* step({ batch: sliceBatch(again, 0, 1), rowNumbers, addresses });
      return;
    }
    wanted = newest;
  }
}

/** Rows of an input when some of its scans have one given row only. */
export function* lookAgain(input: Change['input'], pins: Pins, run: Run): Task<Batch> {
  using held = new HeldRows(run.context.account);
  return concatBatches(input.output, yield* collect(input, { ...run, pins }, held));
}
