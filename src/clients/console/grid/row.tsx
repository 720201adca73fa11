/** One row of a grid. */
import { memo } from 'react';
import type { Column, Json, Row } from '../server/messages.ts';
import { WORDS } from '../words.ts';
import { cellText, isNumberType } from './cell-text.ts';
import styles from './grid.module.css';
import { drawnColumns } from './window.ts';

interface GridRowProps {
  readonly index: number;
  /** Pixels. */
  readonly top: number;
  readonly row: Row | undefined;
  readonly columns: readonly Column[];
  readonly edges: readonly number[];
  readonly sight: readonly [number, number];
  readonly isOpened: boolean;
  /** Column that the keys are at. */
  readonly active: number | null;
  readonly onActive: (column: number) => void;
  readonly onOpen: ((index: number) => void) | undefined;
}

const isSame = (a: GridRowProps, b: GridRowProps): boolean =>
  a.top === b.top &&
  a.row === b.row &&
  a.columns === b.columns &&
  a.isOpened === b.isOpened &&
  a.active === b.active &&
  a.onOpen === b.onOpen &&
  a.sight[0] === b.sight[0] &&
  a.sight[1] === b.sight[1] &&
  a.edges.every((edge, i) => edge === b.edges[i]);

export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { index, top, row, columns, edges, sight, isOpened, active, onActive, onOpen } = props;
  return (
    <div
      className={styles.row}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isOpened}
      style={{ transform: `translateY(${top}px)`, width: edges.at(-1) }}
      onDoubleClick={() => onOpen?.(index)}
    >
      {drawnColumns(sight).map((at) => {
        return (
          <Cell
            key={at}
            value={row?.[at]}
            isNumber={isNumberType(columns[at]?.type ?? '')}
            isActive={at === active}
            at={at}
            left={edges[at] ?? 0}
            width={(edges[at + 1] ?? 0) - (edges[at] ?? 0)}
            onActive={onActive}
          />
        );
      })}
    </div>
  );
}, isSame);

interface CellProps {
  /** Undefined: it is on its way. */
  readonly value: Json | undefined;
  readonly isNumber: boolean;
  readonly isActive: boolean;
  readonly at: number;
  readonly left: number;
  readonly width: number;
  readonly onActive: (column: number) => void;
}

function Cell({ value, isNumber, isActive, at, left, width, onActive }: CellProps) {
  const text = value === undefined ? '' : cellText(value);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid's keys do the same
    <div
      className={styles.cell}
      role="gridcell"
      aria-colindex={at + 1}
      data-number={isNumber || undefined}
      data-null={text === null || undefined}
      data-active={isActive || undefined}
      data-first={at === 0 || undefined}
      title={text !== null && text.length * 7 > width ? text : undefined}
      style={{ left, width }}
      onClick={() => onActive(at)}
    >
      {value === undefined ? <span className={styles.wait} /> : (text ?? WORDS.null)}
    </div>
  );
}
