/** Buttons for the text in the editor, and a field for each of its parameters. */
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { COMMAND } from '../../shell/help.tsx';
import { WORDS } from '../../words.ts';
import styles from './query.module.css';
import type { Running } from './use-running.ts';

const { query: words } = WORDS;

interface ToolbarProps {
  readonly running: Running;
  readonly parameterCount: number;
  readonly typed: readonly string[];
  readonly onTyped: (typed: readonly string[]) => void;
}

export function Toolbar({ running, parameterCount, typed, onTyped }: ToolbarProps) {
  const change = (at: number, value: string): void =>
    onTyped(Array.from({ length: parameterCount }, (_, i) => (i === at ? value : (typed[i] ?? ''))));
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
      {Array.from({ length: parameterCount }, (_, i) => (
        <TextField
          // biome-ignore lint/suspicious/noArrayIndexKey: parameters are their numbers
          key={i}
          label={`$${i + 1}`}
          isLabelHidden
          placeholder={`$${i + 1}`}
          value={typed[i] ?? ''}
          onChange={({ target }) => change(i, target.value)}
        />
      ))}
    </div>
  );
}
