/** Changes of roles, memberships, owners and access lists, for `edit.ts`. */
import { present } from '../../assert.ts';
import { SqlError } from '../../errors.ts';
import { accessKey, defaultAcl, joinedAcls, sameAcls, sortedAcl } from '../access/acl.ts';
import type { AclItem, DefaultAccess, Membership, ObjectAccess, Role } from '../access/model.ts';
import { classOf } from '../access/checks.ts';
import type { ObjectKind } from '../access/privileges.ts';
import { roleByName, withoutRole, withRole } from '../access/roles.ts';
import { type Catalog, FIRST_USER_OID } from '../model.ts';
import { CLASS_OID, DATABASE_OWNER_ROLE_OID, NAMESPACE_OID, OWNER_ROLE_OID } from '../oids.ts';

export type AccessEdit =
  /** OID 0 is a new one, any other takes the place of the role of that OID. */
  | {
      readonly edit: 'put role';
      readonly role: Role;
      /** Memberships that a new role begins with; role or member 0 is the new role itself. */
      readonly memberships?: readonly Membership[];
    }
  | { readonly edit: 'drop role'; readonly role: number }
  /** OID 0 is a new one, any other takes the place of that one. */
  | { readonly edit: 'put memberships'; readonly memberships: readonly Membership[] }
  /** By their OIDs. */
  | { readonly edit: 'drop memberships'; readonly memberships: readonly number[] }
  | { readonly edit: 'set access'; readonly access: ObjectAccess }
  /** OID 0 is a new one. */
  | { readonly edit: 'put default access'; readonly access: DefaultAccess }
  | { readonly edit: 'drop default access'; readonly access: number };

const EDITS: ReadonlySet<string> = new Set<AccessEdit['edit']>([
  'put role',
  'drop role',
  'put memberships',
  'drop memberships',
  'set access',
  'put default access',
  'drop default access',
]);

export const isAccessEdit = <Edit extends { readonly edit: string }>(
  edit: Edit | AccessEdit,
): edit is AccessEdit => EDITS.has(edit.edit);

/** @throws SqlError 42710. */
export function changeAccess(catalog: Catalog, edit: AccessEdit): Catalog {
  switch (edit.edit) {
    case 'put role':
      return withMemberships(putRole(catalog, edit.role), edit.memberships ?? [], catalog.nextOid);
    case 'drop role':
      return dropRole(catalog, edit.role);
    case 'put memberships':
      return putMemberships(catalog, edit.memberships);
    case 'drop memberships': {
      const gone = new Set(edit.memberships);
      return { ...catalog, memberships: catalog.memberships.filter(({ oid }) => !gone.has(oid)) };
    }
    case 'set access':
      return setAccess(catalog, edit.access);
    case 'put default access': {
      const [oid, nextOid] = numbered(catalog, edit.access.oid);
      const others = catalog.defaultAccess.filter((access) => access.oid !== oid);
      return { ...catalog, defaultAccess: [...others, { ...edit.access, oid }], nextOid };
    }
    case 'drop default access':
      return { ...catalog, defaultAccess: catalog.defaultAccess.filter(({ oid }) => oid !== edit.access) };
  }
}

const numbered = ({ nextOid }: Catalog, oid: number): [oid: number, nextOid: number] =>
  oid === 0 ? [nextOid, nextOid + 1] : [oid, nextOid];

function putRole(catalog: Catalog, role: Role): Catalog {
  const [oid, nextOid] = numbered(catalog, role.oid);
  const named = roleByName(catalog, role.name);
  if (named !== undefined && named.oid !== oid) {
    throw new SqlError('duplicate_object', `role "${role.name}" already exists`);
  }
  return { ...catalog, roles: withRole(catalog.roles, { ...role, oid }), nextOid };
}

function withMemberships(catalog: Catalog, memberships: readonly Membership[], role: number): Catalog {
  const made = memberships.map((membership) => ({
    ...membership,
    role: membership.role || role,
    member: membership.member || role,
  }));
  return putMemberships(catalog, made);
}

function putMemberships(catalog: Catalog, memberships: readonly Membership[]): Catalog {
  let { nextOid } = catalog;
  const put = memberships.map((membership) => ({ ...membership, oid: membership.oid || nextOid++ }));
  const oids = new Set(put.map(({ oid }) => oid));
  const others = catalog.memberships.filter(({ oid }) => !oids.has(oid));
  return { ...catalog, memberships: [...others, ...put], nextOid };
}

/** Nothing depends on it: whoever drops it has looked. */
function dropRole(catalog: Catalog, oid: number): Catalog {
  const roles = withoutRole(catalog.roles, present(catalog.roles.get(oid), `role ${oid}`));
  const comments = catalog.comments.filter(
    (comment) => comment.classOid !== CLASS_OID.pg_authid || comment.oid !== oid,
  );
  const memberships = catalog.memberships.filter(({ role, member }) => role !== oid && member !== oid);
  return { ...catalog, roles, comments, memberships };
}

const usualOwner = ({ classOid, oid }: ObjectAccess): number =>
  classOid === CLASS_OID.pg_namespace && oid === NAMESPACE_OID.public
    ? DATABASE_OWNER_ROLE_OID
    : OWNER_ROLE_OID;

function setAccess(catalog: Catalog, access: ObjectAccess): Catalog {
  const key = accessKey(access.classOid, access.oid, access.column);
  const isUsual = access.owner === usualOwner(access) && access.acl === null;
  const changed = new Map(catalog.access);
  if (isUsual) changed.delete(key);
  else changed.set(key, access);
  return { ...catalog, access: changed };
}

/** A schema that belongs to another than its maker. */
export function ownedNamespace(catalog: Catalog, oid: number, owner: number | undefined): Catalog {
  if (owner === undefined) return catalog;
  const access = { classOid: CLASS_OID.pg_namespace, oid, column: 0, owner, acl: null };
  const changed = new Map(catalog.access).set(accessKey(CLASS_OID.pg_namespace, oid), access);
  return { ...catalog, access: changed };
}

/** Entries of objects that are gone go with them. */
export function withoutLostAccess(before: Catalog): Catalog {
  const catalog = withoutLostDefaults(before);
  if (catalog.access.size === 0) return catalog;
  const left = [...catalog.access].filter(([, entry]) => exists(catalog, entry));
  return left.length === catalog.access.size ? catalog : { ...catalog, access: new Map(left) };
}

/** Those in a schema go with it. */
function withoutLostDefaults(catalog: Catalog): Catalog {
  if (catalog.defaultAccess.length === 0) return catalog;
  const schemas = new Set([0, ...catalog.namespaces.map(({ oid }) => oid)]);
  const defaultAccess = catalog.defaultAccess.filter(({ namespace }) => schemas.has(namespace));
  return defaultAccess.length === catalog.defaultAccess.length ? catalog : { ...catalog, defaultAccess };
}

function exists(catalog: Catalog, { classOid, oid }: ObjectAccess): boolean {
  if (oid < FIRST_USER_OID) return true;
  switch (classOid) {
    case CLASS_OID.pg_class:
      return catalog.relations.has(oid);
    case CLASS_OID.pg_proc:
      return catalog.functions.has(oid);
    case CLASS_OID.pg_type:
      return catalog.enums.has(oid);
    case CLASS_OID.pg_namespace:
      return catalog.namespaces.some((namespace) => namespace.oid === oid);
    default:
      return true;
  }
}

/**
 * Objects that `after` has and `before` had not belong to `owner`, with what its default privileges give.
 */
export function withOwner(before: Catalog, after: Catalog, owner: number): Catalog {
  if (owner === OWNER_ROLE_OID && after.defaultAccess.length === 0) return after;
  let access: Map<string, ObjectAccess> | null = null;
  for (const { kind, oid, namespace } of newObjects(before, after)) {
    const key = accessKey(classOf(kind), oid);
    const own = after.access.get(key)?.owner ?? owner;
    const acl = begunWith(after, { kind, owner: own, namespace });
    if (own === OWNER_ROLE_OID && acl === null) continue;
    access ??= new Map(after.access);
    access.set(key, { classOid: classOf(kind), oid, column: 0, owner: own, acl });
  }
  return access === null ? after : { ...after, access };
}

interface NewObject {
  readonly kind: ObjectKind;
  readonly oid: number;
  /** 0 for a schema. */
  readonly namespace: number;
}

function* newObjects(before: Catalog, after: Catalog): Generator<NewObject> {
  for (const { oid, kind, namespace } of after.relations.values()) {
    if (before.relations.has(oid)) continue;
    yield { kind: kind === 'sequence' ? 'sequence' : 'relation', oid, namespace };
  }
  for (const { oid, namespace } of after.functions.values()) {
    if (!before.functions.has(oid)) yield { kind: 'function', oid, namespace };
  }
  for (const { oid, namespace } of after.enums.values()) {
    if (!before.enums.has(oid)) yield { kind: 'type', oid, namespace };
  }
  const known = new Set(before.namespaces.map(({ oid }) => oid));
  for (const { oid } of after.namespaces) {
    if (!known.has(oid)) yield { kind: 'schema', oid, namespace: 0 };
  }
}

/** Null: as every object of the kind. */
function begunWith(
  { defaultAccess }: Catalog,
  {
    kind,
    owner,
    namespace,
  }: { readonly kind: ObjectKind; readonly owner: number; readonly namespace: number },
): readonly AclItem[] | null {
  const own = defaultAccess.filter((access) => access.role === owner && access.kind === kind);
  const everywhere = own.find((access) => access.namespace === 0);
  const here = namespace === 0 ? undefined : own.find((access) => access.namespace === namespace);
  if (everywhere === undefined && here === undefined) return null;
  const usual = sortedAcl(defaultAcl(kind, owner));
  const given = sortedAcl(joinedAcls([...(everywhere?.acl ?? usual), ...(here?.acl ?? [])]));
  return sameAcls(given, usual) ? null : given;
}
