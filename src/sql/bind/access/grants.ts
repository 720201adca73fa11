/**
 * GRANT and REVOKE on objects. The one thing to know: a privilege on a whole relation and one on its columns stand in
 * lists of their own, and revoking the first revokes the second. Source: PostgreSQL's aclchk.c.
 */
import { bestGrantor, changedAcl } from '../../../catalog/access/granting.ts';
import { aclOf, classOf, keyOf, type ObjectRef, ownerOf } from '../../../catalog/access/checks.ts';
import type { AclItem } from '../../../catalog/access/model.ts';
import {
  OBJECT_KINDS,
  PRIVILEGE,
  privilegeByName,
  privilegeNames,
  type Privileges,
} from '../../../catalog/access/privileges.ts';
import { hasRightsOf, PUBLIC } from '../../../catalog/access/roles.ts';
import { applyEdit, type CatalogEdit } from '../../../catalog/edit/edit.ts';
import { liveColumns } from '../../../catalog/model.ts';
import { OWNER_ROLE_OID } from '../../../catalog/oids.ts';
import { type Notice, SqlError } from '../../../errors.ts';
import type { BoundStatement } from '../../../plan/statement.ts';
import type { AccessStatement, RoleSpec, WrittenGrant, WrittenPrivilege } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { currentRole, denied, roleOf } from './actor.ts';
import { type GrantObject, grantObjects, targetRow } from './grant-targets.ts';
import type { Changes } from './memberships.ts';

/** A grant whose words are read. */
export interface Grant extends Pick<WrittenGrant, 'isGrant' | 'grantOption' | 'cascade'> {
  readonly grantees: readonly number[];
  /** On the whole object; with `all`, whatever there is of it. */
  readonly privileges: Privileges;
  readonly all: boolean;
  readonly byColumn: readonly WrittenPrivilege[];
}

export function bindGrant(
  statement: Extract<AccessStatement, { kind: 'grant' }>,
  context: BindContext,
): BoundStatement {
  if (statement.grantor !== null && roleOf(context, statement.grantor).oid !== currentRole(context)) {
    throw new SqlError('feature_not_supported', 'grantor must be current user');
  }
  const objects = grantObjects(context, statement.target);
  const grant = readGrant(context, statement.grant, targetRow(statement.target));
  const changes = changeObjects(context, objects, grant);
  const { edits, notices } = changes;
  return { kind: 'catalog', tag: grant.isGrant ? 'GRANT' : 'REVOKE', edits, notices };
}

const granteesOf = (context: BindContext, specs: readonly RoleSpec[]): readonly number[] =>
  specs.map((spec) => (spec.role === 'public' ? PUBLIC : roleOf(context, spec).oid));

/** @throws SqlError 42601 for no privilege, 0LP01 for one of other kinds of objects. */
export function readGrant(
  context: BindContext,
  written: WrittenGrant,
  target: { readonly noun: string; readonly all: Privileges },
): Grant {
  const { isGrant, grantOption, cascade } = written;
  const grantees = granteesOf(context, written.grantees);
  let privileges = 0;
  const byColumn: WrittenPrivilege[] = [];
  for (const item of written.privileges ?? []) {
    if (item.columns.length > 0) {
      if (target.noun !== 'relation') {
        const message = 'column privileges are only valid for relations';
        throw new SqlError('invalid_grant_operation', message);
      }
      byColumn.push(item);
      continue;
    }
    const privilege = readPrivilege(item.privilege ?? '');
    if ((privilege & ~target.all) !== 0) throw notValid(privilege, target.noun);
    privileges |= privilege;
  }
  const all = written.privileges === null;
  return { isGrant, grantOption, cascade, grantees, privileges, all, byColumn };
}

function readPrivilege(name: string): Privileges {
  const privilege = privilegeByName(name.toUpperCase());
  if (privilege !== undefined) return privilege;
  throw new SqlError('syntax_error', `unrecognized privilege type "${name}"`);
}

const notValid = (privilege: Privileges, noun: string): SqlError =>
  new SqlError(
    'invalid_grant_operation',
    `invalid privilege type ${privilegeNames(privilege)[0] ?? ''} for ${noun}`,
  );

export function changeObjects(context: BindContext, objects: readonly GrantObject[], grant: Grant): Changes {
  let changes: Changes = { catalog: context.catalog, edits: [], notices: [] };
  for (const object of objects) {
    if (object.refusal !== undefined) throw object.refusal;
    const { privileges, notices } = privilegesFor(object, grant);
    changes = { ...changes, notices: [...changes.notices, ...notices] };
    const columns = columnPrivileges(object, grant, privileges);
    // Lists of columns are weighed against the relation's as it was.
    const before = changes.catalog;
    if (privileges !== 0) changes = changeObject(context, changes, { object, privileges, grant, before });
    for (const [column, { name, bits }] of columns) {
      const part = { kind: 'column', oid: object.oid, column, name, of: object } as const;
      const all = bits === OBJECT_KINDS.column.all;
      const ofColumn = { object: part, privileges: bits, grant: { ...grant, all }, before };
      changes = changeObject(context, changes, ofColumn);
    }
  }
  return changes;
}

/** Privileges that the words mean for this object. @throws SqlError 0LP01. */
function privilegesFor(
  { kind, name }: GrantObject,
  grant: Grant,
): { readonly privileges: Privileges; readonly notices: readonly Notice[] } {
  const { all } = OBJECT_KINDS[kind];
  if (grant.all) return { privileges: all, notices: [] };
  const { privileges } = grant;
  if ((privileges & ~all) === 0) return { privileges, notices: [] };
  if (kind === 'relation') throw notValid(privileges & PRIVILEGE.usage, 'table');
  const message = `sequence "${name}" only supports USAGE, SELECT, and UPDATE privileges`;
  const warning = { severity: 'WARNING', condition: 'invalid_grant_operation', message } as const;
  return { privileges: privileges & all, notices: [warning] };
}

interface OnColumn {
  readonly name: string;
  readonly bits: Privileges;
}

/** Columns of every relation that has rows, from number -6 on: PostgreSQL revokes on them too, and tells so. */
const SYSTEM_COLUMNS = ['tableoid', 'cmax', 'xmax', 'cmin', 'xmin', 'ctid'] as const;

/** By attribute number. @throws SqlError 0LP01, 42703. */
function columnPrivileges(
  { relation }: GrantObject,
  grant: Grant,
  privileges: Privileges,
): ReadonlyMap<number, OnColumn> {
  const found = new Map<number, OnColumn>();
  if (relation === undefined) return found;
  const columns = liveColumns(relation);
  const add = (attribute: number, name: string, bits: Privileges): void => {
    found.set(attribute, { name, bits: (found.get(attribute)?.bits ?? 0) | bits });
  };
  const everywhere = grant.isGrant ? 0 : privileges & OBJECT_KINDS.column.all;
  if (everywhere !== 0) {
    const hidden = relation.kind === 'view' ? [] : SYSTEM_COLUMNS;
    for (const [i, name] of hidden.entries()) add(i - hidden.length, name, everywhere);
    for (const { attribute, name } of columns) add(attribute, name, everywhere);
  }
  for (const { privilege, columns: names } of grant.byColumn) {
    const bits = privilege === null ? OBJECT_KINDS.column.all : readPrivilege(privilege);
    if ((bits & ~OBJECT_KINDS.column.all) !== 0) throw notValid(bits, 'column');
    for (const name of names) {
      const column = columns.find((candidate) => candidate.name === name);
      if (column === undefined) {
        const message = `column "${name}" of relation "${relation.name}" does not exist`;
        throw new SqlError('undefined_column', message);
      }
      add(column.attribute, name, bits);
    }
  }
  return new Map([...found].toSorted(([a], [b]) => a - b));
}

interface Step {
  readonly object: ObjectRef & { readonly name: string; readonly of?: GrantObject };
  readonly privileges: Privileges;
  readonly grant: Grant;
  readonly before: Changes['catalog'];
}

function changeObject(context: BindContext, changes: Changes, step: Step): Changes {
  const { object, privileges, grant, before } = step;
  const { catalog } = changes;
  const owner = ownerOf(catalog, { ...object, kind: object.of?.kind ?? object.kind });
  const acl = aclOf(catalog, object);
  const whole = object.of === undefined ? acl : [...aclOf(before, object.of), ...acl];
  const role = currentRole(context);
  const { grantor, grantable } = bestGrantor(catalog, { role, owner, acl: whole }, privileges);
  const notices = checkGrant(context, step, { grantor, grantable, acl: whole });
  const changed = changedAcl(
    acl,
    { ...grant, grantor, privileges: privileges & grantable },
    { catalog, owner, cascade: grant.cascade },
  );
  const edit = accessEdit(object, owner, changed);
  const isSame = object.kind === 'column' && changed.length === 0 && !catalog.access.has(keyOf(object));
  return {
    catalog: isSame ? catalog : applyEdit(catalog, edit),
    edits: isSame ? changes.edits : [...changes.edits, edit],
    notices: [...changes.notices, ...notices],
  };
}

/** A column has an owner only through its relation, and no list where nothing is granted on it. */
function accessEdit(
  { kind, oid, column = 0 }: ObjectRef,
  owner: number,
  acl: readonly AclItem[],
): CatalogEdit {
  const at = { classOid: classOf(kind), oid, column };
  if (column === 0) return { edit: 'set access', access: { ...at, owner, acl } };
  const list = acl.length === 0 ? null : acl;
  return { edit: 'set access', access: { ...at, owner: OWNER_ROLE_OID, acl: list } };
}

const NOUNS: Readonly<Partial<Record<ObjectRef['kind'], string>>> = { relation: 'table' };

/** Source: restrict_and_check_grant. @throws SqlError 42501 for who has no right at all on the object. */
function checkGrant(
  { catalog }: BindContext,
  { object, privileges, grant }: Step,
  {
    grantor,
    grantable,
    acl,
  }: { readonly grantor: number; readonly grantable: Privileges; readonly acl: readonly AclItem[] },
): readonly Notice[] {
  const { kind, name, of } = object;
  const quoted = of === undefined ? `"${name}"` : `column "${name}" of relation "${of.name}"`;
  const { all } = OBJECT_KINDS[kind];
  const reached = acl.some(
    ({ grantee, privileges: held }) =>
      (held & all) !== 0 && (grantee === PUBLIC || hasRightsOf(catalog, grantor, grantee)),
  );
  if (grantable === 0 && !reached) {
    const what = of === undefined ? `${NOUNS[kind] ?? kind} ${name}` : quoted;
    throw denied(`permission denied for ${what}`);
  }
  const able = privileges & grantable;
  if (able === privileges || (able !== 0 && grant.all)) return [];
  const count = able === 0 ? 'no' : 'not all';
  const verb = grant.isGrant ? 'were granted' : 'could be revoked';
  const condition = grant.isGrant ? 'warning_privilege_not_granted' : 'warning_privilege_not_revoked';
  return [{ severity: 'WARNING', condition, message: `${count} privileges ${verb} for ${quoted}` }];
}
