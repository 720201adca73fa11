/** Who owns an object, and what a role may do with it. Source: aclmask and its callers in PostgreSQL's aclchk.c. */
import { type Catalog, FIRST_USER_OID } from '../model.ts';
import { CLASS_OID, DATABASE_OWNER_ROLE_OID, NAMESPACE_OID, OWNER_ROLE_OID } from '../oids.ts';
import { accessKey, defaultAcl, itemsOf } from './acl.ts';
import type { AclItem } from './model.ts';
import { type ObjectKind, OBJECT_KINDS, PRIVILEGE, type Privileges } from './privileges.ts';
import { hasRightsOf, isSuperuser, PREDEFINED, PUBLIC, rolesReached } from './roles.ts';

export interface ObjectRef {
  readonly kind: ObjectKind;
  readonly oid: number;
  /** Attribute number, of a column. */
  readonly column?: number;
}

const CLASSES: Readonly<Record<ObjectKind, number>> = {
  relation: CLASS_OID.pg_class,
  column: CLASS_OID.pg_class,
  sequence: CLASS_OID.pg_class,
  database: CLASS_OID.pg_database,
  function: CLASS_OID.pg_proc,
  schema: CLASS_OID.pg_namespace,
  type: CLASS_OID.pg_type,
  language: CLASS_OID.pg_language,
  tablespace: CLASS_OID.pg_tablespace,
  parameter: 0,
};

export const classOf = (kind: ObjectKind): number => CLASSES[kind];

export const keyOf = ({ kind, oid, column = 0 }: ObjectRef): string => accessKey(CLASSES[kind], oid, column);

type Access = Pick<Catalog, 'access' | 'roles' | 'memberships'>;

export function ownerOf({ access }: Pick<Catalog, 'access'>, { kind, oid }: ObjectRef): number {
  const found = access.get(accessKey(CLASSES[kind], oid));
  if (found !== undefined) return found.owner;
  return kind === 'schema' && oid === NAMESPACE_OID.public ? DATABASE_OWNER_ROLE_OID : OWNER_ROLE_OID;
}

/** Privileges of everybody on objects that every database has, beside what their kind says. */
function publicPrivileges({ kind, oid }: ObjectRef): Privileges {
  if (oid >= FIRST_USER_OID) return 0;
  if (kind === 'schema') return PRIVILEGE.usage;
  return kind === 'relation' ? PRIVILEGE.select : 0;
}

/** An object's access list, that which it begins with among them. */
export function aclOf(catalog: Pick<Catalog, 'access'>, object: ObjectRef): readonly AclItem[] {
  const acl = catalog.access.get(keyOf(object))?.acl ?? null;
  if (acl !== null) return acl;
  const owner = ownerOf(catalog, object);
  const usual = defaultAcl(object.kind, owner);
  const shared = publicPrivileges(object);
  if (shared === 0) return usual;
  return [...usual, { grantee: PUBLIC, grantor: owner, privileges: shared, grantable: 0 }];
}

/** Privileges that predefined roles give on all objects of a kind. */
const EVERYWHERE: readonly {
  readonly role: number;
  readonly kinds: readonly ObjectKind[];
  readonly privileges: Privileges;
}[] = [
  { role: PREDEFINED.readAllData, kinds: ['relation', 'sequence'], privileges: PRIVILEGE.select },
  { role: PREDEFINED.readAllData, kinds: ['schema'], privileges: PRIVILEGE.usage },
  {
    role: PREDEFINED.writeAllData,
    kinds: ['relation'],
    privileges: PRIVILEGE.insert | PRIVILEGE.update | PRIVILEGE.delete,
  },
  { role: PREDEFINED.writeAllData, kinds: ['schema'], privileges: PRIVILEGE.usage },
  { role: PREDEFINED.maintain, kinds: ['relation'], privileges: PRIVILEGE.maintain },
];

const EVERYBODY: ReadonlySet<number> = new Set([PUBLIC]);

/** All that a role may do with an object, by itself, by roles it inherits from, and as one of everybody. */
export function privilegesOn(catalog: Access, role: number, object: ObjectRef): Privileges {
  if (isSuperuser(catalog, role)) return OBJECT_KINDS[object.kind].all;
  const roles = rolesReached(catalog, role, 'inherit');
  let privileges = 0;
  const acl = aclOf(catalog, object);
  for (const item of itemsOf(acl, EVERYBODY)) privileges |= item.privileges;
  for (const item of itemsOf(acl, roles)) privileges |= item.privileges;
  for (const { role: giver, kinds, privileges: given } of EVERYWHERE) {
    if (kinds.includes(object.kind) && roles.has(giver)) privileges |= given;
  }
  return privileges;
}

/** Those of `privilegesOn` that the role may grant on: an owner all. */
export function grantableOn(catalog: Access, role: number, object: ObjectRef): Privileges {
  if (owns(catalog, role, object)) return OBJECT_KINDS[object.kind].all;
  const roles = rolesReached(catalog, role, 'inherit');
  let grantable = 0;
  for (const item of itemsOf(aclOf(catalog, object), roles)) grantable |= item.grantable;
  return grantable;
}

/** True of its owner, of members of its owner, and of superusers. */
export const owns = (catalog: Access, role: number, object: ObjectRef): boolean =>
  hasRightsOf(catalog, role, ownerOf(catalog, object));
