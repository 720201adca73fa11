/** Statements that change what exists: catalog edits, TRUNCATE, dropping a partition. */
import { unreachable } from '../assert.ts';
import { applyEdit } from '../catalog/edit.ts';
import type { BoundStatement } from '../plan/statement.ts';
import type { ExecutionContext } from './context.ts';

type Definition = Exclude<BoundStatement, { kind: 'plan' }>;

/** Runs the definition within the context's transaction. */
export async function runDefinition(
  bound: Definition,
  context: Pick<ExecutionContext, 'transaction' | 'functions' | 'signal'>,
): Promise<void> {
  const { transaction, functions, signal } = context;
  switch (bound.kind) {
    case 'catalog':
      for (const message of bound.notices) {
        functions.notice({ severity: 'NOTICE', condition: 'successful_completion', message });
      }
      if (bound.edits.length === 0) return;
      await transaction.changeCatalog((catalog) => bound.edits.reduce(applyEdit, catalog), signal);
      return;
    case 'truncate':
      for (const relation of bound.relations) transaction.truncate(relation, null);
      return;
    case 'drop partition':
      transaction.dropPartition(bound.relation, bound.partition);
      return;
    default:
      unreachable(bound);
  }
}
