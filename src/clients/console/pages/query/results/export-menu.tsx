/** Ways out of a result: all of it as a file, and the selection as text. */
import { useState } from 'react';
import { cellsOf, isOneCell, type Range } from '../../../grid/range.ts';
import { Button } from '../../../parts/button.tsx';
import { bytes, count } from '../../../parts/format.ts';
import { Menu } from '../../../parts/menu.tsx';
import { FaultBox } from '../../../parts/states.tsx';
import type { Column, Row } from '../../../server/messages.ts';
import { WORDS } from '../../../words.ts';
import type { StatementResult } from '../run.ts';
import type { Export } from './use-export.ts';
import { asCsv, asJson, asMarkdown } from './written.ts';

const { exports: words } = WORDS.query;

/** More rows than a clipboard is for. */
const COPIED_ROWS_MAX = 10_000;

interface Selected {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly isCut: boolean;
}

/** The cells that are selected; where that is one, all rows that are held. */
function selectedOf({ columns, rows }: StatementResult, range: Range | null): Selected {
  const all = { columns: columns ?? [], rows: rows.slice(0, COPIED_ROWS_MAX) };
  const isCut = rows.length > COPIED_ROWS_MAX;
  if (range === null || isOneCell(range)) return { ...all, isCut };
  const end = Math.min(range.rows[1], range.rows[0] + COPIED_ROWS_MAX);
  const some = cellsOf({ ...range, rows: [range.rows[0], end] }, all.columns, (index) => rows[index]);
  return { ...(some ?? all), isCut: end < range.rows[1] };
}

const WRITERS = [
  { name: 'Markdown', write: asMarkdown },
  { name: 'JSON', write: asJson },
  { name: 'CSV', write: asCsv },
] as const;

interface ExportMenuProps {
  readonly result: StatementResult;
  readonly range: Range | null;
  readonly exporting: Export;
}

export function ExportMenu({ result, range, exporting }: ExportMenuProps) {
  const [copied, setCopied] = useState('');
  const copy = ({ name, write }: (typeof WRITERS)[number]): void => {
    const { columns, rows, isCut } = selectedOf(result, range);
    navigator.clipboard?.writeText(write(columns, rows)).then(
      () => setCopied(words.copied(count(rows.length), name, isCut)),
      () => setCopied(words.notCopied),
    );
  };
  const isSelected = range !== null && !isOneCell(range);
  return (
    <>
      <span role="status" className="quiet small">
        {copied}
      </span>
      <Menu
        trigger={
          <Button kind="bare" icon="download">
            {words.title}
          </Button>
        }
        items={[
          { label: words.csv, icon: 'download', onChoose: () => exporting.start('csv', result) },
          { label: words.jsonLines, icon: 'download', onChoose: () => exporting.start('jsonl', result) },
          ...WRITERS.map((writer) => ({
            label: (isSelected ? words.copySelected : words.copyHeld)(writer.name),
            icon: 'copy' as const,
            onChoose: () => copy(writer),
          })),
        ]}
      />
    </>
  );
}

/** How far an export is, and how it ended. */
export function ExportState({ exporting }: { readonly exporting: Export }) {
  const { kind, progress, isOfHeld, fault, stop } = exporting;
  if (fault !== null) return <FaultBox fault={fault} />;
  if (kind === 'none') return null;
  const size = bytes(progress.bytes);
  const rows = progress.rows === null ? null : count(progress.rows);
  return (
    <span className="row" role="status">
      {kind === 'running' ? words.running(size, rows) : words.done(size, rows, isOfHeld)}
      <Button kind="bare" icon={kind === 'running' ? 'stop' : 'close'} onClick={stop}>
        {kind === 'running' ? words.stop : WORDS.close}
      </Button>
    </span>
  );
}
