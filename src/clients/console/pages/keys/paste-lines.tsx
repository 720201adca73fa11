/** Lines to paste into a client, each with its client's name before it. */
import { Fragment } from 'react';
import { CopyButton } from '../../parts/copy.tsx';
import { WORDS } from '../../words.ts';
import styles from './keys.module.css';
import { connectionLines } from './lines.ts';

/** @param of a key, or what stands in its place. */
export function PasteLines({ of }: { readonly of: string }) {
  return (
    <div className={styles.lines}>
      {connectionLines(of).map(({ name, text }) => (
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
