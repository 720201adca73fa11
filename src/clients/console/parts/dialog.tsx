/** A dialog: it traps the focus and gives it back; Escape and the cross close it. */
import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { WORDS } from '../words.ts';
import { IconButton } from './button.tsx';
import styles from './floating.module.css';

interface DialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly children: ReactNode;
  /** Buttons. */
  readonly foot?: ReactNode;
  readonly isWide?: boolean;
  /** Absent: it cannot be closed but by what it asks for. */
  readonly onClose?: () => void;
}

export function Dialog({ isOpen, title, children, foot, isWide = false, onClose }: DialogProps) {
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose?.()} disablePointerDismissal>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup className={`${styles.dialog} ${isWide ? styles.wide : ''}`}>
          <div className={styles.head}>
            <Base.Title>{title}</Base.Title>
            {onClose !== undefined && (
              <IconButton icon="close" label={WORDS.close} hasTip={false} onClick={onClose} />
            )}
          </div>
          <div className={styles.body}>{children}</div>
          {foot !== undefined && <div className={styles.foot}>{foot}</div>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
