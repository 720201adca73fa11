/** Roles, memberships, GRANT and REVOKE, default privileges, and what roles own. */
import { notSupported, SqlError } from '../../errors.ts';
import type {
  AccessStatement,
  GrantTarget,
  RoleOption,
  RoleSpec,
  WrittenGrant,
  WrittenPrivilege,
} from '../ast.ts';
import { as, type MapContext, strings } from './context.ts';
import { mapFunctionName } from './functions.ts';
import { mapListName, mapRelationName } from './names.ts';
import { mapOptions, optionText } from './options.ts';
import { mapSet } from './session.ts';
import type { pg } from '../parse/grammar.ts';

const SPECS: Readonly<Record<string, 'current' | 'session' | 'public'>> = {
  ROLESPEC_CURRENT_ROLE: 'current',
  ROLESPEC_CURRENT_USER: 'current',
  ROLESPEC_SESSION_USER: 'session',
  ROLESPEC_PUBLIC: 'public',
};

export function mapRole(spec: pg.RoleSpec | null | undefined): RoleSpec {
  const role = SPECS[spec?.roletype ?? ''];
  return role === undefined ? { role: 'named', name: spec?.rolename ?? '' } : { role };
}

export const mapRoles = (nodes: readonly pg.Node[] | undefined): readonly RoleSpec[] =>
  (nodes ?? []).map((node) => mapRole(as(node, 'RoleSpec')));

// ───────────────────────────── roles ─────────────────────────────

export const mapCreateRole = (context: MapContext, body: pg.CreateRoleStmt, at: number): AccessStatement => ({
  kind: 'create role',
  at,
  name: body.role ?? '',
  isUser: body.stmt_type === 'ROLESTMT_USER',
  options: mapRoleOptions(context, body.options),
});

export const mapAlterRole = (context: MapContext, body: pg.AlterRoleStmt, at: number): AccessStatement => ({
  kind: 'alter role',
  at,
  role: mapRole(body.role),
  options: mapRoleOptions(context, body.options),
  removes: (body.action ?? 1) < 0,
});

function mapRoleOptions(context: MapContext, nodes: readonly pg.Node[] | undefined): readonly RoleOption[] {
  return (nodes ?? []).map((node) => {
    const option = as(node, 'DefElem');
    const at = context.at(option?.location);
    return { at, name: option?.defname ?? '', value: roleOptionValue(option?.arg) };
  });
}

function roleOptionValue(node: pg.Node | undefined): RoleOption['value'] {
  if (node === undefined) return null;
  const list = as(node, 'List');
  if (list !== null) return mapRoles(list.items);
  const flag = as(node, 'Boolean');
  if (flag !== null) return flag.boolval ?? false;
  const number = as(node, 'Integer');
  return number === null ? optionText(node) : (number.ival ?? 0);
}

export function mapAlterRoleSetting(_: MapContext, body: pg.AlterRoleSetStmt, at: number): AccessStatement {
  const set = mapSet(at, body.setstmt ?? {});
  if (set.kind !== 'set') throw notSupported('this setting of a role');
  if (body.setstmt?.kind === 'VAR_SET_CURRENT') throw notSupported('ALTER ROLE … SET … FROM CURRENT');
  return {
    kind: 'alter role setting',
    at,
    role: body.role === undefined ? null : mapRole(body.role),
    database: body.database ?? null,
    name: body.setstmt?.kind === 'VAR_RESET_ALL' ? null : set.name,
    values: set.values,
  };
}

export const mapDropRole = (_: MapContext, body: pg.DropRoleStmt, at: number): AccessStatement => ({
  kind: 'drop role',
  at,
  roles: mapRoles(body.roles),
  ifExists: body.missing_ok ?? false,
});

// ───────────────────────────── GRANT and REVOKE ─────────────────────────────

export function mapGrantRole(context: MapContext, body: pg.GrantRoleStmt, at: number): AccessStatement {
  const roles = (body.granted_roles ?? []).map((node) => as(node, 'AccessPriv'));
  if (roles.some((role) => role?.cols !== undefined || role?.priv_name === undefined)) {
    const message = 'column names cannot be included in GRANT/REVOKE ROLE';
    throw new SqlError('invalid_grant_operation', message);
  }
  return {
    kind: 'grant role',
    at,
    isGrant: body.is_grant ?? false,
    roles: roles.map((role) => role?.priv_name ?? ''),
    members: mapRoles(body.grantee_roles),
    options: mapOptions(context, body.opt),
    grantor: body.grantor === undefined ? null : mapRole(body.grantor),
    cascade: body.behavior === 'DROP_CASCADE',
  };
}

export const mapGrant = (context: MapContext, body: pg.GrantStmt, at: number): AccessStatement => ({
  kind: 'grant',
  at,
  target: mapTarget(context, body, at),
  grant: mapRights(body),
  grantor: body.grantor === undefined ? null : mapRole(body.grantor),
});

function mapRights(body: pg.GrantStmt): WrittenGrant {
  return {
    isGrant: body.is_grant ?? false,
    privileges: body.privileges?.map(mapPrivilege) ?? null,
    grantees: mapRoles(body.grantees),
    grantOption: body.grant_option ?? false,
    cascade: body.behavior === 'DROP_CASCADE',
  };
}

function mapPrivilege(node: pg.Node): WrittenPrivilege {
  const privilege = as(node, 'AccessPriv');
  return { privilege: privilege?.priv_name ?? null, columns: strings(privilege?.cols) };
}

const kindOf = (type: string | undefined): string =>
  (type ?? '').replace(/^OBJECT_/, '').replaceAll('_', ' ');

const OF_SCHEMA = {
  TABLE: 'table',
  SEQUENCE: 'sequence',
  FUNCTION: 'function',
  PROCEDURE: 'procedure',
  ROUTINE: 'routine',
} as const;

function mapTarget(context: MapContext, body: pg.GrantStmt, at: number): GrantTarget {
  const kind = kindOf(body.objtype);
  const objects = body.objects ?? [];
  if (body.targtype === 'ACL_TARGET_ALL_IN_SCHEMA') {
    const of = OF_SCHEMA[kind as keyof typeof OF_SCHEMA];
    return { object: 'all in schema', of, schemas: strings(objects) };
  }
  switch (kind) {
    case 'TABLE':
    case 'SEQUENCE': {
      const names = objects.map((node) => mapRelationName(context, as(node, 'RangeVar') ?? undefined));
      return { object: kind === 'TABLE' ? 'table' : 'sequence', names };
    }
    case 'FUNCTION':
    case 'PROCEDURE':
    case 'ROUTINE': {
      const functions = objects.map((node) => mapFunctionName(context, node, at));
      return { object: OF_SCHEMA[kind] as 'function', functions };
    }
    case 'TYPE':
    case 'DOMAIN': {
      const names = objects.map((node) => mapListName(at, strings(as(node, 'List')?.items)));
      return { object: kind === 'TYPE' ? 'type' : 'domain', names };
    }
    case 'DATABASE':
    case 'SCHEMA':
    case 'LANGUAGE':
    case 'TABLESPACE':
      return { object: kind.toLowerCase() as 'schema', plain: strings(objects) };
    default:
      throw notSupported(`privileges on a ${kind.replace(' ACL', '').toLowerCase()}`);
  }
}

const DEFAULTS = {
  TABLE: 'table',
  SEQUENCE: 'sequence',
  FUNCTION: 'function',
  ROUTINE: 'function',
  TYPE: 'type',
  SCHEMA: 'schema',
} as const;

/** @throws SqlError 42601 for what is said twice. */
export function mapDefaultPrivileges(
  context: MapContext,
  body: pg.AlterDefaultPrivilegesStmt,
  at: number,
): AccessStatement {
  const said = new Map<string, readonly pg.Node[] | undefined>();
  for (const node of body.options ?? []) {
    const option = as(node, 'DefElem');
    const name = option?.defname ?? '';
    if (said.has(name)) {
      throw new SqlError('syntax_error', 'conflicting or redundant options', {
        position: context.at(option?.location) || undefined,
      });
    }
    said.set(name, as(option?.arg, 'List')?.items);
  }
  const kind = kindOf(body.action?.objtype);
  const object = DEFAULTS[kind as keyof typeof DEFAULTS];
  if (object === undefined) throw notSupported(`default privileges of a ${kind.toLowerCase()}`);
  return {
    kind: 'alter default privileges',
    at,
    object,
    roles: said.has('roles') ? mapRoles(said.get('roles')) : null,
    schemas: said.has('schemas') ? strings(said.get('schemas')) : null,
    grant: mapRights(body.action ?? {}),
  };
}

// ───────────────────────────── owners ─────────────────────────────

export const mapReassignOwned = (_: MapContext, body: pg.ReassignOwnedStmt, at: number): AccessStatement => ({
  kind: 'reassign owned',
  at,
  roles: mapRoles(body.roles),
  to: mapRole(body.newrole),
});

export const mapDropOwned = (_: MapContext, body: pg.DropOwnedStmt, at: number): AccessStatement => ({
  kind: 'drop owned',
  at,
  roles: mapRoles(body.roles),
  cascade: body.behavior === 'DROP_CASCADE',
});
