/** The keys, and whether those of one letter work. */
import { Fragment } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { CheckField } from '../parts/field.tsx';
import { PAGES } from '../pages.ts';
import { WORDS } from '../words.ts';
import styles from './shell.module.css';

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/** `⌘` or `Ctrl`. */
export const COMMAND = isApple ? '⌘' : 'Ctrl';

interface HelpProps {
  readonly areSinglesOn: boolean;
  readonly onSingles: (areOn: boolean) => void;
  readonly onClose: () => void;
}

export function Help({ areSinglesOn, onSingles, onClose }: HelpProps) {
  const { keys, title, single, docs } = WORDS.help;
  const rows: readonly (readonly [string, string])[] = [
    [`${COMMAND} K`, keys.palette],
    [`${COMMAND} ↵`, keys.run],
    ['Esc', keys.escape],
    ['↑ ↓', keys.next],
    ['↵', keys.open],
    ['1 … 9', keys.source],
    ['Page ↑ ↓', keys.page],
    ['/', keys.search],
    ['?', keys.help],
    ...PAGES.map(({ letter, name }) => [`g ${letter}`, name] as const),
  ];
  return (
    <Dialog isOpen title={title} onClose={onClose}>
      <div className="stack">
        <div className={styles.keys}>
          {rows.map(([key, what]) => (
            <Fragment key={key}>
              <kbd>{key}</kbd>
              <span>{what}</span>
            </Fragment>
          ))}
        </div>
        <CheckField
          label={single}
          checked={areSinglesOn}
          onChange={(event) => onSingles(event.target.checked)}
        />
        <p className="quiet small">{docs}</p>
      </div>
    </Dialog>
  );
}
