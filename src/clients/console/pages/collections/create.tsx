/** A collection made by a form; its SQL stands beside it, and is what runs. */
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { Button, IconButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckField, TextField } from '../../parts/field.tsx';
import { Select } from '../../parts/select.tsx';
import { FaultBox, Sql } from '../../parts/states.tsx';
import { run } from '../../server/statement.ts';
import { useAttempt } from '../../server/use-attempt.ts';
import { WORDS } from '../../words.ts';
import styles from './collections.module.css';
import {
  createSql,
  emptyField,
  FIELD_TYPES,
  type FieldDraft,
  fieldFault,
  fieldType,
  type IndexKind,
} from './create-sql.ts';
import { collectionPath } from './place.ts';

const { create: words } = WORDS.collections;

const FORM = 'create-collection';

/** Most begin with these: a title, and a text found by words and by meaning. */
const BEGINNING: readonly FieldDraft[] = [
  { ...emptyField(0), name: 'title', isRequired: true, index: 'keyword' },
  { ...emptyField(1), name: 'text', index: 'both' },
];

export function Create({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [fields, setFields] = useState(BEGINNING);
  const { isBusy, fault, attempt } = useAttempt();
  const sql = createSql({ name, fields });
  const isReady = name.trim() !== '' && fields.every((field) => fieldFault(field, fields) === null);
  const create = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    await attempt(async () => {
      await run(sql);
      await navigate(collectionPath(name.trim()));
    });
  };
  return (
    <Dialog
      isOpen
      isWide
      title={words.title}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{WORDS.cancel}</Button>
          <Button kind="main" type="submit" form={FORM} disabled={!isReady || isBusy}>
            {words.submit(name.trim())}
          </Button>
        </>
      }
    >
      <form id={FORM} className="stack" onSubmit={(event) => void create(event)}>
        <TextField
          label={words.name}
          help={words.nameHelp}
          autoFocus
          required
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <Fields fields={fields} onFields={setFields} />
        <Sql text={sql} />
        {fault !== null && <FaultBox fault={fault} />}
      </form>
    </Dialog>
  );
}

interface FieldsProps {
  readonly fields: readonly FieldDraft[];
  readonly onFields: (fields: readonly FieldDraft[]) => void;
}

function Fields({ fields, onFields }: FieldsProps) {
  const nextId = 1 + Math.max(-1, ...fields.map(({ id }) => id));
  const change = (id: number, changed: Partial<FieldDraft>): void =>
    onFields(fields.map((field) => (field.id === id ? { ...field, ...changed } : field)));
  return (
    <>
      <div className={styles.fieldsBox}>
        <table className={styles.fields}>
          <thead>
            <tr>
              <th scope="col">{words.field}</th>
              <th scope="col">{words.type}</th>
              <th scope="col">{words.index}</th>
              <th scope="col">
                <span className="only-read">{words.required}</span>
              </th>
              <th scope="col">
                <span className="only-read">{words.remove('')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <FieldRow
                key={field.id}
                field={field}
                fields={fields}
                onChange={(changed) => change(field.id, changed)}
                onRemove={() => onFields(fields.filter(({ id }) => id !== field.id))}
              />
            ))}
          </tbody>
        </table>
      </div>
      <div className="row">
        <Button icon="plus" onClick={() => onFields([...fields, emptyField(nextId)])}>
          {words.addField}
        </Button>
        <span className="quiet small">{words.fieldsSaid}</span>
      </div>
    </>
  );
}

interface FieldRowProps {
  readonly field: FieldDraft;
  readonly fields: readonly FieldDraft[];
  readonly onChange: (changed: Partial<FieldDraft>) => void;
  readonly onRemove: () => void;
}

const TYPES = FIELD_TYPES.map(({ sql }) => ({ value: sql, label: sql }));

function FieldRow({ field, fields, onChange, onRemove }: FieldRowProps) {
  const fault = fieldFault(field, fields);
  const type = fieldType(field.type);
  const index: IndexKind = type.indexes.includes(field.index) ? field.index : 'none';
  return (
    <tr>
      <td>
        <TextField
          label={words.field}
          isLabelHidden
          fault={fault === null ? null : words.faults[fault]}
          value={field.name}
          onChange={({ target }) => onChange({ name: target.value })}
        />
      </td>
      <td>
        <div className="row">
          <Select
            label={words.type}
            value={field.type}
            options={TYPES}
            onChange={(sql) => onChange({ type: sql })}
          />
          {type.hasDimension && (
            <div className={styles.dimension}>
              <TextField
                label={words.dimension}
                isLabelHidden
                inputMode="numeric"
                placeholder={words.dimension}
                value={field.dimension}
                onChange={({ target }) => onChange({ dimension: target.value })}
              />
            </div>
          )}
        </div>
      </td>
      <td>
        {type.indexes.length > 1 && (
          <Select
            label={words.index}
            value={index}
            options={type.indexes.map((value) => ({ value, label: words.indexes[value] }))}
            onChange={(value) => onChange({ index: value })}
          />
        )}
      </td>
      <td>
        <CheckField
          label={words.required}
          checked={field.isRequired}
          onChange={({ target }) => onChange({ isRequired: target.checked })}
        />
      </td>
      <td>
        <IconButton icon="bin" label={words.remove(field.name)} onClick={onRemove} />
      </td>
    </tr>
  );
}
