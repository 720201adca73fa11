/** Rotates, expires or drops a key: each says first what ends with it. */
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { FaultBox, Sql } from '../../parts/states.tsx';
import { rowsOf } from '../../server/statement.ts';
import { useAttempt } from '../../server/use-attempt.ts';
import { WORDS } from '../../words.ts';
import type { MadeKey } from './shown-key.tsx';
import { dropStatement, expireStatement, type KeyRow, rotateStatement } from './statements.ts';

const { keys: words } = WORDS;

export type KeyChange = 'rotate' | 'expire' | 'drop';

interface ChangeKeyProps {
  readonly row: KeyRow;
  readonly change: KeyChange;
  readonly onMade: (made: MadeKey) => void;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function ChangeKey({ row: { name }, change, onMade, onDone, onClose }: ChangeKeyProps) {
  if (change === 'rotate') return <Rotate name={name} onMade={onMade} onClose={onClose} />;
  const sql = change === 'expire' ? expireStatement(name) : dropStatement(name);
  const confirm = async (): Promise<void> => {
    await rowsOf(sql);
    onDone();
  };
  return (
    <Confirm
      title={words.changeTitles[change](name)}
      action={words.changeTitles[change](name)}
      sql={sql}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{words.ends}</p>
    </Confirm>
  );
}

const FORM = 'rotate-key';

interface RotateProps {
  readonly name: string;
  readonly onMade: (made: MadeKey) => void;
  readonly onClose: () => void;
}

function Rotate({ name, onMade, onClose }: RotateProps) {
  const [overlap, setOverlap] = useState('1 hour');
  const { isBusy, fault, attempt } = useAttempt();
  const sql = rotateStatement(name, overlap);
  const rotate = (): Promise<boolean> =>
    attempt(async () => {
      const [made] = await rowsOf<MadeKey>(sql);
      if (made !== undefined) onMade(made);
    });
  return (
    <Dialog
      isOpen
      title={words.changeTitles.rotate(name)}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{WORDS.cancel}</Button>
          <Button kind="main" type="submit" form={FORM} disabled={isBusy}>
            {words.changes.rotate}
          </Button>
        </>
      }
    >
      <form
        id={FORM}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void rotate();
        }}
      >
        <TextField
          label={words.overlap}
          help={words.overlapHelp}
          value={overlap}
          onChange={({ target }) => setOverlap(target.value)}
        />
        <Sql text={sql} />
        {fault !== null && <FaultBox fault={fault} />}
      </form>
    </Dialog>
  );
}
