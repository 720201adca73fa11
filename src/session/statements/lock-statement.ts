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
import type { Runner } from '../running/runner.ts';

/** Readers take the first themselves; the others are those of writers, which PostgreSQL allows to a read-only transaction. */
export function lockEffect(mode: TableLockMode): Effect {
  if (mode === 'access share') return 'session';
  return mode === 'row share' || mode === 'row exclusive' ? 'server' : 'data';
}

export async function lock({ runner, statement, request }: StatementCall<'lock'>): Promise<Running> {
  const { names, mode, nowait } = statement;
  const { block } = runner;
  if (!block.inBlock) {
    throw new SqlError('no_active_sql_transaction', 'LOCK TABLE can only be used in transaction blocks');
  }
  const { signal } = request;
  for (const name of names) {
    const { oid } = lockable(runner, name);
    refuseDatasetLock(runner.catalog(), { relation: oid, mode });
    await block.require().lockTable(oid, { mode, wait: nowait ? 'nowait' : 'block', signal });
  }
  return new FixedResult('LOCK TABLE');
}

function lockable(runner: Runner, { schema, name }: QualifiedName): Relation {
  const relation = findRelation(runner.catalog(), schema, name, runner.searchPath());
  if (relation === undefined) {
    throw new SqlError('undefined_table', `relation "${name}" does not exist`);
  }
  if (relation.kind === 'view') throw notSupported('LOCK TABLE on a view');
  if (relation.kind !== 'sequence') return relation;
  throw new SqlError('wrong_object_type', `cannot lock relation "${name}"`, {
    detail: 'This operation is not supported for sequences.',
  });
}
