/** All that is around a page: the rail, the palette, help, and signing in where one is not, or no longer. */
import { Suspense, useCallback, useState } from 'react';
import { Outlet, useNavigate } from 'react-router';
import { goToContent } from '../parts/page.tsx';
import { Skeleton } from '../parts/states.tsx';
import { useSession } from '../server/session.ts';
import { WORDS } from '../words.ts';
import { useKeptFlag } from './kept.ts';
import { Help } from './help.tsx';
import { useKeys } from './keys.ts';
import { Palette } from './palette.tsx';
import { Rail } from './rail.tsx';
import { ServerState } from './server-state.tsx';
import styles from './shell.module.css';
import { SignInAgain, SignInPage } from './sign-in.tsx';

export function Shell() {
  const session = useSession();
  const navigate = useNavigate();
  const [shown, show] = useState<'palette' | 'help' | null>(null);
  const [areSinglesOn, setSingles] = useKeptFlag('single-keys', true);
  const go = useCallback((path: string) => void navigate(path), [navigate]);
  const palette = useCallback(() => show('palette'), []);
  const help = useCallback(() => show('help'), []);
  useKeys({ areSinglesOn, go, palette, help });
  if (session.state === 'unknown') return <ServerState isFirst />;
  if (session.state === 'out') return <SignInPage />;
  return (
    <div className={styles.shell}>
      <button type="button" className={styles.skip} onClick={goToContent}>
        {WORDS.skip}
      </button>
      <Rail who={session.who} onHelp={help} onPalette={palette} />
      <div className={styles.content}>
        <Suspense fallback={<Skeleton />}>
          <Outlet />
        </Suspense>
      </div>
      <ServerState isFirst={false} />
      {shown === 'palette' && <Palette onClose={() => show(null)} />}
      {shown === 'help' && (
        <Help areSinglesOn={areSinglesOn} onSingles={setSingles} onClose={() => show(null)} />
      )}
      {session.state === 'over' && <SignInAgain who={session.who} />}
    </div>
  );
}
