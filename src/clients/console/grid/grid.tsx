/**
 * A grid of any number of rows and columns, of which only those in sight are drawn. Who uses it has the rows: `rowAt` gives one
 * at once, or undefined while it is on its way, and `onSight` says which are wanted.
 *
 * Keys: arrows, Page Up and Down, Home and End move, with Shift they select; Enter opens a row; ⌘C copies what is selected.
 */
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Column, Row } from '../server/messages.ts';
import styles from './grid.module.css';
import { Head } from './head.tsx';
import { moved } from './moves.ts';
import { cellsOf, copiedText, isInRange, type Range, rangeOf } from './range.ts';
import { GridRow } from './row.tsx';
import { type Cell, useView, type View } from './use-view.ts';
import { useWidths } from './use-widths.ts';
import { columnEdges, type Extent, scrolledHeight } from './window.ts';

export interface GridProps {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rowCount: number;
  readonly rowAt: (index: number) => Row | undefined;
  readonly onSight?: (first: number, end: number) => void;
  /** Row whose detail is shown. */
  readonly opened?: number | null;
  readonly onOpen?: (index: number) => void;
  readonly sort?: { readonly column: number; readonly isDescending: boolean } | null;
  readonly onSort?: (column: number) => void;
  /** Scrolls there when it changes. */
  readonly goTo?: number | null;
  /** The selection: at first one cell. */
  readonly onRange?: (range: Range) => void;
}

const FIRST_CELL: Cell = { row: 0, column: 0 };

const isMarked = (): boolean => `${getSelection()}` !== '';

/** Rows that Page Down moves by. */
const pageOf = ({ viewHeight, rowHeight }: Extent): number =>
  Math.max(1, Math.floor(viewHeight / rowHeight) - 1);

export function Grid(props: GridProps) {
  const { label, columns, rowCount, rowAt, onSight, onOpen, goTo = null, onRange } = props;
  const box = useRef<HTMLDivElement>(null);
  const { active, range, select } = useSelection(onRange);
  const [widths, setWidth] = useWidths(columns, rowAt, rowCount);
  const edges = useMemo(() => columnEdges(widths), [widths]);
  const view = useView(box, { rowCount, edges, goTo });
  const { extent } = view;
  const [first, end] = view.rows;
  useEffect(() => onSight?.(first, end), [onSight, first, end]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const next = moved(event, active, { rowCount, columnCount: columns.length, page: pageOf(extent) });
    const isCopy = (event.metaKey || event.ctrlKey) && event.key === 'c' && !isMarked();
    if (next !== null) {
      select(next, event.shiftKey);
      view.reveal(next);
    } else if (event.key === 'Enter') onOpen?.(active.row);
    else if (isCopy) copy(cellsOf(range, columns, rowAt)?.rows ?? null);
    else return;
    event.preventDefault();
  };

  return (
    <div
      ref={box}
      className={styles.grid}
      role="grid"
      aria-label={label}
      aria-rowcount={rowCount + 1}
      aria-colcount={columns.length}
      aria-multiselectable
      tabIndex={0}
      onScroll={view.onScroll}
      onKeyDown={onKeyDown}
    >
      <Head {...props} edges={edges} sight={view.columns} onWidth={setWidth} />
      <Rows {...props} edges={edges} view={view} selection={{ active, range, select }} />
    </div>
  );
}

interface Selection {
  /** Where the keys are. */
  readonly active: Cell;
  readonly range: Range;
  /** @param isWider the selection goes on from where it began. */
  select(cell: Cell, isWider: boolean): void;
}

function useSelection(onRange: GridProps['onRange']): Selection {
  const [{ active, began }, set] = useState({ active: FIRST_CELL, began: FIRST_CELL });
  const range = useMemo(() => rangeOf(active, began), [active, began]);
  useEffect(() => onRange?.(range), [onRange, range]);
  // The same function always: rows that are drawn already have it.
  const select = useCallback(
    (cell: Cell, isWider: boolean) =>
      set((before) => ({ active: cell, began: isWider ? before.began : cell })),
    [],
  );
  return { active, range, select };
}

interface RowsProps extends Pick<GridProps, 'columns' | 'rowAt' | 'opened' | 'onOpen'> {
  readonly edges: readonly number[];
  readonly view: View;
  readonly selection: Selection;
}

function Rows({ columns, rowAt, opened, onOpen, edges, view, selection }: RowsProps) {
  const { active, range, select } = selection;
  const { extent, place, columns: sight } = view;
  const [first, end] = view.rows;
  return (
    <div
      role="rowgroup"
      className={styles.rows}
      style={{ width: edges.at(-1), height: scrolledHeight(extent) }}
    >
      {Array.from({ length: end - first }, (_, i) => first + i).map((index) => (
        <GridRow
          key={index}
          index={index}
          top={index * extent.rowHeight - place.topPx + place.scrollTop}
          row={rowAt(index)}
          columns={columns}
          edges={edges}
          sight={sight}
          isOpened={index === opened}
          active={index === active.row ? active.column : null}
          marked={isInRange(range, index) ? range.columns : null}
          onSelect={(column, isWider) => select({ row: index, column }, isWider)}
          onOpen={onOpen}
        />
      ))}
    </div>
  );
}

/** @param rows null: some of them are not here, and less than what is selected is not copied. */
function copy(rows: readonly Row[] | null): void {
  // Refused where the page is not served safely.
  if (rows !== null) navigator.clipboard?.writeText(copiedText(rows)).catch(() => undefined);
}
