/** The three searches of a query, each by itself: one that is slow or fails holds up none of the others. */
import { useEffect, useState } from 'react';
import { type Fault, faultOf } from '../../server/messages.ts';
import { type Arm, type Asked, type Found, search } from './search.ts';

export interface Searching {
  /** Null: nothing has come, or the index is missing. */
  readonly found: Found | null;
  readonly fault: Fault | null;
  readonly isLoading: boolean;
}

export type Searches = Readonly<Record<Arm, Searching>>;

export const ARMS: readonly Arm[] = ['keyword', 'hybrid', 'meaning'];

const NOTHING: Searching = { found: null, fault: null, isLoading: false };

export function useSearches(asked: Asked): Searches {
  const [searches, setSearches] = useState<Searches>({ keyword: NOTHING, hybrid: NOTHING, meaning: NOTHING });
  const text = JSON.stringify(asked);
  useEffect(() => {
    const wanted = JSON.parse(text) as Asked;
    if (wanted.query === '') return undefined;
    const asking = new AbortController();
    const set = (arm: Arm, change: Partial<Searching>): void => {
      if (!asking.signal.aborted)
        setSearches((before) => ({ ...before, [arm]: { ...before[arm], ...change } }));
    };
    for (const arm of ARMS) {
      set(arm, { isLoading: true, fault: null });
      search(wanted, arm, asking.signal).then(
        (found) => set(arm, { found, isLoading: false }),
        (error: unknown) => set(arm, { found: null, fault: faultOf(error), isLoading: false }),
      );
    }
    return () => asking.abort();
  }, [text]);
  return searches;
}
