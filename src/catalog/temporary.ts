/** Temporary relations in the catalog: which they are, and what drops them. */
import type { CatalogEdit } from './edit/edit.ts';
import { namespaceName } from './lookup.ts';
import type { Catalog, Relation } from './model.ts';
import { isTemporarySchema, temporaryNamespaceOid } from './temporary-names.ts';

export function isTemporary(catalog: Catalog, { namespace }: Pick<Relation, 'namespace'>): boolean {
  return isTemporarySchema(namespaceName(catalog, namespace) ?? '');
}

/** Relations of a temporary schema; none where it is not there. */
export function relationsOf(catalog: Catalog, schema: string): readonly Relation[] {
  const namespace = temporaryNamespaceOid(schema);
  return [...catalog.relations.values()].filter((relation) => relation.namespace === namespace);
}

/** True when a session has had any. */
export function hasSchema(catalog: Catalog, schema: string): boolean {
  return catalog.namespaces.some(({ name }) => name === schema);
}

/** The edits that leave nothing of a temporary schema. */
export function dropTemporarySchema(catalog: Catalog, schema: string): readonly CatalogEdit[] {
  if (!hasSchema(catalog, schema)) return [];
  return [
    ...relationsOf(catalog, schema).map(({ oid }): CatalogEdit => ({ edit: 'drop relation', relation: oid })),
    { edit: 'drop namespace', namespace: temporaryNamespaceOid(schema) },
  ];
}
