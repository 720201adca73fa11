/** Datasets that a role may read: what search(), ask() and kept answers may show it is in these. */
import { privilegesOn } from './access/checks.ts';
import { PRIVILEGE } from './access/privileges.ts';
import { roleByOid } from './access/roles.ts';
import type { Catalog, Relation } from './model.ts';
import { isPrivate } from './private-relations.ts';

const OPEN = new WeakMap<Catalog, ReadonlyMap<number, readonly Relation[]>>();

/** Relations of datasets that grants are asked for, by namespace; found once a catalog. */
function openRelations(catalog: Catalog): ReadonlyMap<number, readonly Relation[]> {
  const known = OPEN.get(catalog);
  if (known !== undefined) return known;
  const datasets = catalog.namespaces.filter(({ dataset }) => dataset !== undefined);
  const made = new Map(datasets.map(({ oid }): [number, Relation[]] => [oid, []]));
  for (const relation of catalog.relations.values()) {
    const open = made.get(relation.namespace);
    if (open !== undefined && !isPrivate(catalog, relation)) open.push(relation);
  }
  OPEN.set(catalog, made);
  return made;
}

/** Those of one dataset. @param schema OID of its namespace. */
export const openRelationsOf = (catalog: Catalog, schema: number): readonly Relation[] =>
  openRelations(catalog).get(schema) ?? [];

/** With USAGE on its schema and SELECT on all that is in it. @param schema OID of its namespace. */
export function readsDataset(catalog: Catalog, role: number, schema: number): boolean {
  // Nothing is left of the rights of a role that is gone.
  if (roleByOid(catalog, role) === undefined) return false;
  if ((privilegesOn(catalog, role, { kind: 'schema', oid: schema }) & PRIVILEGE.usage) === 0) return false;
  return openRelationsOf(catalog, schema).every(
    ({ oid }) => (privilegesOn(catalog, role, { kind: 'relation', oid }) & PRIVILEGE.select) !== 0,
  );
}
