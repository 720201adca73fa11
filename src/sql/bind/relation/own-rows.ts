/**
 * Rows of schema quern that are there for a role (`catalog/private-relations.ts`), as the text of a condition. It is made of
 * the catalog by which the statement is planned, and of nothing that the session could set. One thing to know: an answer
 * says what its documents say, as research does, so it is there for who sees all that it rests on, now.
 */
import { present } from '../../../assert.ts';
import { documentsOf, isRuled } from '../../../catalog/policies.ts';
import {
  AUDIT_ROLE,
  hasRightsOf,
  isSuperuser,
  PREDEFINED,
  roleByOid,
  rolesReached,
} from '../../../catalog/access/roles.ts';
import type { Catalog, Relation } from '../../../catalog/model.ts';
import { type Cited, type Ownership, ownershipOf, type RowKey } from '../../../catalog/private-relations.ts';
import { readsDataset } from '../../../catalog/readable-datasets.ts';
import { quoteIdentifier, quoteLiteral } from '../../../types/text/quote.ts';

interface Reader {
  readonly catalog: Catalog;
  readonly role: number;
  /** The session's, where it limits rows. */
  readonly key: RowKey | null;
}

/** Null: all of them are there. */
export function ownRows(reader: Reader, ownership: Ownership): string | null {
  const { catalog, role, key } = reader;
  const isWatching = hasRightsOf(catalog, role, PREDEFINED.monitor);
  const seesAll = key === null && isSuperuser(catalog, role);
  switch (ownership.by) {
    case 'monitor':
      return isWatching ? null : 'false';
    case 'auditor':
      return hasRightsOf(catalog, role, AUDIT_ROLE) ? null : 'false';
    case 'role or monitor':
      return isWatching ? null : ofRoles(reader);
    case 'role and key':
      return seesAll ? null : allOf([ofRoles(reader), ofKey(reader), seesCited(reader, ownership.cited)]);
    case 'other': {
      const { id, relation, of = id, cited } = ownership;
      const isOwn = `${id} IN (SELECT ${of} FROM quern.${relation})`;
      return seesAll ? null : allOf([isOwn, seesCited(reader, cited)]);
    }
    case 'reader':
      return null;
  }
}

const allOf = (conditions: readonly string[]): string => conditions.join(' AND ');

/** True where the rule that is being bound asks which documents are cited. @param around relations with such rules. */
export function isAskedAsCited(catalog: Catalog, around: readonly number[], relation: Relation): boolean {
  const asking = catalog.relations.get(around.at(-1) ?? 0);
  const ownership = asking === undefined ? undefined : ownershipOf(asking);
  const cited = ownership !== undefined && 'cited' in ownership ? ownership.cited : undefined;
  return cited?.in.includes(relation.name) === true && ownershipOf(relation) !== undefined;
}

/** Rows of roles whose rights one has; nothing is left of the rights of one that is gone. */
function ofRoles({ catalog, role }: Reader): string {
  if (isSuperuser(catalog, role)) return 'true';
  if (roleByOid(catalog, role) === undefined) return 'false';
  return `role = ANY ('{${[...rolesReached(catalog, role, 'inherit')].join()}}'::pg_catalog.oid[])`;
}

const ofKey = ({ key }: Reader): string => (key === null ? 'key IS NULL' : `key = ${quoteLiteral(key.id)}`);

/** Rows of dropped datasets: nobody can tell any more who may see what these said. */
const OF_DROPPED: Readonly<Record<string, string>> = { citations: "c.reason = 'dataset dropped'" };

/** Condition that each document that a row cites may be seen. */
function seesCited(reader: Reader, cited: Cited | undefined): string {
  if (cited === undefined) return 'true';
  const { id } = cited;
  const hidden = cited.in.flatMap((relation) => {
    const dropped = OF_DROPPED[relation];
    const conditions = [...(dropped === undefined ? [] : [dropped]), ...hiddenTo(reader)];
    return conditions.map((condition) => `SELECT c.${id} FROM quern.${relation} c WHERE ${condition}`);
  });
  return allOf(hidden.map((some) => `${id} NOT IN (${some})`));
}

/** Conditions of documents `c`, any of them: of a dataset that may not be read, or hidden by its policies. */
function hiddenTo(reader: Reader): readonly string[] {
  const { catalog, role } = reader;
  const readable = readableDatasets(reader);
  if (readable.length === 0) return ['true'];
  const closed = `c.dataset NOT IN (${namesOf(readable)})`;
  const ruled = readable.filter(({ oid }) => isRuled(catalog, documentsIn(catalog, oid), role));
  if (ruled.length === 0) return [closed];
  const seen = ruled.map(
    ({ name }) => `SELECT ${quoteLiteral(name)} AS dataset, doc_id FROM ${quoteIdentifier(name)}.documents`,
  );
  const match = 'd.dataset = c.dataset AND d.doc_id = c.doc_id';
  const isSeen = `EXISTS (SELECT FROM (${seen.join(' UNION ALL ')}) d WHERE ${match})`;
  return [closed, `c.dataset IN (${namesOf(ruled)}) AND NOT ${isSeen}`];
}

const namesOf = (datasets: Catalog['namespaces']): string =>
  datasets.map(({ name }) => quoteLiteral(name)).join();

const documentsIn = (catalog: Catalog, schema: number): Relation =>
  present(documentsOf(catalog, schema), 'documents of a dataset');

const readableDatasets = ({ catalog, role, key }: Reader): Catalog['namespaces'] =>
  catalog.namespaces.filter(
    ({ oid, name, dataset }) =>
      dataset !== undefined &&
      documentsOf(catalog, oid) !== null &&
      readsDataset(catalog, role, oid) &&
      (key === null || key.datasets === null || key.datasets.includes(name)),
  );
