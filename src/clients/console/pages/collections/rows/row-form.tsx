/** A row as a form: a field for each column, by its type; columns that documents brought say so. */
import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { TextArea, TextField } from '../../../parts/field.tsx';
import { Select } from '../../../parts/select.tsx';
import { WORDS } from '../../../words.ts';
import type { Relation } from '../relation.ts';
import { typeClass } from '../types.ts';
import { type Draft, isWritten, type StoredRow } from './row-store.ts';
import { type Text, textOf } from './row-value.ts';
import styles from './rows.module.css';

const { row: words } = WORDS.collections;

interface RowFormProps {
  readonly relation: Relation;
  readonly stored: StoredRow;
  readonly draft: Draft;
  readonly faults: ReadonlyMap<string, string>;
  readonly canWrite: boolean;
  readonly isNew: boolean;
  readonly onChange: (draft: Draft) => void;
}

/** Longer texts get lines. */
const LINE_CHARACTERS_MAX = 60;

export function RowForm({ relation, stored, draft, faults, canWrite, isNew, onChange }: RowFormProps) {
  const columns = isNew ? relation.columns : stored.columns;
  const known = new Set(columns.map(({ name }) => name));
  const brought = [...draft.keys()]
    .filter((name) => !known.has(name))
    .map((name) => ({ name, type: 'text' }));
  const change = (name: string, text: Text): void => {
    const before = isNew ? null : textOf(stored.values.get(name) ?? null);
    const next = new Map(draft);
    if (text === before && known.has(name)) next.delete(name);
    else next.set(name, text);
    onChange(next);
  };
  return (
    <>
      {[...columns, ...brought].map(({ name, type }) => {
        const isKey = relation.key.includes(name);
        const isOpen =
          canWrite && (isWritten(relation, name) || (isNew && name === '_id')) && (isNew || !isKey);
        const text = draft.has(name) ? (draft.get(name) ?? null) : textOf(stored.values.get(name) ?? null);
        return (
          <Field
            key={name}
            label={labelOf(relation, name, type)}
            type={type}
            text={text}
            fault={faults.get(name) ?? null}
            isChanged={draft.has(name)}
            isOpen={isOpen}
            isRequired={relation.columns.find((column) => column.name === name)?.isRequired === true}
            onChange={(next) => change(name, next)}
          />
        );
      })}
      {canWrite && relation.isCollection && <AddField taken={known} onAdd={(name) => change(name, '')} />}
    </>
  );
}

function labelOf(relation: Relation, name: string, type: string): string {
  const isRequired = relation.columns.find((column) => column.name === name)?.isRequired === true;
  const said = [
    type,
    ...(relation.undeclared.has(name) ? [words.undeclared] : []),
    ...(relation.key.includes(name) ? [words.key] : isRequired ? [words.isRequired] : []),
  ];
  return `${name} · ${said.join(', ')}`;
}

interface FieldProps {
  readonly label: string;
  readonly type: string;
  readonly text: Text;
  readonly fault: string | null;
  readonly isChanged: boolean;
  readonly isOpen: boolean;
  readonly isRequired: boolean;
  readonly onChange: (text: Text) => void;
}

function Field(props: FieldProps) {
  const { label, text, isChanged, isOpen, isRequired, onChange } = props;
  return (
    <div className={styles.field} data-changed={isChanged || undefined}>
      <Input {...props} />
      {isOpen && !isRequired && (
        <Button
          kind="bare"
          aria-pressed={text === null}
          aria-label={words.setNull(label)}
          onClick={() => onChange(text === null ? '' : null)}
        >
          {WORDS.null}
        </Button>
      )}
    </div>
  );
}

function Input({ label, type, text, fault, isOpen, onChange }: FieldProps) {
  const kind = typeClass(type);
  if (kind === 'boolean' && isOpen) {
    return (
      <div className="grow">
        <p className={styles.label}>{label}</p>
        <Select
          label={label}
          value={text ?? ''}
          options={['true', 'false'].map((value) => ({ value, label: value }))}
          onChange={onChange}
        />
        {fault !== null && <p role="alert">{fault}</p>}
      </div>
    );
  }
  const given = {
    label,
    fault,
    readOnly: !isOpen,
    value: text ?? '',
    placeholder: text === null ? WORDS.null : '',
  };
  const isLong = (text ?? '').length > LINE_CHARACTERS_MAX || (text ?? '').includes('\n');
  if (isLong || kind === 'json') {
    const rows = Math.min(14, Math.max(3, Math.ceil((text ?? '').length / LINE_CHARACTERS_MAX)));
    return (
      <div className="grow">
        <TextArea {...given} rows={rows} onChange={({ target }) => onChange(target.value)} />
      </div>
    );
  }
  return (
    <div className="grow">
      <TextField
        {...given}
        inputMode={kind === 'number' ? 'decimal' : 'text'}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  );
}

interface AddFieldProps {
  readonly taken: ReadonlySet<string>;
  readonly onAdd: (name: string) => void;
}

/** Documents may bring columns that nobody declared. */
function AddField({ taken, onAdd }: AddFieldProps) {
  const [name, setName] = useState<string | null>(null);
  if (name === null) {
    return (
      <div>
        <Button icon="plus" kind="bare" onClick={() => setName('')}>
          {words.addField}
        </Button>
      </div>
    );
  }
  const isTaken = taken.has(name.trim()) || name.startsWith('_');
  const add = (): void => {
    if (isTaken || name.trim() === '') return;
    onAdd(name.trim());
    setName(null);
  };
  return (
    <div className={styles.field}>
      <div className="grow">
        <TextField
          label={words.fieldName}
          help={words.addFieldSaid}
          fault={isTaken ? words.taken : null}
          autoFocus
          value={name}
          onChange={({ target }) => setName(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') add();
            else if (event.key === 'Escape') setName(null);
            else return;
            event.preventDefault();
          }}
        />
      </div>
      <Button onClick={add}>{words.addIt}</Button>
    </div>
  );
}
