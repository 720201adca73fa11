/** Tables as they were read: their cells, each with what its number is. */
import { useState } from 'react';
import { FaultBox, Skeleton } from '../../../parts/states.tsx';
import { WORDS } from '../../../words.ts';
import { type CellRow, type TableRow, useCells } from './data.ts';
import styles from './document.module.css';

const { document: words } = WORDS;

interface TableListProps {
  readonly dataset: string;
  readonly tables: readonly TableRow[];
  readonly lit: string | null;
  readonly onHover: (key: string | null) => void;
  readonly onCell: (cell: CellRow | null) => void;
}

export function TableList({ dataset, tables, lit, onHover, onCell }: TableListProps) {
  if (tables.length === 0) return <p className={`quiet ${styles.none}`}>{words.noTables}</p>;
  return (
    <ul>
      {tables.map((table) => (
        <li
          key={table.table_id}
          className={styles.chunk}
          data-lit={table.table_id === lit || undefined}
          onPointerEnter={() => onHover(table.table_id)}
          onPointerLeave={() => onHover(null)}
        >
          <p>
            <strong>{table.caption ?? words.table(table.ordinal)}</strong>
          </p>
          <p className="quiet small">{saidOf(table)}</p>
          <Cells dataset={dataset} table={table} onCell={onCell} />
        </li>
      ))}
    </ul>
  );
}

function saidOf({
  heading,
  unit,
  scale,
  period,
  scope,
  row_count: rows,
  column_count: columns,
}: TableRow): string {
  const amount = scale === null || scale === '1' ? unit : `${unit ?? ''} × ${Number(scale).toLocaleString()}`;
  return [heading, words.rowsAndColumns(rows, columns), amount, period, scope]
    .filter((one) => one != null)
    .join(' · ');
}

interface CellsProps {
  readonly dataset: string;
  readonly table: TableRow;
  readonly onCell: (cell: CellRow | null) => void;
}

function Cells({ dataset, table, onCell }: CellsProps) {
  const { value, fault, reload } = useCells(dataset, table.table_id);
  const [shown, show] = useState<CellRow | null>(null);
  if (fault !== null) return <FaultBox fault={fault} onRetry={reload} />;
  if (value === null) return <Skeleton />;
  const at = (cell: CellRow | null): void => {
    show(cell);
    onCell(cell);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys too */}
      <div className={styles.cells} tabIndex={0} role="group" aria-label={words.table(table.ordinal)}>
        <table>
          <tbody>
            {rowsOf(value, table).map((row, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows are their places
              <tr key={i}>
                {row.map((cell, column) =>
                  cell === null ? (
                    // biome-ignore lint/suspicious/noArrayIndexKey: cells are their places
                    <td key={column} />
                  ) : (
                    // biome-ignore lint/suspicious/noArrayIndexKey: cells are their places
                    <Cell key={column} cell={cell} onCell={at} />
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="quiet small number" aria-live="polite">
        {shown === null ? words.cellHint : cellSaid(shown)}
      </p>
    </>
  );
}

function Cell({ cell, onCell }: { readonly cell: CellRow; readonly onCell: (cell: CellRow | null) => void }) {
  const {
    row,
    column,
    row_end: rowEnd,
    column_end: columnEnd,
    is_header: isHeader,
    text,
    number,
    doubt,
  } = cell;
  const Tag = isHeader ? 'th' : 'td';
  return (
    <Tag
      rowSpan={rowEnd - row + 1}
      colSpan={columnEnd - column + 1}
      tabIndex={-1}
      data-number={(number !== null && !isHeader) || undefined}
      data-doubt={doubt !== null || undefined}
      onPointerEnter={() => onCell(cell)}
      onPointerLeave={() => onCell(null)}
      onFocus={() => onCell(cell)}
      onBlur={() => onCell(null)}
    >
      {text}
    </Tag>
  );
}

/** Cells by rows: null where there is none, left out where one from above or before reaches. */
function rowsOf(
  cells: readonly CellRow[],
  { column_count: columns }: TableRow,
): readonly (readonly (CellRow | null)[])[] {
  const taken = new Set<string>();
  const byPlace = new Map(cells.map((cell) => [`${cell.row} ${cell.column}`, cell]));
  for (const cell of cells) {
    for (let row = cell.row; row <= cell.row_end; row++) {
      for (let column = cell.column; column <= cell.column_end; column++) taken.add(`${row} ${column}`);
    }
  }
  const last = cells.reduce((most, { row_end: row }) => Math.max(most, row), 0);
  return Array.from({ length: last }, (_, i) =>
    Array.from({ length: columns }, (_unused, j) => `${i + 1} ${j + 1}`).flatMap((place) => {
      const cell = byPlace.get(place);
      if (cell !== undefined) return [cell];
      return taken.has(place) ? [] : [null];
    }),
  );
}

function cellSaid({ text, number, unit, scale, period, doubt }: CellRow): string {
  if (doubt !== null) return `${text}: ${doubt}`;
  if (number === null) return text;
  const amount =
    scale === null || scale === '1'
      ? Number(number).toLocaleString()
      : `${number} × ${Number(scale).toLocaleString()}`;
  return [amount, unit, period].filter((one) => one != null).join(' · ');
}
