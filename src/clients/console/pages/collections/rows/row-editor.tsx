/** A row being changed: as a form or as JSON, both over one draft; what is wrong stands at its field. */
import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { FaultBox } from '../../../parts/states.tsx';
import { ChoiceTabs } from '../../../parts/tabs.tsx';
import { WORDS } from '../../../words.ts';
import type { Relation } from '../relation.ts';
import { RowForm } from './row-form.tsx';
import { RowJson } from './row-json.tsx';
import { type Draft, faultsByField, type StoredRow } from './row-store.ts';
import { textOf } from './row-value.ts';
import styles from './rows.module.css';
import { Stale } from './stale.tsx';
import { type EditedRow, useEditing } from './use-editing.ts';

const { row: words } = WORDS.collections;

type View = 'form' | 'json';

const VIEWS = (['form', 'json'] as const).map((value) => ({ value, label: words.views[value] }));
const NO_FAULTS: ReadonlyMap<string, string> = new Map();

export function RowEditor(props: EditedRow) {
  const { relation, rowKey } = props;
  const [view, setView] = useState<View>('form');
  const { stored, draft, theirs, fault, isBusy, change, save, takeTheirs } = useEditing(props);
  const byField = fault === null ? NO_FAULTS : faultsByField(fault, draft, relation.columns);
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
          onTheirs={() => takeTheirs(theirs)}
        />
      )}
      <div className={styles.body}>
        {view === 'form' && (
          <RowForm
            {...{ relation, stored, draft, canWrite }}
            faults={byField}
            onChange={change}
            isNew={rowKey === null}
          />
        )}
        {view === 'json' && (
          <RowJson key={stored.version} {...{ relation, stored, draft, canWrite }} onChange={change} />
        )}
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
