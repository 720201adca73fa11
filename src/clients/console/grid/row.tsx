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
  /** Columns that are selected, from the first to beyond the last. */
  readonly marked: readonly [number, number] | null;
  readonly onSelect: (column: number, isWider: boolean) => void;
  readonly onOpen: ((index: number) => void) | undefined;
}

const isSame = (a: GridRowProps, b: GridRowProps): boolean =>
  a.top === b.top &&
  a.row === b.row &&
  a.columns === b.columns &&
  a.isOpened === b.isOpened &&
  a.active === b.active &&
  a.marked?.[0] === b.marked?.[0] &&
  a.marked?.[1] === b.marked?.[1] &&
  a.onOpen === b.onOpen &&
  a.sight[0] === b.sight[0] &&
  a.sight[1] === b.sight[1] &&
  a.edges === b.edges;

export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { index, top, row, columns, edges, sight, isOpened, active, marked, onSelect, onOpen } = props;
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
            isMarked={marked !== null && at >= marked[0] && at < marked[1]}
            at={at}
            left={edges[at] ?? 0}
            width={(edges[at + 1] ?? 0) - (edges[at] ?? 0)}
            onSelect={onSelect}
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
  readonly isMarked: boolean;
  readonly at: number;
  readonly left: number;
  readonly width: number;
  readonly onSelect: (column: number, isWider: boolean) => void;
}

function Cell({ value, isNumber, isActive, isMarked, at, left, width, onSelect }: CellProps) {
  const text = value === undefined ? '' : cellText(value);
  return (
    <div
      className={styles.cell}
      role="gridcell"
      aria-colindex={at + 1}
      aria-selected={isMarked}
      data-number={isNumber || undefined}
      data-null={text === null || undefined}
      data-active={isActive || undefined}
      data-first={at === 0 || undefined}
      title={text !== null && text.length * 7 > width ? text : undefined}
      style={{ left, width }}
      onPointerDown={({ shiftKey, button }) => button === 0 && onSelect(at, shiftKey)}
      onPointerEnter={({ buttons, pointerType }) => {
        if (buttons !== 1 || pointerType !== 'mouse') return;
        // Text that the browser marks on the way is none that was meant.
        getSelection()?.removeAllRanges();
        onSelect(at, true);
      }}
    >
      {value === undefined ? <span className={styles.wait} /> : (text ?? WORDS.null)}
    </div>
  );
}
