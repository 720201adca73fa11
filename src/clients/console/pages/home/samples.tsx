/** Loads a sample with one click: films into a collection, reports into a dataset. */
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '../../parts/button.tsx';
import { FaultBox } from '../../parts/states.tsx';
import { loadReports } from '../../samples/reports.ts';
import { type Fault, faultOf } from '../../server/messages.ts';
import { WORDS } from '../../words.ts';
import { LoadFilms } from '../collections/load-films.tsx';

const { start: words } = WORDS;

export function Samples({ onLoaded }: { readonly onLoaded: () => void }) {
  return (
    <div className="row">
      <LoadFilms onLoaded={onLoaded} />
      <LoadReports />
    </div>
  );
}

/** Goes to the dataset: its files are being read. */
function LoadReports() {
  const navigate = useNavigate();
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const load = async (): Promise<void> => {
    setBusy(true);
    setFault(null);
    try {
      await loadReports();
      await navigate('/datasets/reports');
    } catch (error) {
      setFault(faultOf(error));
      setBusy(false);
    }
  };
  return (
    <>
      <Button icon="download" disabled={isBusy} onClick={() => void load()}>
        {isBusy ? words.loading : words.loadReports}
      </Button>
      {fault !== null && <FaultBox fault={fault} />}
    </>
  );
}
