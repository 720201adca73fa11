/** Statements that are kept by name for the role. */
import { useState } from 'react';
import { Link } from 'react-router';
import { TextField } from '../../../parts/field.tsx';
import { Panel } from '../../../parts/page.tsx';
import { Empty, FaultBox, Skeleton } from '../../../parts/states.tsx';
import { When } from '../../../parts/when.tsx';
import { useRows } from '../../../server/use-rows.ts';
import { WORDS } from '../../../words.ts';
import styles from '../query.module.css';
import { LIST_SAVED, type ListedQuery } from './saved-queries.ts';

const { saved: words } = WORDS.query;

interface SavedPanelProps {
  readonly opened: string | null;
  readonly onClose: () => void;
}

export function SavedPanel({ opened, onClose }: SavedPanelProps) {
  const { value, fault, reload } = useRows<ListedQuery>(LIST_SAVED);
  const [typed, type] = useState('');
  const wanted = typed.trim().toLowerCase();
  const found = (value ?? []).filter(({ name, statement }) =>
    `${name}\n${statement}`.toLowerCase().includes(wanted),
  );
  return (
    <Panel title={words.title} onClose={onClose}>
      {fault !== null && <FaultBox fault={fault} onRetry={reload} />}
      {value === null && fault === null && <Skeleton />}
      {value?.length === 0 && <Empty title={words.none}>{words.noneSaid}</Empty>}
      {value !== null && value.length > 0 && (
        <div className={styles.find} data-search>
          <TextField
            label={words.find}
            isLabelHidden
            placeholder={words.find}
            value={typed}
            onChange={({ target }) => type(target.value)}
          />
        </div>
      )}
      {value !== null && value.length > 0 && found.length === 0 && (
        <p className={`quiet ${styles.find}`}>{words.noneFound}</p>
      )}
      <ul>
        {found.map(({ name, statement, updated_at }) => (
          <li key={name}>
            <Link
              className={styles.item}
              to={`/query?saved=${encodeURIComponent(name)}`}
              aria-current={name === opened ? 'page' : undefined}
              title={statement}
            >
              <span className="grow">
                <strong className={`cut ${styles.block}`}>{name}</strong>
                <code className={`cut quiet small ${styles.block}`}>{statement}</code>
              </span>
              <span className="quiet small">
                <When at={updated_at} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
