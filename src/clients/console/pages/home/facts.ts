/** Statements of the first page. Of what one may not see there is no row. */
import { type Loaded, useRows } from '../../server/use-rows.ts';

export interface CollectionFact {
  readonly schema: string;
  readonly name: string;
  readonly rows: string | null;
  readonly bytes: string | null;
}

export interface DatasetFact {
  readonly name: string;
  readonly documents: string | null;
  readonly bytes: string | null;
  readonly waiting: string;
  readonly failed: string;
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

const COLLECTIONS = `SELECT schema, name, row_count AS rows, bytes FROM quern.collections
  ORDER BY row_count DESC NULLS LAST, name LIMIT 12`;

const DATASETS = `SELECT d.name, d.document_count AS documents, d.bytes,
    (SELECT count(*) FROM quern.ingest_queue q WHERE q.dataset = d.name) AS waiting,
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
