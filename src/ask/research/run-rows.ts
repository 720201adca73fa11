/** Rows of `quern.research` as a durable queue: what is asked for, taken, ended, forgotten, and what is told of a run. */
import { present } from '../../assert.ts';
import { SQLSTATES, SqlError } from '../../errors.ts';
import type { AskRequest, AskRow } from '../../functions/services.ts';
import { RESEARCH_DAYS_KEPT, RESEARCH_WAITING_COUNT_MAX } from '../../limits.ts';
import type { Ready } from '../../queue/lanes.ts';
import { held, IS_DUE, leaseParameters, msUntilRetry, postpone, requeue } from '../../queue/queue-table.ts';
import { keepAnswer } from '../../session/answers/keep.ts';
import { integer, json, text, texts } from '../../session/datasets/parameters.ts';
import { RESEARCH_FORMAT, UNFINISHED_RESEARCH } from '../../session/research/relations.ts';
import type { ResearchRequest, RunReader } from '../../session/research/researcher.ts';
import type { Query, Row } from '../../session/server-session.ts';
import { OF_BEFORE, ownerOfRow, ownerParameters, type Starter } from '../../session/whose.ts';
import type { Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { ATTEMPTS_MAX, leaseOf, RUNS } from './queue.ts';
import type { Run } from './run.ts';
import { researchId } from './steps.ts';
import type { Concluded } from './synthesis.ts';

/** Why a run was cancelled by nobody's word. */
export const GIVEN_UP = 'the statement that waited for it was cancelled';

export const cancelled = (id: string): SqlError =>
  new SqlError('query_canceled', `research ${id} was cancelled`);

export interface QueuedRun extends Run {
  /** Nobody may wait for it. */
  readonly isBackground: boolean;
  /** Null: it is not written down, and nothing is done. */
  readonly starter: Starter | null;
}

/** After a start nothing is under way; steps of another format are forgotten. */
export async function requeueRuns(query: Query): Promise<void> {
  const others = `${UNFINISHED_RESEARCH} AND format IS DISTINCT FROM ${RESEARCH_FORMAT}`;
  const ids = `SELECT research_id FROM quern.research WHERE ${others}`;
  for (const relation of ['research_steps', 'research_documents'])
    await query(`DELETE FROM quern.${relation} WHERE research_id IN (${ids})`);
  await query(`UPDATE quern.research SET format = ${RESEARCH_FORMAT}, attempts = 0 WHERE ${others}`);
  await query(
    `INSERT INTO quern.research_starters SELECT research_id, $1 FROM quern.research
     WHERE ${UNFINISHED_RESEARCH} AND role IS NULL ON CONFLICT DO NOTHING`,
    json(OF_BEFORE),
  );
  await requeue(query, RUNS);
}

const namesOf = (datasets: AskRequest['datasets']): readonly string[] => [
  ...new Set(datasets.map(({ dataset }) => dataset)),
];

/**
 * A run under way in which the same role asks alike, with the same key and the same settings, and that has not been
 * answered yet.
 */
export async function sameUnderWay(query: Query, request: ResearchRequest): Promise<string | null> {
  const { question, datasets, filter, owner, starter, isBackground } = request;
  const [row] = await query(
    `UPDATE quern.research SET background = background OR $3
     WHERE research_id = (SELECT research_id FROM quern.research r WHERE ${UNFINISHED_RESEARCH}
       AND question = $1 AND filters = $2 AND questions_max = $4 AND searches_max = $5 AND time_max_ms = $6
       AND role = $7 AND key IS NOT DISTINCT FROM $8
       AND $9 = (SELECT starter FROM quern.research_starters s WHERE s.research_id = r.research_id)
       ORDER BY seq LIMIT 1)
     RETURNING research_id`,
    text(question),
    json({ datasets, filter }),
    [OID.bool, isBackground],
    ...boundsOf(request),
    ...ownerParameters(owner),
    json(starter),
  );
  return row === undefined ? null : String(row.research_id);
}

/** @throws SqlError 55000: who asks sees datasets that others do not see yet. */
export async function refuseUncommitted(query: Query, { datasets }: ResearchRequest): Promise<void> {
  const names = namesOf(datasets);
  const rows = await query('SELECT name FROM quern.datasets WHERE name = ANY($1)', texts(names));
  const missing = names.find((name) => rows.every((row) => row.name !== name));
  if (missing === undefined) return;
  throw new SqlError(
    'object_not_in_prerequisite_state',
    `dataset "${missing}" is not committed: research reads what is`,
    { hint: 'Ask after COMMIT.' },
  );
}

const boundsOf = ({ questionsMax, searchesMax, timeMaxMs }: ResearchRequest) => [
  integer(questionsMax),
  integer(searchesMax),
  integer(timeMaxMs),
];

/** @throws SqlError 53400. */
export async function insertRun(query: Query, request: ResearchRequest): Promise<string> {
  const { question, datasets, filter, askedBy, owner, starter, isBackground, keepsAnswer } = request;
  const [waiting] = await query(
    `SELECT count(*)::int AS count FROM quern.research WHERE ${UNFINISHED_RESEARCH}`,
  );
  if (Number(waiting?.count) >= RESEARCH_WAITING_COUNT_MAX) {
    throw new SqlError(
      'configuration_limit_exceeded',
      `${RESEARCH_WAITING_COUNT_MAX} runs of research are under way already`,
      {
        hint: "SELECT * FROM quern.research WHERE state = 'queued' shows them; quern.cancel_research() ends one.",
      },
    );
  }
  const [row] = await query(
    `INSERT INTO quern.research (research_id, question, datasets, filters, state, asked_by, background,
       keeps_answer, questions_max, searches_max, time_max_ms, role, key, attempts, format, asked_at)
     VALUES (uuidv7(), $1, $2, $3, 'queued', $4, $5, $6, $7, $8, $9, $10, $11, 0, ${RESEARCH_FORMAT},
       clock_timestamp())
     RETURNING research_id`,
    text(question),
    texts(namesOf(datasets)),
    json({ datasets, filter }),
    text(askedBy),
    [OID.bool, isBackground],
    [OID.bool, keepsAnswer],
    ...boundsOf(request),
    ...ownerParameters(owner),
  );
  const id = String(present(row, 'the run').research_id);
  const keep = 'INSERT INTO quern.research_starters (research_id, starter) VALUES ($1, $2)';
  await query(keep, researchId(id), json(starter));
  return id;
}

/** Runs at once that are read. */
const RUNS_AT_ONCE = 16;

/** Runs that may begin, in their order. */
export async function readyRuns(query: Query): Promise<Ready<QueuedRun>> {
  const rows = await query(
    `SELECT research_id, question, filters, questions_max, searches_max, time_max_ms, background, attempts,
       (SELECT starter FROM quern.research_starters s WHERE s.research_id = r.research_id) AS starter
     FROM quern.research r WHERE state = 'queued' AND ${IS_DUE}
     ORDER BY seq LIMIT ${RUNS_AT_ONCE} FOR UPDATE SKIP LOCKED`,
  );
  const jobs = rows.map(runOf);
  return { jobs, untilNextLook: 0, retryMs: await msUntilRetry(query, RUNS) };
}

function runOf(row: Row): QueuedRun {
  const { datasets, filter } = JSON.parse(String(row.filters)) as Pick<AskRequest, 'datasets' | 'filter'>;
  return {
    id: String(row.research_id),
    question: String(row.question),
    datasets,
    filter,
    questionsMax: Number(row.questions_max),
    searchesMax: Number(row.searches_max),
    timeMaxMs: Number(row.time_max_ms),
    isBackground: row.background === true,
    starter: row.starter == null ? null : (JSON.parse(String(row.starter)) as Starter),
    attempt: Number(row.attempts) + 1,
  };
}

/** Writes down that the attempt has failed. @param waits for a model, and nobody for it: it is tried again later. */
export async function failRun(
  query: Query,
  run: QueuedRun,
  error: { readonly reason: string; readonly sqlstate: string; readonly waits: boolean },
): Promise<void> {
  const { reason, sqlstate, waits } = error;
  const isPostponed =
    waits && (await postpone(query, RUNS, leaseOf(run), { reason, attemptsMax: ATTEMPTS_MAX }));
  if (isPostponed) return;
  const ended = await query(
    `UPDATE quern.research SET state = 'error', reason = $3, sqlstate = $4, finished_at = clock_timestamp()
     WHERE ${held(RUNS)} RETURNING 1 AS found`,
    ...leaseParameters(RUNS, leaseOf(run)),
    text(reason),
    text(sqlstate),
  );
  if (ended.length > 0) await forgetStarter(query, run.id);
}

/** Nobody goes on with the run. */
const forgetStarter = (query: Query, id: string): Promise<unknown> =>
  query('DELETE FROM quern.research_starters WHERE research_id = $1', researchId(id));

/** @param reason null: somebody asked for it. @returns false where it is not under way. */
export async function cancelRun(query: Query, id: string, reason: string | null): Promise<boolean> {
  const rows = await query(
    `UPDATE quern.research SET state = 'cancelled', reason = $2, finished_at = clock_timestamp()
     WHERE research_id = $1 AND ${UNFINISHED_RESEARCH} RETURNING 1 AS found`,
    researchId(id),
    text(reason),
  );
  if (rows.length > 0) await forgetStarter(query, id);
  return rows.length > 0;
}

export async function goesOnAlone(query: Query, id: string): Promise<boolean> {
  const [run] = await query('SELECT background FROM quern.research WHERE research_id = $1', researchId(id));
  return run?.background !== false;
}

/** Removes runs that ended long ago. */
export async function forgetOldRuns(query: Query): Promise<void> {
  const old = `finished_at < clock_timestamp() - interval '${RESEARCH_DAYS_KEPT} days'`;
  const ids = `SELECT research_id FROM quern.research WHERE ${old}`;
  for (const relation of ['research_steps', 'research_documents', 'research_results'])
    await query(`DELETE FROM quern.${relation} WHERE research_id IN (${ids})`);
  await query(`DELETE FROM quern.research WHERE ${old}`);
}

export interface RunState {
  readonly state: string;
  readonly answerId: string | null;
  readonly result: readonly AskRow[] | null;
  readonly isGivenUp: boolean;
  /** Error of a run that failed, or was cancelled. */
  readonly error: SqlError | null;
}

/** False also where there is none. */
export async function isOwnRun(query: Query, id: string, reader: RunReader): Promise<boolean> {
  const [row] = await query('SELECT role, key FROM quern.research WHERE research_id = $1', researchId(id));
  return row !== undefined && reader.owns(ownerOfRow(row));
}

/** @throws SqlError 22023 for one that is not there, and for one of others alike. */
export async function requireOwnRun(query: Query, id: string, reader: RunReader): Promise<void> {
  if (await isOwnRun(query, id, reader)) return;
  throw new SqlError('invalid_parameter_value', `research ${id} does not exist`, {
    hint: `quern.research lists what there is; it is kept for ${RESEARCH_DAYS_KEPT} days.`,
  });
}

/** @throws SqlError 22023. */
export async function stateOf(query: Query, id: string, reader: RunReader): Promise<RunState> {
  await requireOwnRun(query, id, reader);
  const [found] = await query(
    `SELECT state, reason, sqlstate, answer_id, rows FROM quern.research LEFT JOIN quern.research_results
       USING (research_id) WHERE research_id = $1`,
    researchId(id),
  );
  const row = present(found, 'the run');
  const state = String(row.state);
  const result = row.rows == null ? null : (JSON.parse(String(row.rows)) as readonly AskRow[]);
  const answerId = row.answer_id == null ? null : String(row.answer_id);
  const isGivenUp = state === 'cancelled' && row.reason === GIVEN_UP;
  return { state, answerId, result, isGivenUp, error: errorOf(state, id, row) };
}

function errorOf(state: string, id: string, { reason, sqlstate }: Record<string, Datum>): SqlError | null {
  if (state === 'cancelled') return cancelled(id);
  if (state !== 'error') return null;
  const known = Object.entries(SQLSTATES).find(([, code]) => code === sqlstate)?.[0] ?? 'internal_error';
  const isDataset = known === 'undefined_object';
  return new SqlError(known as keyof typeof SQLSTATES, String(reason), {
    routine: isDataset ? 'dataset_not_found' : undefined,
  });
}

/** In the transaction that ends the run: its result, and the answer where answers are kept. */
export async function finish(query: Query, run: Run, { rows, confidence }: Concluded): Promise<void> {
  const [row] = await query(
    `SELECT keeps_answer, asked_by, asked_at, role, key, uuidv7() AS answer_id, clock_timestamp() AS now
     FROM quern.research WHERE research_id = $1`,
    researchId(run.id),
  );
  const { keeps_answer, asked_by, asked_at, answer_id, now } = present(row, 'the run');
  const facts = rows.filter((one) => one.kind === 'fact');
  const final = rows.find((one) => one.kind === 'answer');
  if (keeps_answer === true && final !== undefined) {
    const progress = rows.flatMap((one) => (one.kind === 'progress' ? [one.update] : []));
    await keepAnswer(query, {
      ...{ answerId: String(answer_id), thread: String(answer_id), follows: null },
      ...{ request: { ...run, mode: 'research' }, askedBy: String(asked_by), progress, facts, final },
      owner: ownerOfRow(present(row, 'the run')),
      ...{ askedMicros: asked_at as bigint, finishedMicros: now as bigint },
    });
  }
  const keep = 'INSERT INTO quern.research_results (research_id, rows) VALUES ($1, $2)';
  await query(keep, researchId(run.id), json(rows));
  await query(
    `UPDATE quern.research SET state = 'done', answer_id = $2, facts = $3, confidence = $4,
       finished_at = clock_timestamp() WHERE research_id = $1`,
    researchId(run.id),
    [OID.uuid, keeps_answer === true ? (answer_id ?? null) : null],
    integer(facts.length),
    [OID.float8, confidence],
  );
  await forgetStarter(query, run.id);
}
