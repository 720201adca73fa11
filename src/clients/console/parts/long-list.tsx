/** A list of any length, all rows of one height, of which only those in sight are drawn. Arrow keys go from row to row. */
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import styles from './long-list.module.css';

interface LongListProps {
  readonly label: string;
  readonly count: number;
  /** Names of the columns; they stay in sight. */
  readonly head?: ReactNode;
  readonly render: (index: number) => ReactNode;
  readonly onSight?: (first: number, end: number) => void;
}

/** Drawn beyond what is in sight, on both sides. */
const MORE_ROWS = 8;

const rowHeightOf = (element: Element): number =>
  Number.parseFloat(getComputedStyle(element).getPropertyValue('--list-row')) || 40;

export function LongList({ label, count, head, render, onSight }: LongListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ height: 600, rowHeight: 40 });
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = (): void => setView({ height: element.clientHeight, rowHeight: rowHeightOf(element) });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(top / view.rowHeight) - MORE_ROWS);
  const end = Math.min(count, Math.ceil((top + view.height) / view.rowHeight) + MORE_ROWS);
  useEffect(() => onSight?.(first, end), [onSight, first, end]);
  return (
    <div
      ref={box}
      className={styles.list}
      role="region"
      aria-label={label}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
      onKeyDown={goToRow}
    >
      {head !== undefined && (
        <div className={styles.head} aria-hidden="true">
          {head}
        </div>
      )}
      <ul className={styles.rows} style={{ height: count * view.rowHeight }}>
        {Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i).map((index) => (
          <li
            key={index}
            className={styles.row}
            aria-setsize={count}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${index * view.rowHeight}px)` }}
          >
            {render(index)}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The first link of the next row, or of the one before. */
function goToRow(event: KeyboardEvent<HTMLDivElement>): void {
  const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' } as const;
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const row = (event.target as Element).closest('li');
  const next = row?.[step[event.key]]?.querySelector<HTMLElement>('a, button');
  if (next == null || (event.target as Element).matches('input, textarea')) return;
  next.focus();
  event.preventDefault();
}
