/** Statements that change what exists: catalog edits, TRUNCATE, dropping a partition. */
import { unreachable } from '../assert.ts';
import { applyEdit } from '../catalog/edit.ts';
import type { Index } from '../catalog/model.ts';
import type { BoundStatement, CatalogEdit } from '../plan/statement.ts';
import type { ExecutionContext } from './context.ts';

type Definition = Exclude<BoundStatement, { kind: 'plan' }>;

/** Runs the definition within the context's transaction. */
export async function runDefinition(
  bound: Definition,
  context: Pick<ExecutionContext, 'transaction' | 'functions' | 'signal' | 'inference'>,
): Promise<void> {
  const { transaction, functions, signal, inference } = context;
  switch (bound.kind) {
    case 'catalog':
      for (const message of bound.notices) {
        functions.notice({ severity: 'NOTICE', condition: 'successful_completion', message });
      }
      if (bound.edits.length === 0) return;
      for (const index of newIndexes(bound.edits)) {
        if (index.kind === 'semantic') inference.model(index.options.model ?? '');
      }
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

/** Indexes that the edits make: a semantic one must name a model there is, before anything is stored. */
function newIndexes(edits: readonly CatalogEdit[]): readonly Index[] {
  return edits.flatMap((edit) => {
    if (edit.edit === 'create relation') return edit.relation.indexes;
    return edit.edit === 'add index' ? [edit.index] : [];
  });
}
