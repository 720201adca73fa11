/**
 * The durable queue: rows of `quern.handles`. What was under way when the server stopped is begun anew; of one
 * document's jobs the next begins when the one before has ended.
 */
import { FAILED_HANDLE_DAYS_KEPT, HANDLE_DAYS_KEPT } from '../limits.ts';
import { isOwnWork, WAITING_JOBS } from '../session/datasets/queue-relations.ts';
import { UNFINISHED } from '../session/datasets/relations.ts';
import {
  claim,
  held,
  isOurs,
  type Lease,
  leaseParameters,
  msUntilRetry,
  postpone,
  type QueueTable,
} from '../queue/queue-table.ts';
import type { Ready } from '../queue/lanes.ts';
import type { Query } from '../session/server-session.ts';
import { OID } from '../types/oids.ts';

export interface Job {
  readonly handle: string;
  readonly dataset: string;
  readonly docId: string;
  /**
   * `rebuild` and `read tables`: chunks, or tables alone, are made anew of the file that is there; `read subjects`: whom
   * it is of, from its chunks.
   */
  readonly action: 'upsert' | 'rebuild' | 'read tables' | 'read subjects' | 'delete' | 'update metadata';
  readonly name: string;
  readonly size: number;
  readonly sha256: string | null;
  /** jsonb text; null: as it was. */
  readonly metadata: string | null;
  /** Tries that have begun before this one. */
  readonly attempts: number;
}

const JOBS_AT_ONCE = 64;
const ATTEMPTS_MAX = 3;
/** An embedding model that does not answer is waited for: about sixteen hours. */
const EMBEDDING_ATTEMPTS_MAX = 100;

/** Jobs of ingestion. */
export const HANDLES: QueueTable = {
  relation: 'quern.handles',
  key: ['handle', OID.text],
  underWay: ['parsing', 'embedding'],
  with: {
    claim: 'updated_at = clock_timestamp(), begun_at = clock_timestamp()',
    change: 'updated_at = clock_timestamp()',
  },
  begunMax: EMBEDDING_ATTEMPTS_MAX,
  retry: { ms: 2_000, msMax: 600_000 },
};

export const leaseOf = ({ handle, attempts }: Job): Lease => ({ key: handle, attempt: attempts + 1 });

/** SQL of an attempt that lasts, and its parameters. */
const HELD = held(HANDLES);
const heldBy = (job: Job) => leaseParameters(HANDLES, leaseOf(job));

/** A later request that makes this one needless, of its own document; `q` is this one. */
const OVERTAKEN = `EXISTS (SELECT 1 FROM quern.handles l WHERE l.dataset = q.dataset AND l.doc_id = q.doc_id
  AND l.seq > q.seq AND l.${UNFINISHED} AND l.action IN ('upsert', 'delete'))`;

/** SQL that is true when `e` is done before `h`, of the same document: what waits to be made anew lets users' requests pass. */
const COMES_BEFORE = `CASE WHEN ${isOwnWork('h')} THEN NOT ${isOwnWork('e')} OR e.seq < h.seq
  ELSE e.seq < h.seq AND (NOT ${isOwnWork('e')} OR e.state <> 'queued') END`;

/** Handles that are done long ago go, but those that tell what is not embedded. */
export async function forgetOldHandles(query: Query): Promise<void> {
  const old = (state: string, days: number): string =>
    `state = '${state}' AND updated_at < clock_timestamp() - interval '${days} days'`;
  await query(
    `DELETE FROM quern.handles WHERE handle IN (SELECT handle FROM quern.handles WHERE chunks_pending IS NULL
       AND (${old('ready', HANDLE_DAYS_KEPT)} OR ${old('error', FAILED_HANDLE_DAYS_KEPT)})
       FOR UPDATE SKIP LOCKED)`,
  );
}

/** How many jobs wait for each of `jobs` that is taken without another look at the queue. */
const WAITING_A_LOOK = 2_000;

/**
 * Jobs that may begin, as `WAITING_JOBS` orders them. One that waits for a retry is tried when a later request wants
 * its place. What a transaction is dropping stays for later.
 */
export async function readyJobs(query: Query): Promise<Ready<Job>> {
  const rows = await query(
    `SELECT h.handle, h.dataset, h.doc_id, h.action, h.name, h.size, h.sha256, h.metadata, h.attempts,
       w.waiting
     FROM quern.handles h JOIN (${WAITING_JOBS}) w ON w.handle = h.handle LEFT JOIN (
       SELECT dataset, doc_id, max(seq) AS seq FROM quern.handles
       WHERE ${UNFINISHED} AND action IN ('upsert', 'delete') GROUP BY dataset, doc_id
     ) later ON later.dataset = h.dataset AND later.doc_id = h.doc_id
     WHERE h.state = 'queued'
       AND (h.not_before IS NULL OR h.not_before <= now() OR later.seq > h.seq)
       AND NOT EXISTS (SELECT 1 FROM quern.handles e WHERE e.${UNFINISHED}
         AND e.dataset = h.dataset AND e.doc_id = h.doc_id AND ${COMES_BEFORE})
     ORDER BY w.position LIMIT ${JOBS_AT_ONCE} FOR UPDATE OF h SKIP LOCKED`,
  );
  const jobs = rows.map((row) => ({
    handle: String(row.handle),
    dataset: String(row.dataset),
    docId: String(row.doc_id),
    action: row.action as Job['action'],
    name: String(row.name ?? ''),
    size: Number(row.size ?? 0),
    sha256: row.sha256 as string | null,
    metadata: row.metadata as string | null,
    attempts: Number(row.attempts),
  }));
  const untilNextLook = Math.ceil(Number(rows[0]?.waiting ?? 0) / WAITING_A_LOOK);
  return { jobs, untilNextLook, retryMs: await msUntilRetry(query, HANDLES) };
}

/** @returns false when the job is not to be done any more: its dataset has been dropped, say. */
export async function begin(query: Query, job: Job): Promise<boolean> {
  const isClaimed = await claim(query, HANDLES, leaseOf(job));
  if (isClaimed) await takeTurn(query, job.dataset);
  return isClaimed;
}

/** The dataset's next turn comes after those of all others. */
async function takeTurn(query: Query, dataset: string): Promise<void> {
  await query(
    `INSERT INTO quern.ingest_turns (dataset, turn) VALUES ($1, nextval('quern.ingest_turn'))
     ON CONFLICT (dataset) DO UPDATE SET turn = excluded.turn`,
    [OID.text, dataset],
  );
}

/** Asked at a transaction's end, when it holds locks of the dataset: whether that is still the one of the job. */
export const isAsked = (query: Query, job: Job): Promise<boolean> => isOurs(query, HANDLES, leaseOf(job));

export type Stage = 'parsing' | 'embedding';

export async function tellProgress(
  query: Query,
  job: Job,
  progress: { readonly stage: Stage; readonly pages: number | null; readonly done: number },
): Promise<void> {
  await query(
    `UPDATE quern.handles SET state = $3, pages = $4, pages_done = $5, updated_at = clock_timestamp()
     WHERE ${HELD}`,
    ...heldBy(job),
    [OID.text, progress.stage],
    [OID.int4, progress.pages],
    [OID.int4, progress.done],
  );
}

/** @returns false when the handle is gone, and nothing of the job may stay. */
export async function succeed(query: Query, job: Job, version: number | null): Promise<boolean> {
  const { dataset, docId, action } = job;
  const rows = await query(
    `UPDATE quern.handles SET state = 'ready', reason = NULL, version = $3, chunks_pending = NULL,
       updated_at = clock_timestamp()
     WHERE ${HELD} RETURNING handle`,
    ...heldBy(job),
    [OID.int4, version],
  );
  if (rows.length > 0 && action !== 'update metadata' && action !== 'read tables')
    await forgetPending(query, { dataset, docId });
  return rows.length > 0;
}

/** Forgets passages that an earlier job of the document had left to embed: they are embedded by now, or gone. */
async function forgetPending(query: Query, { dataset, docId }: Pick<Job, 'dataset' | 'docId'>) {
  await query(
    `UPDATE quern.handles SET chunks_pending = NULL
     WHERE dataset = $1 AND doc_id = $2 AND state = 'error' AND chunks_pending > 0`,
    [OID.text, dataset],
    [OID.text, docId],
  );
}

export async function tellEmbedding(query: Query, job: Job, chunksPending: number): Promise<void> {
  await query(
    `UPDATE quern.handles SET state = 'embedding', chunks_pending = $3, updated_at = clock_timestamp()
     WHERE ${HELD}`,
    ...heldBy(job),
    [OID.int4, chunksPending],
  );
}

export async function fail(query: Query, job: Job, reason: string): Promise<void> {
  await query(
    `UPDATE quern.handles SET state = 'error', reason = $3, chunks_pending = nullif(chunks_pending, 0),
       updated_at = clock_timestamp()
     WHERE ${HELD}`,
    ...heldBy(job),
    [OID.text, reason],
  );
}

/**
 * Tries it again later.
 * @param waits for the embedding model, which is no fault of the file.
 * @returns false when it has been tried often enough, or a later request wants its place.
 */
export const tryLater = (
  query: Query,
  job: Job,
  { reason, waits }: { readonly reason: string; readonly waits: boolean },
): Promise<boolean> =>
  postpone(query, HANDLES, leaseOf(job), {
    reason,
    attemptsMax: waits ? EMBEDDING_ATTEMPTS_MAX : ATTEMPTS_MAX,
    unless: OVERTAKEN,
  });
