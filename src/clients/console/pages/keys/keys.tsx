/** Keys: who may come in, as whom, how far, until when; and when each was used last. */
import { useState } from 'react';
import { Button, IconButton } from '../../parts/button.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Page } from '../../parts/page.tsx';
import { Badge, Empty, FaultBox, Skeleton } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { When } from '../../parts/when.tsx';
import { useRows } from '../../server/use-rows.ts';
import { WORDS } from '../../words.ts';
import { ChangeKey, type KeyChange } from './change-key.tsx';
import { CreateKey } from './create-key.tsx';
import styles from './keys.module.css';
import { type MadeKey, ShownKey } from './shown-key.tsx';
import { createStatement, type KeyRow, LIST_KEYS, limitsOf, NEW_KEY } from './statements.ts';

const { keys: words } = WORDS;

interface Changing {
  readonly key: KeyRow;
  readonly change: KeyChange;
}

export function Component() {
  const { value: keys, fault, reload } = useRows<KeyRow>(LIST_KEYS);
  const [isCreating, create] = useState(false);
  const [changing, change] = useState<Changing | null>(null);
  const [made, show] = useState<MadeKey | null>(null);
  const shown = (key: MadeKey): void => {
    create(false);
    change(null);
    show(key);
    reload();
  };
  const button = (
    <Button kind="main" icon="plus" onClick={() => create(true)}>
      {words.create}
    </Button>
  );
  return (
    <Page title={WORDS.pages.keys} name={WORDS.pages.keys} actions={button}>
      {fault !== null && <FaultBox fault={fault} onRetry={reload} />}
      {keys === null && fault === null && <Skeleton />}
      {keys?.length === 0 && (
        <Empty title={words.none} sql={createStatement(NEW_KEY)}>
          {words.noneSaid}
        </Empty>
      )}
      {keys !== null && keys.length > 0 && (
        <KeyTable keys={keys} onChange={(key, how) => change({ key, change: how })} />
      )}
      {isCreating && <CreateKey onMade={shown} onClose={() => create(false)} />}
      {changing !== null && (
        <ChangeKey
          row={changing.key}
          change={changing.change}
          onMade={shown}
          onDone={reload}
          onClose={() => change(null)}
        />
      )}
      {made !== null && <ShownKey made={made} onClose={() => show(null)} />}
    </Page>
  );
}

interface KeyTableProps {
  readonly keys: readonly KeyRow[];
  readonly onChange: (key: KeyRow, how: KeyChange) => void;
}

const CHANGES: readonly KeyChange[] = ['rotate', 'expire', 'drop'];

function KeyTable({ keys, onChange }: KeyTableProps) {
  return (
    <Table>
      <thead>
        <tr>
          {words.columns.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
          <th>
            <span className="only-read">{WORDS.more}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.name}>
            <th scope="row" title={key.name}>
              <strong>{key.name}</strong>{' '}
              {key.prefix !== '' && <code className="quiet small">{key.prefix}…</code>}
            </th>
            <td>{key.role}</td>
            <td className={`cut ${styles.limits}`} title={limitsOf(key, words).join(' · ')}>
              {limitsOf(key, words).join(' · ') || <span className="quiet">{words.noLimits}</span>}
            </td>
            <td>
              <Expiry row={key} />
            </td>
            <td className="number">{key.last_used ?? <span className="quiet">{words.never}</span>}</td>
            <td>
              <Menu
                trigger={<IconButton icon="more" label={`${WORDS.more}: ${key.name}`} />}
                items={CHANGES.map((how) => ({
                  label: words.changes[how],
                  onChoose: () => onChange(key, how),
                }))}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Expiry({ row }: { readonly row: KeyRow }) {
  if (row.is_expired === true) return <Badge tone="bad">{words.expired}</Badge>;
  if (row.expires_at === null) return <span className="quiet">{words.noEnd}</span>;
  return (
    <span className="row">
      <When at={row.expires_at} />
      {row.old_key_until !== null && <Badge tone="busy">{words.overlaps}</Badge>}
    </span>
  );
}
