/** The form of a new key, with its SQL beside it. */
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckField, TextArea, TextField } from '../../parts/field.tsx';
import { Select } from '../../parts/select.tsx';
import { FaultBox, Sql } from '../../parts/states.tsx';
import { rowsOf } from '../../server/statement.ts';
import { useRows } from '../../server/use-rows.ts';
import { useAttempt } from '../../server/use-attempt.ts';
import { WORDS } from '../../words.ts';
import styles from './keys.module.css';
import type { MadeKey } from './shown-key.tsx';
import { createStatement, type KeyDraft, LIST_ROLES, NEW_KEY } from './statements.ts';

const { keys: words } = WORDS;

const FORM = 'create-key';

interface CreateKeyProps {
  readonly onMade: (made: MadeKey) => void;
  readonly onClose: () => void;
}

export function CreateKey({ onMade, onClose }: CreateKeyProps) {
  const [draft, setDraft] = useState(NEW_KEY);
  const { isBusy, fault, attempt } = useAttempt();
  const sql = createStatement(draft);
  const create = (): Promise<boolean> =>
    attempt(async () => {
      const [made] = await rowsOf<MadeKey>(sql);
      if (made !== undefined) onMade(made);
    });
  return (
    <Dialog
      isOpen
      isWide
      title={words.create}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{WORDS.cancel}</Button>
          <Button kind="main" type="submit" form={FORM} disabled={isBusy}>
            {words.create}
          </Button>
        </>
      }
    >
      <form
        id={FORM}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <KeyForm draft={draft} onChange={setDraft} />
        <Sql text={sql} />
        {fault !== null && <FaultBox fault={fault} />}
      </form>
    </Dialog>
  );
}

interface KeyFormProps {
  readonly draft: KeyDraft;
  readonly onChange: (draft: KeyDraft) => void;
}

/** Fields of one line, in order. */
const TEXTS = ['collections', 'datasets', 'partitions', 'addresses'] as const;

function KeyForm({ draft, onChange }: KeyFormProps) {
  const roles = useRows<{ readonly name: string }>(LIST_ROLES);
  const options = (roles.value ?? [{ name: draft.role }]).map(({ name }) => ({ value: name, label: name }));
  const change = (part: Partial<KeyDraft>): void => onChange({ ...draft, ...part });
  return (
    <div className={styles.form}>
      <TextField
        label={words.fields.name}
        help={words.help.name}
        autoFocus
        value={draft.name}
        onChange={({ target }) => change({ name: target.value })}
      />
      <div className="stack">
        <Select
          isField
          label={words.fields.role}
          value={draft.role}
          options={options}
          onChange={(role) => change({ role })}
        />
        <CheckField
          label={words.fields.readOnly}
          checked={draft.isReadOnly}
          onChange={({ target }) => change({ isReadOnly: target.checked })}
        />
      </div>
      <TextField
        label={words.fields.expires}
        help={words.help.expires}
        value={draft.expires}
        onChange={({ target }) => change({ expires: target.value })}
      />
      {TEXTS.map((name) => (
        <TextField
          key={name}
          label={words.fields[name]}
          help={words.help[name]}
          value={draft[name]}
          onChange={({ target }) => change({ [name]: target.value })}
        />
      ))}
      <div className={styles.whole}>
        <TextArea
          label={words.fields.attributes}
          help={words.help.attributes}
          rows={2}
          value={draft.attributes}
          onChange={({ target }) => change({ attributes: target.value })}
        />
      </div>
    </div>
  );
}
