/** CREATE, ALTER and RENAME of roles. Source: PostgreSQL's user.c, whose messages these are. */
import { isAdminOf } from '../../../catalog/access/membership-rules.ts';
import type { Membership, Role } from '../../../catalog/access/model.ts';
import { isBuiltIn, isSuperuser, roleByName, roleByOid } from '../../../catalog/access/roles.ts';
import { applyEdit, type CatalogEdit } from '../../../catalog/edit/edit.ts';
import { DATABASE_NAME, OWNER_ROLE_OID } from '../../../catalog/oids.ts';
import { notSupported, SqlError } from '../../../errors.ts';
import type { BoundStatement } from '../../../plan/statement.ts';
import { quoteIdentifier } from '../../../types/text/quote.ts';
import type { AccessStatement, RoleSpec } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { bySuperuser, currentRole, denied, roleNamed, roleOf, sessionRole } from './actor.ts';
import { addMembers, type Changes, checkMayGrant, removeFrom } from './memberships.ts';
import { type ReadOptions, readOptions, type RoleChanges } from './role-options.ts';

type Of<K extends AccessStatement['kind']> = Extract<AccessStatement, { kind: K }>;
type CatalogChange = Extract<BoundStatement, { kind: 'catalog' }>;

const change = (tag: string, { edits, notices }: Pick<Changes, 'edits' | 'notices'>): CatalogChange => ({
  kind: 'catalog',
  tag,
  edits,
  notices,
});

const attributeOf = (context: BindContext, attribute: 'createRole' | keyof RoleChanges): boolean =>
  bySuperuser(context) || roleByOid(context.catalog, currentRole(context))?.[attribute] === true;

/** Attributes that only a role which has them gives, in the order in which they are checked. */
const GUARDED = [
  ['superuser', 'SUPERUSER'],
  ['createDatabase', 'CREATEDB'],
  ['replication', 'REPLICATION'],
  ['bypassRowSecurity', 'BYPASSRLS'],
] as const;

// ───────────────────────────── CREATE ─────────────────────────────

const NEW_ROLE = {
  oid: 0,
  superuser: false,
  inherit: true,
  createRole: false,
  createDatabase: false,
  replication: false,
  bypassRowSecurity: false,
  connectionLimit: -1,
  validUntil: null,
} as const;

export function bindCreateRole(statement: Of<'create role'>, context: BindContext): CatalogChange {
  const { name, isUser } = statement;
  const options = readOptions(context, statement.options);
  checkMayCreate(context, options.changes);
  if (isReserved(name)) throw reserved(name);
  const role: Role = { ...NEW_ROLE, name, login: isUser, ...options.changes };
  const oid = context.catalog.nextOid;
  const catalog = applyEdit(context.catalog, { edit: 'put role', role });
  const joined = firstMemberships(context, { ...role, oid }, { catalog, options });
  const memberships = joined.edits.flatMap((edit) =>
    edit.edit === 'put memberships' ? edit.memberships.map((one) => ofNewRole(one, oid)) : [],
  );
  const edit: CatalogEdit = { edit: 'put role', role, ...(memberships.length > 0 && { memberships }) };
  return change('CREATE ROLE', { edits: [edit], notices: [...options.notices, ...joined.notices] });
}

const ofNewRole = (membership: Membership, oid: number): Membership => ({
  ...membership,
  oid: 0,
  role: membership.role === oid ? 0 : membership.role,
  member: membership.member === oid ? 0 : membership.member,
});

/** @throws SqlError 42501. */
function checkMayCreate(context: BindContext, changes: RoleChanges): void {
  const message = 'permission denied to create role';
  if (!attributeOf(context, 'createRole')) {
    throw denied(message, 'Only roles with the CREATEROLE attribute may create roles.');
  }
  for (const [attribute, word] of GUARDED) {
    if (changes[attribute] !== true || attributeOf(context, attribute)) continue;
    const detail = `Only roles with the ${word} attribute may create roles with the ${word} attribute.`;
    throw denied(message, detail);
  }
}

/** IN ROLE, then what its maker gets of it, ADMIN and ROLE. */
function firstMemberships(
  context: BindContext,
  role: Role,
  { catalog, options }: { readonly catalog: Changes['catalog']; readonly options: ReadOptions },
): Changes {
  let changes: Changes = { catalog, edits: [], notices: [] };
  const now = (): BindContext => ({ ...context, catalog: changes.catalog });
  const usual = { options: {}, grantor: null };
  for (const spec of options.joined) {
    const group = roleOf(now(), spec);
    checkMayGrant(now(), group, true);
    changes = addMembers(now(), changes, { ...usual, role: group, members: [role.oid] });
  }
  if (!bySuperuser(context)) {
    const maker = { role, members: [currentRole(context)], grantor: OWNER_ROLE_OID };
    const onlyAdmin = { admin: true, inherit: false, set: false };
    const asOwner = { ...now(), role: OWNER_ROLE_OID };
    changes = addMembers(asOwner, changes, { ...maker, options: onlyAdmin });
  }
  const idsOf = (specs: readonly RoleSpec[]): readonly number[] =>
    specs.map((spec) => roleOf(now(), spec).oid);
  const admins = { ...usual, role, members: idsOf(options.admins), options: { admin: true } };
  changes = addMembers(now(), changes, admins);
  return addMembers(now(), changes, { ...usual, role, members: idsOf(options.members) });
}

const isReserved = (name: string): boolean => name.startsWith('pg_');

const reserved = (name: string, detail = 'Role names starting with "pg_" are reserved.'): SqlError =>
  new SqlError('reserved_name', `role name "${name}" is reserved`, { detail });

// ───────────────────────────── ALTER ─────────────────────────────

export function bindAlterRole(statement: Of<'alter role'>, context: BindContext): CatalogChange {
  const options = readOptions(context, statement.options);
  const role = alterable(context, statement.role);
  checkMayAlter(context, role, options);
  const changed = { ...role, ...options.changes };
  if (role.oid === OWNER_ROLE_OID && !changed.superuser) {
    throw new SqlError('feature_not_supported', 'permission denied to alter role', {
      detail: 'The bootstrap superuser must have the SUPERUSER attribute.',
    });
  }
  let changes: Changes = { catalog: context.catalog, edits: [], notices: options.notices };
  if (options.setsMembers) {
    const members = options.members.map((spec) => roleOf(context, spec).oid);
    const joining = { role, members, options: {}, grantor: null };
    changes = statement.removes
      ? removeFrom(context, changes, { ...joining, cascade: false })
      : addMembers(context, changes, joining);
  }
  const isSame = Object.entries(options.changes).every(([name, value]) => {
    return role[name as keyof RoleChanges] === value;
  });
  if (isSame) return change('ALTER ROLE', changes);
  if (isBuiltIn(role.oid)) throw notSupported('another attribute of a built-in role');
  const edits: readonly CatalogEdit[] = [...changes.edits, { edit: 'put role', role: changed }];
  return change('ALTER ROLE', { ...changes, edits });
}

/** @throws SqlError 42939, 42704. */
function alterable(context: BindContext, spec: RoleSpec): Role {
  if (spec.role === 'named' && isReserved(spec.name))
    throw reserved(spec.name, 'Cannot alter reserved roles.');
  return roleOf(context, spec);
}

const mayManage = (context: BindContext, role: Role): boolean =>
  attributeOf(context, 'createRole') && isAdminOf(context.catalog, currentRole(context), role.oid);

/** @throws SqlError 42501. */
function checkMayAlter(context: BindContext, role: Role, { changes, ...options }: ReadOptions): void {
  const message = 'permission denied to alter role';
  checkMaySuperuser(context, role, message);
  if (changes.superuser !== undefined && !bySuperuser(context)) {
    const detail = 'Only roles with the SUPERUSER attribute may change the SUPERUSER attribute.';
    throw denied(message, detail);
  }
  if (!mayManage(context, role)) {
    if (Object.keys(changes).length > 0) throw notManaged(role, message, 'alter');
    if (options.setsPassword && role.oid !== currentRole(context)) {
      const who = 'the current user must have the CREATEROLE attribute and the ADMIN option on the role';
      throw denied(message, `To change another role's password, ${who}.`);
    }
  }
  for (const [attribute, word] of GUARDED) {
    if (changes[attribute] === undefined || attributeOf(context, attribute)) continue;
    throw denied(message, `Only roles with the ${word} attribute may change the ${word} attribute.`);
  }
  if (options.setsMembers && !isAdminOf(context.catalog, currentRole(context), role.oid)) {
    const detail = `Only roles with the ADMIN option on role "${role.name}" may add or drop members.`;
    throw denied(message, detail);
  }
}

function checkMaySuperuser(context: BindContext, role: Role, message: string, verb = 'alter'): void {
  if (!role.superuser || bySuperuser(context)) return;
  const detail = `Only roles with the SUPERUSER attribute may ${verb} roles with the SUPERUSER attribute.`;
  throw denied(message, detail);
}

function notManaged(role: Role, message: string, verb: string): SqlError {
  const who = 'Only roles with the CREATEROLE attribute and the ADMIN option on role';
  return denied(message, `${who} "${role.name}" may ${verb} this role.`);
}

// ───────────────────────────── settings and names ─────────────────────────────

/** Settings that are lists of names, which are quoted one by one. */
const LISTS: ReadonlySet<string> = new Set(['search_path', 'temp_tablespaces', 'datestyle']);

export function bindAlterRoleSetting(
  statement: Of<'alter role setting'>,
  context: BindContext,
): CatalogChange {
  const { name, values, database } = statement;
  if (database !== null && database !== DATABASE_NAME) {
    throw new SqlError('invalid_catalog_name', `database "${database}" does not exist`);
  }
  if (statement.role === null) throw notSupported('ALTER ROLE ALL SET');
  const role = alterable(context, statement.role);
  const message = 'permission denied to alter role';
  checkMaySuperuser(context, role, message);
  if (role.oid !== currentRole(context) && !mayManage(context, role)) {
    throw notManaged(role, message, 'alter');
  }
  const others = (role.settings ?? []).filter((setting) => {
    return name !== null && !setting.toLowerCase().startsWith(`${name.toLowerCase()}=`);
  });
  const settings =
    name === null || values === null ? others : [...others, `${name}=${written(name, values)}`];
  if (settings.length === 0 && role.settings === undefined) {
    return change('ALTER ROLE', { edits: [], notices: [] });
  }
  if (isBuiltIn(role.oid)) throw notSupported('settings of a built-in role');
  const { settings: _, ...rest } = role;
  const changed = settings.length === 0 ? rest : { ...rest, settings };
  return change('ALTER ROLE', { edits: [{ edit: 'put role', role: changed }], notices: [] });
}

const written = (name: string, values: readonly string[]): string =>
  values.map((value) => (LISTS.has(name.toLowerCase()) ? quoteIdentifier(value) : value)).join(', ');

export function bindRenameRole(statement: Of<'rename role'>, context: BindContext): CatalogChange {
  const { name, to } = statement;
  const role = roleNamed(context, name);
  if (role.oid === sessionRole(context)) throw notRenamed('session');
  if (role.oid === currentRole(context)) throw notRenamed('current');
  if (isReserved(name)) throw reserved(name);
  if (isReserved(to)) throw reserved(to);
  if (roleByName(context.catalog, to) !== undefined) {
    throw new SqlError('duplicate_object', `role "${to}" already exists`);
  }
  const message = 'permission denied to rename role';
  checkMaySuperuser(context, role, message, 'rename');
  if (!role.superuser && !mayManage(context, role)) throw notManaged(role, message, 'rename');
  if (isBuiltIn(role.oid)) throw reserved(name, 'Built-in roles keep their names.');
  const renamed = { ...role, name: to };
  return change('ALTER ROLE', { edits: [{ edit: 'put role', role: renamed }], notices: [] });
}

const notRenamed = (which: 'session' | 'current'): SqlError =>
  new SqlError('feature_not_supported', `${which} user cannot be renamed`);

/** @throws SqlError 42501 in the words of DROP ROLE. */
export function checkMayDrop(context: BindContext, role: Role): void {
  const message = 'permission denied to drop role';
  checkMaySuperuser(context, role, message, 'drop');
  if (isSuperuser(context.catalog, currentRole(context))) return;
  if (!isAdminOf(context.catalog, currentRole(context), role.oid)) throw notManaged(role, message, 'drop');
}

export const mayCreateRoles = (context: BindContext): boolean => attributeOf(context, 'createRole');
