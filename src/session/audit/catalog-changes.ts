/**
 * Changes of the catalog by a transaction, as events: compared object by object, so that what a function, CASCADE or a
 * script did is named, whatever the statement was called. Temporary relations and Quern's own are left out.
 */
import type { AclItem, ObjectAccess } from '../../catalog/access/model.ts';
import { PUBLIC, roleByOid } from '../../catalog/access/roles.ts';
import { namespaceName } from '../../catalog/lookup.ts';
import type { Catalog, EnumType, Namespace, Relation, SqlFunction } from '../../catalog/model.ts';
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

/** A thing as it was and as it is: null where it was not there, or is gone. */
interface Pair<Thing> {
  readonly was: Thing | null;
  readonly is: Thing | null;
}

type Compare = (before: Catalog, after: Catalog) => Iterable<Change>;

/** Name of a thing in a catalog; null: it is not told of. */
type Called<Thing> = (catalog: Catalog, thing: Thing) => string | null;

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

/** Those that differ. Things are immutable: what is the same object has not changed. */
function differences<Thing>(
  old: ReadonlyMap<unknown, Thing>,
  now: ReadonlyMap<unknown, Thing>,
): readonly Pair<Thing>[] {
  if (old === now) return [];
  const pairs: Pair<Thing>[] = [];
  for (const [id, is] of now) {
    const was = old.get(id) ?? null;
    if (was !== is) pairs.push({ was, is });
  }
  for (const [id, was] of old) if (!now.has(id)) pairs.push({ was, is: null });
  return pairs;
}

/** As `differences`, of things in a list. */
function listed<Thing extends { readonly oid: number }>(
  old: readonly Thing[],
  now: readonly Thing[],
): readonly Pair<Thing>[] {
  if (old === now) return [];
  const byOid = (things: readonly Thing[]) => new Map(things.map((thing) => [thing.oid, thing]));
  return differences(byOid(old), byOid(now));
}

function compared<Thing>(
  differing: (before: Catalog, after: Catalog) => Iterable<Pair<Thing>>,
  called: Called<Thing>,
): Compare {
  return function* compare(before, after) {
    for (const { was, is } of differing(before, after)) {
      const old = was === null ? null : called(before, was);
      const name = is === null ? null : called(after, is);
      if (name === null) {
        if (old !== null) yield { action: 'drop', object: old };
      } else if (was === null) yield { action: 'create', object: name };
      else yield { action: 'alter', object: old === name || old === null ? name : `${old} → ${name}` };
    }
  };
}

/** Compares rights: those that are left tell who has which, also where some are taken away. Rights to what is gone are not told. */
function granted<Thing>(
  differing: (before: Catalog, after: Catalog) => Iterable<Pair<Thing>>,
  called: Called<Thing>,
): Compare {
  return function* compare(before, after) {
    for (const { was, is } of differing(before, after)) {
      const thing = is ?? was;
      const object = thing === null ? null : called(after, thing);
      if (object !== null)
        yield { action: 'grant', object: is === null ? `${object}, not any more` : object };
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

const functionName = (catalog: Catalog, { namespace, name }: SqlFunction): string | null =>
  named('function', inSchema(catalog, namespace, name));

const typeName = (catalog: Catalog, { namespace, name }: EnumType): string | null =>
  named('type', inSchema(catalog, namespace, name));

/** A part of a relation, with the relation as it is named. */
interface Part<Thing> {
  readonly relation: Relation;
  readonly thing: Thing;
}

/** Parts of relations that differ. */
const within = <Thing extends { readonly oid: number }>(parts: (relation: Relation) => readonly Thing[]) =>
  function* differing(before: Catalog, after: Catalog): Generator<Pair<Part<Thing>>> {
    for (const relation of differences(before.relations, after.relations)) {
      const of = (one: Relation | null): readonly Thing[] => (one === null ? [] : parts(one));
      const part = (one: Relation | null, thing: Thing | null): Part<Thing> | null =>
        one === null || thing === null ? null : { relation: one, thing };
      for (const { was, is } of listed(of(relation.was), of(relation.is))) {
        yield { was: part(relation.was, was), is: part(relation.is, is) };
      }
    }
  };

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
      return found === undefined ? null : functionName(catalog, found);
    }
    case CLASS_OID.pg_type: {
      const found = catalog.enums.get(oid);
      return found === undefined ? null : typeName(catalog, found);
    }
    case CLASS_OID.pg_namespace:
      return named('schema', namespaceName(catalog, oid));
    default:
      return `object ${classOid}.${oid}`;
  }
}

const COMPARED: readonly Compare[] = [
  compared(
    (before, after) => listed(before.namespaces, after.namespaces),
    (_, namespace) =>
      isTemporarySchema(namespace.name) ? null : `${schemaWord(namespace)} ${namespace.name}`,
  ),
  compared((before, after) => differences(before.relations, after.relations), relationName),
  compared(
    within(({ indexes }) => indexes),
    (catalog, { relation, thing }) => named('index', inSchema(catalog, relation.namespace, thing.name)),
  ),
  compared(
    within(({ policies = [] }) => policies),
    (catalog, { relation, thing }) => {
      const name = relationName(catalog, relation);
      return name === null ? null : `policy ${thing.name} on ${name}`;
    },
  ),
  compared((before, after) => differences(before.functions, after.functions), functionName),
  compared((before, after) => differences(before.enums, after.enums), typeName),
  compared(
    (before, after) => differences(before.roles, after.roles),
    (_, { name }) => `role ${name}`,
  ),
  granted(
    (before, after) => listed(before.memberships, after.memberships),
    (catalog, { role: of, member }) => `role ${role(catalog, of)} to ${role(catalog, member)}`,
  ),
  granted((before, after) => differences(before.access, after.access), accessName),
  granted(
    (before, after) => listed(before.defaultAccess, after.defaultAccess),
    (catalog, { role: of, kind }) => `default privileges of ${role(catalog, of)} on ${kind}s`,
  ),
];
