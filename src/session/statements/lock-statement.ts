/** LOCK TABLE: locks on relations in PostgreSQL's eight modes, to the end of the transaction. */
import type { TableLockMode } from '../../catalog/lock-modes.ts';
import { findRelation } from '../../catalog/lookup.ts';
import type { Relation } from '../../catalog/model.ts';
import { notSupported, SqlError } from '../../errors.ts';
import type { Effect } from '../../functions/function.ts';
import type { QualifiedName } from '../../sql/ast.ts';
import { refuseDatasetLock } from '../datasets/guard.ts';
import { FixedResult, type Running } from '../running/running.ts';
import type { StatementCall } from './statement-call.ts';
import type { SessionState } from '../session-state.ts';

/** Readers take the first themselves; the others are those of writers, which PostgreSQL allows to a read-only transaction. */
export function lockEffect(mode: TableLockMode): Effect {
  if (mode === 'access share') return 'session';
  return mode === 'row share' || mode === 'row exclusive' ? 'server' : 'data';
}

export async function lock({ session, statement, tree }: StatementCall<'lock'>): Promise<Running> {
  const { names, mode, nowait } = tree;
  const { block } = session;
  if (!block.inBlock) {
    throw new SqlError('no_active_sql_transaction', 'LOCK TABLE can only be used in transaction blocks');
  }
  const { signal } = statement;
  for (const name of names) {
    const { oid } = lockable(session, name);
    refuseDatasetLock(session.catalog(), { relation: oid, mode });
    await block.require().lockTable(oid, { mode, wait: nowait ? 'nowait' : 'block', signal });
  }
  return new FixedResult('LOCK TABLE');
}

function lockable(session: SessionState, { schema, name }: QualifiedName): Relation {
  const relation = findRelation(session.catalog(), schema, name, session.searchPath());
  if (relation === undefined) {
    throw new SqlError('undefined_table', `relation "${name}" does not exist`);
  }
  if (relation.kind === 'view') throw notSupported('LOCK TABLE on a view');
  if (relation.kind !== 'sequence') return relation;
  throw new SqlError('wrong_object_type', `cannot lock relation "${name}"`, {
    detail: 'This operation is not supported for sequences.',
  });
}
