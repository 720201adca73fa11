/** Columns of a collection: what was declared, and what documents brought; a column is added here. */
import { type FormEvent, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { CheckField, TextField } from '../../parts/field.tsx';
import { Section } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { FaultBox, Sql } from '../../parts/states.tsx';
import { quoteName } from '../../server/names.ts';
import { run } from '../../server/statement.ts';
import { useRows } from '../../server/use-rows.ts';
import { useAttempt } from '../../server/use-attempt.ts';
import { Table } from '../../parts/table.tsx';
import { WORDS } from '../../words.ts';
import styles from './collections.module.css';
import { FIELD_TYPES } from './create-sql.ts';
import type { Relation, RelationColumn } from './relation.ts';

const { schema: words } = WORDS.collections;

const CONSTRAINTS = `SELECT conname AS name, pg_get_constraintdef(oid) AS definition
  FROM pg_catalog.pg_constraint WHERE conrelid = $1::regclass AND contype <> 'n' ORDER BY contype <> 'p', 1`;

interface Constraint {
  readonly name: string;
  readonly definition: string;
}

interface SchemaProps {
  readonly relation: Relation;
  readonly onChanged: () => void;
}

export function Schema({ relation, onChanged }: SchemaProps) {
  const constraints = useRows<Constraint>(CONSTRAINTS, [relation.sql]);
  return (
    <>
      <Table>
        <thead>
          <tr>
            <th scope="col">{words.column}</th>
            <th scope="col">{words.type}</th>
            <th scope="col">{words.required}</th>
            <th scope="col">{words.default}</th>
            <th scope="col">{words.about}</th>
          </tr>
        </thead>
        <tbody>
          {relation.columns.map((column) => (
            <ColumnRow key={column.name} column={column} relation={relation} />
          ))}
        </tbody>
      </Table>
      {relation.undeclared.size > 0 && <p className={`quiet ${styles.none}`}>{words.undeclaredSaid}</p>}
      {relation.rights.own && <AddColumn relation={relation} onChanged={onChanged} />}
      {constraints.fault !== null && <FaultBox fault={constraints.fault} />}
      {constraints.value !== null && constraints.value.length > 0 && (
        <Section title={words.constraints}>
          <dl className={styles.facts}>
            {constraints.value.map(({ name, definition }) => (
              <div key={name} className={styles.fact}>
                <dt>{name}</dt>
                <dd className="mono small">{definition}</dd>
              </div>
            ))}
          </dl>
        </Section>
      )}
    </>
  );
}

function ColumnRow({ column, relation }: { readonly column: RelationColumn; readonly relation: Relation }) {
  const { name, type, isRequired, default: value, isGenerated, comment } = column;
  const said = [
    ...(relation.key.includes(name) ? [words.key] : []),
    ...(relation.undeclared.has(name) ? [words.undeclared] : []),
    ...(isGenerated ? [words.generated] : []),
    ...(comment === null ? [] : [comment]),
  ];
  return (
    <tr>
      <th scope="row" title={name}>
        {name}
      </th>
      <td className="mono small">{type}</td>
      <td>{isRequired ? words.yes : <span className="quiet">{words.no}</span>}</td>
      <td className="mono small" data-wrap>
        {value ?? <span className="quiet">–</span>}
      </td>
      <td className="quiet">{said.join(', ')}</td>
    </tr>
  );
}

const TYPES = FIELD_TYPES.map(({ sql }) => ({ value: sql, label: sql }));

function AddColumn({ relation, onChanged }: SchemaProps) {
  const [name, setName] = useState('');
  const [type, setType] = useState('text');
  const [isRequired, setRequired] = useState(false);
  const { isBusy, fault, attempt } = useAttempt();
  const shown = name.trim() === '' ? 'name' : name.trim();
  const required = isRequired ? ' NOT NULL' : '';
  const sql = `ALTER TABLE ${relation.sql} ADD COLUMN ${quoteName(shown)} ${type}${required}`;
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!(await attempt(() => run(sql)))) return;
    setName('');
    onChanged();
  };
  return (
    <Section title={words.add}>
      <form className={styles.lines} onSubmit={(event) => void add(event)}>
        <div className={styles.filterForm}>
          <TextField
            label={words.column}
            isLabelHidden
            placeholder={words.column}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <Select label={words.type} value={type} options={TYPES} onChange={setType} />
          <CheckField
            label={words.required}
            checked={isRequired}
            onChange={({ target }) => setRequired(target.checked)}
          />
          <Button type="submit" disabled={name.trim() === '' || isBusy}>
            {words.addIt(name.trim())}
          </Button>
        </div>
        {name.trim() !== '' && <Sql text={sql} />}
        {fault !== null && <FaultBox fault={fault} />}
      </form>
    </Section>
  );
}
