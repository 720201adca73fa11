/**
 * The order of what waits for ingestion, as SQL: the queue takes jobs by it, and `quern.ingest_queue` tells it.
 *
 * Datasets take turns, the one that had none for the longest first. Within a dataset short files go first: a job stands
 * where one of no bytes would stand that was asked for up to OVERTAKEN_MAX requests later, by the logarithm of its
 * bytes. So nothing is overtaken by more later requests than that. What a new version of Quern makes anew, and what is
 * tried again later, comes after all that.
 */
import { FILE_BYTES_MAX, INGESTION_LANES } from '../../limits.ts';

/** Requests that may overtake an earlier one of their dataset. */
export const OVERTAKEN_MAX = 1_000;

/** Work that each file takes, whatever its size, in bytes. */
const WORK_BYTES_MIN = 64 * 1024;
/** Jobs by whose time the next ones are estimated. */
const JOBS_MEASURED = 100;

/** Condition of jobs that a new version of Quern has asked for: all others come first. */
export const isOwnWork = (job: string): string =>
  `${job}.action IN ('rebuild', 'read tables', 'read subjects')`;

/** Rows of `quern.pending`: documents whose tables are not rows yet. */
export const TABLES_UNDER_WAY = `SELECT h.dataset, 'cells', NULL, NULL, NULL, h.doc_id, h.state,
      NULL::integer, h.created_at, 'its tables are read from the kept file; everything else answers'
    FROM quern.handles h WHERE h.action = 'read tables' AND h.state IN ('queued', 'parsing', 'embedding')`;

const weightOf = (job: string): string => `(coalesce(${job}.size, 0) + ${WORK_BYTES_MIN})`;

/** Rows `handle, position, work, waiting`: `work` is the bytes up to this job, `waiting` how many jobs there are. */
export const WAITING_JOBS = `
  SELECT o.handle, row_number() OVER turns AS position, sum(o.weight) OVER turns AS work,
    count(*) OVER () AS waiting
  FROM (
    SELECT r.*,
      row_number() OVER (PARTITION BY r.is_late, r.is_rebuild, r.dataset ORDER BY r.due, r.seq) AS round
    FROM (
      SELECT h.handle, h.seq, h.dataset, ${isOwnWork('h')} AS is_rebuild, ${weightOf('h')} AS weight,
        coalesce(h.not_before > clock_timestamp(), false) AS is_late,
        h.seq + floor(${OVERTAKEN_MAX} * ln(1 + coalesce(h.size, 0)) / ln(1 + ${FILE_BYTES_MAX})) AS due
      FROM quern.handles h WHERE h.state = 'queued'
    ) r
  ) o LEFT JOIN quern.ingest_turns t ON t.dataset = o.dataset
  WINDOW turns AS (ORDER BY o.is_late, o.is_rebuild, o.round, t.turn NULLS FIRST, o.due, o.seq)`;

const SECONDS_A_BYTE = `(
  SELECT sum(extract(epoch FROM d.updated_at - d.begun_at)) / sum(${weightOf('d')}) FROM (
    SELECT size, updated_at, begun_at FROM quern.handles
    WHERE state = 'ready' AND begun_at IS NOT NULL AND action IN ('upsert', 'rebuild')
    ORDER BY seq DESC LIMIT ${JOBS_MEASURED}
  ) d)`;

const WORK_UNDER_WAY = `(
  SELECT coalesce(sum(${weightOf('b')}), 0) FROM quern.handles b WHERE b.state IN ('parsing', 'embedding'))`;

/** @param unfinished the condition of `quern.handles` that have not come to their end. */
export const queueRelations = (unfinished: string): readonly string[] => [
  'ALTER TABLE quern.handles ADD COLUMN IF NOT EXISTS begun_at timestamptz',
  'CREATE SEQUENCE IF NOT EXISTS quern.ingest_turn',
  'CREATE TABLE IF NOT EXISTS quern.ingest_turns (dataset text PRIMARY KEY, turn bigint NOT NULL)',
  `CREATE OR REPLACE VIEW quern.ingest_queue AS
    SELECT h.dataset, h.doc_id, h.handle, h.action, h.name, h.state, h.attempts, h.not_before, h.pages,
      h.pages_done, h.created_at, h.updated_at, h.reason, w.position,
      make_interval(secs => greatest(
        ceil((w.work + p.under_way) * p.seconds_a_byte / ${INGESTION_LANES}),
        ceil(extract(epoch FROM h.not_before - clock_timestamp())))::float8) AS estimate
    FROM quern.handles h LEFT JOIN (${WAITING_JOBS}) w ON w.handle = h.handle
      CROSS JOIN (SELECT ${SECONDS_A_BYTE} AS seconds_a_byte, ${WORK_UNDER_WAY} AS under_way) p
    WHERE h.${unfinished}`,
];
