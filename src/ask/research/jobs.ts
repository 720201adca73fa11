/**
 * Research as jobs: rows of `quern.research` that are done a few at a time, whoever waits for them. What was under way
 * when the server stopped goes on at its next start from the steps that are stored.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { present } from '../../assert.ts';
import { SQLSTATES, SqlError } from '../../errors.ts';
import type { AskRequest, AskRow } from '../../functions/services.ts';
import { RESEARCH_DAYS_KEPT, RESEARCH_WAITING_COUNT_MAX } from '../../limits.ts';
import { keepAnswer } from '../../session/answers/keep.ts';
import { integer, json, text, texts } from '../../session/datasets/parameters.ts';
import { RESEARCH_FORMAT, UNFINISHED_RESEARCH } from '../../session/research/relations.ts';
import type { Researcher, ResearchRequest } from '../../session/research/researcher.ts';
import type { Query, Row, ServerSession } from '../../session/server-session.ts';
import type { Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { checkQuestion } from '../asker.ts';
import { Reader } from '../question.ts';
import type { Writer } from '../writer.ts';
import { ResearchRun, type Run, type RunHost } from './run.ts';
import { readSteps, researchId, Withdrawn } from './steps.ts';
import type { Concluded } from './synthesis.ts';
import { ToldSteps } from './told-steps.ts';
import { Waiters } from './waiters.ts';

export interface JobsHost {
  /** A language model that plans and writes facts; null: words alone. */
  readonly writer: Writer | null;
  openSession(): ServerSession;
  log(event: string, fields: Readonly<Record<string, unknown>>): void;
  nowMs(): number;
}

type Answered = (answerId: string | null) => void;

/** Why a run was cancelled by nobody's word. */
const GIVEN_UP = 'the statement that waited for it was cancelled';

const cancelled = (id: string): SqlError => new SqlError('query_canceled', `research ${id} was cancelled`);

/** Runs at a time. */
const LANES = 4;
/** A run that ends the server each time is tried no more. */
const ATTEMPTS_MAX = 5;
const RETRY_MS = 1_000;
/** Who waits looks after so long, though nobody has told. */
const LOOK_MS_MAX = 1_000;
const FORGET_MS = 3_600_000;

interface UnderWay {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

export class ResearchJobs implements Researcher, AsyncDisposable {
  readonly #host: JobsHost;
  readonly #reader = new Reader();
  readonly #closing = new AbortController();
  readonly #underWay = new Map<string, UnderWay>();
  readonly #waiters = new Waiters((id) => this.#putAside(this.#giveUp(id)));
  readonly #aside = new Set<Promise<unknown>>();
  #filling: Promise<void> | null = null;
  #isAskedAgain = false;
  #forgotMs = Number.NEGATIVE_INFINITY;

  constructor(host: JobsHost) {
    this.#host = host;
  }

  /** Goes on with what was under way. The relations are there. */
  async resume(): Promise<void> {
    await using session = this.#host.openSession();
    await session.transaction(requeue, this.#closing.signal);
    this.#fill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error('closing'));
    for (const { controller } of this.#underWay.values()) controller.abort(this.#closing.signal.reason);
    await this.#filling;
    await Promise.all([...this.#underWay.values()].map(({ ended }) => ended));
    await Promise.allSettled(this.#aside);
  }

  async start(request: ResearchRequest, signal: AbortSignal): Promise<string> {
    checkQuestion(request);
    await using session = this.#host.openSession();
    const id = await session.transaction(async (query) => {
      await refuseUncommitted(query, request);
      return (await sameUnderWay(query, request)) ?? insertRun(query, request);
    }, signal);
    this.#fill();
    return id;
  }

  async *answer(request: ResearchRequest, signal: AbortSignal, answered: Answered): AsyncGenerator<AskRow> {
    // Whom it was begun for may give it up in the moment in which this one joins.
    while (!(yield* this.#whole(await this.start(request, signal), signal, answered, false)));
  }

  async *rows(
    id: string,
    signal: AbortSignal,
    answered: Answered,
    { onlyLooks }: { readonly onlyLooks: boolean },
  ): AsyncGenerator<AskRow> {
    if (!(yield* this.#whole(id, signal, answered, onlyLooks))) throw cancelled(id);
  }

  /** @returns false where it was given up by those who waited for it. */
  async *#whole(
    id: string,
    signal: AbortSignal,
    answered: Answered,
    onlyLooks: boolean,
  ): AsyncGenerator<AskRow, boolean> {
    using _ = this.#waiters.add(id, signal, { onlyLooks });
    const told = new ToldSteps();
    yield { kind: 'progress', update: `Research ${id}.` };
    await using session = this.#host.openSession();
    for (;;) {
      const woken = this.#waiters.woken(id);
      const { run, steps } = await session.transaction(
        async (query) => ({ run: await stateOf(query, id), steps: await readSteps(query, id, told.after) }),
        signal,
      );
      for (const update of told.updates(steps)) yield { kind: 'progress', update };
      if (run.state === 'done') {
        answered(run.answerId);
        yield* run.result ?? [];
        return true;
      }
      if (run.isGivenUp) return false;
      if (run.error !== null) throw run.error;
      const timer = new AbortController();
      const either = AbortSignal.any([signal, timer.signal]);
      const later = sleep(LOOK_MS_MAX, undefined, { signal: either, ref: false }).catch(() => undefined);
      await Promise.race([woken, later]);
      timer.abort();
      signal.throwIfAborted();
    }
  }

  cancel(id: string): Promise<boolean> {
    return this.#cancel(id, null);
  }

  async #cancel(id: string, reason: string | null): Promise<boolean> {
    this.#underWay.get(id)?.controller.abort(cancelled(id));
    await using session = this.#host.openSession();
    const rows = await session.transaction(
      (query) =>
        query(
          `UPDATE quern.research SET state = 'cancelled', reason = $2, finished_at = clock_timestamp()
           WHERE research_id = $1 AND ${UNFINISHED_RESEARCH} RETURNING 1 AS found`,
          researchId(id),
          text(reason),
        ),
      this.#closing.signal,
    );
    this.#waiters.tell(id);
    return rows.length > 0;
  }

  /** Unless it goes on in the background. */
  async #giveUp(id: string): Promise<void> {
    await using session = this.#host.openSession();
    const [run] = await session.transaction(
      (query) => query('SELECT background FROM quern.research WHERE research_id = $1', researchId(id)),
      this.#closing.signal,
    );
    if (run?.background === false && !this.#waiters.isWanted(id)) await this.#cancel(id, GIVEN_UP);
  }

  /** Runs work that nobody waits for. */
  #putAside(work: Promise<unknown>): void {
    const whole = work.catch((error: unknown) => this.#report('research was not cancelled', error));
    this.#aside.add(whole);
    void whole.finally(() => this.#aside.delete(whole));
  }

  /** Begins what waits, while there are lanes. One at a time asks for all. */
  #fill(): void {
    this.#isAskedAgain = true;
    this.#filling ??= this.#filled().finally(() => {
      this.#filling = null;
    });
  }

  async #filled(): Promise<void> {
    const { signal } = this.#closing;
    while (this.#isAskedAgain && !signal.aborted) {
      this.#isAskedAgain = false;
      try {
        await this.#begin();
      } catch (error) {
        this.#report('research that waits cannot be read', error);
        this.#isAskedAgain = true;
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #begin(): Promise<void> {
    const { signal } = this.#closing;
    await using session = this.#host.openSession();
    await this.#forget(session);
    while (this.#underWay.size < LANES && !signal.aborted) {
      const row = await session.transaction(claim, signal);
      if (row === undefined) return;
      const run = runOf(row);
      const controller = new AbortController();
      const ended = this.#work(run, controller).finally(() => {
        this.#underWay.delete(run.id);
        this.#waiters.tell(run.id);
        if (!signal.aborted) this.#fill();
      });
      this.#underWay.set(run.id, { controller, ended });
    }
  }

  async #forget(session: ServerSession): Promise<void> {
    const nowMs = this.#host.nowMs();
    if (nowMs - this.#forgotMs < FORGET_MS) return;
    this.#forgotMs = nowMs;
    const old = `finished_at < clock_timestamp() - interval '${RESEARCH_DAYS_KEPT} days'`;
    await session.transaction(async (query) => {
      const ids = `SELECT research_id FROM quern.research WHERE ${old}`;
      for (const relation of ['research_steps', 'research_results'])
        await query(`DELETE FROM quern.${relation} WHERE research_id IN (${ids})`);
      await query(`DELETE FROM quern.research WHERE ${old}`);
    }, this.#closing.signal);
  }

  async #work(run: Run & { readonly attempts: number }, { signal }: AbortController): Promise<void> {
    await using session = this.#host.openSession();
    try {
      if (run.attempts > ATTEMPTS_MAX) throw new Error(`it was begun ${ATTEMPTS_MAX} times, and never ended`);
      await new ResearchRun(run, this.#runHost(), session, signal).whole();
    } catch (error) {
      if (signal.aborted || error instanceof Withdrawn) return;
      if (!(error instanceof SqlError)) this.#report('research failed', error);
      await this.#fail(session, run.id, error);
    }
  }

  /** Marks a run as failed: what cannot be written now would be under way for ever. */
  async #fail(session: ServerSession, id: string, error: unknown): Promise<void> {
    const { signal } = this.#closing;
    const reason = error instanceof Error ? error.message : String(error);
    const state = error instanceof SqlError ? SQLSTATES[error.condition] : SQLSTATES.internal_error;
    while (!signal.aborted) {
      try {
        await session.transaction(
          (query) =>
            query(
              `UPDATE quern.research SET state = 'error', reason = $2, sqlstate = $3,
                 finished_at = clock_timestamp()
               WHERE research_id = $1 AND state = 'running'`,
              researchId(id),
              text(reason),
              text(state),
            ),
          signal,
        );
        return;
      } catch (also) {
        this.#report('a failure was not written down', also);
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  #runHost(): RunHost {
    return {
      reader: this.#reader,
      writer: this.#host.writer,
      openSession: () => this.#host.openSession(),
      nowMs: () => this.#host.nowMs(),
      told: (id) => this.#waiters.tell(id),
      finish,
    };
  }

  #report(event: string, error: unknown): void {
    if (this.#closing.signal.aborted) return;
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#host.log(event, { message });
  }
}

/** After a start nothing is under way; steps of another format are forgotten. */
async function requeue(query: Query): Promise<void> {
  const others = `${UNFINISHED_RESEARCH} AND format IS DISTINCT FROM ${RESEARCH_FORMAT}`;
  await query(
    `DELETE FROM quern.research_steps WHERE research_id IN (SELECT research_id FROM quern.research WHERE ${others})`,
  );
  await query(`UPDATE quern.research SET format = ${RESEARCH_FORMAT}, attempts = 0 WHERE ${others}`);
  await query("UPDATE quern.research SET state = 'queued' WHERE state = 'running'");
}

const namesOf = (datasets: AskRequest['datasets']): readonly string[] => [
  ...new Set(datasets.map(({ dataset }) => dataset)),
];

/** A run under way in which the same asker asks alike, and that has not been answered yet. */
async function sameUnderWay(query: Query, request: ResearchRequest): Promise<string | null> {
  const { question, datasets, filter, askedBy, isBackground } = request;
  const [row] = await query(
    `UPDATE quern.research SET background = background OR $4
     WHERE research_id = (SELECT research_id FROM quern.research WHERE ${UNFINISHED_RESEARCH}
       AND question = $1 AND filters = $2 AND asked_by = $3 AND questions_max = $5 AND searches_max = $6
       AND time_max_ms = $7 ORDER BY seq LIMIT 1)
     RETURNING research_id`,
    text(question),
    json({ datasets, filter }),
    text(askedBy),
    [OID.bool, isBackground],
    ...boundsOf(request),
  );
  return row === undefined ? null : String(row.research_id);
}

/** @throws SqlError 55000: who asks sees datasets that others do not see yet. */
async function refuseUncommitted(query: Query, { datasets }: ResearchRequest): Promise<void> {
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
async function insertRun(query: Query, request: ResearchRequest): Promise<string> {
  const { question, datasets, filter, askedBy, isBackground, keepsAnswer } = request;
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
       keeps_answer, questions_max, searches_max, time_max_ms, attempts, format, asked_at)
     VALUES (uuidv7(), $1, $2, $3, 'queued', $4, $5, $6, $7, $8, $9, 0, ${RESEARCH_FORMAT}, clock_timestamp())
     RETURNING research_id`,
    text(question),
    texts(namesOf(datasets)),
    json({ datasets, filter }),
    text(askedBy),
    [OID.bool, isBackground],
    [OID.bool, keepsAnswer],
    ...boundsOf(request),
  );
  return String(present(row, 'the run').research_id);
}

const RUN = 'research_id, question, filters, questions_max, searches_max, time_max_ms, attempts';

/** The next one that waits, taken. */
async function claim(query: Query): Promise<Row | undefined> {
  const [row] = await query(
    `UPDATE quern.research SET state = 'running', attempts = attempts + 1,
       started_at = coalesce(started_at, clock_timestamp())
     WHERE research_id = (SELECT research_id FROM quern.research WHERE state = 'queued' ORDER BY seq LIMIT 1
       FOR UPDATE SKIP LOCKED)
     RETURNING ${RUN}`,
  );
  return row;
}

function runOf(row: Row): Run & { readonly attempts: number } {
  const { datasets, filter } = JSON.parse(String(row.filters)) as Pick<AskRequest, 'datasets' | 'filter'>;
  return {
    id: String(row.research_id),
    question: String(row.question),
    datasets,
    filter,
    questionsMax: Number(row.questions_max),
    searchesMax: Number(row.searches_max),
    timeMaxMs: Number(row.time_max_ms),
    attempts: Number(row.attempts),
  };
}

interface RunState {
  readonly state: string;
  readonly answerId: string | null;
  readonly result: readonly AskRow[] | null;
  readonly isGivenUp: boolean;
  /** Error of a run that failed, or was cancelled. */
  readonly error: SqlError | null;
}

/** @throws SqlError 22023. */
async function stateOf(query: Query, id: string): Promise<RunState> {
  const [row] = await query(
    `SELECT state, reason, sqlstate, answer_id, rows FROM quern.research LEFT JOIN quern.research_results
       USING (research_id) WHERE research_id = $1`,
    researchId(id),
  );
  if (row === undefined) {
    throw new SqlError('invalid_parameter_value', `research ${id} does not exist`, {
      hint: `quern.research lists what there is; it is kept for ${RESEARCH_DAYS_KEPT} days.`,
    });
  }
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
async function finish(query: Query, run: Run, { rows, confidence }: Concluded): Promise<void> {
  const [row] = await query(
    `SELECT keeps_answer, asked_by, asked_at, uuidv7() AS answer_id, clock_timestamp() AS now
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
}
