/**
 * Answers that are kept, as relations: what was asked, the facts that were given, and each quote they rest on. They are
 * written when an answer is whole, in a transaction of the server's own. `answer_origins` are documents of the answers
 * before it in its thread by which a question was made whole: it may have their words.
 */
import { OF_DROPPED_DATASET } from '../whose.ts';

export const ANSWER_RELATIONS: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS quern.answers (
    answer_id uuid PRIMARY KEY,
    thread text NOT NULL,
    follows uuid,
    question text NOT NULL,
    understood text,
    datasets text[] NOT NULL,
    filters jsonb NOT NULL,
    mode text NOT NULL,
    asked_by text NOT NULL,
    asked_at timestamptz NOT NULL,
    finished_at timestamptz NOT NULL,
    progress text[] NOT NULL,
    facts integer NOT NULL,
    confidence double precision NOT NULL,
    model text
  )`,
  'ALTER TABLE quern.answers ADD COLUMN IF NOT EXISTS role oid',
  'ALTER TABLE quern.answers ADD COLUMN IF NOT EXISTS key text',
  'CREATE INDEX IF NOT EXISTS answers_thread ON quern.answers (thread, answer_id)',
  `CREATE TABLE IF NOT EXISTS quern.facts (
    answer_id uuid NOT NULL,
    fact_number integer NOT NULL,
    fact text NOT NULL,
    computed boolean NOT NULL,
    PRIMARY KEY (answer_id, fact_number)
  )`,
  'CREATE INDEX IF NOT EXISTS facts_answer ON quern.facts (answer_id, fact_number)',
  `CREATE TABLE IF NOT EXISTS quern.citations (
    answer_id uuid NOT NULL,
    fact_number integer NOT NULL,
    citation_number integer NOT NULL,
    ref_id text NOT NULL,
    dataset text NOT NULL,
    doc_id text NOT NULL,
    doc_name text NOT NULL,
    version integer NOT NULL,
    content_id text NOT NULL,
    doc_pages integer[] NOT NULL,
    quote text NOT NULL,
    quote_start integer NOT NULL,
    quote_end integer NOT NULL,
    line integer NOT NULL,
    boxes jsonb NOT NULL,
    stands boolean NOT NULL,
    reason text,
    current_content_id text,
    current_doc_pages integer[],
    checked_at timestamptz NOT NULL,
    PRIMARY KEY (answer_id, fact_number, citation_number)
  )`,
  'CREATE INDEX IF NOT EXISTS citations_answer ON quern.citations (answer_id, fact_number)',
  'CREATE INDEX IF NOT EXISTS citations_document ON quern.citations (dataset, doc_id)',
  `CREATE TABLE IF NOT EXISTS quern.answer_origins (
    answer_id uuid NOT NULL,
    dataset text NOT NULL,
    doc_id text NOT NULL,
    PRIMARY KEY (answer_id, dataset, doc_id)
  )`,
];

/** Void citations of a dropped dataset, and what was made of it, though one of its name is made anew. @param $1 it. */
export const ANSWERS_OF_DROPPED: readonly string[] = [
  `UPDATE quern.citations
   SET stands = false, reason = 'dataset dropped', checked_at = now(),
     current_content_id = NULL, current_doc_pages = NULL
   WHERE dataset = $1 AND reason IS DISTINCT FROM 'dataset dropped'`,
  ...['answer_origins', 'research_documents'].map(
    (relation) =>
      `UPDATE quern.${relation} SET dataset = '${OF_DROPPED_DATASET}' || dataset WHERE dataset = $1`,
  ),
];
