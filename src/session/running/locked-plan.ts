/** The plan of a statement whose locks are had. */
import type { Catalog } from '../../catalog/model.ts';
import type { ParsedStatement } from '../../sql/parse/parse.ts';
import { checkBound } from '../rights/check.ts';
import { refuseEffect } from '../transaction/read-only.ts';
import { findFields } from '../rights/find-fields.ts';
import type { TransactionBlock } from '../transaction/transaction-block.ts';
import { refuseBeyondKey } from '../scope/key-limits.ts';
import { awaitedLsn } from './lsn-wait.ts';
import { pendingOf, tellPending } from './pending.ts';
import type { Planned } from './planner.ts';
import type { Statement } from './statement.ts';
import { lockTables } from './table-locks.ts';

/**
 * The plan by what there is once its locks are had: after each wait it is asked again, as whoever was waited
 * for may have changed the catalog.
 */
export function lockedPlan(statement: Statement, parsed: ParsedStatement): Planned | Promise<Planned> {
  const { waitsForLsn } = statement.session.settings.figures();
  if (!waitsForLsn) return withLocks(statement, parsed, false);
  return awaitedLsn(statement).then(() => withLocks(statement, parsed, false));
}

/** @param isTold what is pending has been asked for. */
function withLocks(
  statement: Statement,
  parsed: ParsedStatement,
  isTold: boolean,
): Planned | Promise<Planned> {
  const { session, prepared, parameters } = statement;
  const catalog = session.catalog();
  const types = prepared === null ? (parsed.lifted?.types ?? NO_TYPES) : prepared.types;
  const make = (): Planned => session.plan(parsed, types, { parameters });
  const made = session.fields.planned(findFields(statement), make);
  if (made instanceof Promise)
    return made.then((planned) => allowed(statement, parsed, { planned, catalog, isTold }));
  return allowed(statement, parsed, { planned: made, catalog, isTold });
}

/** @param made.catalog by which it was planned. */
function allowed(
  statement: Statement,
  parsed: ParsedStatement,
  {
    planned,
    catalog,
    isTold,
  }: { readonly planned: Planned; readonly catalog: Catalog; readonly isTold: boolean },
): Planned | Promise<Planned> {
  const { session, signal } = statement;
  const { block } = session;
  if (session.catalog() !== catalog) return withLocks(statement, parsed, isTold);
  checkBound(catalog, session.identity.current, planned.bound);
  // Before its locks, which others would wait for.
  refuseBeyondKey(session, planned, false);
  if (planned.writes !== null) refuseEffect(session, 'data', planned.writes);
  const locking = takeLocks(block, planned, signal);
  if (locking !== null) return locking.then(() => withLocks(statement, parsed, isTold));
  const isAsked = !isTold && planned.searched.relations.length > 0;
  const pending = isAsked ? pendingOf(statement, planned.searched) : null;
  if (pending !== null) {
    return pending.then((texts) => {
      tellPending(statement, texts);
      return withLocks(statement, parsed, true);
    });
  }
  const pause = statement.slice.yieldToOthers();
  if (pause === null) return planned;
  return pause.then(() => (session.catalog() === catalog ? planned : withLocks(statement, parsed, true)));
}

const NO_TYPES: readonly number[] = [];

/** Tables, and what a definition refers to, from when it is looked up. Null: had them at once. */
function takeLocks(block: TransactionBlock, planned: Planned, signal: AbortSignal): Promise<void> | null {
  const locking = planned.locks.length === 0 ? null : lockTables(block, planned, signal);
  const { bound } = planned;
  if (locking !== null) return locking;
  if (bound.kind !== 'catalog' || bound.edits.length === 0) return null;
  return block.require().lockCatalog(signal);
}
