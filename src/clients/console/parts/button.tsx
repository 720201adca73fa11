/** Buttons. The main one of a page is `main`; what cannot be undone is `bad`; `bare` ones have no line; an icon alone has a label. */
import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'react-router';
import styles from './button.module.css';
import { Icon, type IconName } from './icons.tsx';
import { Tip } from './tip.tsx';

type Kind = 'plain' | 'main' | 'bad' | 'bare';

interface Looks {
  readonly kind?: Kind;
  readonly icon?: IconName;
}

const classOf = (kind: Kind, more = ''): string => `${styles.button} ${styles[kind] ?? ''} ${more}`;

export function Button({ kind = 'plain', icon, children, ...rest }: ComponentProps<'button'> & Looks) {
  return (
    <button type="button" {...rest} className={classOf(kind)}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  readonly icon: IconName;
  readonly label: string;
  readonly kind?: Kind;
  /** False where a tip would be in the way: Escape would close it instead of what it stands on. */
  readonly hasTip?: boolean;
}

export function IconButton({ icon, label, kind = 'bare', hasTip = true, ...rest }: IconButtonProps) {
  const button = (
    <button type="button" aria-label={label} {...rest} className={classOf(kind, styles.icon)}>
      <Icon name={icon} />
    </button>
  );
  return hasTip ? <Tip text={label}>{button}</Tip> : button;
}

interface LinkButtonProps extends Looks {
  readonly to: string;
  readonly children: ReactNode;
}

export function LinkButton({ kind = 'plain', icon, to, children }: LinkButtonProps) {
  return (
    <Link className={classOf(kind)} to={to}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </Link>
  );
}
