/** ALTER DEFAULT PRIVILEGES: access of objects that a role will make. Source: PostgreSQL's aclchk.c. */
import { defaultAcl, sameAcls, sortedAcl } from '../../../catalog/access/acl.ts';
import { changedAcl } from '../../../catalog/access/granting.ts';
import type { DefaultAccess } from '../../../catalog/access/model.ts';
import { type ObjectKind, OBJECT_KINDS } from '../../../catalog/access/privileges.ts';
import { hasRightsOf } from '../../../catalog/access/roles.ts';
import { applyEdit, type CatalogEdit } from '../../../catalog/edit/edit.ts';
import { SqlError } from '../../../errors.ts';
import type { BoundStatement } from '../../../plan/statement.ts';
import type { AccessStatement } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { currentRole, denied, roleOf } from './actor.ts';
import { schemaOid } from '../names.ts';
import { type Grant, readGrant } from './grants.ts';
import type { Changes } from './memberships.ts';

type DefaultPrivileges = Extract<AccessStatement, { kind: 'alter default privileges' }>;

const KINDS: Readonly<Record<DefaultPrivileges['object'], ObjectKind>> = {
  table: 'relation',
  sequence: 'sequence',
  function: 'function',
  type: 'type',
  schema: 'schema',
};

export function bindDefaultPrivileges(statement: DefaultPrivileges, context: BindContext): BoundStatement {
  const { object, schemas } = statement;
  const kind = KINDS[object];
  if (statement.grant.privileges?.some(({ columns }) => columns.length > 0) === true) {
    throw new SqlError('invalid_grant_operation', 'default privileges cannot be set for columns');
  }
  const grant = readGrant(context, statement.grant, { noun: kind, all: OBJECT_KINDS[kind].all });
  let changes: Changes = { catalog: context.catalog, edits: [], notices: [] };
  // One after the other: an error of the first is told before the next is looked for.
  for (const spec of statement.roles ?? [{ role: 'current' } as const]) {
    const role = changeableRole(context, roleOf(context, spec).oid);
    const namespaces = schemas?.map((schema) => schemaOid(context, schema)) ?? [0];
    for (const namespace of namespaces) changes = changeDefault(changes, { role, namespace, kind }, grant);
  }
  return { kind: 'catalog', tag: 'ALTER DEFAULT PRIVILEGES', edits: changes.edits, notices: [] };
}

/** @throws SqlError 42501. */
function changeableRole(context: BindContext, role: number): number {
  if (hasRightsOf(context.catalog, currentRole(context), role)) return role;
  throw denied('permission denied to change default privileges');
}

/** An entry that says no more than is so without it goes. @throws SqlError 0LP01. */
export function changeDefault(
  changes: Changes,
  of: Pick<DefaultAccess, 'role' | 'namespace' | 'kind'>,
  grant: Grant,
): Changes {
  const { role, namespace, kind } = of;
  if (namespace !== 0 && kind === 'schema') {
    const message = 'cannot use IN SCHEMA clause when using GRANT/REVOKE ON SCHEMAS';
    throw new SqlError('invalid_grant_operation', message);
  }
  const { catalog, edits } = changes;
  const known = catalog.defaultAccess.find(
    (access) => access.role === role && access.namespace === namespace && access.kind === kind,
  );
  const usual = namespace === 0 ? defaultAcl(kind, role) : [];
  const privileges = grant.all ? OBJECT_KINDS[kind].all : grant.privileges;
  const acl = changedAcl(
    known?.acl ?? usual,
    { ...grant, grantor: role, privileges },
    { catalog, owner: role, cascade: grant.cascade },
  );
  const sorted = sortedAcl(acl);
  if (sameAcls(sorted, sortedAcl(usual)) && known === undefined) return changes;
  const edit: CatalogEdit = sameAcls(sorted, sortedAcl(usual))
    ? { edit: 'drop default access', access: known?.oid ?? 0 }
    : { edit: 'put default access', access: { oid: known?.oid ?? 0, ...of, acl: sorted } };
  return { ...changes, catalog: applyEdit(catalog, edit), edits: [...edits, edit] };
}
