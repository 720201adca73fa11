/**
 * Whose rights the statements of a session have: OIDs of roles. One thing to know: the three differ after SET ROLE and
 * SET SESSION AUTHORIZATION, and only `current` is asked for privileges. The last two are kept among the settings, so that
 * SET LOCAL and ROLLBACK do with them as with any other. Source: check_role and check_session_authorization in
 * PostgreSQL's variable.c.
 */
import { isSuperuser, roleByName, roleByOid, rolesReached } from '../catalog/access/roles.ts';
import type { Role } from '../catalog/access/model.ts';
import type { Catalog } from '../catalog/model.ts';
import { OWNER_ROLE_OID } from '../catalog/oids.ts';
import { SqlError } from '../errors.ts';
import { HTTP_TRANSACTION_IDLE_MS } from '../limits.ts';
import type { SessionSettings } from './settings/settings.ts';

export interface Identity {
  /** Who signed in. */
  readonly authenticated: number;
  /** `session_user`. */
  readonly session: number;
  /** `current_user`. */
  readonly current: number;
}

const NO_ROLE = 'none';

export const IDENTITY_NAMES: ReadonlySet<string> = new Set(['role', 'session_authorization']);

/** As the settings have it. */
export function readIdentity(settings: SessionSettings, authenticated: number): Identity {
  const session = Number(settings.get('.session')) || authenticated;
  return { authenticated, session, current: Number(settings.get('.role')) || session };
}

/** Name that is shown of a role; of one that is gone, its OID. */
export const shownRole = (catalog: Catalog, oid: number): string =>
  roleByOid(catalog, oid)?.name ?? `unknown (OID=${oid})`;

interface Change {
  readonly catalog: Catalog;
  readonly identity: Identity;
  /** Null: as it was at sign-in. */
  readonly value: string | null;
  readonly local: boolean;
}

/** A role by the name that SET gives. @throws SqlError 22023. */
function named(catalog: Catalog, name: string): Role {
  const role = roleByName(catalog, name);
  if (role !== undefined) return role;
  throw new SqlError('invalid_parameter_value', `role "${name}" does not exist`);
}

const asText = (isOn: boolean): string => (isOn ? 'on' : 'off');

/** SET ROLE. @throws SqlError 22023, 42501 for a role that the session's user may not take. */
export function setRole(settings: SessionSettings, { catalog, identity, value, local }: Change): void {
  if (value === null || value === NO_ROLE) {
    const isOn = isSuperuser(catalog, identity.session);
    settings.put({ role: NO_ROLE, '.role': '', is_superuser: asText(isOn) }, local);
    return;
  }
  const { oid, name, superuser } = named(catalog, value);
  if (!mayTake(catalog, identity.session, oid))
    throw new SqlError('insufficient_privilege', `permission denied to set role "${name}"`);
  settings.put({ role: name, '.role': String(oid), is_superuser: asText(superuser) }, local);
}

/** The role that another session acted as, whatever it is called by now: `requireStanding` asks whether it may be. */
export function takeRole(settings: SessionSettings, catalog: Catalog, oid: number): void {
  const isOn = isSuperuser(catalog, oid);
  settings.put({ role: shownRole(catalog, oid), '.role': String(oid), is_superuser: asText(isOn) }, false);
}

/** For work that goes on without its session. @throws SqlError 42501 where a role is gone, or is not to be taken any more. */
export function requireStanding(catalog: Catalog, { session, current }: Identity): void {
  for (const oid of [session, current]) {
    if (roleByOid(catalog, oid) !== undefined) continue;
    throw new SqlError('insufficient_privilege', `role with OID ${oid} does not exist`);
  }
  if (mayTake(catalog, session, current)) return;
  const message = `permission denied to set role "${shownRole(catalog, current)}"`;
  throw new SqlError('insufficient_privilege', message);
}

const mayTake = (catalog: Catalog, session: number, role: number): boolean =>
  session === role || isSuperuser(catalog, session) || rolesReached(catalog, session, 'set').has(role);

/** SET SESSION AUTHORIZATION, which ends SET ROLE. @throws SqlError 22023, 42501 for another role than one's own. */
export function setSessionRole(settings: SessionSettings, { catalog, identity, value, local }: Change): void {
  const { authenticated } = identity;
  const role = value === null ? roleByOid(catalog, authenticated) : named(catalog, value);
  const oid = role?.oid ?? authenticated;
  if (oid !== authenticated && !isSuperuser(catalog, authenticated)) {
    const message = `permission denied to set session authorization "${role?.name ?? oid}"`;
    throw new SqlError('insufficient_privilege', message);
  }
  settings.put(
    {
      session_authorization: shownRole(catalog, oid),
      '.session': String(oid),
      role: NO_ROLE,
      '.role': '',
      is_superuser: asText(role?.superuser === true),
    },
    local,
  );
}

/** Settings that the role's sessions begin with, by name, those of the client over them. */
export function signInSettings(
  catalog: Catalog,
  role: number,
  given: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const own = (roleByOid(catalog, role)?.settings ?? []).map((setting): [string, string] => {
    const at = setting.indexOf('=');
    return [setting.slice(0, at), setting.slice(at + 1)];
  });
  const all = new Map([...own, ...given]);
  for (const name of all.keys()) if (IDENTITY_NAMES.has(name.toLowerCase())) all.delete(name);
  return all;
}

const IDLE_NAME = 'idle_in_transaction_session_timeout';

/** Settings of a session that serves requests, where neither its role nor the client says otherwise. */
export function requestSettings(catalog: Catalog, role: number): ReadonlyMap<string, string> {
  const own = roleByOid(catalog, role)?.settings ?? [];
  const isSet = own.some((setting) => setting.toLowerCase().startsWith(`${IDLE_NAME}=`));
  return new Map(isSet ? [] : [[IDLE_NAME, `${HTTP_TRANSACTION_IDLE_MS}ms`]]);
}

/** The roles that a client's start-up asks for, in the order in which they are set. */
export const askedRoles = (given: ReadonlyMap<string, string>): readonly [name: string, value: string][] =>
  ['session_authorization', 'role'].flatMap((name) => {
    const value = [...given].find(([key]) => key.toLowerCase() === name)?.[1];
    return value === undefined ? [] : [[name, value] as [string, string]];
  });

/** @throws SqlError 42501. */
export function requireSuperuser(catalog: Catalog, { current }: Identity, message: string): void {
  if (current === OWNER_ROLE_OID || isSuperuser(catalog, current)) return;
  throw new SqlError('insufficient_privilege', message);
}
