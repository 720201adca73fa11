/** Loads the films with one click, and says how far it is. */
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { count } from '../../parts/format.ts';
import { FaultBox } from '../../parts/states.tsx';
import type { Progress } from '../../samples/file.ts';
import { loadFilms } from '../../samples/films.ts';
import { type Fault, faultOf } from '../../server/messages.ts';
import { WORDS } from '../../words.ts';
import styles from './collections.module.css';

const { collections: words } = WORDS;

export function LoadFilms({ onLoaded }: { readonly onLoaded: () => void }) {
  const [progress, setProgress] = useState<Progress | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const load = async (): Promise<void> => {
    setFault(null);
    setProgress({ done: 0, all: 0 });
    try {
      await loadFilms(setProgress);
      onLoaded();
    } catch (error) {
      setFault(faultOf(error));
      setProgress(null);
    }
  };
  return (
    <>
      <Button kind="main" icon="download" disabled={progress !== null} onClick={() => void load()}>
        {words.loadFilms}
      </Button>
      {progress !== null && (
        <ProgressLine progress={progress} said={words.loading(count(progress.done), count(progress.all))} />
      )}
      {fault !== null && <FaultBox fault={fault} />}
    </>
  );
}

interface ProgressLineProps {
  readonly progress: Progress;
  readonly said: string;
}

/** How far something is, as a bar and in words. */
export function ProgressLine({ progress: { done, all }, said }: ProgressLineProps) {
  const percent = all === 0 ? 0 : Math.round((100 * done) / all);
  return (
    <div className={styles.progress} role="status">
      <div
        className={styles.bar}
        role="progressbar"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-label={said}
      >
        <i style={{ width: `${percent}%` }} />
      </div>
      <span className="quiet number">{said}</span>
    </div>
  );
}
