/** States in which a page, or a part of it, can be: empty, loading, failing, without right. Each says what to do next. */
import { type ReactNode, useEffect, useState } from 'react';
import type { Fault } from '../server/messages.ts';
import { WORDS } from '../words.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { Icon } from './icons.tsx';
import styles from './states.module.css';

interface EmptyProps {
  readonly title: string;
  /** One or two sentences: what this is. */
  readonly children: ReactNode;
  /** One action. */
  readonly action?: ReactNode;
  /** SQL that does the same. */
  readonly sql?: string;
}

export function Empty({ title, children, action, sql }: EmptyProps) {
  return (
    <section className={styles.state}>
      <h2>{title}</h2>
      <p className="quiet">{children}</p>
      {action}
      {sql !== undefined && <Sql text={sql} />}
    </section>
  );
}

/** SQL to be read and copied. */
export function Sql({ text }: { readonly text: string }) {
  return (
    <div className={`row ${styles.sql}`}>
      <code className="grow">{text}</code>
      <CopyButton text={text} label={WORDS.copySql} />
    </div>
  );
}

/** Nothing for so long: most waits are over by then. */
const SKELETON_AFTER_MS = 150;

export function Skeleton() {
  const [isShown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), SKELETON_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={styles.skeleton} role="status" aria-label={WORDS.loading} hidden={!isShown}>
      <i />
      <i />
      <i />
    </div>
  );
}

const NO_RIGHT = '42501';

/** An error as the server said it: the sentence large, SQLSTATE small, the hint, and all of it to be copied. */
export function FaultBox({
  fault,
  onRetry,
}: {
  readonly fault: Fault;
  readonly onRetry?: (() => void) | undefined;
}) {
  const { message, detail, hint, sqlstate } = fault;
  return (
    <div className={styles.fault} role="alert">
      <Icon name="warn" />
      <div className="stack grow">
        <p>
          <strong>{message}</strong> <span className="quiet small mono">{sqlstate}</span>
        </p>
        {detail !== undefined && <pre>{detail}</pre>}
        {hint !== undefined && <p className="quiet">{hint}</p>}
        {sqlstate === NO_RIGHT && hint === undefined && <p className="quiet">{WORDS.noRight}</p>}
        <div className="row">
          {onRetry !== undefined && (
            <Button icon="again" onClick={onRetry}>
              {WORDS.retry}
            </Button>
          )}
          <CopyButton text={JSON.stringify(fault, null, 2)} label={WORDS.copyDetails} isNamed />
        </div>
      </div>
    </div>
  );
}

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'busy';

/** A state in a word, with a shape and a colour beside it. */
export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return <span className={`${styles.badge} ${styles[tone] ?? ''}`}>{children}</span>;
}
