/** Statements of roles, memberships, owners and access lists, each with the file that binds it. */
import { unreachable } from '../../../assert.ts';
import type { BoundStatement } from '../../../plan/statement.ts';
import type { AccessStatement } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { bindDefaultPrivileges } from './default-privileges.ts';
import { bindDropRole } from './drop-role.ts';
import { bindGrant } from './grants.ts';
import { bindGrantRole } from './memberships.ts';
import { bindDropOwned, bindReassignOwned } from './owned.ts';
import { bindAlterRole, bindAlterRoleSetting, bindCreateRole, bindRenameRole } from './roles.ts';

export function bindAccess(statement: AccessStatement, context: BindContext): BoundStatement {
  switch (statement.kind) {
    case 'create role':
      return bindCreateRole(statement, context);
    case 'alter role':
      return bindAlterRole(statement, context);
    case 'alter role setting':
      return bindAlterRoleSetting(statement, context);
    case 'rename role':
      return bindRenameRole(statement, context);
    case 'drop role':
      return bindDropRole(statement, context);
    case 'grant role':
      return bindGrantRole(statement, context);
    case 'grant':
      return bindGrant(statement, context);
    case 'alter default privileges':
      return bindDefaultPrivileges(statement, context);
    case 'reassign owned':
      return bindReassignOwned(statement, context);
    case 'drop owned':
      return bindDropOwned(statement, context);
    default:
      return unreachable(statement);
  }
}
