/**
 * `quern.reverify()`: the quotes of a kept answer are placed again in what the documents hold now (`ask/thread/standing.ts`), and
 * what came of it is written down, in a transaction of the server's own.
 */
import { findNamespace } from '../../catalog/lookup.ts';
import type { Reverified } from '../../functions/services.ts';
import type { CitedQuote, Standing } from '../datasets/asker.ts';
import { integers, pageNumbers, texts, uuid } from '../datasets/parameters.ts';
import { rowsOf } from '../running/internal-statement.ts';
import type { Statement } from '../running/statement.ts';
import type { Query, Row } from '../server-session.ts';
import { unknownAnswer } from './threads.ts';

const DROPPED: Standing = { stands: false, reason: 'dataset dropped', contentId: null, pages: null };

/** A row a citation. @throws SqlError 22023 for an answer that is not there, or not for the asker. */
export async function reverify(statement: Statement, answerId: string): Promise<readonly Reverified[]> {
  const { signal } = statement;
  const { environment, directory, settings, key } = statement.session;
  // The asker's, of what is committed by now, whatever the asker's transaction sees.
  const query: Query = (sql, ...parameters) => rowsOf(statement, sql, { parameters, newest: true });
  const rows = await citationsOf(query, answerId);
  const quotes = rows.map(quoteOf);
  const isThere = ({ dataset }: CitedQuote): boolean =>
    findNamespace(environment.engine.catalog(), dataset)?.dataset !== undefined;
  const there = quotes.filter(isThere);
  const placed = await environment.asker.standing(there, query, signal);
  const standing = quotes.map((quote) => placed[there.indexOf(quote)] ?? DROPPED);
  await using session = directory.openOwn(settings, key);
  await session.transaction((own) => writeDown(own, answerId, { rows, standing }), signal);
  return rows.map((row, i) => ({
    factNumber: Number(row.fact_number),
    citationNumber: Number(row.citation_number),
    fact: String(row.fact),
    refId: String(row.ref_id),
    dataset: String(row.dataset),
    docId: String(row.doc_id),
    quote: String(row.quote),
    ...(standing[i] ?? DROPPED),
  }));
}

async function citationsOf(query: Query, answerId: string): Promise<readonly Row[]> {
  const id = uuid(answerId);
  const known = await query('SELECT 1 AS found FROM quern.answers WHERE answer_id = $1', id);
  if (known.length === 0) throw unknownAnswer(answerId);
  const facts = await query('SELECT fact_number, fact FROM quern.facts WHERE answer_id = $1', id);
  const texts = new Map(facts.map(({ fact_number, fact }) => [fact_number, fact]));
  const rows = await query(
    `SELECT fact_number, citation_number, ref_id, dataset, doc_id, content_id, doc_pages, quote, line
     FROM quern.citations WHERE answer_id = $1 ORDER BY fact_number, citation_number`,
    id,
  );
  return rows.map((row) => ({ ...row, fact: texts.get(row.fact_number ?? null) ?? '' }));
}

const quoteOf = (row: Row): CitedQuote => ({
  fact: Number(row.fact_number),
  refId: String(row.ref_id),
  dataset: String(row.dataset),
  docId: String(row.doc_id),
  contentId: String(row.content_id),
  pages: pageNumbers(row.doc_pages ?? null),
  quote: String(row.quote),
  line: Number(row.line),
});

interface Outcome {
  readonly rows: readonly Row[];
  readonly standing: readonly Standing[];
}

async function writeDown(query: Query, answerId: string, { rows, standing }: Outcome): Promise<void> {
  if (rows.length === 0) return;
  await query(
    `UPDATE quern.citations AS c SET stands = s.reason IN ('in place', 'moved'), reason = s.reason,
       current_content_id = s.content_id, current_doc_pages = s.pages::integer[],
       checked_at = clock_timestamp()
     FROM unnest($2::integer[], $3::integer[], $4::text[], $5::text[], $6::text[])
       AS s(fact, number, reason, content_id, pages)
     WHERE c.answer_id = $1 AND c.fact_number = s.fact AND c.citation_number = s.number`,
    uuid(answerId),
    integers(rows.map(({ fact_number }) => Number(fact_number))),
    integers(rows.map(({ citation_number }) => Number(citation_number))),
    texts(standing.map(({ reason }) => reason)),
    texts(standing.map(({ contentId }) => contentId)),
    texts(standing.map(({ pages }) => pages && `{${pages.join(',')}}`)),
  );
}
