/** Looks after the server while it cannot be reached, says so, and goes on when it is there again. */
import { useEffect, useState } from 'react';
import { whoAmI } from '../server/sign-in.ts';
import { isReached, useReached } from '../server/reached.ts';
import { WORDS } from '../words.ts';
import styles from './shell.module.css';

const ASKED_AFTER_MS = 2000;

export function ServerState({ isFirst }: { readonly isFirst: boolean }) {
  const reached = useReached();
  const [wasGone, setWasGone] = useState(false);
  useEffect(() => {
    if (reached) return undefined;
    setWasGone(true);
    const timer = setInterval(() => {
      if (!isReached()) void whoAmI().catch(() => undefined);
    }, ASKED_AFTER_MS);
    return () => clearInterval(timer);
  }, [reached]);
  useEffect(() => {
    if (!reached || !wasGone) return undefined;
    const timer = setTimeout(() => setWasGone(false), ASKED_AFTER_MS);
    return () => clearTimeout(timer);
  }, [reached, wasGone]);
  const said = reached ? WORDS.shell.back : WORDS.shell.gone;
  return (
    <div role="status" aria-live="polite">
      {(wasGone || (!reached && isFirst)) && <div className={styles.strip}>{said}</div>}
    </div>
  );
}
