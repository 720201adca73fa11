/** True while the screen is a small one, as the styles have it. */
import { useSyncExternalStore } from 'react';

const NARROW = matchMedia('(max-width: 640px)');

const subscribe = (tell: () => void): (() => void) => {
  NARROW.addEventListener('change', tell);
  return () => NARROW.removeEventListener('change', tell);
};

export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => NARROW.matches);
