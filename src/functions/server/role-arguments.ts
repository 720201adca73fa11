/** The role that functions about privileges are asked of: left out, by name or by number. */
import { SqlError } from '../../errors.ts';
import type { FunctionContext } from '../function.ts';

export interface RoleArgument {
  readonly type: 'name' | 'oid' | null;
  /** In examples. */
  readonly sql: string;
}

export const ROLES: readonly RoleArgument[] = [
  { type: null, sql: '' },
  { type: 'name', sql: 'current_user, ' },
  { type: 'oid', sql: '10::oid, ' },
];

/** Everybody, whom a name of no role means. */
const PUBLIC = 0;

/** @throws SqlError 42704 */
export function roleByName({ catalog }: FunctionContext, name: string): number {
  const oid = catalog.roleNamed(name);
  if (oid === null) throw new SqlError('undefined_object', `role "${name}" does not exist`);
  return oid;
}

/** @throws SqlError 42704 */
export function roleAsked(context: FunctionContext, role: string | number): number {
  if (typeof role === 'number') return role;
  return role === 'public' ? PUBLIC : roleByName(context, role);
}

/** The role of `current_user`. */
export const userOid = (context: FunctionContext): number => roleByName(context, context.user());
