/** A page: a title line with one main action at its right, tabs where a thing has sides, then content to the edges. */
import { type ReactNode, useEffect, useRef } from 'react';
import { WORDS } from '../words.ts';
import { IconButton } from './button.tsx';
import styles from './page.module.css';

interface PageProps {
  readonly title: ReactNode;
  /** Said by the browser's tab. */
  readonly name: string;
  /** A state beside the title. */
  readonly state?: ReactNode;
  /** One main action, and at most a few beside it. */
  readonly actions?: ReactNode;
  readonly tabs?: ReactNode;
  readonly children: ReactNode;
}

/** What the link past the rail goes to. */
const CONTENT = 'content';

/** False on the first page, where keys begin at the top. Who comes to another by a key has lost what had the focus. */
let isOnTheWay = false;

export const goToContent = (): void => document.getElementById(CONTENT)?.focus();

export function Page({ title, name, state, actions, tabs, children }: PageProps) {
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isOnTheWay && document.activeElement === document.body)
      content.current?.focus({ preventScroll: true });
    isOnTheWay = true;
  }, []);
  useEffect(() => {
    document.title = `${name} · Quern`;
  }, [name]);
  return (
    <main className={styles.page}>
      <header className={`${styles.title} ${tabs === undefined ? styles.line : ''}`}>
        <h1>{title}</h1>
        {state}
        <span className="grow" />
        {actions}
      </header>
      {tabs}
      <div ref={content} className={styles.content} id={CONTENT} tabIndex={-1}>
        {children}
      </div>
    </main>
  );
}

export function Section({ title, children }: { readonly title?: string; readonly children: ReactNode }) {
  return (
    <section className={styles.section}>
      {title !== undefined && <h2>{title}</h2>}
      {children}
    </section>
  );
}

export function Split({ children, panel }: { readonly children: ReactNode; readonly panel: ReactNode }) {
  return (
    <div className={styles.split}>
      <div className="grow">{children}</div>
      {panel}
    </div>
  );
}

interface PanelProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** A detail at the right, with an address of its own; Escape closes it. On a small screen it is the page. */
export function Panel({ title, actions, children, onClose }: PanelProps) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.defaultPrevented) onClose();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [onClose]);
  return (
    <aside className={styles.panel} aria-label={title}>
      <header className={`${styles.title} ${styles.line}`}>
        <h2 className="cut">{title}</h2>
        <span className="grow" />
        {actions}
        <IconButton icon="close" label={WORDS.close} onClick={onClose} />
      </header>
      <div className={styles.content}>{children}</div>
    </aside>
  );
}
