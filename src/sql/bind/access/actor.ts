/** Who runs a definition, and the roles that it names. */
import type { Role } from '../../../catalog/access/model.ts';
import { isSuperuser, roleByName, roleByOid } from '../../../catalog/access/roles.ts';
import { OWNER_ROLE_OID } from '../../../catalog/oids.ts';
import { SqlError } from '../../../errors.ts';
import type { RoleSpec } from '../../ast.ts';
import type { BindContext } from '../context.ts';

export const currentRole = ({ role }: Pick<BindContext, 'role'>): number => role ?? OWNER_ROLE_OID;

export const sessionRole = (context: Pick<BindContext, 'role' | 'sessionRole'>): number =>
  context.sessionRole ?? currentRole(context);

export const bySuperuser = (context: BindContext): boolean =>
  isSuperuser(context.catalog, currentRole(context));

/** @throws SqlError 42704. */
export function roleNamed({ catalog }: Pick<BindContext, 'catalog'>, name: string): Role {
  const role = roleByName(catalog, name);
  if (role === undefined) throw new SqlError('undefined_object', `role "${name}" does not exist`);
  return role;
}

/** @throws SqlError 42704: PUBLIC is no role. */
export function roleOf(context: BindContext, spec: RoleSpec): Role {
  if (spec.role === 'named') return roleNamed(context, spec.name);
  if (spec.role === 'public') return roleNamed(context, 'public');
  const oid = spec.role === 'session' ? sessionRole(context) : currentRole(context);
  const role = roleByOid(context.catalog, oid);
  if (role === undefined) throw new SqlError('undefined_object', `role with OID ${oid} does not exist`);
  return role;
}

export const roleName = ({ catalog }: Pick<BindContext, 'catalog'>, oid: number): string =>
  roleByOid(catalog, oid)?.name ?? String(oid);

export const denied = (message: string, detail?: string): SqlError =>
  new SqlError('insufficient_privilege', message, { ...(detail !== undefined && { detail }) });
