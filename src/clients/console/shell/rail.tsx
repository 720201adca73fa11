/** The pages at the left (below, on a small screen), and who is signed in. */
import { NavLink, useNavigate } from 'react-router';
import { Icon } from '../parts/icons.tsx';
import { Menu, type MenuItem } from '../parts/menu.tsx';
import { Tip } from '../parts/tip.tsx';
import { useNarrow } from '../parts/use-narrow.ts';
import { PAGES, type PageRow } from '../pages.ts';
import type { SignedIn } from '../server/session.ts';
import { signOut } from '../server/sign-in.ts';
import { WORDS } from '../words.ts';
import { useKeptFlag } from './kept.ts';
import styles from './shell.module.css';
import { applyTheme, keptTheme, type Theme } from './theme.ts';

const { shell } = WORDS;

interface RailProps {
  readonly who: SignedIn;
  readonly onHelp: () => void;
  readonly onPalette: () => void;
}

export function Rail({ who, onHelp, onPalette }: RailProps) {
  const [isPinned, pin] = useKeptFlag('rail', false);
  const others = useOthers(onPalette);
  return (
    <nav className={styles.rail} data-pinned={isPinned} aria-label={shell.pages}>
      {PAGES.map((page) => (
        <PageLink key={page.path} page={page} isPinned={isPinned} />
      ))}
      <span className="grow wide-only" />
      <RailButton icon="search" name={shell.palette} isPinned={isPinned} onClick={onPalette} />
      <Menu
        trigger={
          <button type="button" className={styles.link} aria-label={shell.signedInAs(who.role)}>
            <Icon name="person" />
            <span className={`cut ${styles.name}`}>{who.role}</span>
          </button>
        }
        items={[
          ...(others ?? [{ label: isPinned ? shell.unpin : shell.pin, onChoose: () => pin(!isPinned) }]),
          ...(['system', 'light', 'dark'] as const).map((theme: Theme) => ({
            label: `${shell.theme}: ${shell.themes[theme]}`,
            ...(theme === keptTheme() && { icon: 'check' as const }),
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

/** Pages and actions that a small screen's bar has no room for. Null: there is room. */
function useOthers(onPalette: () => void): readonly MenuItem[] | null {
  const navigate = useNavigate();
  if (!useNarrow()) return null;
  const pages = PAGES.filter(({ isInBar }) => !isInBar).map(
    ({ name, icon, path }): MenuItem => ({
      label: name,
      icon,
      onChoose: () => void navigate(`/${path}`),
    }),
  );
  return [...pages, { label: shell.palette, icon: 'search', onChoose: onPalette }];
}

function PageLink({ page, isPinned }: { readonly page: PageRow; readonly isPinned: boolean }) {
  const { path, name, icon, isInBar } = page;
  const link = (
    <NavLink to={`/${path}`} end={path === ''} className={`${styles.link} ${isInBar ? '' : 'wide-only'}`}>
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
    <button type="button" className={`${styles.link} wide-only`} onClick={onClick}>
      <Icon name={icon} />
      <span className={styles.name}>{name}</span>
    </button>
  );
  return isPinned ? button : <Tip text={name}>{button}</Tip>;
}
