/** Files that could not be read, why, and what to do about it. */
import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import { Button } from '../../parts/button.tsx';
import { Empty, FaultBox, Skeleton } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import { useRows } from '../../server/use-rows.ts';
import { WORDS } from '../../words.ts';
import { documentPath } from './data.ts';
import styles from './datasets.module.css';
import { DeleteDocuments } from './documents.tsx';
import { ReplaceDocument } from './replace.tsx';

const { datasets: words } = WORDS;

interface Failure {
  readonly doc_id: string;
  readonly handle: string;
  readonly action: string;
  readonly name: string | null;
  readonly reason: string;
  readonly attempts: number;
  readonly updated_at: string;
}

/** More at once nobody reads. */
const SHOWN_COUNT_MAX = 500;

const FAILURES = `SELECT doc_id, handle, action, name, reason, attempts, updated_at FROM quern.ingest_failures
  WHERE dataset = $1 ORDER BY updated_at DESC LIMIT ${SHOWN_COUNT_MAX}`;

/** Advice by reason; the first that fits. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/encrypted|password/i, words.advice.password],
  [/is not read; accepted are/, words.advice.kind],
  [/is empty/, words.advice.empty],
  [/damaged|not whole|cannot be read|invalid/i, words.advice.damaged],
  [/memory|time|too (?:large|many|long)|more than/i, words.advice.size],
  [/embedding|model/i, words.advice.model],
];

const adviceOf = (reason: string): string =>
  ADVICE.find(([pattern]) => pattern.test(reason))?.[1] ?? words.advice.other;

interface FailuresProps {
  readonly dataset: string;
  readonly stamp: string;
}

export function Failures({ dataset, stamp }: FailuresProps) {
  const { value, fault, reload } = useRows<Failure>(FAILURES, [dataset]);
  const [replaced, replace] = useState<Failure | null>(null);
  const [deleted, askDelete] = useState<readonly string[] | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what has changed is asked again
  useEffect(reload, [stamp]);
  if (fault !== null) return <FaultBox fault={fault} onRetry={reload} />;
  if (value === null) return <Skeleton />;
  if (value.length === 0) return <Empty title={words.noFailures}>{words.noFailuresSaid}</Empty>;
  return (
    <ul className={styles.failures}>
      {value.map((failure) => (
        <li key={failure.handle} className={styles.failure}>
          <FailureText dataset={dataset} failure={failure} />
          <div className="row">
            <Button icon="upload" onClick={() => replace(failure)}>
              {words.replace}
            </Button>
            <Button kind="bare" icon="bin" onClick={() => askDelete([failure.doc_id])}>
              {words.delete}
            </Button>
          </div>
        </li>
      ))}
      {replaced !== null && (
        <ReplaceDocument
          dataset={dataset}
          docId={replaced.doc_id}
          asksPassword={adviceOf(replaced.reason) === words.advice.password}
          onClose={() => replace(null)}
        />
      )}
      {deleted !== null && (
        <DeleteDocuments dataset={dataset} ids={deleted} onDone={reload} onClose={() => askDelete(null)} />
      )}
    </ul>
  );
}

function FailureText({ dataset, failure }: { readonly dataset: string; readonly failure: Failure }) {
  const { doc_id: id, action, reason, attempts, updated_at: at } = failure;
  return (
    <div className="grow stack">
      <p className="row">
        <Link className="cut" to={documentPath(dataset, id)} title={id}>
          {id}
        </Link>
        <span className="quiet small">
          {words.actions[action] ?? action} · <When at={at} />
          {attempts > 1 && ` · ${words.attempt(attempts)}`}
        </span>
      </p>
      <p className={styles.reason}>{reason}</p>
      <p className="quiet">{adviceOf(reason)}</p>
    </div>
  );
}
