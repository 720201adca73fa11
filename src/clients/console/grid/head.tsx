/** Names of the columns: a click sorts, the edge makes wider. */
import type { PointerEvent } from 'react';
import type { Column } from '../server/messages.ts';
import type { GridProps } from './grid.tsx';
import styles from './grid.module.css';
import { drawnColumns } from './window.ts';

interface HeadProps extends Pick<GridProps, 'columns' | 'sort' | 'onSort'> {
  readonly edges: readonly number[];
  readonly sight: readonly [number, number];
  readonly onWidth: (column: number, width: number) => void;
}

const SORTED = { true: 'descending', false: 'ascending' } as const;

export function Head({ columns, sort, onSort, edges, sight, onWidth }: HeadProps) {
  return (
    <div role="row" aria-rowindex={1} className={styles.head} style={{ width: edges.at(-1) }}>
      {drawnColumns(sight).map((at) => {
        const column = columns[at];
        if (column === undefined) return null;
        const [left = 0, right = 0] = [edges[at], edges[at + 1]];
        const isSorted = sort?.column === at;
        return (
          <div
            key={at}
            role="columnheader"
            tabIndex={-1}
            aria-colindex={at + 1}
            aria-sort={isSorted ? SORTED[`${sort.isDescending}`] : 'none'}
            data-first={at === 0 || undefined}
            className={styles.name}
            style={{ left, width: right - left }}
            title={`${column.name} ${column.type}`}
          >
            <Name column={column} onSort={onSort && (() => onSort(at))} />
            {isSorted && <span aria-hidden="true">{sort.isDescending ? '↓' : '↑'}</span>}
            <span className={`quiet cut ${styles.type}`}>{column.type}</span>
            <Resize width={right - left} onWidth={(width) => onWidth(at, width)} />
          </div>
        );
      })}
    </div>
  );
}

function Name({ column, onSort }: { readonly column: Column; readonly onSort: (() => void) | undefined }) {
  if (onSort === undefined) return <span className="cut">{column.name}</span>;
  return (
    <button type="button" tabIndex={-1} className="cut" onClick={onSort}>
      {column.name}
    </button>
  );
}

const WIDTH_PX_MIN = 40;

function Resize({ width, onWidth }: { readonly width: number; readonly onWidth: (width: number) => void }) {
  const begin = (event: PointerEvent<HTMLSpanElement>): void => {
    const { currentTarget, clientX, pointerId } = event;
    currentTarget.setPointerCapture(pointerId);
    const move = (to: globalThis.PointerEvent): void =>
      onWidth(Math.max(WIDTH_PX_MIN, width + to.clientX - clientX));
    currentTarget.addEventListener('pointermove', move);
    const end = (): void => currentTarget.removeEventListener('pointermove', move);
    currentTarget.addEventListener('lostpointercapture', end, { once: true });
  };
  return <span className={styles.resize} onPointerDown={begin} />;
}
