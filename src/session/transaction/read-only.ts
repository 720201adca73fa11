/**
 * Refusals of a session that only reads (`quern.read_only`), and of a transaction that only reads: everything
 * that a statement or a function does beside its answer is declared as an effect, and comes here before it happens.
 */
import { SqlError } from '../../errors.ts';
import type { Effect } from '../../functions/function.ts';
import type { Plan } from '../../plan/plan.ts';
import type { BoundStatement } from '../../plan/statement.ts';
import { planChildren, subqueryPlans } from '../../plan/walk.ts';
import type { SessionSettings } from '../settings/settings.ts';
import type { TransactionBlock } from './transaction-block.ts';

interface Reader {
  readonly settings: SessionSettings;
  readonly block: TransactionBlock;
  readonly key: { readonly scope: { readonly readOnly: boolean } } | null;
}

/**
 * As PostgreSQL has it, a transaction that only reads may tell, lock and cancel others. A session that only reads may
 * not: it is for those whom nobody trusts with more than answers.
 *
 * @param what `INSERT`, `nextval()`.
 * @throws SqlError 25006.
 */
export function refuseEffect({ settings, block, key }: Reader, effect: Effect, what: string): void {
  if (effect === 'none' || effect === 'session') return;
  if (key?.scope.readOnly === true) {
    throw new SqlError('read_only_sql_transaction', `cannot execute ${what} with a key that only reads`);
  }
  if (settings.isReadOnly) {
    throw new SqlError('read_only_sql_transaction', `cannot execute ${what} in a read-only session`, {
      hint: 'quern.read_only is on, and stays so to the end of the session.',
    });
  }
  if (effect === 'data' && block.readOnly) {
    throw new SqlError('read_only_sql_transaction', `cannot execute ${what} in a read-only transaction`);
  }
}

/** Name of a statement that writes, or locks rows; null: it does neither. */
export function writingTag(bound: BoundStatement): string | null {
  switch (bound.kind) {
    case 'plan':
      return bound.writes ? bound.tag : lockingTag(bound.plan);
    case 'catalog':
      return bound.tag;
    case 'truncate':
      return 'TRUNCATE TABLE';
    case 'drop partition':
      return 'DELETE';
  }
}

/** Rows are locked by a query, or by one within its expressions. */
function lockingTag(plan: Plan): string | null {
  if (plan.kind === 'lock rows') {
    const mode = plan.rows.find(({ lock }) => lock !== null)?.lock?.mode ?? 'update';
    return `SELECT FOR ${mode.toUpperCase()}`;
  }
  for (const part of [...planChildren(plan), ...subqueryPlans(plan)]) {
    const tag = lockingTag(part);
    if (tag !== null) return tag;
  }
  return null;
}
