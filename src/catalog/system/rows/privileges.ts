/** information_schema's views of roles and privileges: what the user, or a role whose rights it has, gave or was given. */
import { aclOf, type ObjectRef, ownerOf } from '../../access/checks.ts';
import type { AclItem } from '../../access/model.ts';
import { OBJECT_KINDS, type Privileges, privilegeNames } from '../../access/privileges.ts';
import { allMemberships, allRoles, hasRightsOf, PUBLIC, roleByOid } from '../../access/roles.ts';
import { namespaceName } from '../../lookup.ts';
import { type Catalog, liveColumns, type Relation } from '../../model.ts';
import { DATABASE_NAME, DATABASE_OID, DATABASE_OWNER_ROLE_OID } from '../../oids.ts';
import type { NamedRow, RowSources, SystemContext } from '../context.ts';
import { userOf } from './seen.ts';
import { SYSTEM_TABLES } from '../columns/tables.ts';
import { FUNCTION_ENTRIES, placeOf } from '../function-oids.ts';

export const PRIVILEGE_ROWS: RowSources = {
  enabled_roles: (context) => [...enabledRoles(context)].map((oid) => ({ role_name: nameOf(context, oid) })),
  applicable_roles: applicableRoles,
  *administrable_role_authorizations(context) {
    for (const row of applicableRoles(context)) if (row.is_grantable === 'YES') yield row;
  },
  table_privileges: (context) => tablePrivileges(context, isTold),
  role_table_grants: (context) => tablePrivileges(context, isOfRole),
  column_privileges: (context) => columnPrivileges(context, isTold),
  role_column_grants: (context) => columnPrivileges(context, isOfRole),
  routine_privileges: (context) => routinePrivileges(context, isTold),
  role_routine_grants: (context) => routinePrivileges(context, isOfRole),
  usage_privileges: (context) => usagePrivileges(context, isTold),
  role_usage_grants: (context) => usagePrivileges(context, isOfRole),
  udt_privileges: (context) => typePrivileges(context, isTold),
  role_udt_grants: (context) => typePrivileges(context, isOfRole),
};

const yesNo = (value: boolean): string => (value ? 'YES' : 'NO');

const nameOf = ({ catalog }: SystemContext, oid: number): string =>
  oid === PUBLIC ? 'PUBLIC' : (roleByOid(catalog, oid)?.name ?? String(oid));

/** Roles whose rights the user has. */
function enabledRoles(context: SystemContext): ReadonlySet<number> {
  const { catalog } = context;
  const user = userOf(context);
  const all = [...allRoles(catalog)].map(({ oid }) => oid);
  return new Set(all.filter((oid) => hasRightsOf(catalog, user, oid)));
}

function* applicableRoles(context: SystemContext): Generator<NamedRow> {
  const enabled = enabledRoles(context);
  const owner = ownerOf(context.catalog, { kind: 'database', oid: DATABASE_OID });
  const implied = { role: DATABASE_OWNER_ROLE_OID, member: owner, admin: false };
  const seen = new Set<string>();
  for (const { role, member, admin } of [...allMemberships(context.catalog), implied]) {
    const key = `${role} ${member} ${admin}`;
    if (!enabled.has(member) || seen.has(key)) continue;
    seen.add(key);
    const [grantee, name] = [nameOf(context, member), nameOf(context, role)];
    yield { grantee, role_name: name, is_grantable: yesNo(admin) };
  }
}

// ───────────────────────────── privileges ─────────────────────────────

/** Which items of a list a view tells of. */
type IsShown = (item: AclItem, enabled: ReadonlySet<number>) => boolean;

const isOfRole: IsShown = ({ grantor, grantee }, enabled) => enabled.has(grantor) || enabled.has(grantee);
const isTold: IsShown = (item, enabled) => item.grantee === PUBLIC || isOfRole(item, enabled);

interface Asked {
  readonly enabled: ReadonlySet<number>;
  readonly isShown: IsShown;
  readonly among: Privileges;
}

/** One row a privilege, without the names of the object. */
function* privilegeRows(
  context: SystemContext,
  { acl, owner }: { readonly acl: readonly AclItem[]; readonly owner: number },
  { enabled, isShown, among }: Asked,
): Generator<NamedRow> {
  for (const item of acl) {
    if (!isShown(item, enabled)) continue;
    const { grantor, grantee, privileges, grantable } = item;
    const ownsIt = grantee !== PUBLIC && hasRightsOf(context.catalog, grantee, owner);
    for (const name of privilegeNames(privileges & among)) {
      const isGrantable = ownsIt || privilegeNames(grantable).includes(name);
      yield {
        grantor: nameOf(context, grantor),
        grantee: nameOf(context, grantee),
        privilege_type: name,
        is_grantable: yesNo(isGrantable),
      };
    }
  }
}

const ofObject = (catalog: Catalog, object: ObjectRef) => ({
  acl: aclOf(catalog, object),
  owner: ownerOf(catalog, object),
});

/** The standard does not know MAINTAIN. */
const TABLE_PRIVILEGES = OBJECT_KINDS.relation.all & ~(1 << 14);

const isTable = ({ kind }: Relation): boolean => kind !== 'sequence' && kind !== 'materialized view';

const tableNames = (
  { catalog }: SystemContext,
  { namespace, name }: Pick<Relation, 'namespace' | 'name'>,
) => ({
  table_catalog: DATABASE_NAME,
  table_schema: namespaceName(catalog, namespace),
  table_name: name,
});

function* tablePrivileges(context: SystemContext, isShown: IsShown): Generator<NamedRow> {
  const { catalog } = context;
  const asked = { enabled: enabledRoles(context), isShown, among: TABLE_PRIVILEGES };
  const stored = [...catalog.relations.values()].filter(isTable);
  for (const relation of [...stored, ...SYSTEM_TABLES]) {
    const object = { kind: 'relation', oid: relation.oid } as const;
    const names = tableNames(context, relation);
    for (const row of privilegeRows(context, ofObject(catalog, object), asked)) {
      yield { ...names, ...row, with_hierarchy: yesNo(row.privilege_type === 'SELECT') };
    }
  }
}

/** Those on the whole relation hold for each column. */
function* columnPrivileges(context: SystemContext, isShown: IsShown): Generator<NamedRow> {
  const { catalog } = context;
  const asked = { enabled: enabledRoles(context), isShown, among: OBJECT_KINDS.column.all };
  for (const relation of [...catalog.relations.values()].filter(isTable)) {
    const { oid } = relation;
    const whole = ofObject(catalog, { kind: 'relation', oid });
    for (const { name, attribute } of liveColumns(relation)) {
      const own = aclOf(catalog, { kind: 'column', oid, column: attribute });
      const names = { ...tableNames(context, relation), column_name: name };
      const both = { owner: whole.owner, acl: distinct([...whole.acl, ...own]) };
      for (const row of privilegeRows(context, both, asked)) yield { ...names, ...row };
    }
  }
}

/** One item a privilege: it may be granted on the relation and on the column. */
function distinct(acl: readonly AclItem[]): readonly AclItem[] {
  const single = acl.flatMap((item) =>
    bitsOf(item.privileges).map((bit) => ({ ...item, privileges: bit, grantable: item.grantable & bit })),
  );
  return [...new Map(single.map((item) => [Object.values(item).join(' '), item])).values()];
}

const bitsOf = (privileges: Privileges): readonly Privileges[] =>
  [...Array(32).keys()].map((i) => privileges & (1 << i)).filter((bit) => bit !== 0);

function* routinePrivileges(context: SystemContext, isShown: IsShown): Generator<NamedRow> {
  const { catalog } = context;
  const asked = { enabled: enabledRoles(context), isShown, among: OBJECT_KINDS.function.all };
  const stored = [...catalog.functions.values()].map(({ oid, name, namespace }) => ({
    oid,
    name,
    schema: namespaceName(catalog, namespace),
  }));
  const builtIn = FUNCTION_ENTRIES.map((entry) => ({ oid: entry.oid, ...placeOf(entry) }));
  for (const { oid, name, schema } of [...stored, ...builtIn]) {
    const names = {
      specific_catalog: DATABASE_NAME,
      specific_schema: schema,
      specific_name: `${name}_${oid}`,
      routine_catalog: DATABASE_NAME,
      routine_schema: schema,
      routine_name: name,
    };
    const object = ofObject(catalog, { kind: 'function', oid });
    for (const row of privilegeRows(context, object, asked)) yield { ...names, ...row };
  }
}

/** USAGE of sequences. */
function* usagePrivileges(context: SystemContext, isShown: IsShown): Generator<NamedRow> {
  const { catalog } = context;
  const usage = OBJECT_KINDS.type.all;
  const asked = { enabled: enabledRoles(context), isShown, among: usage };
  for (const relation of catalog.relations.values()) {
    if (relation.kind !== 'sequence') continue;
    const names = {
      object_catalog: DATABASE_NAME,
      object_schema: namespaceName(catalog, relation.namespace),
      object_name: relation.name,
      object_type: 'SEQUENCE',
    };
    const object = ofObject(catalog, { kind: 'sequence', oid: relation.oid });
    for (const row of privilegeRows(context, object, asked)) yield { ...names, ...row };
  }
}

function* typePrivileges(context: SystemContext, isShown: IsShown): Generator<NamedRow> {
  const { catalog } = context;
  const asked = { enabled: enabledRoles(context), isShown, among: OBJECT_KINDS.type.all };
  for (const { oid, name, namespace } of catalog.enums.values()) {
    const names = {
      udt_catalog: DATABASE_NAME,
      udt_schema: namespaceName(catalog, namespace),
      udt_name: name,
    };
    const object = ofObject(catalog, { kind: 'type', oid });
    for (const row of privilegeRows(context, object, asked)) {
      yield { ...names, ...row, privilege_type: 'TYPE USAGE' };
    }
  }
}
