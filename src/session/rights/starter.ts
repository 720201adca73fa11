/** A session as the starter of work that goes on without it (`whose.ts`), and a session made of a starter. */
import { isDeepStrictEqual } from 'node:util';
import { SqlError } from '../../errors.ts';
import { RESEARCH_SETTINGS_BYTES_MAX } from '../../limits.ts';
import type { SessionParts, SessionState } from '../session-state.ts';
import { keyEnded, type Keys } from '../sign-in/keys.ts';
import { type SessionKey, sessionKey } from '../sign-in/session-key.ts';
import type { Starter } from '../whose.ts';

/** Settings of a session's roles, which are told by OID; of how long its statements wait; of its transactions. */
const NOT_TAKEN: ReadonlySet<string> = new Set([
  ...['role', 'session_authorization', 'is_superuser', '.role', '.session'],
  ...['statement_timeout', 'transaction_timeout', 'lock_timeout', 'quern.lsn', 'quern.lsn_timeout'],
  ...['idle_session_timeout', 'idle_in_transaction_session_timeout', 'default_transaction_isolation'],
]);

export function starterOf({ identity, key, clientAddress, settings }: SessionState): Starter {
  const { session, current } = identity;
  const taken = [...settings.given()].filter(([name]) => !NOT_TAKEN.has(name)).sort();
  return {
    ...{ session, current, address: clientAddress, settings: Object.fromEntries(taken) },
    key: key && { id: key.held.id, secret: key.held.secret, scope: key.scope },
  };
}

/** @throws SqlError 54000 for settings that are too long to be kept. */
export function requireStorable({ settings }: Starter): void {
  const bytes = Buffer.byteLength(JSON.stringify(settings));
  if (bytes <= RESEARCH_SETTINGS_BYTES_MAX) return;
  const message = `the settings of the session have ${bytes} bytes, research takes ${RESEARCH_SETTINGS_BYTES_MAX} along`;
  throw new SqlError('program_limit_exceeded', message);
}

/** Parts of a session that acts as the starter. @throws SqlError 57P01 where its key is not live, or not what it was. */
export function partsOf(
  { session, current, key, address, settings }: Starter,
  keys: Keys,
): Pick<SessionParts, 'role' | 'acting' | 'address' | 'key' | 'settings'> {
  return {
    ...{ role: session, acting: current, settings: new Map(Object.entries(settings)) },
    ...(address !== null && { address }),
    key: key && liveKey(key, keys),
  };
}

function liveKey({ id, secret, scope }: NonNullable<Starter['key']>, keys: Keys): SessionKey {
  const held = keys.liveOf({ id, secret })?.held;
  if (held === undefined || !isDeepStrictEqual(held.scope, scope)) throw keyEnded();
  return sessionKey(keys, held);
}
