/** Results of a run: one tab a statement where there are several, each as a grid, a chart, JSON, or a plan. */
import { lazy, Suspense, useCallback, useState, useSyncExternalStore } from 'react';
import type { Range } from '../../../grid/range.ts';
import { count, duration } from '../../../parts/format.ts';
import { Empty, FaultBox, Skeleton } from '../../../parts/states.tsx';
import { ChoiceTabs } from '../../../parts/tabs.tsx';
import type { Notice } from '../../../server/messages.ts';
import { WORDS } from '../../../words.ts';
import { ExportMenu, ExportState } from './export-menu.tsx';
import { planTree } from './plan.ts';
import { PlanView } from './plan-view.tsx';
import styles from '../query.module.css';
import { ResultGrid } from './result-grid.tsx';
import type { Run, RunState, StatementResult } from '../run.ts';
import { type Export, useExport } from './use-export.ts';
import { asJson } from './written.ts';

const Chart = lazy(() => import('./chart.tsx').then(({ Chart }) => ({ default: Chart })));

const { query: words } = WORDS;

type View = 'grid' | 'chart' | 'json' | 'plan';

const PLAN_COLUMN = 'QUERY PLAN';

export function Results({ run }: { readonly run: Run }) {
  const state = useSyncExternalStore(run.subscribe, run.state);
  const [chosen, choose] = useState<number | null>(null);
  const at = Math.min(chosen ?? state.results.length - 1, state.results.length - 1);
  const result = state.results[at];
  const onWant = useCallback((row: number) => run.want(row), [run]);
  const exporting = useExport(run);
  return (
    <section className={styles.results} aria-label={words.results}>
      {state.results.length > 1 && (
        <ChoiceTabs
          label={words.results}
          value={String(at)}
          options={state.results.map(({ done }, i) => ({
            value: String(i),
            label: done?.tag ?? words.running,
          }))}
          onChange={(value) => choose(Number(value))}
        />
      )}
      {state.fault !== null && <FaultBox fault={state.fault} />}
      {result === undefined && state.isRunning && <Skeleton />}
      {result !== undefined && <Result key={at} result={result} onWant={onWant} exporting={exporting} />}
      <Foot state={state} result={result} exporting={exporting} />
    </section>
  );
}

interface ResultProps {
  readonly result: StatementResult;
  readonly onWant: (row: number) => void;
  readonly exporting: Export;
}

function Result({ result, onWant, exporting }: ResultProps) {
  const { columns, rows, notices } = result;
  const [range, setRange] = useState<Range | null>(null);
  const plan =
    columns?.[0]?.name === PLAN_COLUMN && columns[0].type === 'json' && rows[0] !== undefined
      ? planTree(rows[0][0] ?? null)
      : null;
  const [chosen, setView] = useState<View | null>(null);
  const view = chosen ?? (plan === null ? 'grid' : 'plan');
  const views: readonly View[] = plan === null ? ['grid', 'chart', 'json'] : ['plan', 'json'];
  if (columns === null) return <Notices notices={notices} />;
  return (
    <>
      <div className={styles.views}>
        <ChoiceTabs
          label={words.view}
          value={view}
          options={views.map((value) => ({ value, label: words.views[value] }))}
          onChange={setView}
        />
        <ExportMenu result={result} range={view === 'grid' ? range : null} exporting={exporting} />
      </div>
      <Notices notices={notices} />
      <div className={styles.result}>
        {view === 'grid' && columns.length === 0 && (
          <Empty title={words.noColumns}>{words.noColumnsSaid(count(rows.length))}</Empty>
        )}
        {view === 'grid' && columns.length > 0 && (
          <ResultGrid
            columns={columns}
            rows={rows}
            rowCount={rows.length}
            onWant={onWant}
            onRange={setRange}
          />
        )}
        {view === 'json' && <JsonView columns={columns} rows={rows} />}
        {view === 'chart' && (
          <Suspense fallback={<Skeleton />}>
            <Chart columns={columns} rows={rows} />
          </Suspense>
        )}
        {view === 'plan' && plan !== null && (
          <div className={styles.scroll}>
            <PlanView tree={plan} />
          </div>
        )}
      </div>
    </>
  );
}

function Notices({ notices }: { readonly notices: readonly Notice[] }) {
  if (notices.length === 0) return null;
  return (
    <ul className={styles.plan} aria-label={words.notices}>
      {notices.map(({ severity, message, hint }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they only become more
        <li key={i}>
          <strong>{severity}</strong> {message} {hint !== undefined && <span className="quiet">{hint}</span>}
        </li>
      ))}
    </ul>
  );
}

/** More rows than one reads; the whole is in the grid and in the export. */
const JSON_ROWS_MAX = 500;

function JsonView({
  columns,
  rows,
}: Pick<StatementResult, 'rows'> & { readonly columns: NonNullable<StatementResult['columns']> }) {
  const shown = rows.slice(0, JSON_ROWS_MAX);
  return (
    <div className={styles.scroll}>
      <pre className={styles.json}>{asJson(columns, shown)}</pre>
      {rows.length > JSON_ROWS_MAX && <p className="quiet">{words.jsonCut(count(JSON_ROWS_MAX))}</p>}
    </div>
  );
}

interface FootProps {
  readonly state: RunState;
  readonly result: StatementResult | undefined;
  readonly exporting: Export;
}

function Foot({ state, result, exporting }: FootProps) {
  const { isRunning, isWaiting, isCut, firstMs, ms } = state;
  return (
    <div className={`${styles.foot} number`}>
      <span>{isRunning && !isWaiting ? words.running : (result?.done?.tag ?? '')}</span>
      {result?.columns != null && <span>{words.rows(count(result.rows.length), result.done === null)}</span>}
      {isWaiting && <span>{words.waiting}</span>}
      {isCut && <span>{words.cut(count(result?.rows.length ?? 0))}</span>}
      {ms !== null && <span>{words.took(duration(ms))}</span>}
      {firstMs !== null && ms === null && <span>{words.first(duration(firstMs))}</span>}
      <span className="grow" />
      <ExportState exporting={exporting} />
    </div>
  );
}
