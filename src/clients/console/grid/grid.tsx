/**
 * A grid of any number of rows and columns, of which only those in sight are drawn. Who uses it has the rows: `rowAt` gives one
 * at once, or undefined while it is on its way, and `onSight` says which are wanted.
 *
 * Keys: arrows, Page Up and Down, Home and End move; Enter opens a row; ⌘C copies the cell.
 */
import { type KeyboardEvent, type UIEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Column, Row } from '../server/messages.ts';
import { wholeText } from './cell-text.ts';
import { Head } from './head.tsx';
import { GridRow } from './row.tsx';
import styles from './grid.module.css';
import { useWidths } from './use-widths.ts';
import { columnEdges, columnsInSight, type Extent, type Place, placeAfter, placeOf, rowsInSight, scrolledHeight } from './window.ts';

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
}

interface Active {
  readonly row: number;
  readonly column: number;
}

const START: Place = { scrollTop: 0, topPx: 0 };

/** `--row` in pixels, which a small screen has larger. */
const rowHeightOf = (element: Element): number =>
  Number.parseFloat(getComputedStyle(element).getPropertyValue('--row')) || 28;

export function Grid(props: GridProps) {
  const { label, columns, rowCount, rowAt, onSight, opened = null, onOpen, goTo = null } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ width: 800, height: 400, rowHeight: 28 });
  const [left, setLeft] = useState(0);
  const [place, setPlace] = useState(START);
  const [active, setActive] = useState<Active>({ row: 0, column: 0 });
  const [widths, setWidth] = useWidths(columns, rowAt, rowCount);
  const edges = columnEdges(widths);
  const extent: Extent = { rowCount, rowHeight: view.rowHeight, viewHeight: Math.max(0, view.height - view.rowHeight) };
  const [first, end] = rowsInSight(extent, place);
  const sight = columnsInSight(edges, left, view.width);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = (): void =>
      setView({ width: element.clientWidth, height: element.clientHeight, rowHeight: rowHeightOf(element) });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => onSight?.(first, end), [onSight, first, end]);

  const scrollTo = (next: Place): void => {
    setPlace(next);
    if (box.current !== null) box.current.scrollTop = next.scrollTop;
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: where it is to go is what matters
  useEffect(() => {
    if (goTo !== null) scrollTo(placeOf(extent, goTo));
  }, [goTo]);

  const onScroll = ({ currentTarget }: UIEvent<HTMLDivElement>): void => {
    setLeft(currentTarget.scrollLeft);
    setPlace((before) =>
      before.scrollTop === currentTarget.scrollTop ? before : placeAfter(extent, before, currentTarget.scrollTop),
    );
  };

  const reveal = ({ row, column }: Active): void => {
    setActive({ row, column });
    const element = box.current;
    if (element === null) return;
    const topPx = row * extent.rowHeight;
    if (topPx < place.topPx) scrollTo(placeOf(extent, row));
    else if (topPx + extent.rowHeight > place.topPx + extent.viewHeight) {
      scrollTo(placeOf(extent, row + 1 - Math.floor(extent.viewHeight / extent.rowHeight)));
    }
    const [from = 0, to = 0] = [edges[column], edges[column + 1]];
    if (from < element.scrollLeft) element.scrollLeft = from;
    else if (to > element.scrollLeft + view.width) element.scrollLeft = to - view.width;
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(extent.viewHeight / extent.rowHeight) - 1);
    const next = moved(event, active, { rowCount, columnCount: columns.length, page });
    if (next !== null) reveal(next);
    else if (event.key === 'Enter') onOpen?.(active.row);
    else if ((event.metaKey || event.ctrlKey) && event.key === 'c' && `${getSelection()}` === '') {
      const value = rowAt(active.row)?.[active.column];
      if (value !== undefined) void navigator.clipboard?.writeText(value === null ? '' : wholeText(value));
    } else return;
    event.preventDefault();
  };

  const whole = edges.at(-1) ?? 0;
  return (
    <div
      ref={box}
      className={styles.grid}
      role="grid"
      aria-label={label}
      aria-rowcount={rowCount + 1}
      aria-colcount={columns.length}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a grid is one stop of Tab; arrows move within it
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <Head {...props} edges={edges} sight={sight} onWidth={setWidth} />
      <div role="rowgroup" style={{ position: 'relative', width: whole, height: scrolledHeight(extent) }}>
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
            onActive={(column) => setActive({ row: index, column })}
            onOpen={onOpen}
          />
        ))}
      </div>
    </div>
  );
}

interface Bounds {
  readonly rowCount: number;
  readonly columnCount: number;
  /** Rows. */
  readonly page: number;
}

/** Null for keys that move nothing. */
function moved({ key, metaKey, ctrlKey }: KeyboardEvent, { row, column }: Active, bounds: Bounds): Active | null {
  const isFar = metaKey || ctrlKey;
  const at = (toRow: number, toColumn: number): Active => ({
    row: Math.min(bounds.rowCount - 1, Math.max(0, toRow)),
    column: Math.min(bounds.columnCount - 1, Math.max(0, toColumn)),
  });
  switch (key) {
    case 'ArrowDown':
      return at(isFar ? bounds.rowCount : row + 1, column);
    case 'ArrowUp':
      return at(isFar ? 0 : row - 1, column);
    case 'ArrowRight':
      return at(row, isFar ? bounds.columnCount : column + 1);
    case 'ArrowLeft':
      return at(row, isFar ? 0 : column - 1);
    case 'PageDown':
      return at(row + bounds.page, column);
    case 'PageUp':
      return at(row - bounds.page, column);
    case 'Home':
      return at(isFar ? 0 : row, 0);
    case 'End':
      return at(isFar ? bounds.rowCount : row, bounds.columnCount);
    default:
      return null;
  }
}
