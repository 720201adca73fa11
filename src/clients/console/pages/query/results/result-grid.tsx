/** Rows of a result in a grid; the detail of one at the right. */
import { useCallback, useState } from 'react';
import { wholeText } from '../../../grid/cell-text.ts';
import { Grid } from '../../../grid/grid.tsx';
import type { Range } from '../../../grid/range.ts';
import { LongText } from '../../../parts/long-text.tsx';
import { CopyButton } from '../../../parts/copy.tsx';
import { Panel, Split } from '../../../parts/page.tsx';
import type { Column, Row } from '../../../server/messages.ts';
import { WORDS } from '../../../words.ts';
import styles from '../query.module.css';
import { asJsonLines } from './written.ts';

interface ResultGridProps {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** It changes when rows have come: they are appended to the same list. */
  readonly rowCount: number;
  readonly onWant: (row: number) => void;
  readonly onRange: (range: Range) => void;
}

export function ResultGrid({ columns, rows, rowCount, onWant, onRange }: ResultGridProps) {
  const [opened, open] = useState<number | null>(null);
  const rowAt = useCallback((index: number) => rows[index], [rows]);
  const onSight = useCallback((_first: number, end: number) => onWant(end), [onWant]);
  const close = useCallback(() => open(null), []);
  const row = opened === null ? undefined : rows[opened];
  return (
    <Split panel={row !== undefined && <RowPanel columns={columns} row={row} onClose={close} />}>
      <Grid
        label={WORDS.query.result}
        columns={columns}
        rowCount={rowCount}
        rowAt={rowAt}
        onSight={onSight}
        opened={opened}
        onOpen={open}
        onRange={onRange}
      />
    </Split>
  );
}

interface RowPanelProps {
  readonly columns: readonly Column[];
  readonly row: Row;
  readonly onClose: () => void;
}

function RowPanel({ columns, row, onClose }: RowPanelProps) {
  return (
    <Panel
      title={WORDS.query.row}
      actions={<CopyButton text={() => asJsonLines(columns, [row])} label={WORDS.query.copyRow} />}
      onClose={onClose}
    >
      <dl className={styles.json}>
        {columns.map(({ name, type }, i) => {
          const value = row[i] ?? null;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns of one name are told apart by their place
            <div key={i} className="stack">
              <dt>
                <strong>{name}</strong> <span className="quiet small">{type}</span>
              </dt>
              <dd className={value === null ? 'quiet' : 'mono'}>
                {value === null ? WORDS.null : <LongText text={wholeText(value)} name={name} />}
              </dd>
            </div>
          );
        })}
      </dl>
    </Panel>
  );
}
