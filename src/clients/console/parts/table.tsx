/** A table of some rows. What is wider than its place is scrolled sideways; on a small screen the first column stays in sight. */
import type { ReactNode } from 'react';
import styles from './table.module.css';

interface TableProps {
  /** `thead` and `tbody`; numbers have `data-number`, long texts that may wrap `data-wrap`. */
  readonly children: ReactNode;
  /** As wide as its columns, which are narrow: to look at some rows of a file. */
  readonly isPreview?: boolean;
}

export function Table({ children, isPreview = false }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys too
    <div className={styles.box} tabIndex={0} role="group">
      <table className={`${styles.table} ${isPreview ? styles.preview : ''}`}>{children}</table>
    </div>
  );
}
