/** Buttons for the text in the editor, and a field for each of its parameters. */
import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { COMMAND } from '../../shell/help.tsx';
import { WORDS } from '../../words.ts';
import styles from './query.module.css';
import type { Running } from './use-running.ts';

const { query: words } = WORDS;

interface ToolbarProps {
  readonly running: Running;
  /** A text for each parameter. */
  readonly typed: readonly string[];
  readonly onTyped: (typed: readonly string[]) => void;
  /** Buttons for the text beside running it. */
  readonly children: ReactNode;
}

export function Toolbar({ running, typed, onTyped, children }: ToolbarProps) {
  const change = (at: number, value: string): void =>
    onTyped(typed.map((before, i) => (i === at ? value : before)));
  return (
    <div className={styles.toolbar}>
      <Button kind="main" icon="run" title={`${COMMAND} ↵`} onClick={() => running.start('run')}>
        {words.run}
      </Button>
      <Button icon="chart" onClick={() => running.start('explain')}>
        {words.explain}
      </Button>
      {running.isRunning && (
        <Button icon="stop" onClick={running.cancel}>
          {words.cancel}
        </Button>
      )}
      {typed.map((value, i) => (
        <TextField
          // biome-ignore lint/suspicious/noArrayIndexKey: parameters are their numbers
          key={i}
          label={`$${i + 1}`}
          isLabelHidden
          placeholder={`$${i + 1}`}
          value={value}
          onChange={({ target }) => change(i, target.value)}
        />
      ))}
      <span className="grow" />
      {children}
    </div>
  );
}
