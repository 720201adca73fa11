/**
 * Finding things by name. A name without a schema is looked up along the search path, in which pg_catalog
 * comes first unless the path names it, as in PostgreSQL.
 */
import { DOMAINS } from '../language/domains/domains.ts';
import type { Catalog, Dataset, Namespace, Relation } from './model.ts';
import { isTemporarySchema, OWN_TEMPORARY_SCHEMA, ownTemporarySchema } from './temporary-names.ts';

export function findNamespace(catalog: Catalog, name: string): Namespace | undefined {
  return catalog.namespaces.find((namespace) => namespace.name === name);
}

/** Ids of the domain packs that questions to a dataset are read with. */
export const activeDomains = (dataset: Dataset): readonly string[] =>
  dataset.domains ?? dataset.spokenDomains ?? [...DOMAINS.packs.keys()];

export function namespaceName(catalog: Catalog, oid: number): string | null {
  return catalog.namespaces.find((namespace) => namespace.oid === oid)?.name ?? null;
}

/** Schemas in the order of lookup. @param searchPath as set; `"$user"` is skipped where there is no such schema. */
export function effectivePath(searchPath: readonly string[]): readonly string[] {
  if (searchPath.includes('pg_catalog')) return searchPath;
  const [first, ...rest] = searchPath;
  if (first !== undefined && isTemporarySchema(first)) return [first, 'pg_catalog', ...rest];
  return ['pg_catalog', ...searchPath];
}

/** `pg_temp` is the session's own schema. */
export function schemaMeant(schema: string, searchPath: readonly string[]): string {
  return schema === OWN_TEMPORARY_SCHEMA ? (ownTemporarySchema(searchPath) ?? schema) : schema;
}

/** A user's relation by name; system relations are found by `system/registry.ts`. */
export function findRelation(
  catalog: Catalog,
  schema: string | null,
  name: string,
  searchPath: readonly string[],
): Relation | undefined {
  for (const path of schema === null ? effectivePath(searchPath) : [schemaMeant(schema, searchPath)]) {
    const namespace = findNamespace(catalog, path)?.oid;
    for (const relation of catalog.relations.values()) {
      if (relation.name === name && relation.namespace === namespace) return relation;
    }
  }
  return undefined;
}
