/** True while the last request reached the server. */
import { useSyncExternalStore } from 'react';

let reached = true;
const listeners = new Set<() => void>();

export function noteReached(isThere: boolean): void {
  if (reached === isThere) return;
  reached = isThere;
  for (const tell of listeners) tell();
}

export const isReached = (): boolean => reached;

export const useReached = (): boolean =>
  useSyncExternalStore((tell) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  }, isReached);
