/** A key that was just made: this once, with lines to paste. */
import { Fragment } from 'react';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useConnectionLines } from '../../server/connection-lines.ts';
import { WORDS } from '../../words.ts';
import styles from './keys.module.css';

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
  const lines = useConnectionLines(key);
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
        <div className={styles.lines}>
          {lines.map((line) => (
            <Fragment key={line.name}>
              <span className="quiet small">{line.name}</span>
              <code className="cut" title={line.text}>
                {line.text}
              </code>
              <CopyButton text={line.text} label={WORDS.start.copyLine(line.name)} />
            </Fragment>
          ))}
        </div>
      </div>
    </Dialog>
  );
}
