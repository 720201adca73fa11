/** The plan of a statement whose locks are had. */
import type { ParsedStatement } from '../../sql/parse/parse.ts';
import { type Task, wait } from '../../task.ts';
import { refuseWrites } from '../transaction/read-only.ts';
import type { TransactionBlock } from '../transaction/transaction-block.ts';
import { pendingOf, tellPending } from './pending.ts';
import type { Planned } from './planner.ts';
import type { Runner, RunRequest } from './runner.ts';
import { lockTables } from './table-locks.ts';

/**
 * The plan by what there is once its locks are had: after each wait it is asked again, as whoever was waited
 * for may have changed the catalog.
 */
export function* lockedPlan(
  runner: Runner,
  parsed: ParsedStatement,
  { prepared, parameters, signal }: RunRequest,
): Task<Planned> {
  const lsn = runner.awaitedLsn(signal);
  if (lsn !== null) yield* wait(lsn);
  const slice = runner.timeSlice();
  let isTold = false;
  for (;;) {
    const catalog = runner.catalog();
    const planned = runner.plan(parsed, prepared?.types ?? [], { parameters });
    // Before its locks, which others would wait for.
    refuseWrites(runner, planned.bound);
    const locking = lockTables(runner.block, planned, signal) ?? lockCatalog(runner.block, planned, signal);
    if (locking !== null) {
      yield* wait(locking);
      continue;
    }
    const pending = isTold ? null : pendingOf(runner, planned.searched, signal);
    isTold = true;
    if (pending !== null) {
      tellPending(runner, yield* wait(pending), signal);
      continue;
    }
    const pause = slice.yieldToOthers();
    if (pause === null) return planned;
    yield* wait(pause);
    if (runner.catalog() === catalog) return planned;
  }
}

/** Locks what a definition refers to, from when it is looked up. */
function lockCatalog(block: TransactionBlock, { bound }: Planned, signal: AbortSignal): Promise<void> | null {
  if (bound.kind !== 'catalog' || bound.edits.length === 0) return null;
  return block.require().lockCatalog(signal);
}
