/** The saved query that the address names, as it is at the server. */
import { useCallback } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import type { Fault } from '../../../server/messages.ts';
import { useLoaded } from '../../../server/use-rows.ts';
import { type SavedQuery, savedQuery } from './saved-queries.ts';

export interface Opened {
  /** Null: the address names none. */
  readonly name: string | null;
  /** Null while it is on its way, and where there is none. */
  readonly stored: SavedQuery | null;
  readonly isGone: boolean;
  readonly fault: Fault | null;
  reload(): void;
}

export function useOpened(): Opened {
  const [search] = useSearchParams();
  const name = search.get('saved');
  const load = useCallback(
    async (signal: AbortSignal) => ({ name, row: await savedQuery(name ?? '', signal) }),
    [name],
  );
  const { value, fault, reload } = useLoaded(name === null ? null : load);
  const isOfName = name !== null && value?.name === name;
  return { name, stored: isOfName ? value.row : null, isGone: isOfName && value.row === null, fault, reload };
}

/** Opens a saved query; null: none. */
export function useOpen(): (name: string | null) => void {
  const navigate = useNavigate();
  return useCallback(
    (name) => void navigate(name === null ? '/query' : `/query?saved=${encodeURIComponent(name)}`),
    [navigate],
  );
}
