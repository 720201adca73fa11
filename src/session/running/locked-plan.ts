/** The plan of a statement whose locks are had. */
import type { ParsedStatement } from '../../sql/parse/parse.ts';
import { type Task, wait } from '../../task.ts';
import { refuseWrites } from '../transaction/read-only.ts';
import type { TransactionBlock } from '../transaction/transaction-block.ts';
import { awaitedLsn } from './lsn-wait.ts';
import { pendingOf, tellPending } from './pending.ts';
import type { Planned } from './planner.ts';
import type { Statement } from './statement.ts';
import { lockTables } from './table-locks.ts';

/**
 * The plan by what there is once its locks are had: after each wait it is asked again, as whoever was waited
 * for may have changed the catalog.
 */
export function* lockedPlan(statement: Statement, parsed: ParsedStatement): Task<Planned> {
  const { session, signal, prepared, parameters } = statement;
  const { block } = session;
  const lsn = awaitedLsn(statement);
  if (lsn !== null) yield* wait(lsn);
  const slice = session.timeSlice();
  let isTold = false;
  for (;;) {
    const catalog = session.catalog();
    const planned = session.plan(parsed, prepared?.types ?? parsed.lifted?.types ?? [], { parameters });
    // Before its locks, which others would wait for.
    refuseWrites(session, planned.bound);
    const locking = lockTables(block, planned, signal) ?? lockCatalog(block, planned, signal);
    if (locking !== null) {
      yield* wait(locking);
      continue;
    }
    const pending = isTold ? null : pendingOf(statement, planned.searched);
    isTold = true;
    if (pending !== null) {
      tellPending(statement, yield* wait(pending));
      continue;
    }
    const pause = slice.yieldToOthers();
    if (pause === null) return planned;
    yield* wait(pause);
    if (session.catalog() === catalog) return planned;
  }
}

/** Locks what a definition refers to, from when it is looked up. */
function lockCatalog(block: TransactionBlock, { bound }: Planned, signal: AbortSignal): Promise<void> | null {
  if (bound.kind !== 'catalog' || bound.edits.length === 0) return null;
  return block.require().lockCatalog(signal);
}
