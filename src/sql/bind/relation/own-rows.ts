/**
 * Rows of schema quern that are there for a role (`catalog/private-relations.ts`), as the text of a condition. It is made of
 * the catalog by which the statement is planned, and of nothing that the session could set. One thing to know: an answer
 * says what its documents say, as research does, so it is there for who sees all that it rests on, now.
 */
import { present } from '../../../assert.ts';
import { documentsOf, isRuled } from '../../../catalog/policies.ts';
import {
  hasRightsOf,
  isSuperuser,
  PREDEFINED,
  roleByOid,
  rolesReached,
} from '../../../catalog/access/roles.ts';
import type { Catalog, Relation } from '../../../catalog/model.ts';
import { type Ownership, ownershipOf, type RowKey } from '../../../catalog/private-relations.ts';
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
    case 'role or monitor':
      return isWatching ? null : ofRoles(reader);
    case 'role and key':
      return seesAll ? null : allOf([ofRoles(reader), ofKey(reader)]);
    case 'cited':
      return seesAll ? null : allOf([ofRoles(reader), ofKey(reader), restsOnWhatIsSeen(reader, ownership)]);
    case 'other': {
      const { id, relation, of = id } = ownership;
      return seesAll ? null : `${id} IN (SELECT ${of} FROM quern.${relation})`;
    }
    case 'reader':
      return null;
  }
}

const allOf = (conditions: readonly string[]): string => conditions.join(' AND ');

/** A rule asks by itself for what its rows cite. @param around relations whose rules are being bound. */
export function isAskedByCiting(catalog: Catalog, around: readonly number[], relation: Relation): boolean {
  const asking = catalog.relations.get(around.at(-1) ?? 0);
  const ownership = asking === undefined ? undefined : ownershipOf(asking);
  if (ownership?.by !== 'cited' || relation.namespace !== asking?.namespace) return false;
  return ownership.cited.some((cited) => cited.relation === relation.name);
}

/** Rows of roles whose rights one has; nothing is left of the rights of one that is gone. */
function ofRoles({ catalog, role }: Reader): string {
  if (isSuperuser(catalog, role)) return 'true';
  if (roleByOid(catalog, role) === undefined) return 'false';
  return `role = ANY ('{${[...rolesReached(catalog, role, 'inherit')].join()}}'::pg_catalog.oid[])`;
}

const ofKey = ({ key }: Reader): string => (key === null ? 'key IS NULL' : `key = ${quoteLiteral(key.id)}`);

type Citing = Extract<Ownership, { readonly by: 'cited' }>;

/**
 * Condition that all may be seen that a row rests on: what an answer cites, and what its question was made whole by. Of what
 * a dropped dataset said nobody can tell any more who may see it.
 */
function restsOnWhatIsSeen(reader: Reader, { id, cited }: Citing): string {
  const hidden = cited.flatMap((one) => [
    ...(one.gone === undefined ? [] : [`SELECT c.${id} FROM quern.${one.relation} c WHERE ${one.gone}`]),
    ...hiddenIn(reader, `SELECT c.${id} FROM quern.${one.relation} c`),
  ]);
  return allOf(hidden.map((some) => `${id} NOT IN (${some})`));
}

/**
 * Queries of rows with a document that is not seen: of a dataset that may not be read, or hidden by its policies.
 * @param all query of all rows that cite, by alias `c`.
 */
function hiddenIn(reader: Reader, all: string): readonly string[] {
  const { catalog, role } = reader;
  const readable = readableDatasets(reader);
  if (readable.length === 0) return [all];
  const of = `${all} WHERE c.dataset`;
  const closed = `${of} NOT IN (${namesOf(readable)})`;
  const ruled = readable.filter(({ oid }) => isRuled(catalog, documentsIn(catalog, oid), role));
  if (ruled.length === 0) return [closed];
  const seen = ruled.map(
    ({ name }) => `SELECT ${quoteLiteral(name)} AS dataset, doc_id FROM ${quoteIdentifier(name)}.documents`,
  );
  const match = 'd.dataset = c.dataset AND d.doc_id = c.doc_id';
  const isSeen = `EXISTS (SELECT FROM (${seen.join(' UNION ALL ')}) d WHERE ${match})`;
  return [closed, `${of} IN (${namesOf(ruled)}) AND NOT ${isSeen}`];
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
