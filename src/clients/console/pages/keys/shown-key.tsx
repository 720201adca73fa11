/** A key that was just made: this once, with lines to paste. */
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { WORDS } from '../../words.ts';
import styles from './keys.module.css';
import { PasteLines } from './paste-lines.tsx';

const { keys: words } = WORDS;

export interface MadeKey {
  readonly name: string;
  readonly key: string;
}

export function ShownKey({
  made: { name, key },
  onClose,
}: {
  readonly made: MadeKey;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      isOpen
      isWide
      title={words.made(name)}
      foot={
        <Button kind="main" onClick={onClose}>
          {words.kept}
        </Button>
      }
    >
      <div className="stack">
        <p>{words.once}</p>
        <div className="row">
          <code className={`grow ${styles.key}`}>{key}</code>
          <CopyButton text={key} label={words.copyKey} isNamed />
        </div>
        <h3>{words.lines}</h3>
        <PasteLines of={key} />
      </div>
    </Dialog>
  );
}
