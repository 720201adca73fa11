/**
 * Research that is asked for, and each of its steps, as relations. A run is a job: what is stored of it is where it goes
 * on after a restart. Both are written by the server's own sessions only.
 */
export const RESEARCH_RELATIONS: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS quern.research (
    research_id uuid PRIMARY KEY,
    seq bigserial NOT NULL,
    question text NOT NULL,
    datasets text[] NOT NULL,
    filters jsonb NOT NULL,
    state text NOT NULL,
    reason text,
    sqlstate text,
    asked_by text NOT NULL,
    background boolean NOT NULL,
    keeps_answer boolean NOT NULL,
    questions_max integer NOT NULL,
    searches_max integer NOT NULL,
    time_max_ms integer NOT NULL,
    attempts integer NOT NULL,
    answer_id uuid,
    facts integer,
    confidence double precision,
    asked_at timestamptz NOT NULL,
    started_at timestamptz,
    finished_at timestamptz
  )`,
  'ALTER TABLE quern.research ADD COLUMN IF NOT EXISTS format integer',
  'ALTER TABLE quern.research ADD COLUMN IF NOT EXISTS not_before timestamptz',
  // Whose it is. Runs of before have no role: superusers alone began any.
  'ALTER TABLE quern.research ADD COLUMN IF NOT EXISTS role oid',
  'ALTER TABLE quern.research ADD COLUMN IF NOT EXISTS key text',
  // What its steps go by (`starter.ts`), for as long as it is under way: settings may be secrets.
  `CREATE TABLE IF NOT EXISTS quern.research_starters (
    research_id uuid PRIMARY KEY,
    starter jsonb NOT NULL
  )`,
  'CREATE INDEX IF NOT EXISTS research_state ON quern.research (state, seq)',
  // Rows of the answer, with the texts that they cite, apart: they are long.
  `CREATE TABLE IF NOT EXISTS quern.research_results (
    research_id uuid PRIMARY KEY,
    rows jsonb NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS quern.research_steps (
    research_id uuid NOT NULL,
    step integer NOT NULL,
    parent integer,
    kind text NOT NULL,
    question text,
    text text,
    reason text,
    dataset text,
    doc_id text,
    content_id text,
    score double precision,
    detail jsonb,
    started_at timestamptz NOT NULL,
    finished_at timestamptz,
    PRIMARY KEY (research_id, step)
  )`,
  'CREATE INDEX IF NOT EXISTS research_steps_document ON quern.research_steps (dataset, doc_id)',
  // All that steps tell of: who may not see one of these documents is not told of the steps.
  `CREATE TABLE IF NOT EXISTS quern.research_documents (
    research_id uuid NOT NULL,
    dataset text NOT NULL,
    doc_id text NOT NULL,
    PRIMARY KEY (research_id, dataset, doc_id)
  )`,
];

/**
 * Version of what steps are and say. It is raised when they come to mean something else: a run of another one that has
 * not ended begins anew from its question.
 */
export const RESEARCH_FORMAT = 2;

/** Condition of a run that has not come to its end. */
export const UNFINISHED_RESEARCH = "state IN ('queued', 'running')";
