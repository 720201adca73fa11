/** The life of temporary relations: what a commit, DISCARD, the session's end and the server's start do. */
import { applyEdit, type CatalogEdit } from '../../catalog/edit/edit.ts';
import { dropTemporarySchema, relationsOf } from '../../catalog/temporary.ts';
import { isTemporarySchema } from '../../catalog/temporary-names.ts';
import type { Engine, Transaction } from '../../engine/engine.ts';

function change(transaction: Transaction, edits: readonly CatalogEdit[]): Promise<void> {
  const { signal } = new AbortController();
  return transaction.changeCatalog((catalog) => edits.reduce(applyEdit, catalog), signal);
}

/** DISCARD TEMP. */
export async function discardTemporary(transaction: Transaction, schema: string): Promise<void> {
  const edits = dropTemporarySchema(transaction.catalog(), schema);
  if (edits.length > 0) await change(transaction, edits);
}

/** ON COMMIT of a session's temporary tables, before its transaction ends. */
export async function applyOnCommit(transaction: Transaction, schema: string): Promise<void> {
  const relations = relationsOf(transaction.catalog(), schema);
  const drops = relations
    .filter(({ onCommit }) => onCommit === 'drop')
    .map(({ oid }): CatalogEdit => ({ edit: 'drop relation', relation: oid }));
  if (drops.length > 0) await change(transaction, drops);
  using snapshot = transaction.snapshot();
  for (const { oid, onCommit } of relations) {
    if (onCommit === 'delete rows' && snapshot.parts(oid, null).length > 0) transaction.truncate(oid, null);
  }
}

/** Drops the schemas of sessions that are no more: the session's own at its end, all at the server's start. */
export async function dropTemporaryOf(engine: Engine, isGone: (schema: string) => boolean): Promise<void> {
  const gone = engine
    .catalog()
    .namespaces.map(({ name }) => name)
    .filter((name) => isTemporarySchema(name) && isGone(name));
  if (gone.length === 0) return;
  await using transaction = engine.begin({ isolation: 'read committed', readOnly: false });
  for (const schema of gone) await discardTemporary(transaction, schema);
  await transaction.commit();
}
