/** Questions that one has asked, newest first, and research that is under way. */
import { useState } from 'react';
import { Link } from 'react-router';
import { TextField } from '../../parts/field.tsx';
import { Badge, FaultBox, Skeleton } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import { useEvery } from '../../server/use-every.ts';
import { useRows } from '../../server/use-rows.ts';
import { WORDS } from '../../words.ts';
import styles from './ask.module.css';
import { type Asked, HISTORY } from './kept.ts';
import { surenessOf } from './model.ts';

const { ask: words } = WORDS;

export function History() {
  const [find, setFind] = useState('');
  const { value, fault, reload } = useRows<Asked>(HISTORY, [find]);
  const hasAny = find !== '' || (value !== null && value.length > 0);
  return (
    <section className={styles.history} aria-label={words.history}>
      <Running />
      <div className={styles.historyHead}>
        <h2>{words.history}</h2>
        <span className="grow" />
        {hasAny && (
          <TextField
            type="search"
            label={words.find}
            isLabelHidden
            placeholder={words.find}
            value={find}
            onChange={({ target }) => setFind(target.value)}
          />
        )}
      </div>
      {fault !== null && <FaultBox fault={fault} onRetry={reload} />}
      {value === null && fault === null && <Skeleton />}
      {value?.length === 0 && <p className="quiet">{find === '' ? words.noHistory : words.nothingFound}</p>}
      <ul>
        {value?.map((asked) => (
          <li key={asked.answer_id}>
            <AskedLine asked={asked} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function AskedLine({ asked }: { readonly asked: Asked }) {
  const { answer_id: id, question, datasets, facts, confidence, asked_at: at, mode } = asked;
  return (
    <Link className={styles.askedLine} to={`/ask/${id}`}>
      <span className="cut grow" title={question}>
        {question}
      </span>
      {mode === 'research' && <span className="quiet small">{words.modes.research}</span>}
      <span className={`quiet small cut ${styles.of}`} title={datasets.join(', ')}>
        {datasets.join(', ')}
      </span>
      <span className={`quiet small number ${styles.count}`}>
        {facts === 0 ? words.sureness.none : words.factCount(facts)}
        {facts > 0 && `, ${words.sureness[surenessOf(Number(confidence))]}`}
      </span>
      <span className={`quiet small ${styles.at}`}>
        <When at={at} />
      </span>
    </Link>
  );
}

interface RunningRow {
  readonly research_id: string;
  readonly question: string;
  readonly state: string;
}

const RUNNING = `SELECT research_id, question, state FROM quern.research
  WHERE state IN ('queued', 'running') AND asked_by = current_user ORDER BY asked_at DESC LIMIT 20`;

const ASK_MS = 3000;

function Running() {
  const { value, reload } = useRows<RunningRow>(RUNNING);
  useEvery(ASK_MS, reload);
  if (value === null || value.length === 0) return null;
  return (
    <>
      <h2>{words.running}</h2>
      <ul>
        {value.map(({ research_id: id, question, state }) => (
          <li key={id}>
            <Link className={styles.askedLine} to={`/ask/research/${id}`}>
              <span className="cut grow">{question}</span>
              <Badge tone="busy">{WORDS.research.states[state] ?? state}</Badge>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
