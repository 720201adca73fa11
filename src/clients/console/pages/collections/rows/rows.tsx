/** Rows of a collection in a grid, the filters above it, one row at the right. */
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { Grid } from '../../../grid/grid.tsx';
import { Button } from '../../../parts/button.tsx';
import { count } from '../../../parts/format.ts';
import { useLeaveGuard } from '../../../parts/leave.tsx';
import { Split } from '../../../parts/page.tsx';
import { Empty, FaultBox, Skeleton } from '../../../parts/states.tsx';
import type { Row } from '../../../server/messages.ts';
import { WORDS } from '../../../words.ts';
import styles from '../collections.module.css';
import { collectionPath, NEW_ROW, rowPath } from '../place.ts';
import type { Relation } from '../relation.ts';
import { Filters } from './filters.tsx';
import { type PagesState, RowPages } from './row-pages.ts';
import { RelationRows } from './row-source.ts';
import { RowPanel } from './row-panel.tsx';
import { searchOf, type View, viewOf } from './view.ts';
import { viewSql } from './where.ts';

const { rows: words } = WORDS.collections;

interface RowsProps {
  readonly relation: Relation;
  /** Key of the row that is opened. */
  readonly rowKey: readonly string[] | null;
  readonly onChanged: () => void;
}

export function Rows({ relation, rowKey, onChanged }: RowsProps) {
  const [search, setSearch] = useSearchParams();
  const text = search.toString();
  const view = useMemo(() => viewOf(new URLSearchParams(text)), [text]);
  const { shown, again } = usePages(relation, view);
  const pages = shown?.pages ?? null;
  const { opened, keyOf } = useOpened(relation, pages, rowKey);
  const isNew = rowKey === NEW_ROW;
  const { open, close, dirty, leaving } = useOpening(relation, text);
  const openAt = (index: number): void => {
    const row = pages?.rowAt(index);
    if (row !== undefined && relation.key.length > 0) open(keyOf(row));
  };
  const changed = (): void => {
    again();
    onChanged();
  };
  return (
    <Split
      panel={
        rowKey !== null && (
          <RowPanel
            key={rowKey.join('\n')}
            relation={relation}
            rowKey={isNew ? null : rowKey}
            index={opened}
            onMove={(by) => opened !== null && openAt(opened + by)}
            onDirty={(is) => {
              dirty.current = is;
            }}
            onChanged={changed}
            onClose={close}
          />
        )
      }
    >
      <div className={styles.rows}>
        <Filters
          relation={relation}
          view={view}
          onChange={(next) => setSearch(searchOf(next), { replace: true })}
        />
        {leaving}
        {shown === null ? (
          <Skeleton />
        ) : (
          <RowGrid
            key={searchOf(shown.view).toString()}
            relation={relation}
            view={shown.view}
            pages={shown.pages}
            opened={opened}
            onOpen={openAt}
            onView={(next) => setSearch(searchOf(next))}
          />
        )}
      </div>
    </Split>
  );
}

/** Opens a row, or none. What is not saved is asked about before it goes: by `leaving`, where that is so. */
function useOpening(relation: Relation, search: string) {
  const navigate = useNavigate();
  const dirty = useRef(false);
  const leaving = useLeaveGuard(dirty);
  const open = (key: readonly string[]): void =>
    void navigate({ pathname: rowPath(relation.shown, key), search });
  const close = useCallback(
    () => void navigate({ pathname: collectionPath(relation.shown), search }),
    [navigate, relation.shown, search],
  );
  return { open, close, dirty, leaving };
}

/** Where the opened row stands is known when its page has come. */
function useOpened(relation: Relation, pages: RowPages | null, rowKey: readonly string[] | null) {
  useSyncExternalStore(pages?.subscribe ?? IDLE, pages === null ? NO_VERSION : () => pages.state().version);
  const keyColumns = relation.key.map((name) => relation.columns.findIndex((column) => column.name === name));
  const keyOf = (row: Row): readonly string[] => keyColumns.map((at) => String(row[at] ?? ''));
  const keyed = rowKey?.join('\n') ?? null;
  const opened = keyed === null ? null : (pages?.find((row) => keyOf(row).join('\n') === keyed) ?? null);
  return { opened, keyOf };
}

const IDLE = (): (() => void) => () => undefined;
const NO_VERSION = (): number => 0;

interface Shown {
  readonly pages: RowPages;
  readonly view: View;
}

/** Pages of a view: those of the one before stay until the new are there. Null until the first rows are. */
function usePages(
  relation: Relation,
  view: View,
): { readonly shown: Shown | null; readonly again: () => void } {
  const [round, setRound] = useState(0);
  const [shown, show] = useState<Shown | null>(null);
  // It is described anew when something was written, which is no reason to begin at the top.
  const described = useRef(relation);
  described.current = relation;
  const before = useRef<Shown | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round reads again
  useEffect(() => {
    const last = before.current;
    const next = new RowPages(
      new RelationRows(described.current, view),
      last?.view === view ? last.pages : null,
    );
    const take = (): void => {
      const { isLoading, fault } = next.state();
      if ((isLoading && fault === null) || before.current?.pages === next) return;
      last?.pages.end();
      before.current = { pages: next, view };
      show(before.current);
    };
    const stop = next.subscribe(take);
    return () => {
      stop();
      if (before.current?.pages !== next) next.end();
    };
  }, [relation.sql, view, round]);
  useEffect(() => () => before.current?.pages.end(), []);
  const again = useCallback(() => setRound((count) => count + 1), []);
  return { shown, again };
}

/** So many of those in sight are above and below what can be seen. */
const HIDDEN_ROWS = 7;

interface RowGridProps {
  readonly relation: Relation;
  readonly view: View;
  readonly pages: RowPages;
  readonly opened: number | null;
  readonly onOpen: (index: number) => void;
  readonly onView: (view: View) => void;
}

function RowGrid({ relation, view, pages, opened, onOpen, onView }: RowGridProps) {
  const state = useSyncExternalStore(pages.subscribe, pages.state);
  const { columns, rowCount, fault, isLoading, version } = state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version has other rows
  const rowAt = useCallback((index: number) => pages.rowAt(index), [pages, version]);
  const sight = useRef<readonly [number, number]>([0, 0]);
  const onSight = useCallback(
    (first: number, end: number) => {
      sight.current = [first, end];
      pages.want(first, end);
    },
    [pages],
  );
  const [goTo, setGoTo] = useState<number | null>(null);
  useEffect(() => {
    const [first, end] = sight.current;
    if (opened !== null && (opened < first + HIDDEN_ROWS || opened >= end - HIDDEN_ROWS))
      setGoTo(Math.max(0, opened - 3));
  }, [opened]);
  const onSort = (at: number): void => {
    const column = columns?.[at]?.name;
    if (column === undefined) return;
    const isSame = view.sort?.column === column;
    // Up, down, and as it was.
    const sort = isSame && view.sort?.isDescending ? null : { column, isDescending: isSame };
    onView({ ...view, sort });
  };
  const sortAt = columns?.findIndex(({ name }) => name === view.sort?.column) ?? -1;
  if (columns === null) {
    return fault === null ? <Skeleton /> : <FaultBox fault={fault} onRetry={() => pages.retry()} />;
  }
  if (rowCount === 0 && !isLoading) return <NoRows relation={relation} view={view} onView={onView} />;
  return (
    <>
      {fault !== null && <FaultBox fault={fault} onRetry={() => pages.retry()} />}
      <div className={styles.gridBox}>
        <Grid
          label={words.label(relation.shown)}
          columns={columns}
          rowCount={rowCount}
          rowAt={rowAt}
          onSight={onSight}
          opened={opened}
          onOpen={onOpen}
          goTo={goTo}
          sort={
            sortAt < 0 || view.sort === null ? null : { column: sortAt, isDescending: view.sort.isDescending }
          }
          onSort={onSort}
        />
      </div>
      <Foot relation={relation} view={view} state={state} />
    </>
  );
}

interface FootProps {
  readonly relation: Relation;
  readonly view: View;
  readonly state: PagesState;
}

function Foot({ relation, view, state: { rowCount, isCounted, isLoading } }: FootProps) {
  return (
    <p className={`${styles.foot} number`} role="status">
      <span>{words.count(count(rowCount), isCounted)}</span>
      {view.query !== '' && view.sort === null && <span>{words.ranked}</span>}
      {relation.key.length === 0 && <span>{words.noKey}</span>}
      {relation.key.length > 0 && !relation.rights.update && <span>{words.readOnly}</span>}
      {isLoading && <span>{WORDS.loading}</span>}
    </p>
  );
}

interface NoRowsProps {
  readonly relation: Relation;
  readonly view: View;
  readonly onView: (view: View) => void;
}

function NoRows({ relation, view, onView }: NoRowsProps) {
  const navigate = useNavigate();
  const isNarrowed = view.filters.length > 0 || view.query !== '';
  if (isNarrowed) {
    return (
      <Empty
        title={words.noneMatch}
        action={<Button onClick={() => onView({ ...view, filters: [], query: '' })}>{words.clear}</Button>}
        sql={viewSql(relation, view)}
      >
        {words.noneMatchSaid}
      </Empty>
    );
  }
  return (
    <Empty
      title={words.empty}
      action={
        <Button
          kind="main"
          icon="upload"
          onClick={() => void navigate(collectionPath(relation.shown, 'import'))}
        >
          {words.import}
        </Button>
      }
      sql={
        relation.isCollection
          ? `INSERT INTO ${relation.sql} (_id) VALUES ('a1')`
          : `INSERT INTO ${relation.sql} DEFAULT VALUES`
      }
    >
      {words.emptySaid}
    </Empty>
  );
}
