/** Answers that the server keeps: one with all that it cites, the thread it is in, those before. */
import { rowsOf } from '../../server/statement.ts';
import type { AnswerView, Citation, Fact } from './model.ts';

interface AnswerRow {
  readonly answer_id: string;
  readonly thread: string;
  readonly question: string;
  readonly understood: string | null;
  readonly datasets: readonly string[];
  readonly mode: string;
  readonly asked_at: string;
  readonly progress: readonly string[];
  readonly confidence: number;
}

const ANSWER = `SELECT answer_id, thread, question, understood, datasets, mode, asked_at, progress, confidence
  FROM quern.answers WHERE answer_id = $1`;
const FACTS = 'SELECT fact_number, fact, computed FROM quern.facts WHERE answer_id = $1 ORDER BY fact_number';
const CITATIONS = `SELECT fact_number, citation_number, ref_id, dataset, doc_id, doc_name, version,
    content_id, doc_pages, quote, quote_start, quote_end, line, boxes, stands, reason,
    current_content_id, current_doc_pages
  FROM quern.citations WHERE answer_id = $1 ORDER BY fact_number, citation_number`;

interface FactRow {
  readonly fact_number: number;
  readonly fact: string;
  readonly computed: boolean;
}

/** Null: there is none, or it is another's. @throws StatementError */
export async function keptAnswer(id: string, signal?: AbortSignal): Promise<AnswerView | null> {
  const asked = { params: [id], signal };
  const [[row], facts, citations] = await Promise.all([
    rowsOf<AnswerRow>(ANSWER, asked),
    rowsOf<FactRow>(FACTS, asked),
    rowsOf<Citation>(CITATIONS, asked),
  ]);
  if (row === undefined) return null;
  return {
    id: row.answer_id,
    thread: row.thread,
    question: row.question,
    understood: row.understood,
    datasets: row.datasets,
    mode: row.mode,
    askedAt: row.asked_at,
    progress: row.progress,
    confidence: Number(row.confidence),
    facts: facts.map(
      ({ fact_number: number, fact: text, computed }): Fact => ({
        number,
        text,
        computed,
        citations: citations.filter((citation) => citation.fact_number === number),
      }),
    ),
  };
}

export interface Asked {
  readonly answer_id: string;
  readonly question: string;
  readonly datasets: readonly string[];
  readonly mode: string;
  readonly facts: number;
  readonly confidence: number;
  readonly asked_at: string;
}

const ASKED = 'answer_id, question, datasets, mode, facts, confidence, asked_at';

export const HISTORY = `SELECT ${ASKED} FROM quern.answers WHERE asked_by = current_user
  AND ($1 = '' OR strpos(lower(question), lower($1)) > 0) ORDER BY asked_at DESC LIMIT 200`;

export const THREAD = `SELECT ${ASKED} FROM quern.answers WHERE thread = $1 AND asked_by = current_user ORDER BY asked_at`;
