/** The key that a session was opened with: its limits, and whether it is live, asked before each statement. */
import type { RowKey } from '../../catalog/private-relations.ts';
import { datasetsReached, type KeyScope, limitsRows } from './key-scope.ts';
import { type HeldKey, keyEnded, type Keys } from './keys.ts';

export interface SessionKey {
  readonly held: HeldKey;
  readonly scope: KeyScope;
  /** The scope where it limits rows; null where it does not. */
  readonly rowLimits: KeyScope | null;
  /** The same, for rows that say by which key they came to be. */
  readonly rowKey: RowKey | null;
  isLive(): boolean;
  /** @throws SqlError 57P01 once the key has expired, was dropped, or was changed. */
  requireLive(): void;
}

export const sessionKey = (keys: Keys, held: HeldKey): SessionKey => ({
  held,
  scope: held.scope,
  rowLimits: limitsRows(held.scope) ? held.scope : null,
  rowKey: limitsRows(held.scope) ? { id: held.id, datasets: datasetsReached(held.scope) } : null,
  isLive: () => keys.isLive(held),
  requireLive() {
    if (!keys.isLive(held)) throw keyEnded();
  },
});
