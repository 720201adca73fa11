/** The query page: an editor above its results. */
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useSearchParams } from 'react-router';
import { Button, IconButton } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Page, Panel, Split } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import { COMMAND } from '../../shell/help.tsx';
import { WORDS } from '../../words.ts';
import { useCompletion } from './completion.ts';
import { Editor, type EditorHandle } from './editor.tsx';
import { draft, keepDraft, noteRan, ranBefore } from './kept-queries.ts';
import { parameterCount, parameterValue } from './parameters.ts';
import styles from './query.module.css';
import { Results } from './results.tsx';
import { Run, type RunState } from './run.ts';

const { query: words } = WORDS;

interface Running {
  readonly run: Run;
  /** Of the text in the editor. */
  readonly offset: number;
}

const IDLE = (): (() => void) => () => undefined;
const NO_STATE = (): RunState | null => null;

export function Component() {
  const [search] = useSearchParams();
  const given = search.get('sql');
  const [initial] = useState(() => given ?? draft());
  const [text, setText] = useState(initial);
  const [typed, setTyped] = useState<readonly string[]>([]);
  const [running, setRunning] = useState<Running | null>(null);
  const [isHistoryShown, showHistory] = useState(false);
  const handle = useRef<EditorHandle>(null);
  const schema = useCompletion();
  const state = useSyncExternalStore<RunState | null>(running?.run.subscribe ?? IDLE, running?.run.state ?? NO_STATE);
  const wanted = parameterCount(text);

  useEffect(() => () => running?.run.cancel(), [running]);

  const start = useCallback(
    (change: (sql: string) => string = (sql) => sql) => {
      const { current } = handle;
      if (current === null) return;
      const sql = current.text();
      if (sql.trim() === '') return;
      noteRan(sql);
      const params = Array.from({ length: parameterCount(sql) }, (_, i) => parameterValue(typed[i] ?? ''));
      // What was cut off or put before it, positions are moved by.
      const changed = change(sql);
      const offset = current.offset() - (changed.length - sql.length);
      setRunning({ run: new Run(changed, params), offset });
    },
    [typed],
  );

  const fault = state?.fault != null && running !== null ? { fault: state.fault, offset: running.offset } : null;
  const editorFault = useSame(fault);
  const closeHistory = useCallback(() => showHistory(false), []);
  const isRunning = state?.isRunning === true;

  return (
    <Page
      title={WORDS.pages.query}
      name={WORDS.pages.query}
      actions={<IconButton icon="history" label={words.history} onClick={() => showHistory(!isHistoryShown)} />}
    >
      <Split
        panel={
          isHistoryShown && (
            <History
              onClose={closeHistory}
              onChoose={(sql) => {
                handle.current?.replace(sql);
                handle.current?.focus();
              }}
            />
          )
        }
      >
        <div className={styles.query}>
          <div className={styles.editor}>
            <Editor
              initial={initial}
              schema={schema}
              fault={editorFault}
              handle={handle}
              onRun={start}
              onChange={(next) => {
                setText(next);
                keepDraft(next);
              }}
            />
          </div>
          <div className={styles.toolbar}>
            <Button kind="main" icon="run" title={`${COMMAND} ↵`} onClick={() => start()}>
              {words.run}
            </Button>
            <Button icon="chart" onClick={() => start((sql) => `${EXPLAIN}${sql}`)}>
              {words.explain}
            </Button>
            {isRunning && (
              <Button icon="stop" onClick={() => running?.run.cancel()}>
                {words.cancel}
              </Button>
            )}
            {Array.from({ length: wanted }, (_, i) => (
              <TextField
                // biome-ignore lint/suspicious/noArrayIndexKey: parameters are their numbers
                key={i}
                label={`$${i + 1}`}
                isLabelHidden
                placeholder={`$${i + 1}`}
                value={typed[i] ?? ''}
                onChange={({ target }) =>
                  setTyped(Array.from({ length: wanted }, (_, at) => (at === i ? target.value : (typed[at] ?? ''))))
                }
              />
            ))}
          </div>
          {running === null ? (
            <Empty title={words.empty} sql="SELECT version()">
              {words.emptySaid(COMMAND)}
            </Empty>
          ) : (
            <Results key={runKey(running.run)} run={running.run} />
          )}
        </div>
      </Split>
    </Page>
  );
}

/** It runs the statement: what is written is written. */
const EXPLAIN = 'EXPLAIN (ANALYZE, FORMAT JSON) ';

const KEYS = new WeakMap<Run, number>();
let runs = 0;

/** Each run begins with a view of its own. */
function runKey(run: Run): number {
  const known = KEYS.get(run) ?? runs++;
  KEYS.set(run, known);
  return known;
}

/** The same object for as long as it says the same. */
function useSame<Value>(value: Value): Value {
  const kept = useRef(value);
  if (JSON.stringify(kept.current) !== JSON.stringify(value)) kept.current = value;
  return kept.current;
}

interface HistoryProps {
  readonly onChoose: (sql: string) => void;
  readonly onClose: () => void;
}

function History({ onChoose, onClose }: HistoryProps) {
  const ran = ranBefore();
  return (
    <Panel title={words.history} onClose={onClose}>
      {ran.length === 0 && <Empty title={words.noHistory}>{words.noHistorySaid}</Empty>}
      {ran.map(({ text, at }) => (
        <button key={text} type="button" className={styles.item} onClick={() => onChoose(text)}>
          <code className="cut grow">{text}</code>
          <span className="quiet small">
            <When at={at} />
          </span>
        </button>
      ))}
    </Panel>
  );
}
