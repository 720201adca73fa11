/** Options of CREATE and ALTER ROLE as what they change of a role. */
import type { Role } from '../../../catalog/access/model.ts';
import { roleVerifier } from '../../../catalog/access/scram.ts';
import { SqlError } from '../../../errors.ts';
import { OID } from '../../../types/oids.ts';
import { findTypeByOid } from '../../../types/registry.ts';
import type { RoleOption, RoleSpec } from '../../ast.ts';
import type { BindContext } from '../context.ts';

/** Attributes that are on or off, by the grammar's names. */
const FLAGS = {
  superuser: 'superuser',
  inherit: 'inherit',
  createrole: 'createRole',
  createdb: 'createDatabase',
  canlogin: 'login',
  isreplication: 'replication',
  bypassrls: 'bypassRowSecurity',
} as const satisfies Readonly<Record<string, keyof Role>>;

export type RoleChanges = Partial<Omit<Role, 'oid' | 'name' | 'settings'>>;

export interface ReadOptions {
  readonly changes: RoleChanges;
  readonly setsPassword: boolean;
  /** IN ROLE, ROLE and ADMIN. */
  readonly joined: readonly RoleSpec[];
  readonly members: readonly RoleSpec[];
  readonly admins: readonly RoleSpec[];
  readonly setsMembers: boolean;
  readonly notices: readonly string[];
}

/** @throws SqlError 42601 for what is said twice, 22023, 22007. */
export function readOptions(context: BindContext, options: readonly RoleOption[]): ReadOptions {
  const said = new Map<string, RoleOption['value']>();
  for (const { at, name, value } of options) {
    if (said.has(name)) {
      const position = at || undefined;
      throw new SqlError('syntax_error', 'conflicting or redundant options', { position });
    }
    said.set(name, value);
  }
  const flags = Object.entries(FLAGS).flatMap(([name, field]) =>
    said.has(name) ? [[field, said.get(name) === true] as const] : [],
  );
  const roles = (name: string): readonly RoleSpec[] => {
    return (said.get(name) ?? []) as readonly RoleSpec[];
  };
  return {
    changes: { ...Object.fromEntries(flags), ...limitOf(said), ...endOf(context, said), ...passwordOf(said) },
    setsPassword: said.has('password'),
    joined: roles('addroleto'),
    members: roles('rolemembers'),
    admins: roles('adminmembers'),
    setsMembers: said.has('rolemembers'),
    notices: said.has('sysid') ? ['SYSID can no longer be specified'] : [],
  };
}

/** An empty one, as NULL, lets nobody in. */
function passwordOf(said: ReadonlyMap<string, RoleOption['value']>): RoleChanges {
  if (!said.has('password')) return {};
  const password = said.get('password') as string | null;
  return { verifier: password === null || password === '' ? '' : roleVerifier(password) };
}

function limitOf(said: ReadonlyMap<string, RoleOption['value']>): RoleChanges {
  if (!said.has('connectionlimit')) return {};
  const connectionLimit = Number(said.get('connectionlimit'));
  if (connectionLimit < -1) {
    throw new SqlError('invalid_parameter_value', `invalid connection limit: ${connectionLimit}`);
  }
  return { connectionLimit };
}

/** VALID UNTIL, as `timestamptz` prints it in UTC. */
function endOf({ settings }: BindContext, said: ReadonlyMap<string, RoleOption['value']>): RoleChanges {
  if (!said.has('validUntil')) return {};
  const type = findTypeByOid(OID.timestamptz);
  const end = type?.parse(String(said.get('validUntil')), -1, settings) ?? null;
  const utc = { ...settings, timeZone: 'UTC', dateStyle: 'ISO, MDY' };
  return { validUntil: end === null ? null : (type?.format(end, utc) ?? null) };
}
