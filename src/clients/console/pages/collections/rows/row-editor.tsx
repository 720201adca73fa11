/** A row being changed: as a form or as JSON, both over one draft; what is wrong stands at its field. */
import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { FaultBox } from '../../../parts/states.tsx';
import { ChoiceTabs } from '../../../parts/tabs.tsx';
import { type Fault, faultOf } from '../../../server/messages.ts';
import { WORDS } from '../../../words.ts';
import type { Relation } from '../relation.ts';
import { RowForm } from './row-form.tsx';
import { RowJson } from './row-json.tsx';
import { addRow, type Draft, faultsByField, readRow, saveRow, type StoredRow } from './row-store.ts';
import { textOf } from './row-value.ts';
import styles from './rows.module.css';
import { Stale } from './stale.tsx';

const { row: words } = WORDS.collections;

interface RowEditorProps {
  readonly relation: Relation;
  /** Null: a new row. */
  readonly rowKey: readonly string[] | null;
  readonly stored: StoredRow;
  readonly onDirty: (isChanged: boolean) => void;
  readonly onSaved: () => void;
}

type View = 'form' | 'json';

const VIEWS = (['form', 'json'] as const).map((value) => ({ value, label: words.views[value] }));
const NO_FAULTS: ReadonlyMap<string, string> = new Map();
const GONE: Fault = { message: words.goneMeanwhile, sqlstate: 'P0002' };

export function RowEditor(props: RowEditorProps) {
  const { relation, rowKey, onDirty, onSaved } = props;
  const [view, setView] = useState<View>('form');
  const [stored, setStored] = useState(props.stored);
  const [draft, setDraft] = useState<Draft>(new Map());
  const [theirs, setTheirs] = useState<StoredRow | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [isBusy, setBusy] = useState(false);
  const byField = fault === null ? NO_FAULTS : faultsByField(fault, draft, relation.columns);
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
    change(new Map());
    onSaved();
  };
  const save = async (base: StoredRow, changed: Draft): Promise<void> => {
    setBusy(true);
    setFault(null);
    await write(base, changed).catch((error: unknown) => setFault(faultOf(error)));
    setBusy(false);
  };
  const canWrite = rowKey === null ? relation.rights.insert : relation.rights.update;
  return (
    <form
      className={styles.editor}
      onSubmit={(event) => {
        event.preventDefault();
        void save(stored, draft);
      }}
    >
      <ChoiceTabs label={words.view} value={view} options={VIEWS} onChange={setView} />
      {fault !== null && (byField.size === 0 || view === 'json') && <FaultBox fault={fault} />}
      {theirs !== null && (
        <Stale
          stored={stored}
          theirs={theirs}
          draft={draft}
          onMerge={() => void save(theirs, draft)}
          onOverwrite={() => void save(theirs, wholeOf(relation, stored, draft))}
          onTheirs={() => {
            setStored(theirs);
            setTheirs(null);
            change(new Map());
          }}
        />
      )}
      <div className={styles.body}>
        {view === 'form' && <RowForm {...{ relation, stored, draft, canWrite }} faults={byField} onChange={change} isNew={rowKey === null} />}
        {view === 'json' && <RowJson key={stored.version} {...{ relation, stored, draft, canWrite }} onChange={change} />}
      </div>
      {canWrite && (draft.size > 0 || rowKey === null) && (
        <footer className={styles.foot}>
          <Button onClick={() => change(new Map())}>{words.discard}</Button>
          <Button kind="main" type="submit" disabled={isBusy || (draft.size === 0 && relation.isCollection)}>
            {rowKey === null ? words.add : words.save(draft.size)}
          </Button>
        </footer>
      )}
    </form>
  );
}

/** Every column as it was read, with what was changed. */
const wholeOf = (relation: Relation, stored: StoredRow, draft: Draft): Draft =>
  new Map([
    ...[...stored.values]
      .filter(([name]) => !name.startsWith('_') && !relation.key.includes(name))
      .map(([name, value]) => [name, textOf(value)] as const),
    ...draft,
  ]);
