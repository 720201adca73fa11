/** A text of any length: the beginning of a long one is shown, and the whole is copied, downloaded, or shown on request. */
import { useState } from 'react';
import { WORDS } from '../words.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { count } from './format.ts';
import styles from './long-text.module.css';
import { saveFile } from './save-file.ts';

/** More is shown on request; more than the second makes browsers slow, and is not shown at all. */
const SHOWN_CHARACTERS = 5_000;
const SHOWABLE_CHARACTERS = 1_000_000;

export function LongText({ text, name }: { readonly text: string; readonly name: string }) {
  const [isWhole, showWhole] = useState(false);
  if (text.length <= SHOWN_CHARACTERS) return text;
  const shown = text.slice(0, isWhole ? SHOWABLE_CHARACTERS : SHOWN_CHARACTERS);
  return (
    <>
      {shown}
      {shown.length < text.length && '…'}
      <span className={styles.foot}>
        <span className="quiet small">{WORDS.longText.shown(count(shown.length), count(text.length))}</span>
        {!isWhole && (
          <Button kind="bare" onClick={() => showWhole(true)}>
            {text.length > SHOWABLE_CHARACTERS ? WORDS.longText.more : WORDS.longText.all}
          </Button>
        )}
        <CopyButton text={text} label={WORDS.longText.copy} isNamed />
        <Button kind="bare" icon="download" onClick={() => saveFile(new Blob([text]), `${name}.txt`)}>
          {WORDS.longText.download}
        </Button>
      </span>
    </>
  );
}
