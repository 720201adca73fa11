/** One whole answer is written down: its row, its facts, and their citations, a quote each. */
import { OID } from '../../types/oids.ts';
import { formatJsonb, jsonOf } from '../../types/json/json.ts';
import type { AskRequest, AskRow } from '../../functions/services.ts';
import type { FormerDocument } from '../datasets/asker.ts';
import { integer, integers, json, text, texts, uuid } from '../datasets/parameters.ts';
import { ownerParameters, type RowOwner } from '../whose.ts';
import type { Parameter, Query } from '../server-session.ts';

export type FactRow = Extract<AskRow, { kind: 'fact' }>;
export type FinalRow = Extract<AskRow, { kind: 'answer' }>;

/** An answer that has come to its end. */
export interface WholeAnswer {
  /** A UUID of version 7: answers are in the order in which they were asked. */
  readonly answerId: string;
  readonly request: Pick<AskRequest, 'question' | 'datasets' | 'filter' | 'mode'>;
  /** Its own id where it follows none and has no name. */
  readonly thread: string;
  /** The answer that it follows. */
  readonly follows: string | null;
  /** The question made whole; null or absent where it was. */
  readonly understood?: string | null;
  /** Documents of the answers before it, of which a question that was made whole may have words. */
  readonly origins?: readonly FormerDocument[];
  readonly askedBy: string;
  readonly owner: RowOwner;
  /** Microseconds since 2000-01-01 UTC. */
  readonly askedMicros: bigint;
  readonly finishedMicros: bigint;
  readonly progress: readonly string[];
  readonly facts: readonly FactRow[];
  readonly final: FinalRow;
}

/** @param query of a session of the server's own. */
export async function keepAnswer(query: Query, answer: WholeAnswer): Promise<void> {
  await keepRow(query, answer);
  await keepOrigins(query, answer);
  if (answer.facts.length === 0) return;
  await keepFacts(query, answer);
  await keepCitations(query, answer);
}

async function keepRow(query: Query, answer: WholeAnswer): Promise<void> {
  const { request, final, facts } = answer;
  const { question, datasets, filter, mode } = request;
  await query(
    `INSERT INTO quern.answers
       (answer_id, thread, follows, question, understood, datasets, filters, mode, asked_by, asked_at,
        finished_at, progress, facts, confidence, model, role, key)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
    uuid(answer.answerId),
    text(answer.thread),
    uuid(answer.follows),
    text(question),
    text(answer.understood ?? null),
    texts([...new Set(datasets.map(({ dataset }) => dataset))]),
    json({ datasets, filter }),
    text(mode),
    text(answer.askedBy),
    timestamp(answer.askedMicros),
    timestamp(answer.finishedMicros),
    texts(answer.progress),
    integer(facts.length),
    [OID.float8, final.confidence],
    text(final.model ?? null),
    ...ownerParameters(answer.owner),
  );
}

async function keepOrigins(query: Query, { answerId, understood = null, origins = [] }: WholeAnswer) {
  if (understood === null || origins.length === 0) return;
  await query(
    `INSERT INTO quern.answer_origins (answer_id, dataset, doc_id)
     SELECT DISTINCT $1::uuid, o.dataset, o.doc_id FROM unnest($2::text[], $3::text[]) AS o(dataset, doc_id)`,
    uuid(answerId),
    texts(origins.map(({ dataset }) => dataset)),
    texts(origins.map(({ docId }) => docId)),
  );
}

async function keepFacts(query: Query, { answerId, facts }: WholeAnswer): Promise<void> {
  await query(
    `INSERT INTO quern.facts (answer_id, fact_number, fact, computed)
     SELECT $1, f.number, f.fact, f.computed = 1
     FROM unnest($2::integer[], $3::text[], $4::integer[]) AS f(number, fact, computed)`,
    uuid(answerId),
    integers(facts.map((_, i) => i + 1)),
    texts(facts.map(({ fact }) => fact)),
    integers(facts.map(({ isComputed }) => Number(isComputed))),
  );
}

/** Quotes without a reference are none: their facts stay without them. */
async function keepCitations(query: Query, { answerId, facts, final, finishedMicros }: WholeAnswer) {
  const cited = facts.flatMap(({ quotes }, fact) =>
    quotes.flatMap((quote, i) => {
      const ref = final.refs[quote.refId];
      return ref === undefined ? [] : [{ fact: fact + 1, number: i + 1, quote, ref }];
    }),
  );
  const column = (of: (one: (typeof cited)[number]) => string): Parameter => texts(cited.map(of));
  const numbers = (of: (one: (typeof cited)[number]) => number): Parameter => integers(cited.map(of));
  await query(
    `INSERT INTO quern.citations
       (answer_id, fact_number, citation_number, ref_id, dataset, doc_id, doc_name, version, content_id,
        doc_pages, quote, quote_start, quote_end, line, boxes, stands, checked_at)
     SELECT $1, c.fact, c.number, c.ref_id, c.dataset, c.doc_id, c.doc_name, c.version, c.content_id,
       c.doc_pages::integer[], c.quote, c.first, c.last, c.line, c.boxes::jsonb, true, $2
     FROM unnest($3::integer[], $4::integer[], $5::text[], $6::text[], $7::text[], $8::text[], $9::integer[],
         $10::text[], $11::text[], $12::text[], $13::integer[], $14::integer[], $15::integer[], $16::text[])
       AS c(fact, number, ref_id, dataset, doc_id, doc_name, version, content_id, doc_pages, quote, first,
         last, line, boxes)`,
    uuid(answerId),
    timestamp(finishedMicros),
    numbers(({ fact }) => fact),
    numbers(({ number }) => number),
    column(({ quote }) => quote.refId),
    column(({ ref }) => ref.dataset),
    column(({ ref }) => ref.doc_id),
    column(({ ref }) => ref.doc_name),
    numbers(({ quote }) => quote.version),
    column(({ ref }) => ref.content_id),
    column(({ ref }) => `{${ref.content.doc_pages.join(',')}}`),
    column(({ quote }) => quote.text),
    numbers(({ quote }) => quote.start),
    numbers(({ quote }) => quote.end),
    numbers(({ quote, ref }) => lineOf(ref.content.text, quote.start)),
    column(({ quote, ref }) => boxesOf(quote, ref)),
  );
}

const timestamp = (micros: bigint): Parameter => [OID.timestamptz, micros];

/** 1-based. */
const lineOf = (content: string, at: number): number => content.slice(0, at).split('\n').length;

function boxesOf({ start, end }: FactRow['quotes'][number], { quotes }: FinalRow['refs'][string]): string {
  const placed = quotes.find((quote) => quote.start === start && quote.end === end);
  return formatJsonb(jsonOf(placed?.boxes ?? []));
}
