/** Another file for a document, with a password where the file has one. */
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { WORDS } from '../../words.ts';
import { uploads } from './upload/uploads.ts';

const { datasets: words } = WORDS;

interface ReplaceProps {
  readonly dataset: string;
  readonly docId: string;
  readonly asksPassword: boolean;
  readonly onClose: () => void;
}

export function ReplaceDocument({ dataset, docId, asksPassword, onClose }: ReplaceProps) {
  const [file, setFile] = useState<File | null>(null);
  const [password, setPassword] = useState('');
  const send = (): void => {
    if (file === null) return;
    uploads.replace(dataset, docId, file, password === '' ? null : { password });
    onClose();
  };
  return (
    <Dialog
      isOpen
      title={words.replaceNamed(docId)}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{WORDS.cancel}</Button>
          <Button kind="main" disabled={file === null} onClick={send}>
            {words.replace}
          </Button>
        </>
      }
    >
      <div className="stack">
        <p className="quiet">{words.replaceSaid}</p>
        <TextField
          type="file"
          label={words.file}
          onChange={({ target: { files } }) => setFile(files?.[0] ?? null)}
        />
        {asksPassword && (
          <TextField
            type="password"
            label={words.password}
            help={words.passwordHelp}
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
        )}
      </div>
    </Dialog>
  );
}
