/**
 * The catalog as far as a role may see it in information_schema and in schema quern; pg_catalog is everybody's, as in
 * PostgreSQL. One thing to know: the first shows what one has any right on, the second, which tells of rows, only what one
 * may read as a whole.
 */
import { privilegesOn } from '../access/checks.ts';
import { PRIVILEGE, type Privileges } from '../access/privileges.ts';
import { isSuperuser } from '../access/roles.ts';
import { isPrivate } from '../private-relations.ts';
import type { Catalog, Relation, SqlFunction } from '../model.ts';
import { CLASS_OID } from '../oids.ts';

type Seen = (catalog: Catalog, role: number) => Catalog;

const SEEN: Readonly<Record<string, Seen>> = { information_schema: seenBySome, quern: seenByReading };

const KNOWN = new WeakMap<Catalog, Map<string, Catalog>>();

/** @param schema of the system relation that shows it. */
export function seenCatalog(catalog: Catalog, role: number, schema: string): Catalog {
  const seen = SEEN[schema];
  if (seen === undefined || isSuperuser(catalog, role)) return catalog;
  const known = KNOWN.get(catalog) ?? new Map<string, Catalog>();
  KNOWN.set(catalog, known);
  const key = `${role} ${schema}`;
  const found = known.get(key) ?? seen(catalog, role);
  known.set(key, found);
  return found;
}

const privileges = (catalog: Catalog, role: number, { oid, kind }: Relation): Privileges =>
  privilegesOn(catalog, role, { kind: kind === 'sequence' ? 'sequence' : 'relation', oid });

function seenBySome(catalog: Catalog, role: number): Catalog {
  const granted = grantedColumns(catalog, role);
  const relations = only(
    catalog.relations,
    (relation) => privileges(catalog, role, relation) !== 0 || granted.has(relation.oid),
  );
  const functions = only(
    catalog.functions,
    ({ oid }: SqlFunction) => privilegesOn(catalog, role, { kind: 'function', oid }) !== 0,
  );
  return { ...catalog, relations, functions };
}

function seenByReading(catalog: Catalog, role: number): Catalog {
  const namespaces = catalog.namespaces.filter(
    ({ oid }) => (privilegesOn(catalog, role, { kind: 'schema', oid }) & PRIVILEGE.usage) !== 0,
  );
  const usable = new Set(namespaces.map(({ oid }) => oid));
  const relations = only(
    catalog.relations,
    (relation) =>
      usable.has(relation.namespace) &&
      !isPrivate(catalog, relation) &&
      (privileges(catalog, role, relation) & PRIVILEGE.select) !== 0,
  );
  return { ...catalog, namespaces, relations };
}

/** OIDs of relations with a column on which the role has a right. */
function grantedColumns(catalog: Catalog, role: number): ReadonlySet<number> {
  const found = new Set<number>();
  for (const { classOid, oid, column } of catalog.access.values()) {
    if (classOid !== CLASS_OID.pg_class || column === 0 || found.has(oid)) continue;
    if (privilegesOn(catalog, role, { kind: 'column', oid, column }) !== 0) found.add(oid);
  }
  return found;
}

const only = <T>(all: ReadonlyMap<number, T>, wanted: (one: T) => boolean): ReadonlyMap<number, T> =>
  new Map([...all].filter(([, one]) => wanted(one)));
