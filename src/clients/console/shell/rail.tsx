/** The pages at the left (below, on a small screen), and who is signed in. */
import { NavLink } from 'react-router';
import { Icon } from '../parts/icons.tsx';
import { Menu } from '../parts/menu.tsx';
import { Tip } from '../parts/tip.tsx';
import { PAGES, type PageRow } from '../pages.ts';
import type { SignedIn } from '../server/session.ts';
import { signOut } from '../server/sign-in.ts';
import { WORDS } from '../words.ts';
import { useKeptFlag } from './kept.ts';
import styles from './shell.module.css';
import { applyTheme, type Theme } from './theme.ts';

const { shell } = WORDS;

interface RailProps {
  readonly who: SignedIn;
  readonly onHelp: () => void;
  readonly onPalette: () => void;
}

export function Rail({ who, onHelp, onPalette }: RailProps) {
  const [isPinned, pin] = useKeptFlag('rail', false);
  return (
    <nav className={styles.rail} data-pinned={isPinned} aria-label={shell.pages}>
      {PAGES.map((page) => (
        <PageLink key={page.path} page={page} isPinned={isPinned} />
      ))}
      <span className={`grow ${styles.wideOnly}`} />
      <RailButton icon="search" name={shell.palette} isPinned={isPinned} onClick={onPalette} />
      <Menu
        trigger={
          <button type="button" className={styles.link} aria-label={shell.signedInAs(who.role)}>
            <Icon name="person" />
            <span className={`cut ${styles.name}`}>{who.role}</span>
          </button>
        }
        items={[
          { label: isPinned ? shell.unpin : shell.pin, onChoose: () => pin(!isPinned) },
          ...(['system', 'light', 'dark'] as const).map((theme: Theme) => ({
            label: `${shell.theme}: ${shell.themes[theme]}`,
            onChoose: () => applyTheme(theme),
          })),
          { label: shell.help, icon: 'help' as const, onChoose: onHelp },
          { label: shell.signOut, onChoose: () => void signOut(false).catch(() => undefined) },
          { label: shell.signOutEverywhere, onChoose: () => void signOut(true).catch(() => undefined) },
        ]}
      />
    </nav>
  );
}

function PageLink({ page, isPinned }: { readonly page: PageRow; readonly isPinned: boolean }) {
  const { path, name, icon, isInBar } = page;
  const link = (
    <NavLink to={`/${path}`} end={path === ''} className={`${styles.link} ${isInBar ? '' : styles.wideOnly}`}>
      <Icon name={icon} />
      <span className={styles.name}>{name}</span>
    </NavLink>
  );
  return isPinned ? link : <Tip text={name}>{link}</Tip>;
}

interface RailButtonProps {
  readonly icon: 'search';
  readonly name: string;
  readonly isPinned: boolean;
  readonly onClick: () => void;
}

function RailButton({ icon, name, isPinned, onClick }: RailButtonProps) {
  const button = (
    <button type="button" className={`${styles.link} ${styles.wideOnly}`} onClick={onClick}>
      <Icon name={icon} />
      <span className={styles.name}>{name}</span>
    </button>
  );
  return isPinned ? button : <Tip text={name}>{button}</Tip>;
}
