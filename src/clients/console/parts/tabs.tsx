/** Sides of one thing, each with an address of its own. */
import { NavLink } from 'react-router';
import styles from './tabs.module.css';

export interface TabLink {
  readonly to: string;
  readonly label: string;
  /** How many there are, where that is known. */
  readonly count?: number | null;
  readonly isEnd?: boolean;
}

export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly TabLink[] }) {
  return (
    <nav className={styles.list} aria-label={label}>
      {tabs.map(({ to, label: name, count, isEnd = false }) => (
        <NavLink key={to} to={to} end={isEnd} className={styles.tab ?? ''}>
          {name}
          {count != null && <span className="quiet number small">{count.toLocaleString()}</span>}
        </NavLink>
      ))}
    </nav>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value) => void;
}

/** Sides of a part of a page. */
export function ChoiceTabs<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>) {
  return (
    <div className={styles.list} role="tablist" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="tab"
          aria-selected={option.value === value}
          className={styles.tab}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
