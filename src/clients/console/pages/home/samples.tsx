/** Loads a sample with one click. */
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { FaultBox } from '../../parts/states.tsx';
import { type Fault, faultOf } from '../../server/messages.ts';
import { rowsOf } from '../../server/statement.ts';
import { WORDS } from '../../words.ts';

const { start: words } = WORDS;

const SAMPLES = ['movies', 'documents'] as const;

export function Samples({ onLoaded }: { readonly onLoaded: () => void }) {
  const [busy, setBusy] = useState<string | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const load = async (name: string): Promise<void> => {
    setBusy(name);
    setFault(null);
    try {
      await rowsOf('SELECT quern.load_sample($1)', { params: [name] });
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
            {busy === name ? words.loading : words.load[name]}
          </Button>
        ))}
      </div>
      {fault !== null && <FaultBox fault={fault} />}
    </>
  );
}
