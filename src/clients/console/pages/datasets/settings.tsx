/** Settings of a dataset, each with the SQL that changes it, and how it is dropped. */
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { TextField } from '../../parts/field.tsx';
import { count } from '../../parts/format.ts';
import { Section } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { FaultBox, Sql } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import { quoteName, quoteText } from '../../server/names.ts';
import { run } from '../../server/statement.ts';
import { useAttempt } from '../../server/use-attempt.ts';
import { WORDS } from '../../words.ts';
import type { DatasetRow } from './data.ts';
import styles from './datasets.module.css';

const { datasets: words } = WORDS;

interface SettingsProps {
  readonly row: DatasetRow;
  readonly onChanged: () => void;
}

export function Settings({ row, onChanged }: SettingsProps) {
  const [isDropping, setDropping] = useState(false);
  const navigate = useNavigate();
  const { name } = row;
  const sql = `DROP DATASET ${quoteName(name)}`;
  return (
    <>
      <Section>
        <DescriptionForm row={row} onChanged={onChanged} />
      </Section>
      <Section title={words.settings.outside}>
        <OutsideForm row={row} onChanged={onChanged} />
      </Section>
      <Section title={words.settings.facts}>
        <dl className={styles.facts}>
          <dt>{words.settings.model}</dt>
          <dd className="mono">{row.embedding_model ?? '–'}</dd>
          <dt>{words.settings.domains}</dt>
          <dd>{row.domains.length === 0 ? words.settings.noDomains : row.domains.join(', ')}</dd>
          <dt>{words.columns.created}</dt>
          <dd>
            <When at={row.created_at} />
          </dd>
        </dl>
      </Section>
      <Section title={words.settings.drop}>
        <div className={`stack ${styles.narrow}`}>
          <p className="quiet">{words.settings.dropSaid}</p>
          <span>
            <Button kind="bad" icon="bin" onClick={() => setDropping(true)}>
              {words.settings.drop}
            </Button>
          </span>
        </div>
      </Section>
      {isDropping && (
        <Confirm
          title={words.settings.dropNamed(name)}
          action={words.settings.dropNamed(name)}
          typed={name}
          sql={sql}
          onConfirm={() => run(sql).then(() => navigate('/datasets'))}
          onClose={() => setDropping(false)}
        >
          <p>{words.settings.dropAll(count(Number(row.documents)), count(Number(row.chunks)))}</p>
        </Confirm>
      )}
    </>
  );
}

function useChange(onChanged: () => void) {
  const { isBusy, fault, attempt } = useAttempt();
  const change = async (sql: string): Promise<void> => {
    if (await attempt(() => run(sql))) onChanged();
  };
  return { isBusy, fault, change };
}

function DescriptionForm({ row: { name, description }, onChanged }: SettingsProps) {
  const [text, setText] = useState(description);
  const { isBusy, fault, change } = useChange(onChanged);
  const sql = `ALTER DATASET ${quoteName(name)} SET (description = ${quoteText(text)})`;
  const isChanged = text !== description;
  return (
    <form
      className={`stack ${styles.narrow}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged) void change(sql);
      }}
    >
      <TextField
        label={words.description}
        help={words.descriptionHelp}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {isChanged && <Sql text={sql} />}
      {fault !== null && <FaultBox fault={fault} />}
      <span>
        <Button type="submit" disabled={!isChanged || isBusy}>
          {words.settings.saveDescription}
        </Button>
      </span>
    </form>
  );
}

function OutsideForm({ row: { name, outside }, onChanged }: SettingsProps) {
  const [value, setValue] = useState<'on' | 'off'>(outside ? 'on' : 'off');
  const { isBusy, fault, change } = useChange(onChanged);
  const sql = `ALTER DATASET ${quoteName(name)} SET (outside = '${value}')`;
  const isChanged = value !== (outside ? 'on' : 'off');
  const { outsides } = words.settings;
  return (
    <div className={`stack ${styles.narrow}`}>
      <p className="quiet">{words.settings.outsideSaid}</p>
      <span>
        <Select
          label={words.settings.outside}
          value={value}
          options={[
            { value: 'on', label: outsides.on },
            { value: 'off', label: outsides.off },
          ]}
          onChange={setValue}
        />
      </span>
      {isChanged && <Sql text={sql} />}
      {fault !== null && <FaultBox fault={fault} />}
      {isChanged && (
        <span>
          <Button kind="main" disabled={isBusy} onClick={() => void change(sql)}>
            {words.settings.saveOutside}
          </Button>
        </span>
      )}
    </div>
  );
}
