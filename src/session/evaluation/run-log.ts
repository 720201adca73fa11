/**
 * Log of a run while it goes on, in `quern.evaluation_runs` and `quern.evaluation_results`: by a session of
 * the server's own, so that others see how far it is, and what was measured stays when the statement is cancelled or its
 * transaction rolled back.
 */
import { SqlError } from '../../errors.ts';
import { EVALUATION_RUNS_KEPT } from '../../limits.ts';
import { OID } from '../../types/oids.ts';
import { integer, json, text, texts } from '../datasets/parameters.ts';
import type { Parameter, Query, Row, ServerSession } from '../server-session.ts';
import { ownerParameters, type RowOwner } from '../whose.ts';
import type { Configuration } from './configurations.ts';
import type { Question } from './question.ts';
import { METRIC_COLUMNS } from './relations.ts';
import type { Metrics, Scored, Totals } from './scoring.ts';
import type { Evaluation } from './stored.ts';

const WRITTEN_AT_ONCE = 100;
const WRITTEN_AFTER_MS = 2_000;

/** Never aborted: measurements are written down when who asked has gone. */
const NEVER = new AbortController().signal;

export interface RunEnd {
  readonly state: 'done' | 'canceled' | 'failed';
  readonly reason: string | null;
  readonly metrics: Metrics;
}

export class RunLog {
  readonly #session: ServerSession;
  readonly #now: () => number;
  readonly #totals: Totals;
  readonly run: number;
  #waiting: Readonly<Record<string, unknown>>[] = [];
  #writtenMs: number;

  private constructor(session: ServerSession, run: number, totals: Totals, now: () => number) {
    this.#session = session;
    this.run = run;
    this.#totals = totals;
    this.#now = now;
    this.#writtenMs = now();
  }

  /**
   * @param session kept, and disposed of by the caller. @param totals what is told of the run so far.
   * @throws SqlError 55000 where the evaluation is not committed, or not any more.
   */
  static async begin(
    session: ServerSession,
    {
      evaluation,
      configuration,
      questions,
      owner,
    }: {
      readonly evaluation: Evaluation;
      readonly configuration: Configuration;
      readonly questions: number;
      readonly owner: RowOwner;
    },
    { totals, now }: { readonly totals: Totals; readonly now: () => number },
  ): Promise<RunLog> {
    const { name, kind, datasets, query: written, given } = configuration;
    const row = await session.transaction(async (query) => {
      await requireEvaluation(query, evaluation);
      await forgetOld(query, evaluation.name);
      const [made] = await query(
        `INSERT INTO quern.evaluation_runs
           (evaluation, name, kind, datasets, query, options, state, questions, done, errors, started_at,
            role, key)
         VALUES ($1, $2, $3, $4, $5, $6, 'running', $7, 0, 0, clock_timestamp(), $8, $9) RETURNING run`,
        text(evaluation.name),
        text(name),
        text(kind),
        texts(datasets),
        text(written?.text ?? null),
        json(given),
        integer(questions),
        ...ownerParameters(owner),
      );
      return made;
    }, NEVER);
    return new RunLog(session, Number(row?.run), totals, now);
  }

  /** @throws SqlError 55000 when the evaluation has been dropped. */
  async add({ ordinal, id, question }: Question, result: Scored): Promise<void> {
    this.#waiting.push({ ordinal, id, question, ...result });
    const isDue = this.#now() - this.#writtenMs >= WRITTEN_AFTER_MS;
    if (isDue || this.#waiting.length >= WRITTEN_AT_ONCE) await this.#write(null);
  }

  /** @throws SqlError 55000 when the evaluation has been dropped. */
  end(end: RunEnd): Promise<void> {
    return this.#write(end);
  }

  async #write(end: RunEnd | null): Promise<void> {
    const results = this.#waiting;
    this.#waiting = [];
    await this.#session.transaction(async (query) => {
      if ((await this.#update(query, end)).length === 0) throw dropped();
      if (results.length > 0) await query(INSERT_RESULTS, [OID.int8, BigInt(this.run)], json(results));
    }, NEVER);
    this.#writtenMs = this.#now();
  }

  #update(query: Query, end: RunEnd | null): Promise<readonly Row[]> {
    const { done, errors } = this.#totals;
    const counts: Parameter[] = [[OID.int8, BigInt(this.run)], integer(done), integer(errors)];
    if (end === null) return query(`${UPDATE_COUNTS} WHERE run = $1 RETURNING run`, ...counts);
    const metrics = METRIC_NAMES.map((name): Parameter => [OID.float8, end.metrics[name] ?? null]);
    return query(UPDATE_END, ...counts, text(end.state), text(end.reason), ...metrics);
  }
}

const METRIC_NAMES = Object.keys(METRIC_COLUMNS) as (keyof typeof METRIC_COLUMNS)[];
const UPDATE_COUNTS = 'UPDATE quern.evaluation_runs SET done = $2, errors = $3';
const UPDATE_END = `${UPDATE_COUNTS}, state = $4, reason = $5, finished_at = clock_timestamp(),
  ${METRIC_NAMES.map((name, i) => `${name} = $${i + 6}`).join(', ')} WHERE run = $1 RETURNING run`;

const INSERT_RESULTS = `INSERT INTO quern.evaluation_results
    (run, ordinal, id, question, error, ms, rank, recall, precision, ndcg, reciprocal_rank, facts, confidence,
     answer_rank, cited, cited_expected, found)
  SELECT $1, (r->>'ordinal')::integer, r->>'id', r->>'question', r->>'error', (r->>'ms')::float8,
    (r->>'rank')::integer, (r->>'recall')::float8, (r->>'precision')::float8, (r->>'ndcg')::float8,
    (r->>'reciprocal_rank')::float8, (r->>'facts')::integer, (r->>'confidence')::float8,
    (r->>'answer_rank')::integer, (r->>'cited')::integer, (r->>'cited_expected')::integer, r->'found'
  FROM jsonb_array_elements($2) AS r`;

const dropped = (): SqlError =>
  new SqlError('object_not_in_prerequisite_state', 'the evaluation was dropped while it ran');

/** Held until the run is there, so that who drops it finds the run. */
async function requireEvaluation(query: Query, { name, createdMicros }: Evaluation): Promise<void> {
  const rows = await query(
    'SELECT 1 FROM quern.evaluations WHERE name = $1 AND created_at = $2 FOR KEY SHARE',
    text(name),
    [OID.timestamptz, createdMicros],
  );
  if (rows.length > 0) return;
  throw new SqlError('object_not_in_prerequisite_state', `evaluation "${name}" is not committed`, {
    hint: 'Runs are written down for everybody: EVALUATE after COMMIT.',
  });
}

async function forgetOld(query: Query, evaluation: string): Promise<void> {
  const old = await query(
    `SELECT run FROM quern.evaluation_runs WHERE evaluation = $1 AND state <> 'running'
     ORDER BY run DESC OFFSET ${EVALUATION_RUNS_KEPT - 1}`,
    text(evaluation),
  );
  for (const { run } of old) {
    const parameter: Parameter = [OID.int8, run ?? null];
    await query('DELETE FROM quern.evaluation_results WHERE run = $1', parameter);
    await query('DELETE FROM quern.evaluation_runs WHERE run = $1', parameter);
  }
}
