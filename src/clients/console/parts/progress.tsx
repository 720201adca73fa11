/** How far something is: a bar, and what it says to those who do not see it. */
import styles from './progress.module.css';

/** @param share from 0 to 1. */
export function ProgressBar({ label, share }: { readonly label: string; readonly share: number }) {
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 100);
  return (
    <span
      className={styles.bar}
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <i style={{ width: `${percent}%` }} />
    </span>
  );
}
