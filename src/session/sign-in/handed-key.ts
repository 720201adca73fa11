/** A key for another program with the rights of the one that is signed in, under the rules of CREATE API KEY. */
import type { Catalog } from '../../catalog/model.ts';
import { UNIX_EPOCH_MS } from '../../epoch.ts';
import { DEFAULT_SETTINGS } from '../../types/settings.ts';
import { keyOptions } from './key-options.ts';
import { requireEndWithin, requireKeyName, requireManager } from './key-rights.ts';
import { NO_SCOPE } from './key-scope.ts';
import { type HeldKey, keyEnded, type Keys, requireFree } from './keys.ts';
import { sessionKey } from './session-key.ts';

interface KeyDirectory {
  readonly keys: Keys;
  readonly catalog: () => Catalog;
}

export interface WantedKey {
  /** Null: as its beginning. */
  readonly name: string | null;
  /** In Unix milliseconds; null: never. */
  readonly expiresMs: number | null;
}

/**
 * The end of a key that is wanted. @param expires a time, or an interval from now, as CREATE API KEY takes them; null: as that of
 * the key that is signed in. @throws SqlError 22023, 22007.
 */
export function endOf(
  { keys }: Pick<KeyDirectory, 'keys'>,
  held: HeldKey,
  expires: string | null,
): number | null {
  if (expires === null) return keys.byId(held.id)?.expiresMs ?? null;
  const nowMs = keys.now();
  const settings = { ...DEFAULT_SETTINGS, nowMicros: BigInt(nowMs - UNIX_EPOCH_MS) * 1000n };
  const option = { name: 'expires', value: expires, at: 0 };
  return keyOptions([option], ['expires'], { settings, nowMs }).expiresMs ?? null;
}

/** Passes who may make it. @throws SqlError 42501, 42710, 42939, 57P01. */
export function requireMayHand({ keys, catalog }: KeyDirectory, held: HeldKey, wanted: WantedKey): void {
  if (!keys.isLive(held)) throw keyEnded();
  const { role } = held;
  const identity = { authenticated: role, session: role, current: role };
  const holder = { key: sessionKey(keys, held), identity, directory: { keys }, catalog };
  requireManager(holder, role, 'create API key');
  requireEndWithin(holder, wanted.expiresMs);
  if (wanted.name === null) return;
  requireKeyName(catalog(), wanted.name);
  requireFree(keys.all, wanted.name);
}

/** Its text is told this once. @throws SqlError 42501, 42710, 42939, 54000, 57P01. */
export async function handKey(
  directory: KeyDirectory,
  held: HeldKey,
  wanted: WantedKey,
): Promise<{ readonly name: string; readonly key: string }> {
  requireMayHand(directory, held, wanted);
  return await directory.keys.create({ ...wanted, role: held.role, scope: NO_SCOPE });
}
