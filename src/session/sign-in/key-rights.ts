/** Who may make and change which keys. Nobody gives more than he has: neither by its role, nor by a scope or an end. */
import { hasRightsOf, isSuperuser, KEY_ROLES, roleByName, rolesReached } from '../../catalog/access/roles.ts';
import type { Catalog } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import type { Identity } from '../identity.ts';
import type { ApiKey } from './key-record.ts';
import { isUnlimited } from './key-scope.ts';
import type { Keys } from './keys.ts';
import type { SessionKey } from './session-key.ts';

/** A session, as far as rights to keys are asked for. */
interface KeyHolder {
  readonly key: SessionKey | null;
  readonly identity: Identity;
  readonly directory: { readonly keys: Keys };
  catalog(): Catalog;
}

/** A superuser keys of all roles; an admin those of roles that he has himself. */
function mayManage(catalog: Catalog, by: number, role: number): boolean {
  if (isSuperuser(catalog, by)) return true;
  const isAdmin = hasRightsOf(catalog, by, KEY_ROLES.admin);
  return isAdmin && !isSuperuser(catalog, role) && rolesReached(catalog, by, 'inherit').has(role);
}

/** @throws SqlError 42501. */
export function requireManager(session: KeyHolder, role: number, what: string): void {
  const { key, identity } = session;
  const isLimited = key !== null && !isUnlimited(key.scope);
  if (isLimited || !mayManage(session.catalog(), identity.current, role)) {
    throw new SqlError('insufficient_privilege', `permission denied to ${what}`, {
      detail:
        'Only a superuser, or an admin for roles of their own, with a key that has no limits, may do it.',
    });
  }
}

/** @throws SqlError 42501 for an end after that of the session's own key. */
export function requireEndWithin(session: KeyHolder, expiresMs: number | null): void {
  const own = session.key === null ? undefined : session.directory.keys.byId(session.key.held.id);
  const last = own?.expiresMs ?? null;
  if (last === null || (expiresMs !== null && expiresMs <= last)) return;
  throw new SqlError('insufficient_privilege', 'a key cannot outlive the key that makes it');
}

/** Names of keys are user names. @throws SqlError 42710, 42939. */
export function requireKeyName(catalog: Catalog, name: string): void {
  if (name === '' || name.startsWith('quern_') || name.startsWith('pg_')) {
    throw new SqlError('reserved_name', `key name "${name}" is reserved`);
  }
  if (roleByName(catalog, name) === undefined) return;
  throw new SqlError('duplicate_object', `"${name}" is the name of a role`);
}

/** Keys that a session sees: those that it may change, and its own. */
export function visibleKeys(session: KeyHolder): readonly ApiKey[] {
  const { key, identity, directory } = session;
  const isLimited = key !== null && !isUnlimited(key.scope);
  const catalog = session.catalog();
  return directory.keys.all.filter(
    ({ id, role }) => id === key?.held.id || (!isLimited && mayManage(catalog, identity.current, role)),
  );
}
