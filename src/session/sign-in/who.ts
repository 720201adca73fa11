/** Who may be meant by a user name: keys by the name of their role, their own, or their beginning, and roles. */
import { hasRightsOf, PREDEFINED, roleByName, roleByOid } from '../../catalog/access/roles.ts';
import type { Role } from '../../catalog/access/model.ts';
import type { Catalog } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import { SCRAM_KEYS_COUNT_MAX } from '../../limits.ts';
import { USER } from '../environment.ts';
import { isWithin } from '../../network-address.ts';
import type { HeldKey, Keys } from './keys.ts';
import { limitsRows } from './key-scope.ts';
import type { ApiKey, KeySecret } from './key-record.ts';
import { parseVerifier, type SaltedVerifier, type Verifier } from '../../catalog/access/scram.ts';

/** Whom a sign-in has shown its client to be. */
export interface SignedIn {
  readonly role: number;
  /** Null: by the role's own password. */
  readonly key: HeldKey | null;
}

/** The key may be given by this user, from there. */
export function mayBe(catalog: Catalog, user: string, address: string, { key, secret }: NamedKey): boolean {
  const role = roleByOid(catalog, key.role);
  if (role === undefined || !isFrom(address, key)) return false;
  return [USER, role.name, key.name, secret.prefix].includes(user);
}

interface NamedKey {
  readonly key: ApiKey;
  readonly secret: KeySecret;
}

function isFrom(address: string, { scope }: Pick<ApiKey, 'scope'>): boolean {
  return scope.addresses === null || scope.addresses.some((network) => isWithin(address, network));
}

/** Keys that a proof is tried against, the oldest first. */
export function candidatesOf(
  keys: Keys,
  catalog: Catalog,
  { user, address }: { readonly user: string; readonly address: string },
): readonly { readonly verifier: Verifier; readonly held: HeldKey }[] {
  const found: { verifier: Verifier; held: HeldKey }[] = [];
  for (const live of keys.live()) {
    const { verifier } = live.secret;
    if (verifier === null || !mayBe(catalog, user, address, live)) continue;
    if (found.push({ verifier, held: live.held }) === SCRAM_KEYS_COUNT_MAX) break;
  }
  return found;
}

/** A key with limits sees nothing of what others do. @throws SqlError 42501. */
export function requireMonitor(catalog: Catalog, { role, key }: SignedIn): void {
  if (key !== null && limitsRows(key.scope)) {
    throw new SqlError('insufficient_privilege', 'a key with limits does not see the numbers of the server');
  }
  if (hasRightsOf(catalog, role, PREDEFINED.monitor)) return;
  const name = roleByOid(catalog, role)?.name ?? role;
  throw new SqlError('insufficient_privilege', 'permission denied for the numbers of the server', {
    hint: `GRANT pg_monitor TO ${name} allows them.`,
  });
}

/**
 * Whom a certificate signs in: the role of its name, which may sign in. Null where a key is asked for beside it: by `quern`, which is
 * whoever the key says, and by its name where that is no such role but may be a key's.
 */
export function signedInBy(
  catalog: Catalog,
  user: string,
  commonName: string,
): SignedIn | 'somebody else' | null {
  if (user === USER) return null;
  if (user !== commonName) return 'somebody else';
  const role = roleByName(catalog, user);
  return role?.login === true ? { role: role.oid, key: null } : null;
}

export interface RoleWithPassword {
  readonly role: Role;
  readonly verifier: SaltedVerifier;
}

/** Null where the name is no role's that may sign in by a password of its own, now. */
export function roleWithPassword(catalog: Catalog, user: string, nowMs: number): RoleWithPassword | null {
  const role = roleByName(catalog, user);
  if (role === undefined || !role.login || role.verifier === undefined) return null;
  if (role.validUntil !== null && !(endMs(role.validUntil) > nowMs)) return null;
  const verifier = parseVerifier(role.verifier);
  return verifier === null ? null : { role, verifier };
}

/** Unix time of a `timestamptz` in UTC; NaN, which nothing is before, for one that cannot be read. */
function endMs(text: string): number {
  if (text === 'infinity') return Number.POSITIVE_INFINITY;
  return Date.parse(text.replace(' ', 'T').replace(/([+-]\d{2})$/, '$1:00'));
}
