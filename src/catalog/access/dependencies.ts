/** Which objects depend on a role: those it owns, those whose access lists name it, and policies for it. Source: pg_shdepend. */
import type { Catalog } from '../model.ts';
import { CLASS_OID, DATABASE_OWNER_ROLE_OID, OWNER_ROLE_OID } from '../oids.ts';
import { accessKey } from './acl.ts';
import type { AclItem } from './model.ts';
import { PUBLIC } from './roles.ts';

export interface RoleDependency {
  readonly role: number;
  readonly type: 'owner' | 'privileges' | 'policy';
  readonly classOid: number;
  readonly oid: number;
  /** Attribute number; 0 for the object itself. */
  readonly column: number;
}

type Access = Pick<Catalog, 'access' | 'defaultAccess' | 'memberships' | 'relations'>;

/** Dependencies on all roles but the owner of all, which nobody drops; by OIDs of objects. */
export function roleDependencies(catalog: Access): readonly RoleDependency[] {
  return [...objects(catalog), ...defaults(catalog), ...grants(catalog), ...policies(catalog)].sort(
    (a, b) => a.oid - b.oid || a.classOid - b.classOid || a.column - b.column || byType(a, b),
  );
}

const byType = (a: RoleDependency, b: RoleDependency): number =>
  Number(a.type === 'owner') - Number(b.type === 'owner');

const isShown = (role: number): boolean =>
  role !== PUBLIC && role !== OWNER_ROLE_OID && role !== DATABASE_OWNER_ROLE_OID;

/** Roles of a list beside the owner, who is told anyway. */
function namedIn(acl: readonly AclItem[] | null, owner: number): readonly number[] {
  const roles = (acl ?? []).flatMap(({ grantee, grantor }) => [grantee, grantor]);
  return [...new Set(roles)].filter((role) => isShown(role) && role !== owner);
}

function* objects({ access }: Access): Generator<RoleDependency> {
  for (const { classOid, oid, column, owner, acl } of access.values()) {
    if (column === 0 && isShown(owner)) yield { role: owner, type: 'owner', classOid, oid, column };
    const of = column === 0 ? owner : (access.get(accessKey(classOid, oid))?.owner ?? OWNER_ROLE_OID);
    for (const role of namedIn(acl, of)) yield { role, type: 'privileges', classOid, oid, column };
  }
}

function* defaults({ defaultAccess }: Access): Generator<RoleDependency> {
  for (const { oid, role: owner, acl } of defaultAccess) {
    const row = { classOid: CLASS_OID.pg_default_acl, oid, column: 0 };
    if (isShown(owner)) yield { role: owner, type: 'owner', ...row };
    for (const role of namedIn(acl, owner)) yield { role, type: 'privileges', ...row };
  }
}

function* policies({ relations }: Access): Generator<RoleDependency> {
  for (const relation of relations.values()) {
    for (const { oid, roles } of relation.policies ?? []) {
      const of = { type: 'policy', classOid: CLASS_OID.pg_policy, oid, column: 0 } as const;
      for (const role of roles.filter(isShown)) yield { role, ...of };
    }
  }
}

function* grants({ memberships }: Access): Generator<RoleDependency> {
  for (const { oid, grantor } of memberships) {
    if (!isShown(grantor)) continue;
    yield { role: grantor, type: 'privileges', classOid: CLASS_OID.pg_auth_members, oid, column: 0 };
  }
}
