/** DROP ROLE, which objects of the role, and privileges of it, hold. Source: DropRole of PostgreSQL's user.c. */
import { type RoleDependency, roleDependencies } from '../../../catalog/access/dependencies.ts';
import type { Role } from '../../../catalog/access/model.ts';
import { isBuiltIn, roleByName } from '../../../catalog/access/roles.ts';
import type { CatalogEdit } from '../../../catalog/edit/edit.ts';
import { SqlError } from '../../../errors.ts';
import type { BoundStatement } from '../../../plan/statement.ts';
import type { AccessStatement } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { currentRole, denied, roleNamed, sessionRole } from './actor.ts';
import { objectText } from './object-names.ts';
import { checkMayDrop, mayCreateRoles } from './roles.ts';

type DropRole = Extract<AccessStatement, { kind: 'drop role' }>;

export function bindDropRole(statement: DropRole, context: BindContext): BoundStatement {
  if (!mayCreateRoles(context)) {
    const detail =
      'Only roles with the CREATEROLE attribute and the ADMIN option on the target roles may drop roles.';
    throw denied('permission denied to drop role', detail);
  }
  const notices: string[] = [];
  const dropped = new Map<number, Role>();
  for (const spec of statement.roles) {
    if (spec.role !== 'named') {
      throw new SqlError('invalid_parameter_value', 'cannot use special role specifier in DROP ROLE');
    }
    if (statement.ifExists && roleByName(context.catalog, spec.name) === undefined) {
      notices.push(`role "${spec.name}" does not exist, skipping`);
      continue;
    }
    const role = roleNamed(context, spec.name);
    checkDropped(context, role);
    dropped.set(role.oid, role);
  }
  const edits: readonly CatalogEdit[] = [...dropped.keys()].map((role) => ({ edit: 'drop role', role }));
  checkNothingDepends(context, [...dropped.values()]);
  return { kind: 'catalog', tag: 'DROP ROLE', edits, notices };
}

function checkDropped(context: BindContext, role: Role): void {
  for (const [which, oid] of [
    ['current', currentRole(context)],
    ['session', sessionRole(context)],
  ] as const) {
    if (role.oid === oid) throw new SqlError('object_in_use', `${which} user cannot be dropped`);
  }
  checkMayDrop(context, role);
  if (!isBuiltIn(role.oid)) return;
  const message = `cannot drop role ${role.name} because it is required by the database system`;
  throw new SqlError('dependent_objects_still_exist', message);
}

const LINES_MAX = 100;

const AS: Readonly<Record<RoleDependency['type'], string>> = {
  owner: 'owner of',
  privileges: 'privileges for',
  policy: 'target of',
};

/** Memberships of the roles go with them. @throws SqlError 2BP01. */
function checkNothingDepends(context: BindContext, roles: readonly Role[]): void {
  const gone = new Set(roles.map(({ oid }) => oid));
  const { memberships } = context.catalog;
  const left = memberships.filter(({ role, member }) => !gone.has(role) && !gone.has(member));
  const dependencies = roleDependencies({ ...context.catalog, memberships: left });
  for (const { oid, name } of roles) {
    const held = dependencies.filter(({ role }) => role === oid);
    if (held.length === 0) continue;
    const lines = held.slice(0, LINES_MAX).map((dependency) => {
      return `${AS[dependency.type]} ${objectText(context, dependency)}`;
    });
    const more = held.length - lines.length;
    if (more > 0)
      lines.push(`and ${more} other ${more === 1 ? 'object' : 'objects'} (see server log for list)`);
    const message = `role "${name}" cannot be dropped because some objects depend on it`;
    throw new SqlError('dependent_objects_still_exist', message, { detail: lines.join('\n') });
  }
}
