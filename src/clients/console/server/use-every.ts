/** Does something again and again while the page is looked at. */
import { useEffect } from 'react';

/** @param ms null: not now. */
export function useEvery(ms: number | null, act: () => void): void {
  useEffect(() => {
    if (ms === null) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) act();
    }, ms);
    return () => clearInterval(timer);
  }, [ms, act]);
}
