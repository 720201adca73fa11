/** The query page: an editor above its results. */
import { useCallback, useRef, useState } from 'react';
import { IconButton } from '../../parts/button.tsx';
import { Page, Split } from '../../parts/page.tsx';
import { Badge, Empty, FaultBox } from '../../parts/states.tsx';
import { COMMAND } from '../../shell/help.tsx';
import { WORDS } from '../../words.ts';
import { useCompletion } from './completion.ts';
import { Editor, type EditorHandle } from './editor.tsx';
import { History } from './history.tsx';
import styles from './query.module.css';
import { Results } from './results/results.tsx';
import { SavedActions } from './saved/saved-actions.tsx';
import { SavedPanel } from './saved/saved-panel.tsx';
import { Toolbar } from './toolbar.tsx';
import { type Opened, useOpened } from './saved/use-opened.ts';
import { useRunning } from './use-running.ts';
import { useText } from './saved/use-text.ts';

const { query: words } = WORDS;

type Listed = 'history' | 'saved';

export function Component() {
  const [listed, list] = useState<Listed | null>(null);
  const editor = useRef<EditorHandle>(null);
  const opened = useOpened();
  const edited = useText(editor, opened);
  const { current } = edited;
  const running = useRunning(editor, current.params);
  const schema = useCompletion();
  const close = useCallback(() => list(null), []);
  const choose = (sql: string): void => {
    editor.current?.replace(sql);
    editor.current?.focus();
  };
  const { held, fault, start } = running;
  const run = useCallback(() => start('run'), [start]);
  const name = opened.name ?? WORDS.pages.query;
  return (
    <Page
      title={<span className="cut">{name}</span>}
      name={name}
      state={edited.isChanged && <Badge tone="warn">{words.saved.changed}</Badge>}
      actions={<Lists listed={listed} onList={list} />}
    >
      <Split
        panel={
          (listed === 'history' && <History onClose={close} onChoose={choose} />) ||
          (listed === 'saved' && <SavedPanel opened={opened.name} onClose={close} />)
        }
      >
        <div className={styles.query}>
          <div className={styles.above}>
            <NotOpened opened={opened} />
            <Editor
              initial={edited.initial}
              schema={schema}
              fault={fault}
              handle={editor}
              onRun={run}
              onChange={edited.change}
            />
          </div>
          <Toolbar running={running} typed={current.params} onTyped={edited.type}>
            <SavedActions opened={opened} edited={edited} />
          </Toolbar>
          {held === null ? <NothingRun /> : <Results key={held.number} run={held.run} />}
        </div>
      </Split>
    </Page>
  );
}

interface ListsProps {
  readonly listed: Listed | null;
  readonly onList: (listed: Listed | null) => void;
}

function Lists({ listed, onList }: ListsProps) {
  const toggle = (one: Listed) => (): void => onList(listed === one ? null : one);
  return (
    <>
      <IconButton icon="bookmark" label={words.saved.title} onClick={toggle('saved')} />
      <IconButton icon="history" label={words.history} onClick={toggle('history')} />
    </>
  );
}

/** The saved query of the address is not there, or could not be asked for. */
function NotOpened({ opened: { name, isGone, fault, reload } }: { readonly opened: Opened }) {
  if (fault !== null) return <FaultBox fault={fault} onRetry={reload} />;
  if (!isGone || name === null) return null;
  return (
    <p className={styles.gone} role="status">
      <strong>{words.saved.gone(name)}</strong> <span className="quiet">{words.saved.goneSaid}</span>
    </p>
  );
}

function NothingRun() {
  return (
    <Empty title={words.empty} sql="SELECT version()">
      {words.emptySaid(COMMAND)}
    </Empty>
  );
}
