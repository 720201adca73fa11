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

/** Waits until the server is reached. */
export const whenReached = (): Promise<void> =>
  new Promise((resolve) => {
    const tell = (): void => {
      if (!reached) return;
      listeners.delete(tell);
      resolve();
    };
    listeners.add(tell);
    tell();
  });

export const useReached = (): boolean =>
  useSyncExternalStore((tell) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  }, isReached);
