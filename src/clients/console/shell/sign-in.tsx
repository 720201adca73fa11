/** Signing in by a key: as a page, and above a page whose session is over. */
import { type FormEvent, useEffect, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { FaultBox } from '../parts/states.tsx';
import { NOT_SIGNED_IN } from '../server/messages.ts';
import type { SignedIn } from '../server/session.ts';
import { signIn } from '../server/sign-in.ts';
import { useAttempt } from '../server/use-attempt.ts';
import { WORDS } from '../words.ts';
import styles from './shell.module.css';

const { signIn: words } = WORDS;

function KeyForm() {
  const [key, setKey] = useState('');
  const { isBusy, fault, attempt } = useAttempt();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    await attempt(() => signIn({ key: key.trim() }));
  };
  const isWrong = fault?.sqlstate === NOT_SIGNED_IN;
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      <TextField
        label={words.key}
        help={words.keyHelp}
        fault={isWrong ? words.wrong : null}
        type="password"
        name="key"
        autoComplete="current-password"
        autoFocus
        required
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      {fault !== null && !isWrong && <FaultBox fault={fault} />}
      <Button kind="main" type="submit" disabled={isBusy || key.trim() === ''}>
        {words.submit}
      </Button>
    </form>
  );
}

export function SignInPage() {
  useEffect(() => {
    document.title = words.title;
  }, []);
  return (
    <main className={styles.signIn}>
      <div className="stack">
        <div className={styles.brand}>
          <img src="./icon.svg" width="32" height="32" alt="" />
          <h1>{words.title}</h1>
        </div>
        <KeyForm />
      </div>
    </main>
  );
}

/** The page behind it stays as it is: an edit, an answer, a file half sent. */
export function SignInAgain({ who }: { readonly who: SignedIn }) {
  return (
    <Dialog isOpen title={words.over}>
      <div className="stack">
        <p className="quiet">{words.overSaid(who.role)}</p>
        <KeyForm />
      </div>
    </Dialog>
  );
}
