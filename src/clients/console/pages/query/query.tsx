/** The query page: an editor above its results. */
import { useCallback, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { IconButton } from '../../parts/button.tsx';
import { Page, Split } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import { COMMAND } from '../../shell/help.tsx';
import { WORDS } from '../../words.ts';
import { useCompletion } from './completion.ts';
import { Editor, type EditorHandle } from './editor.tsx';
import { History } from './history.tsx';
import { draft, keepDraft } from './kept-queries.ts';
import { parameterCount } from './parameters.ts';
import styles from './query.module.css';
import { Results } from './results.tsx';
import { Toolbar } from './toolbar.tsx';
import { useRunning } from './use-running.ts';

const { query: words } = WORDS;

/** Text in the editor, at first a deep link's text, or what was there before. */
function useText() {
  const [search] = useSearchParams();
  const [initial] = useState(() => search.get('sql') ?? draft());
  const [text, setText] = useState(initial);
  const change = useCallback((next: string) => {
    setText(next);
    keepDraft(next);
  }, []);
  return { initial, text, change };
}

export function Component() {
  const { initial, text, change } = useText();
  const [typed, setTyped] = useState<readonly string[]>([]);
  const [isHistoryShown, showHistory] = useState(false);
  const editor = useRef<EditorHandle>(null);
  const running = useRunning(editor, typed);
  const schema = useCompletion();
  const closeHistory = useCallback(() => showHistory(false), []);
  const choose = (sql: string): void => {
    editor.current?.replace(sql);
    editor.current?.focus();
  };
  const { held, fault, start } = running;
  const run = useCallback(() => start('run'), [start]);
  return (
    <Page
      title={WORDS.pages.query}
      name={WORDS.pages.query}
      actions={
        <IconButton icon="history" label={words.history} onClick={() => showHistory(!isHistoryShown)} />
      }
    >
      <Split panel={isHistoryShown && <History onClose={closeHistory} onChoose={choose} />}>
        <div className={styles.query}>
          <Editor
            initial={initial}
            schema={schema}
            fault={fault}
            handle={editor}
            onRun={run}
            onChange={change}
          />
          <Toolbar running={running} parameterCount={parameterCount(text)} typed={typed} onTyped={setTyped} />
          {held === null ? (
            <Empty title={words.empty} sql="SELECT version()">
              {words.emptySaid(COMMAND)}
            </Empty>
          ) : (
            <Results key={held.number} run={held.run} />
          )}
        </div>
      </Split>
    </Page>
  );
}
