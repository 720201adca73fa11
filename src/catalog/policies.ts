/** Policies: which rows of a relation a role sees and may write. Source: PostgreSQL 17, section 5.9. */
import { isSuperuser, PUBLIC, roleByOid, rolesReached } from './access/roles.ts';
import { owns } from './access/checks.ts';
import type { Policy, PolicyCommand } from './access/model.ts';
import type { Catalog, Relation } from './model.ts';
import { isPrivate } from './private-relations.ts';

/** True where policies hold for the role: not for superusers, BYPASSRLS, and owners unless it is forced. */
export function isRuled(catalog: Catalog, relation: Relation, role: number): boolean {
  const { rowSecurity = 'off' } = relation;
  if (rowSecurity === 'off' || rowSecurity === 'only forced' || isSuperuser(catalog, role)) return false;
  if (roleByOid(catalog, role)?.bypassRowSecurity === true) return false;
  const isOwner = owns(catalog, role, { kind: 'relation', oid: relation.oid });
  return !isOwner || rowSecurity === 'forced';
}

/** `documents` of the dataset that the relation belongs to, whose policies hold for all that there is of a document. */
export function documentsAround(catalog: Catalog, { namespace, name }: Relation): Relation | null {
  return name === 'documents' ? null : documentsOf(catalog, namespace);
}

const DOCUMENTS = new WeakMap<Catalog, ReadonlyMap<number, Relation>>();

/** `documents` of a dataset. @param schema OID of its namespace. */
export const documentsOf = (catalog: Catalog, schema: number): Relation | null =>
  allDocuments(catalog).get(schema) ?? null;

/** By the dataset's namespace; found once a catalog, as it is asked for every relation. */
function allDocuments(catalog: Catalog): ReadonlyMap<number, Relation> {
  const known = DOCUMENTS.get(catalog);
  if (known !== undefined) return known;
  const datasets = new Set(
    catalog.namespaces.filter(({ dataset }) => dataset !== undefined).map(({ oid }) => oid),
  );
  const documents = [...catalog.relations.values()]
    .filter(({ namespace, name }) => name === 'documents' && datasets.has(namespace))
    .map((relation) => [relation.namespace, relation] as const);
  const made = new Map(documents);
  DOCUMENTS.set(catalog, made);
  return made;
}

/** True where a rule may hide rows of it from the role, whose columns it may read. */
export function hidesRows(catalog: Catalog, relation: Relation, role: number): boolean {
  if (isSuperuser(catalog, role)) return false;
  const documents = documentsAround(catalog, relation);
  return (
    isPrivate(catalog, relation) ||
    isRuled(catalog, relation, role) ||
    (documents !== null && isRuled(catalog, documents, role))
  );
}

/**
 * The policies of a relation for a command and a role, in the order in which PostgreSQL asks them: restrictive ones by name,
 * permissive ones from the last name on. One that fails is not asked where one before it decides.
 */
export function policiesFor(
  catalog: Catalog,
  relation: Relation,
  { command, role }: { readonly command: Exclude<PolicyCommand, 'all'>; readonly role: number },
): readonly Policy[] {
  const reached = rolesReached(catalog, role, 'inherit');
  const named = (relation.policies ?? [])
    .filter((policy) => policy.command === 'all' || policy.command === command)
    .filter(({ roles }) => roles.some((one) => one === PUBLIC || reached.has(one)))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const restrictive = named.filter(({ permissive }) => !permissive);
  return [...named.filter(({ permissive }) => permissive).toReversed(), ...restrictive];
}
