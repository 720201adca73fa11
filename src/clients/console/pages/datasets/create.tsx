/** A new dataset, with the SQL that makes it beside. */
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { FaultBox, Sql } from '../../parts/states.tsx';
import { quoteName, quoteText } from '../../server/names.ts';
import { run } from '../../server/statement.ts';
import { useAttempt } from '../../server/use-attempt.ts';
import { WORDS } from '../../words.ts';
import { datasetPath } from './data.ts';

const { datasets: words } = WORDS;

interface CreateProps {
  readonly onClose: () => void;
  readonly onMade: () => void;
}

const NAME = /^[\w.-]+$/;

export function CreateDataset({ onClose, onMade }: CreateProps) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const said = description.trim() === '' ? '' : ` WITH (description = ${quoteText(description.trim())})`;
  const sql = `CREATE DATASET ${quoteName(name)}${said}`;
  const { create, fault, isBusy } = useCreate(onMade);
  const isOdd = name !== '' && !NAME.test(name);
  const isGood = name !== '' && !isOdd && !isBusy;
  const submit = (): void => {
    if (isGood) void create(sql, name);
  };
  const foot = (
    <>
      <Button onClick={onClose}>{WORDS.cancel}</Button>
      <Button kind="main" disabled={!isGood} onClick={submit}>
        {words.createNamed(name)}
      </Button>
    </>
  );
  return (
    <Dialog isOpen title={words.create} onClose={onClose} foot={foot}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextField
          label={words.columns.name}
          help={words.nameHelp}
          fault={isOdd ? words.nameHelp : null}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <TextField
          label={words.description}
          help={words.descriptionHelp}
          value={description}
          onChange={({ target }) => setDescription(target.value)}
        />
        {name !== '' && <Sql text={sql} />}
        {fault !== null && <FaultBox fault={fault} />}
        <input type="submit" hidden />
      </form>
    </Dialog>
  );
}

function useCreate(onMade: () => void) {
  const navigate = useNavigate();
  const { isBusy, fault, attempt } = useAttempt();
  const create = (sql: string, name: string): Promise<boolean> =>
    attempt(async () => {
      await run(sql);
      onMade();
      await navigate(datasetPath(name));
    });
  return { create, fault, isBusy };
}
