/** Statements of the first page. Of what one may not see there is no row. */
import { type Loaded, useRows } from '../../server/use-rows.ts';
import { UNDER_WAY } from '../datasets/data.ts';

export interface CollectionFact {
  readonly schema: string;
  readonly name: string;
  readonly rows: string | null;
  readonly bytes: string | null;
  readonly changed_at: string | null;
}

export interface DatasetFact {
  readonly name: string;
  readonly documents: string | null;
  readonly bytes: string | null;
  readonly waiting: string;
  readonly failed: string;
  readonly changed_at: string | null;
}

export interface QuestionFact {
  readonly answer_id: string;
  readonly question: string;
  readonly facts: number;
  readonly confidence: number;
  readonly asked_at: string;
}

export interface FailureFact {
  readonly dataset: string;
  readonly doc_id: string;
  readonly name: string | null;
  readonly reason: string | null;
  readonly updated_at: string;
}

/** Collections, and plain tables, whose numbers are estimates. */
const COLLECTIONS = `SELECT schema, name, row_count AS rows, bytes, changed_at FROM quern.collections
  UNION ALL SELECT n.nspname, c.relname, nullif(c.reltuples, -1)::bigint, pg_total_relation_size(c.oid), NULL
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'quern')
      AND n.nspname NOT LIKE 'pg\\_%' AND NOT EXISTS
        (SELECT 1 FROM quern.collections q WHERE q.schema = n.nspname AND q.name = c.relname)
      AND n.nspname NOT IN (SELECT name FROM quern.datasets) AND has_any_column_privilege(c.oid, 'SELECT')
  ORDER BY rows DESC NULLS LAST, name LIMIT 12`;

const DATASETS = `SELECT d.name, d.document_count AS documents, d.bytes, d.changed_at,
    (SELECT count(*) FROM quern.handles h WHERE h.dataset = d.name AND ${UNDER_WAY}) AS waiting,
    (SELECT count(*) FROM quern.ingest_failures f WHERE f.dataset = d.name) AS failed
  FROM quern.datasets d ORDER BY d.document_count DESC NULLS LAST, d.name LIMIT 12`;

const QUESTIONS = `SELECT answer_id, question, facts, confidence, asked_at FROM quern.answers
  ORDER BY answer_id DESC LIMIT 8`;

const FAILURES = `SELECT dataset, doc_id, name, reason, updated_at FROM quern.ingest_failures
  ORDER BY updated_at DESC LIMIT 8`;

export interface HomeFacts {
  readonly collections: Loaded<readonly CollectionFact[]>;
  readonly datasets: Loaded<readonly DatasetFact[]>;
  readonly questions: Loaded<readonly QuestionFact[]>;
  readonly failures: Loaded<readonly FailureFact[]>;
}

export const useHomeFacts = (): HomeFacts => ({
  collections: useRows<CollectionFact>(COLLECTIONS),
  datasets: useRows<DatasetFact>(DATASETS),
  questions: useRows<QuestionFact>(QUESTIONS),
  failures: useRows<FailureFact>(FAILURES),
});
