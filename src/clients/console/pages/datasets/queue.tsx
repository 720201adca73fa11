/** Jobs of a dataset, in the order in which they begin, and how long they will take. */
import { useEffect } from 'react';
import { Link } from 'react-router';
import { count } from '../../parts/format.ts';
import { LongList } from '../../parts/long-list.tsx';
import { ProgressBar } from '../../parts/progress.tsx';
import { Badge, Empty, FaultBox } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import { useEvery } from '../../server/use-every.ts';
import { usePages } from '../../server/use-pages.ts';
import { useRows } from '../../server/use-rows.ts';
import { WORDS } from '../../words.ts';
import { type DatasetRow, documentPath, UNDER_WAY } from './data.ts';
import styles from './datasets.module.css';

const { datasets: words } = WORDS;

interface Job {
  readonly doc_id: string;
  readonly handle: string;
  readonly action: string;
  readonly state: string;
  readonly attempts: number;
  readonly pages: number | null;
  readonly pages_done: number | null;
  readonly created_at: string;
  readonly reason: string | null;
  readonly position: string | null;
  readonly seconds: string | null;
}

const OF_JOBS = 'doc_id, handle, action, state, attempts, pages, pages_done, created_at, reason';

const QUEUE = `SELECT ${OF_JOBS}, position, ceil(extract(epoch FROM estimate)) AS seconds
  FROM quern.ingest_queue WHERE dataset = $1 ORDER BY position NULLS FIRST, created_at, handle`;

/** For those to whom the queue is not told: their own jobs, without their places among those of others. */
const OWN_JOBS = `SELECT ${OF_JOBS}, NULL AS position, NULL AS seconds
  FROM quern.handles WHERE dataset = $1 AND ${UNDER_WAY} ORDER BY created_at, handle`;

const IS_TOLD = `SELECT has_table_privilege('quern.ingest_queue', 'SELECT') AS told`;

const ASK_MS = 1500;

export function Queue({ row: { name, queued } }: { readonly row: DatasetRow }) {
  const told = useRows<{ readonly told: boolean }>(IS_TOLD);
  const jobs = usePages<Job>(told.value?.[0]?.told === true ? QUEUE : OWN_JOBS, [name]);
  const { reload, fault } = jobs;
  const isBusy = queued !== '0';
  useEvery(isBusy ? ASK_MS : null, reload);
  // biome-ignore lint/correctness/useExhaustiveDependencies: jobs have come or gone
  useEffect(reload, [queued]);
  if (!isBusy) return <Empty title={words.noQueue}>{words.noQueueSaid}</Empty>;
  return (
    <div className={styles.side}>
      {fault !== null && <FaultBox fault={fault} onRetry={reload} />}
      <div className={styles.list}>
        <LongList
          label={words.tabs.queue}
          count={Number(queued)}
          head={<JobsHead />}
          onSight={jobs.onSight}
          render={(index) => {
            const job = jobs.at(index);
            return job === undefined ? (
              <span className={styles.wait} />
            ) : (
              <JobLine dataset={name} job={job} />
            );
          }}
        />
      </div>
    </div>
  );
}

function JobsHead() {
  const { columns } = words;
  return (
    <div className={styles.job}>
      <span data-number>{columns.place}</span>
      <span>{columns.document}</span>
      <span>{columns.action}</span>
      <span>{columns.state}</span>
      <span>{columns.progress}</span>
      <span>{columns.estimate}</span>
      <span>{columns.asked}</span>
    </div>
  );
}

function JobLine({ dataset, job }: { readonly dataset: string; readonly job: Job }) {
  const { doc_id: id, action, state, attempts, pages, pages_done: done, position, seconds, reason } = job;
  return (
    <div className={styles.job}>
      <span data-number className="quiet">
        {position ?? '–'}
      </span>
      <Link className="cut" to={documentPath(dataset, id)} title={id}>
        {id}
      </Link>
      <span className="cut">{words.actions[action] ?? action}</span>
      <span title={reason ?? undefined}>
        <Badge tone={state === 'queued' ? 'plain' : 'busy'}>{words.jobStates[state] ?? state}</Badge>
        {attempts > 1 && <span className="quiet small"> {words.attempt(attempts)}</span>}
      </span>
      <span className="row">
        {pages !== null && pages > 0 && (
          <>
            <ProgressBar label={id} share={(done ?? 0) / pages} />
            <span className="quiet small number">{words.upload.pages(count(done ?? 0), count(pages))}</span>
          </>
        )}
      </span>
      <span className="number">{seconds === null ? '–' : words.about(Number(seconds))}</span>
      <span className={styles.wide}>
        <When at={job.created_at} />
      </span>
    </div>
  );
}
