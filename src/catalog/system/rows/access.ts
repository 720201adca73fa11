/** Roles, memberships and access lists as pg_catalog shows them, and the columns of owners and lists of all others. */
import { arrayDatum } from '../../../types/composite/array.ts';
import { aclItemText } from '../../../types/acl-item.ts';
import type { Datum } from '../../../types/datum.ts';
import { OID } from '../../../types/oids.ts';
import { findTypeByOid } from '../../../types/registry.ts';
import { defaultAcl, sameAcls } from '../../access/acl.ts';
import { aclOf, keyOf, type ObjectRef, ownerOf } from '../../access/checks.ts';
import { roleDependencies } from '../../access/dependencies.ts';
import type { AclItem, Role } from '../../access/model.ts';
import { OBJECT_KINDS } from '../../access/privileges.ts';
import { allMemberships, allRoles, PUBLIC, roleByOid } from '../../access/roles.ts';
import { type Catalog, FIRST_USER_OID } from '../../model.ts';
import { CLASS_OID, DATABASE_OID } from '../../oids.ts';
import type { NamedRow, RowSources, SystemContext } from '../context.ts';
import { SYSTEM_TABLES } from '../columns/tables.ts';

export const ACCESS_ROWS: RowSources = {
  pg_authid: (context) => rolesOf(context).map((role) => ({ ...roleRow(context, role), rolpassword: null })),
  pg_roles: (context) =>
    rolesOf(context).map((role) => ({
      ...roleRow(context, role),
      rolpassword: HIDDEN,
      rolconfig: settingsOf(role),
    })),
  pg_auth_members: ({ catalog }) =>
    allMemberships(catalog).map(({ oid, role, member, grantor, admin, inherit, set }) => ({
      oid,
      roleid: role,
      member,
      grantor,
      admin_option: admin,
      inherit_option: inherit,
      set_option: set,
    })),
  pg_user: (context) => usersOf(context).map((role) => ({ ...userRow(context, role), passwd: HIDDEN })),
  pg_shadow: (context) => usersOf(context).map((role) => ({ ...userRow(context, role), passwd: null })),
  pg_group: (context) =>
    rolesOf(context)
      .filter(({ login }) => !login)
      .map(({ oid, name }) => ({ groname: name, grosysid: oid, grolist: membersOf(context.catalog, oid) })),
  pg_db_role_setting: (context) =>
    rolesOf(context)
      .filter(({ settings = [] }) => settings.length > 0)
      .map((role) => ({ setdatabase: 0, setrole: role.oid, setconfig: settingsOf(role) })),
  pg_default_acl: ({ catalog }) =>
    catalog.defaultAccess.map(({ oid, role, namespace, kind, acl }) => ({
      oid,
      defaclrole: role,
      defaclnamespace: namespace,
      defaclobjtype: kind === 'sequence' ? 'S' : OBJECT_KINDS[kind].letter,
      defaclacl: aclDatum(catalog, acl),
    })),
  pg_shdepend: ({ catalog }) =>
    roleDependencies(catalog).map(({ role, type, classOid, oid, column }) => ({
      dbid: SHARED.includes(classOid) ? 0 : DATABASE_OID,
      classid: classOid,
      objid: oid,
      objsubid: column,
      refclassid: CLASS_OID.pg_authid,
      refobjid: role,
      deptype: DEPENDENCY_LETTERS[type],
    })),
  pg_init_privs: initialPrivileges,
  pg_shdescription: ({ catalog }) =>
    catalog.comments
      .filter(({ classOid }) => classOid === CLASS_OID.pg_authid)
      .map(({ oid, classOid, text }) => ({ objoid: oid, classoid: classOid, description: text })),
};

const DEPENDENCY_LETTERS = { owner: 'o', privileges: 'a', policy: 'r' } as const;

const HIDDEN = '********';

/** Catalogs of what belongs to no database. */
const SHARED: readonly number[] = [CLASS_OID.pg_database, CLASS_OID.pg_auth_members, CLASS_OID.pg_authid];

const rolesOf = ({ catalog }: SystemContext): readonly Role[] => [...allRoles(catalog)];
const usersOf = (context: SystemContext): readonly Role[] => rolesOf(context).filter(({ login }) => login);

const settingsOf = ({ settings = [] }: Role): Datum =>
  settings.length === 0 ? null : arrayDatum(OID.text, settings);

const membersOf = (catalog: Catalog, of: number): Datum =>
  arrayDatum(
    OID.oid,
    allMemberships(catalog).flatMap(({ role, member }) => (role === of ? [member] : [])),
  );

function endOf({ settings }: SystemContext, { validUntil }: Role): Datum {
  return validUntil === null
    ? null
    : (findTypeByOid(OID.timestamptz)?.parse(validUntil, -1, settings) ?? null);
}

const roleRow = (context: SystemContext, role: Role): NamedRow => ({
  oid: role.oid,
  rolname: role.name,
  rolsuper: role.superuser,
  rolinherit: role.inherit,
  rolcreaterole: role.createRole,
  rolcreatedb: role.createDatabase,
  rolcanlogin: role.login,
  rolreplication: role.replication,
  rolbypassrls: role.bypassRowSecurity,
  rolconnlimit: role.connectionLimit,
  rolvaliduntil: endOf(context, role),
});

const userRow = (context: SystemContext, role: Role): NamedRow => ({
  usename: role.name,
  usesysid: role.oid,
  usecreatedb: role.createDatabase,
  usesuper: role.superuser,
  userepl: role.replication,
  usebypassrls: role.bypassRowSecurity,
  valuntil: endOf(context, role),
  useconfig: settingsOf(role),
});

// ───────────────────────────── owners and lists ─────────────────────────────

/** As `aclitem[]`, with the names that roles have now. */
function aclDatum(catalog: Catalog, acl: readonly AclItem[]): Datum {
  const nameOf = (oid: number): string => roleByOid(catalog, oid)?.name ?? String(oid);
  const texts = acl.map(({ grantee, grantor, privileges, grantable }) => {
    const name = grantee === PUBLIC ? null : nameOf(grantee);
    return aclItemText({ grantee: name, grantor: nameOf(grantor), privileges, grantable });
  });
  return arrayDatum(OID.aclitem, texts);
}

/** An object's list; null while it is that which all of its kind begin with. */
export function shownAcl(catalog: Catalog, object: ObjectRef): Datum {
  const kept = catalog.access.get(keyOf(object))?.acl ?? null;
  if (kept !== null) return aclDatum(catalog, kept);
  if (object.oid >= FIRST_USER_OID || object.kind === 'column') return null;
  const acl = aclOf(catalog, object);
  const isUsual = sameAcls(acl, defaultAcl(object.kind, ownerOf(catalog, object)));
  return isUsual ? null : aclDatum(catalog, acl);
}

export const ownerName = (catalog: Catalog, object: ObjectRef): string =>
  roleByOid(catalog, ownerOf(catalog, object))?.name ?? '';

/** Lists that every database begins with, so that a dump tells only of what was changed. */
function* initialPrivileges({ catalog }: SystemContext): Generator<NamedRow> {
  const fresh = { ...catalog, access: new Map() };
  const objects: readonly ObjectRef[] = [
    ...SYSTEM_TABLES.map(({ oid }) => ({ kind: 'relation', oid }) as const),
    ...catalog.namespaces.map(({ oid }) => ({ kind: 'schema', oid }) as const),
  ];
  for (const object of objects) {
    const initprivs = shownAcl(fresh, object);
    if (initprivs === null) continue;
    const classoid = object.kind === 'schema' ? CLASS_OID.pg_namespace : CLASS_OID.pg_class;
    yield { objoid: object.oid, classoid, objsubid: 0, privtype: 'i', initprivs };
  }
}
