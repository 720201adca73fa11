/**
 * The relations behind evaluations, which only the server writes: what is asked and expected, runs, and what came of
 * each question. A run's state is `running`, `done`, `canceled` or `failed`.
 */

/** Columns of `quern.evaluation_runs` that are measured, with their types; null where a run measures something else. */
export const METRIC_COLUMNS = {
  judged: 'integer',
  hit: 'float8',
  recall: 'float8',
  precision: 'float8',
  ndcg: 'float8',
  mrr: 'float8',
  citation_precision: 'float8',
  citation_recall: 'float8',
  answer_match: 'float8',
  answered: 'float8',
  abstained: 'float8',
  confidence: 'float8',
  p50_ms: 'float8',
  p95_ms: 'float8',
} as const;

const METRICS = Object.entries(METRIC_COLUMNS)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ');

/** Made at the first start. */
export const EVALUATION_RELATIONS: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS quern.evaluations (
    name text PRIMARY KEY,
    description text NOT NULL,
    questions integer NOT NULL,
    judgments integer NOT NULL,
    created_at timestamptz NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS quern.evaluation_questions (
    evaluation text NOT NULL,
    ordinal integer NOT NULL,
    id text NOT NULL,
    question text NOT NULL,
    filter text,
    expected jsonb NOT NULL,
    answers text[] NOT NULL,
    answerable boolean NOT NULL,
    PRIMARY KEY (evaluation, ordinal)
  )`,
  `CREATE TABLE IF NOT EXISTS quern.evaluation_runs (
    run bigserial PRIMARY KEY,
    evaluation text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    datasets text[] NOT NULL,
    query text,
    options jsonb NOT NULL,
    state text NOT NULL,
    reason text,
    questions integer NOT NULL,
    done integer NOT NULL,
    errors integer NOT NULL,
    ${METRICS},
    started_at timestamptz NOT NULL,
    finished_at timestamptz
  )`,
  'CREATE INDEX IF NOT EXISTS evaluation_runs_evaluation ON quern.evaluation_runs (evaluation)',
  `CREATE TABLE IF NOT EXISTS quern.evaluation_results (
    run bigint NOT NULL,
    ordinal integer NOT NULL,
    id text NOT NULL,
    question text NOT NULL,
    error text,
    ms float8 NOT NULL,
    rank integer,
    recall float8,
    precision float8,
    ndcg float8,
    reciprocal_rank float8,
    facts integer,
    confidence float8,
    answer_rank integer,
    cited integer,
    cited_expected integer,
    found jsonb NOT NULL,
    PRIMARY KEY (run, ordinal)
  )`,
  // Whose they are: questions are those of their evaluation, results those of their run. Those of before are superusers'.
  'ALTER TABLE quern.evaluations ADD COLUMN IF NOT EXISTS role oid',
  'ALTER TABLE quern.evaluations ADD COLUMN IF NOT EXISTS key text',
  'ALTER TABLE quern.evaluation_runs ADD COLUMN IF NOT EXISTS role oid',
  'ALTER TABLE quern.evaluation_runs ADD COLUMN IF NOT EXISTS key text',
];

/** At a start: nobody goes on with these. */
export const END_RUNS = `UPDATE quern.evaluation_runs
  SET state = 'failed', reason = 'the server stopped', finished_at = now() WHERE state = 'running'`;
