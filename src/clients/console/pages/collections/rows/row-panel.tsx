/** One row at the right: read, changed as a form or as JSON, deleted. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { CopyButton } from '../../../parts/copy.tsx';
import { Panel } from '../../../parts/page.tsx';
import { Empty, FaultBox, Skeleton } from '../../../parts/states.tsx';
import { useLoaded } from '../../../server/use-rows.ts';
import { WORDS } from '../../../words.ts';
import type { Relation } from '../relation.ts';
import { RowEditor } from './row-editor.tsx';
import { deleteRow, deleteSql, readRow, type StoredRow } from './row-store.ts';

const { row: words } = WORDS.collections;

interface RowPanelProps {
  readonly relation: Relation;
  /** Null: a new row. */
  readonly rowKey: readonly string[] | null;
  /** Where it stands in the grid; null: not among the rows that are there. */
  readonly index: number | null;
  readonly onMove: (by: number) => void;
  /** Something was changed and is not saved. */
  readonly onDirty: (isChanged: boolean) => void;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

export function RowPanel({ relation, rowKey, index, onMove, onDirty, onChanged, onClose }: RowPanelProps) {
  // The panel is another one for another row: of what it was given first only the names are asked for.
  const asked = useRef({ relation, rowKey });
  const load = useCallback(
    (signal: AbortSignal) => readRow(asked.current.relation, asked.current.rowKey ?? [], signal),
    [],
  );
  const { value, fault, isLoading, reload } = useLoaded(rowKey === null ? null : load);
  const [isDeleting, setDeleting] = useState(false);
  const [isChanged, setChanged] = useState(false);
  useNextByArrows(index !== null && !isChanged && !isDeleting, onMove);
  const dirty = (is: boolean): void => {
    setChanged(is);
    onDirty(is);
  };
  const gone = (): void => {
    dirty(false);
    onChanged();
    onClose();
  };
  const title = rowKey === null ? words.newTitle : rowKey.join(' · ');
  const isGone = rowKey !== null && value === null && !isLoading && fault === null;
  return (
    <Panel
      title={title}
      actions={
        <Actions
          title={title}
          rowKey={rowKey}
          onMove={index === null ? null : onMove}
          onDelete={value !== null && relation.rights.delete ? () => setDeleting(true) : null}
        />
      }
      onClose={onClose}
    >
      {fault !== null && <FaultBox fault={fault} onRetry={reload} />}
      {rowKey !== null && value === null && isLoading && <Skeleton />}
      {isGone && <Gone onClose={onClose} title={title} />}
      {(value !== null || rowKey === null) && (
        <RowEditor
          relation={relation}
          rowKey={rowKey}
          stored={value ?? NOTHING}
          onDirty={dirty}
          onSaved={() => {
            onChanged();
            if (rowKey === null) onClose();
          }}
        />
      )}
      {isDeleting && rowKey !== null && (
        <DeleteRow {...{ relation, rowKey }} onDeleted={gone} onClose={() => setDeleting(false)} />
      )}
    </Panel>
  );
}

interface DeleteRowProps {
  readonly relation: Relation;
  readonly rowKey: readonly string[];
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

function DeleteRow({ relation, rowKey, onDeleted, onClose }: DeleteRowProps) {
  const said = words.delete(rowKey.join(' · '));
  return (
    <Confirm
      title={said}
      action={said}
      sql={deleteSql(relation, rowKey)}
      onConfirm={async () => {
        await deleteRow(relation, rowKey);
        onDeleted();
      }}
      onClose={onClose}
    >
      <p>{words.deleteSaid(relation.shown)}</p>
    </Confirm>
  );
}

interface ActionsProps {
  readonly title: string;
  readonly rowKey: readonly string[] | null;
  readonly onMove: ((by: number) => void) | null;
  readonly onDelete: (() => void) | null;
}

function Actions({ title, rowKey, onMove, onDelete }: ActionsProps) {
  return (
    <>
      {onMove !== null && <IconButton icon="up" label={words.previous} onClick={() => onMove(-1)} />}
      {onMove !== null && <IconButton icon="down" label={words.next} onClick={() => onMove(1)} />}
      {rowKey !== null && <CopyButton text={rowKey.join(',')} label={words.copyKey} />}
      {onDelete !== null && <IconButton icon="bin" label={words.delete(title)} onClick={onDelete} />}
    </>
  );
}

const NOTHING: StoredRow = { version: '', columns: [], values: new Map() };

function Gone({ title, onClose }: { readonly title: string; readonly onClose: () => void }) {
  return (
    <Empty title={words.gone(title)} action={<Button onClick={onClose}>{WORDS.close}</Button>}>
      {words.goneSaid}
    </Empty>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest('input, textarea, select, [role=grid], [role=listbox]') !== null;

function useNextByArrows(isOn: boolean, onMove: (by: number) => void): void {
  useEffect(() => {
    if (!isOn) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target))
        return;
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
      event.preventDefault();
      onMove(event.key === 'ArrowDown' ? 1 : -1);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [isOn, onMove]);
}
