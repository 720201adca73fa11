/**
 * FOR UPDATE, NO KEY UPDATE, SHARE and KEY SHARE: which rows of FROM they lock, what they do not go with.
 * Follows PostgreSQL's transformLockingClause and CheckSelectLocking (analyze.c).
 */
import { type LockWait, ROW_LOCK_MODES, type RowLockMode } from '../../../catalog/lock-modes.ts';
import { SqlError } from '../../../errors.ts';
import type { FromItem, LockingClause, Query, Select } from '../../ast.ts';
import { type DraftColumn, FLOAT, type MarkedRowDraft, type Plan } from '../draft.ts';
import type { Level, RowLock, RowLocking } from '../level.ts';
import { findCommonTable } from './common-tables.ts';

/** Where clauses disagree, the last of these wins, as the strongest mode does. */
const WAITS: readonly LockWait[] = ['block', 'skip locked', 'nowait'];

const words = (mode: RowLockMode): string => `FOR ${mode.toUpperCase()}`;

export const isLocking = ({ clauses, outside }: RowLocking): boolean =>
  clauses.length > 0 || outside !== null;

/** How the rows of one entry of FROM are locked; null: not at all. */
export function lockOf({ clauses, outside }: RowLocking, alias: string): RowLock | null {
  const named = clauses.filter(({ relations }) => {
    return relations.length === 0 || relations.some(({ name }) => name === alias);
  });
  const locks = named.map(({ strength, wait }): RowLock => ({ mode: strength, wait }));
  if (outside !== null) locks.push(outside);
  const [first, ...rest] = locks;
  if (first === undefined) return null;
  return rest.reduce((one, other) => {
    return { mode: later(ROW_LOCK_MODES, one.mode, other.mode), wait: later(WAITS, one.wait, other.wait) };
  }, first);
}

const later = <T>(order: readonly T[], one: T, other: T): T =>
  order.indexOf(one) < order.indexOf(other) ? other : one;

/** VALUES and set operations have no rows to lock. @throws SqlError 0A000. */
export function refuseLocking(query: Exclude<Query, Select>, outside: RowLock | null): void {
  const [clause] = query.locking;
  if (query.kind === 'values' && clause !== undefined) {
    throw new SqlError('feature_not_supported', `${words(clause.strength)} cannot be applied to VALUES`);
  }
  const mode = clause?.strength ?? outside?.mode;
  if (query.kind === 'set' && mode !== undefined) throw notAllowed(mode, 'with UNION/INTERSECT/EXCEPT');
}

/** Called when the level is bound. @throws SqlError 0A000, 42P01, 42601. */
export function checkLocking(level: Level, select: Select, from: Plan): void {
  const { locking } = level;
  if (!isLocking(locking)) return;
  const mode = locking.clauses[0]?.strength ?? locking.outside?.mode ?? 'update';
  const excluded = exclusion(level, select);
  if (excluded !== null) throw notAllowed(mode, excluded);
  for (const clause of locking.clauses) checkNames(level, select.from, clause);
  refuseNullable(level, from, false);
  if (select.withTies && locking.clauses.some(({ wait }) => wait === 'skip locked')) {
    throw new SqlError('syntax_error', 'SKIP LOCKED and WITH TIES options cannot be used together');
  }
}

function exclusion(level: Level, select: Select): string | null {
  if (select.distinct !== 'all') return 'with DISTINCT clause';
  if (select.group.length > 0) return 'with GROUP BY clause';
  if (select.having !== null) return 'with HAVING clause';
  if (level.aggregates.length > 0) return 'with aggregate functions';
  if (level.windows.length > 0) return 'with window functions';
  return level.sets.length > 0 ? 'with set-returning functions in the target list' : null;
}

const notAllowed = (mode: RowLockMode, where: string): SqlError =>
  new SqlError('feature_not_supported', `${words(mode)} is not allowed ${where}`);

function checkNames(level: Level, from: readonly FromItem[], { strength, relations }: LockingClause): void {
  for (const { name, schema, at: position } of relations) {
    if (schema !== null) {
      const message = `${words(strength)} must specify unqualified relation names`;
      throw new SqlError('syntax_error', message, { position });
    }
    const item = entryOf(from, name);
    if (item === undefined) {
      const message = `relation "${name}" in ${words(strength)} clause not found in FROM clause`;
      throw new SqlError('undefined_table', message, { routine: 'invalid_argument', position });
    }
    const what = unlockable(level, item);
    if (what === null) continue;
    throw new SqlError('feature_not_supported', `${words(strength)} cannot be applied to ${what}`, {
      position,
    });
  }
}

function unlockable(level: Level, item: FromItem): string | null {
  if (item.kind === 'join') return 'a join';
  if (item.kind === 'function') return 'a function';
  if (item.kind === 'query') return item.query.kind === 'values' ? 'VALUES' : null;
  const { name, schema, partition } = item.relation;
  const table = schema === null && partition === null ? findCommonTable(level.commonTables, name) : undefined;
  return table === undefined ? null : 'a WITH query';
}

/** An entry of FROM by its alias, inside of joins too. */
function entryOf(items: readonly FromItem[], name: string): FromItem | undefined {
  for (const item of items) {
    if (item.kind === 'join') {
      if (item.alias?.name === name) return item;
      const inside = entryOf([item.left, item.right], name);
      if (inside !== undefined) return inside;
    } else if (aliasOf(item) === name) return item;
  }
  return undefined;
}

function aliasOf(item: Exclude<FromItem, { kind: 'join' }>): string | undefined {
  if (item.kind === 'relation') return item.alias?.name ?? item.relation.name;
  return item.alias?.name ?? (item.kind === 'function' ? item.calls[0]?.name : undefined);
}

/** @throws SqlError 0A000: there may be no row to lock. */
function refuseNullable(level: Level, plan: Plan, nullable: boolean): void {
  if (plan.kind === 'presence') {
    refuseNullable(level, plan.input, nullable);
    return;
  }
  if (plan.kind === 'join') {
    const { join } = plan;
    refuseNullable(level, plan.left, nullable || join === 'right' || join === 'full');
    refuseNullable(level, plan.right, nullable || join === 'left' || join === 'full');
    return;
  }
  const marked = level.marked.find(({ scan }) => scan === plan);
  const lock = marked === undefined ? null : lockOf(level.locking, marked.alias);
  if (!nullable || lock === null) return;
  const message = `${words(lock.mode)} cannot be applied to the nullable side of an outer join`;
  throw new SqlError('feature_not_supported', message);
}

/** The row numbers that `lockRows` reads. */
export function rowNumbers(level: Level): readonly DraftColumn[] {
  return level.marked.map(({ scan }) => {
    return { id: scan.rowNumberId, name: 'row number', type: FLOAT, relation: 0, attribute: 0 };
  });
}

/** The node that locks what comes through; the plan itself where nothing is to be locked here. */
export function lockRows(level: Level, input: Plan): Plan {
  const rows = level.marked.map(({ scan, alias }): MarkedRowDraft => {
    const { relation, partition, rowNumberId } = scan;
    return { mark: rowNumberId, relation, partition, lock: lockOf(level.locking, alias) };
  });
  if (rows.every(({ lock }) => lock === null)) return input;
  return { kind: 'lock rows', input, rows, output: input.output };
}
