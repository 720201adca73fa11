/** Asks for the name of a saved query: of a new one, or another name of one. A name that is taken is said, and can be replaced. */
import { type FormEvent, useId, useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { TextField } from '../../../parts/field.tsx';
import { FaultBox, Sql } from '../../../parts/states.tsx';
import { useAttempt } from '../../../server/use-attempt.ts';
import { WORDS } from '../../../words.ts';

const { saved: words } = WORDS.query;

const TAKEN = '42710';

interface NameDialogProps {
  readonly title: string;
  readonly action: string;
  readonly initial: string;
  /** SQL that does it, by the name. */
  readonly sql: (name: string) => string;
  /** @throws StatementError 42710 where the name is taken. */
  readonly onName: (name: string) => Promise<unknown>;
  /** Absent: a name that is taken cannot be had. */
  readonly onReplace?: (name: string) => Promise<unknown>;
  readonly onClose: () => void;
}

export function NameDialog(props: NameDialogProps) {
  const { title, action, initial, sql, onName, onReplace, onClose } = props;
  const { isBusy, fault, attempt } = useAttempt();
  const [name, setName] = useState(initial);
  /** The name that was found to be taken. */
  const [taken, setTaken] = useState<string | null>(null);
  const form = useId();
  const isTaken = fault?.sqlstate === TAKEN && taken === name;
  const mayReplace = isTaken && onReplace !== undefined;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setTaken(name);
    if (await attempt(() => (mayReplace ? onReplace(name) : onName(name)))) onClose();
  };
  return (
    <Dialog
      isOpen
      title={title}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{WORDS.cancel}</Button>
          <Button
            kind={mayReplace ? 'bad' : 'main'}
            type="submit"
            form={form}
            disabled={isBusy || name.trim() === '' || (isTaken && !mayReplace)}
          >
            {mayReplace ? words.replace(name) : action}
          </Button>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={(event) => void submit(event)}>
        <TextField
          label={words.name}
          help={words.nameHelp}
          fault={isTaken ? words.taken(name) : null}
          value={name}
          autoFocus
          onChange={({ target }) => setName(target.value)}
        />
        <Sql text={sql(name)} />
        {fault !== null && fault.sqlstate !== TAKEN && <FaultBox fault={fault} />}
      </form>
    </Dialog>
  );
}
