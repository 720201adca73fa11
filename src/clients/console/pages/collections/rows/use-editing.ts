/** Editing of one row: the draft, writing it, and the row as somebody else left it meanwhile. */
import { useState } from 'react';
import { type Fault, faultOf } from '../../../server/messages.ts';
import { WORDS } from '../../../words.ts';
import type { Relation } from '../relation.ts';
import { addRow, type Draft, readRow, saveRow, type StoredRow } from './row-store.ts';

const { row: words } = WORDS.collections;

const GONE: Fault = { message: words.goneMeanwhile, sqlstate: 'P0002' };
const NO_CHANGES: Draft = new Map();

export interface EditedRow {
  readonly relation: Relation;
  /** Null: a new row. */
  readonly rowKey: readonly string[] | null;
  readonly stored: StoredRow;
  readonly onDirty: (isChanged: boolean) => void;
  readonly onSaved: () => void;
}

export interface Editing {
  readonly stored: StoredRow;
  readonly draft: Draft;
  /** The row as it is now, where it is not as it was opened. */
  readonly theirs: StoredRow | null;
  readonly fault: Fault | null;
  readonly isBusy: boolean;
  change(draft: Draft): void;
  /** @param base the row is written where it still is this one. */
  save(base: StoredRow, changed: Draft): Promise<void>;
  takeTheirs(theirs: StoredRow): void;
}

export function useEditing({ relation, rowKey, stored: opened, onDirty, onSaved }: EditedRow): Editing {
  const [stored, setStored] = useState(opened);
  const [draft, setDraft] = useState(NO_CHANGES);
  const [theirs, setTheirs] = useState<StoredRow | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [isBusy, setBusy] = useState(false);
  const change = (next: Draft): void => {
    setDraft(next);
    onDirty(next.size > 0);
  };
  const write = async (base: StoredRow, changed: Draft): Promise<void> => {
    if (rowKey === null) await addRow(relation, changed);
    else if (!(await saveRow({ relation, key: rowKey, draft: changed, stored: base }))) {
      const now = await readRow(relation, rowKey);
      if (now === null) setFault(GONE);
      setTheirs(now);
      return;
    }
    const now = rowKey === null ? null : await readRow(relation, rowKey);
    if (now !== null) setStored(now);
    setTheirs(null);
    change(NO_CHANGES);
    onSaved();
  };
  const save = async (base: StoredRow, changed: Draft): Promise<void> => {
    setBusy(true);
    setFault(null);
    await write(base, changed).catch((error: unknown) => setFault(faultOf(error)));
    setBusy(false);
  };
  const takeTheirs = (now: StoredRow): void => {
    setStored(now);
    setTheirs(null);
    change(NO_CHANGES);
  };
  return { stored, draft, theirs, fault, isBusy, change, save, takeTheirs };
}
