/** Lines to paste into a client, each with its client's name before it. */
import { Fragment } from 'react';
import { CopyButton } from '../../parts/copy.tsx';
import { useConnectionLines } from '../../server/connection-lines.ts';
import { WORDS } from '../../words.ts';
import styles from './keys.module.css';

/** @param of a key, or what stands in its place. */
export function PasteLines({ of }: { readonly of: string }) {
  return (
    <div className={styles.lines}>
      {useConnectionLines(of).map(({ name, text }) => (
        <Fragment key={name}>
          <span className="quiet small">{name}</span>
          <code className="cut" title={text}>
            {text}
          </code>
          <CopyButton text={text} label={WORDS.start.copyLine(name)} />
        </Fragment>
      ))}
    </div>
  );
}
