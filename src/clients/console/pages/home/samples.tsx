/** Loads a sample with one click. */
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { count } from '../../parts/format.ts';
import { FaultBox } from '../../parts/states.tsx';
import type { Progress } from '../../samples/file.ts';
import { loadFilms } from '../../samples/films.ts';
import { loadReports } from '../../samples/reports.ts';
import { type Fault, faultOf } from '../../server/messages.ts';
import { WORDS } from '../../words.ts';

const { start: words } = WORDS;

const SAMPLES = ['movies', 'documents'] as const;

const LOADING = { movies: loadFilms, documents: loadReports };

export function Samples({ onLoaded }: { readonly onLoaded: () => void }) {
  const [busy, setBusy] = useState<string | null>(null);
  const [progress, setProgress] = useState<Progress>({ done: 0, all: 0 });
  const [fault, setFault] = useState<Fault | null>(null);
  const load = async (name: (typeof SAMPLES)[number]): Promise<void> => {
    setBusy(name);
    setFault(null);
    setProgress({ done: 0, all: 0 });
    try {
      await LOADING[name](setProgress);
      onLoaded();
    } catch (error) {
      setFault(faultOf(error));
    }
    setBusy(null);
  };
  return (
    <>
      <div className="row">
        {SAMPLES.map((name, i) => (
          <Button
            key={name}
            kind={i === 0 ? 'main' : 'plain'}
            icon="download"
            disabled={busy !== null}
            onClick={() => void load(name)}
          >
            {busy === name ? loadingSaid(progress) : words.load[name]}
          </Button>
        ))}
      </div>
      {fault !== null && <FaultBox fault={fault} />}
    </>
  );
}

const loadingSaid = ({ done, all }: Progress): string =>
  all === 0 ? words.loading : `${words.loading} (${count(done)} / ${count(all)})`;
