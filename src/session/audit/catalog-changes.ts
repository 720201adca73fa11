/**
 * Changes of the catalog by a transaction, as events: compared object by object, so that what a function, CASCADE or a
 * script did is named, whatever the statement was called. Temporary relations and Quern's own are left out.
 */
import type { AclItem, ObjectAccess } from '../../catalog/access/model.ts';
import { PUBLIC, roleByOid } from '../../catalog/access/roles.ts';
import { namespaceName } from '../../catalog/lookup.ts';
import type { Catalog, Namespace, Relation } from '../../catalog/model.ts';
import { CLASS_OID, NAMESPACE_OID } from '../../catalog/oids.ts';
import { isTemporarySchema } from '../../catalog/temporary-names.ts';
import { aclItemText } from '../../types/acl-item.ts';
import type { AuditEvent } from './entry.ts';

/** Objects of one entry. */
const OBJECTS_MAX = 200;

type Action = 'create' | 'alter' | 'drop' | 'grant';

interface Change {
  readonly action: Action;
  readonly object: string;
}

/** Things of one kind by what stays when they are renamed. */
type Things<Thing> = Iterable<readonly [id: number | string, thing: Thing]>;

/** How things of a kind are called in a catalog; null: they are not told of. */
type Called<Thing> = (catalog: Catalog, thing: Thing) => string | null;

interface Kind<Thing> {
  readonly all: (catalog: Catalog) => Things<Thing>;
  readonly called: Called<Thing>;
}

type Compare = (before: Catalog, after: Catalog) => Iterable<Change>;

export function catalogChanges(before: Catalog, after: Catalog): readonly AuditEvent[] {
  const changes = new Map<Action, Set<string>>();
  const note = ({ action, object }: Change): void => {
    const objects = changes.get(action) ?? new Set();
    changes.set(action, objects.add(object));
  };
  for (const compare of COMPARED) for (const change of compare(before, after)) note(change);
  return [...changes].flatMap(([action, objects]) => inSlices(action, [...objects]));
}

function inSlices(action: Action, objects: readonly string[]): readonly AuditEvent[] {
  const events: AuditEvent[] = [];
  for (let i = 0; i < objects.length; i += OBJECTS_MAX) {
    events.push({ action, objects: objects.slice(i, i + OBJECTS_MAX) });
  }
  return events;
}

/** Compares things of a kind, which are immutable: what is the same object has not changed. */
function compared<Thing>({ all, called }: Kind<Thing>): Compare {
  return function* compare(before, after) {
    const old = new Map(all(before));
    for (const [id, thing] of all(after)) {
      const was = old.get(id);
      old.delete(id);
      if (was === thing) continue;
      const object = called(after, thing);
      if (object === null) continue;
      const name = was === undefined ? object : called(before, was);
      const shown = name === object || name === null ? object : `${name} → ${object}`;
      yield { action: was === undefined ? 'create' : 'alter', object: shown };
    }
    for (const thing of old.values()) {
      const object = called(before, thing);
      if (object !== null) yield { action: 'drop', object };
    }
  };
}

/** Compares rights: those that are left tell who has which, also where some are taken away. Rights to what is gone are not told. */
function granted<Thing>({ all, called }: Kind<Thing>): Compare {
  return function* compare(before, after) {
    const old = new Map(all(before));
    for (const [id, thing] of all(after)) {
      const isSame = old.get(id) === thing;
      old.delete(id);
      const object = isSame ? null : called(after, thing);
      if (object !== null) yield { action: 'grant', object };
    }
    for (const thing of old.values()) {
      const object = called(after, thing);
      if (object !== null) yield { action: 'grant', object: `${object}, not any more` };
    }
  };
}

function inSchema(catalog: Catalog, namespace: number, name: string): string | null {
  const schema = namespaceName(catalog, namespace);
  if (schema === null || namespace === NAMESPACE_OID.quern || isTemporarySchema(schema)) return null;
  return `${schema}.${name}`;
}

const named = (kind: string, name: string | null): string | null =>
  name === null ? null : `${kind} ${name}`;

/** Null: it is not told of. */
export const relationName = (catalog: Catalog, { kind, namespace, name }: Relation): string | null =>
  named(kind, inSchema(catalog, namespace, name));

/** Parts of a relation. */
function* within<Thing extends { readonly oid: number }>(
  { relations }: Catalog,
  list: (relation: Relation) => readonly Thing[],
): Things<{ relation: Relation; thing: Thing }> {
  for (const relation of relations.values()) {
    for (const thing of list(relation)) yield [thing.oid, partOf(relation, thing)];
  }
}

/** The same object for the same thing of the same relation, also where the relation is another version of it. */
const PARTS = new WeakMap<object, { relation: Relation; thing: unknown }>();

function partOf<Thing extends object>(
  relation: Relation,
  thing: Thing,
): { relation: Relation; thing: Thing } {
  const known = PARTS.get(thing);
  if (known !== undefined) return known as { relation: Relation; thing: Thing };
  const part = { relation, thing };
  PARTS.set(thing, part);
  return part;
}

const byOid = <Thing extends { readonly oid: number }>(things: readonly Thing[]): Things<Thing> =>
  things.map((thing) => [thing.oid, thing] as const);

const role = (catalog: Catalog, oid: number): string =>
  oid === PUBLIC ? 'PUBLIC' : (roleByOid(catalog, oid)?.name ?? String(oid));

const schemaWord = ({ dataset }: Namespace): string => (dataset === undefined ? 'schema' : 'dataset');

/** `table public.films: reader=r/quern`. */
function accessName(catalog: Catalog, { classOid, oid, column, owner, acl }: ObjectAccess): string | null {
  const object = ofClass(catalog, classOid, oid);
  if (object === null) return null;
  const of = column === 0 ? object : `column ${column} of ${object}`;
  return `${of} of ${role(catalog, owner)}: ${(acl ?? []).map((item) => aclText(catalog, item)).join(', ')}`;
}

function aclText(catalog: Catalog, { grantee, grantor, privileges, grantable }: AclItem): string {
  const to = grantee === PUBLIC ? null : role(catalog, grantee);
  return aclItemText({ grantee: to, grantor: role(catalog, grantor), privileges, grantable });
}

function ofClass(catalog: Catalog, classOid: number, oid: number): string | null {
  switch (classOid) {
    case CLASS_OID.pg_class: {
      const relation = catalog.relations.get(oid);
      return relation === undefined ? null : relationName(catalog, relation);
    }
    case CLASS_OID.pg_proc: {
      const found = catalog.functions.get(oid);
      return found === undefined ? null : named('function', inSchema(catalog, found.namespace, found.name));
    }
    case CLASS_OID.pg_type: {
      const found = catalog.enums.get(oid);
      return found === undefined ? null : named('type', inSchema(catalog, found.namespace, found.name));
    }
    case CLASS_OID.pg_namespace:
      return named('schema', namespaceName(catalog, oid));
    default:
      return `object ${classOid}.${oid}`;
  }
}

const COMPARED: readonly Compare[] = [
  compared({
    all: ({ namespaces }) => byOid(namespaces),
    called: (_, namespace) =>
      isTemporarySchema(namespace.name) ? null : `${schemaWord(namespace)} ${namespace.name}`,
  }),
  compared({ all: ({ relations }) => relations, called: relationName }),
  compared({
    all: (catalog) => within(catalog, ({ indexes }) => indexes),
    called: (catalog, { relation, thing }) =>
      named('index', inSchema(catalog, relation.namespace, thing.name)),
  }),
  compared({
    all: (catalog) => within(catalog, ({ policies = [] }) => policies),
    called: (catalog, { relation, thing }) => {
      const name = relationName(catalog, relation);
      return name === null ? null : `policy ${thing.name} on ${name}`;
    },
  }),
  compared({
    all: ({ functions }) => functions,
    called: (catalog, { namespace, name }) => named('function', inSchema(catalog, namespace, name)),
  }),
  compared({
    all: ({ enums }) => enums,
    called: (catalog, { namespace, name }) => named('type', inSchema(catalog, namespace, name)),
  }),
  compared({ all: ({ roles }) => roles, called: (_, { name }) => `role ${name}` }),
  granted({
    all: ({ memberships }) => byOid(memberships),
    called: (catalog, { role: of, member }) => `role ${role(catalog, of)} to ${role(catalog, member)}`,
  }),
  granted({ all: ({ access }) => access, called: accessName }),
  granted({
    all: ({ defaultAccess }) => byOid(defaultAccess),
    called: (catalog, { role: of, kind }) => `default privileges of ${role(catalog, of)} on ${kind}s`,
  }),
];
