/** Asks before something goes that cannot be brought back. It names what goes, and the button says what it does. */
import { type ReactNode, useState } from 'react';
import { useAttempt } from '../server/use-attempt.ts';
import { WORDS } from '../words.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';
import { FaultBox, Sql } from './states.tsx';

interface ConfirmProps {
  readonly title: string;
  readonly children: ReactNode;
  /** The button says: "Delete 3 documents". */
  readonly action: string;
  /** SQL that does it; it can be read before, and copied. */
  readonly sql?: string;
  /** Has to be typed where much goes. */
  readonly typed?: string;
  /** @throws StatementError, which is shown; the dialog stays. */
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

export function Confirm({ title, children, action, sql, typed, onConfirm, onClose }: ConfirmProps) {
  const { isBusy, fault, attempt } = useAttempt();
  const [given, setGiven] = useState('');
  const confirm = async (): Promise<void> => {
    if (await attempt(onConfirm)) onClose();
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
            kind="bad"
            disabled={isBusy || (typed !== undefined && typed !== given)}
            onClick={() => void confirm()}
          >
            {action}
          </Button>
        </>
      }
    >
      <div className="stack">
        {children}
        {typed !== undefined && (
          <TextField
            label={WORDS.typeToConfirm(typed)}
            value={given}
            onChange={({ target }) => setGiven(target.value)}
          />
        )}
        {sql !== undefined && <Sql text={sql} />}
        {fault !== null && <FaultBox fault={fault} />}
      </div>
    </Dialog>
  );
}
