/** The palette: pages, tables, datasets, saved queries, by a few letters of their names. */
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { pathOf } from './path.ts';
import { PAGES } from '../pages.ts';
import { useRows } from '../server/use-rows.ts';
import { WORDS } from '../words.ts';
import styles from './shell.module.css';

interface Choice {
  readonly name: string;
  readonly icon: IconName;
  readonly to: string;
}

const SHOWN_COUNT_MAX = 50;

/** Tables of users by their schemas; a dataset once; saved queries of one's own role. */
const THINGS = `SELECT n.nspname AS schema, c.relname AS name, 'table' AS kind
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'quern')
    AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname NOT IN (SELECT name FROM quern.datasets)
    AND has_any_column_privilege(c.oid, 'SELECT')
  UNION ALL SELECT name, name, 'dataset' FROM quern.datasets
  UNION SELECT '', name, 'query' FROM quern.saved_queries
    WHERE role = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = current_user)
  ORDER BY 3, 1, 2`;

interface Thing {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'table' | 'dataset' | 'query';
}

function choiceOf({ schema, name, kind }: Thing): Choice {
  if (kind === 'query') return { name, icon: 'bookmark', to: `/query?saved=${encodeURIComponent(name)}` };
  if (kind === 'dataset') return { name, icon: 'datasets', to: pathOf('datasets', name) };
  const shown = schema === 'public' ? name : `${schema}.${name}`;
  return { name: shown, icon: 'collections', to: pathOf('collections', shown) };
}

/** Letters of `typed` in their order; those whose letters stand together come first. */
function matching(choices: readonly Choice[], typed: string): readonly Choice[] {
  const wanted = typed.trim().toLowerCase();
  const scored = choices.flatMap((choice) => {
    const name = choice.name.toLowerCase();
    const at = name.indexOf(wanted);
    if (at >= 0) return [{ choice, score: at }];
    let from = 0;
    for (const letter of wanted) {
      from = name.indexOf(letter, from) + 1;
      if (from === 0) return [];
    }
    return [{ choice, score: 1000 + from }];
  });
  return scored.sort((a, b) => a.score - b.score).map(({ choice }) => choice);
}

const NAME = WORDS.shell.palette;

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const [typed, type] = useState('');
  const [at, setAt] = useState(0);
  const things = useRows<Thing>(THINGS);
  const all = useMemo(
    () => [
      ...PAGES.map(({ name, icon, path }): Choice => ({ name, icon, to: `/${path}` })),
      ...(things.value ?? []).map(choiceOf),
    ],
    [things.value],
  );
  const found = matching(all, typed).slice(0, SHOWN_COUNT_MAX);
  const choose = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    onClose();
    void navigate(choice.to);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, found.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else if (event.key === 'Enter') choose(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog isOpen title={NAME} onClose={onClose}>
      <div className="stack">
        <TextField
          label={NAME}
          isLabelHidden
          autoFocus
          value={typed}
          onChange={({ target }) => {
            type(target.value);
            setAt(0);
          }}
          onKeyDown={onKey}
          role="combobox"
          aria-expanded
          aria-controls="palette"
          aria-activedescendant={found.length > 0 ? `palette-${at}` : undefined}
        />
        <Options found={found} at={at} onAt={setAt} onChoose={choose} />
      </div>
    </Dialog>
  );
}

interface OptionsProps {
  readonly found: readonly Choice[];
  readonly at: number;
  readonly onAt: (at: number) => void;
  readonly onChoose: (choice: Choice) => void;
}

function Options({ found, at, onAt, onChoose }: OptionsProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Some browsers give a promise, which is no way to end an effect.
    void list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  return (
    <>
      <div ref={list} id="palette" role="listbox" aria-label={NAME} className={styles.options}>
        {found.map((choice, i) => (
          <button
            key={choice.to}
            id={`palette-${i}`}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            className={styles.option}
            onMouseMove={() => onAt(i)}
            onClick={() => onChoose(choice)}
          >
            <Icon name={choice.icon} />
            <span className="cut">{choice.name}</span>
          </button>
        ))}
      </div>
      {found.length === 0 && <p className="quiet">{WORDS.shell.paletteEmpty}</p>}
    </>
  );
}
