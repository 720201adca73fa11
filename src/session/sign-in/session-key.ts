/** The key that a session was opened with: its limits, and whether it is live, asked before each statement. */
import { type KeyScope, limitsRows } from './key-scope.ts';
import { type HeldKey, keyEnded, type Keys } from './keys.ts';

export interface SessionKey {
  readonly held: HeldKey;
  readonly scope: KeyScope;
  /** The scope where it limits rows; null where it does not. */
  readonly rowLimits: KeyScope | null;
  isLive(): boolean;
  /** @throws SqlError 57P01 once the key has expired, was dropped, or was changed. */
  requireLive(): void;
}

export const sessionKey = (keys: Keys, held: HeldKey): SessionKey => ({
  held,
  scope: held.scope,
  rowLimits: limitsRows(held.scope) ? held.scope : null,
  isLive: () => keys.isLive(held),
  requireLive() {
    if (!keys.isLive(held)) throw keyEnded();
  },
});
