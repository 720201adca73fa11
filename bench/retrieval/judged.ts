/** The sets with judged answers, how they are loaded into Quern, and what its ways to search make of them. */
import type { Client } from 'pg';
import type { RetrievalSet } from './sets.ts';

const BATCH = 500;

/** Plain BM25 as the data's README has it; null: its tokenizer does not know the script. */
export const SETS = [
  { name: 'cranfield', language: 'english', plain: 0.3577 },
  { name: 'medline', language: 'english', plain: 0.6631 },
  { name: 'npl', language: 'english', plain: 0.4378 },
  { name: 'xquad-en', language: 'english', plain: 0.9681 },
  { name: 'xquad-es', language: 'spanish', plain: 0.9492 },
  { name: 'xquad-de', language: 'german', plain: 0.933 },
  { name: 'xquad-zh', language: 'cjk', plain: null },
] as const;
export const ARMS = {
  keyword: 'SELECT _id FROM judged ORDER BY bm25(body, $1) DESC LIMIT 10',
  semantic: 'SELECT _id FROM judged ORDER BY semantic_similarity(body, $1) DESC LIMIT 10',
  hybrid: "SELECT _id FROM hybrid('judged', $1, k => 10)",
  'rank fusion': "SELECT _id FROM hybrid('judged', $1, k => 10, method => 'rrf')",
} as const;

/** In place of the set before. @param model the default one where none is given. */
export async function loadJudged(
  client: Client,
  { documents }: RetrievalSet,
  language: string,
  model?: string,
): Promise<void> {
  await client.query('DROP TABLE IF EXISTS judged');
  const semantic = `semantic_index(${model === undefined ? '' : `model => '${model}'`})`;
  await client.query(
    `CREATE TABLE judged (_id text, body text INDEX ${semantic} INDEX keyword_index(language => '${language}'))`,
  );
  for (let start = 0; start < documents.length; start += BATCH) {
    const batch = documents.slice(start, start + BATCH);
    await client.query('INSERT INTO judged (_id, body) SELECT * FROM unnest($1::text[], $2::text[])', [
      batch.map(({ id }) => id),
      batch.map(({ text }) => text),
    ]);
  }
}

/** nDCG@10 of a query that takes the question's text as $1, by an evaluation with the set's name. */
export async function measureJudged(
  client: Client,
  { name, queries }: RetrievalSet,
  sql: string,
): Promise<number> {
  const judgments = queries.flatMap(({ id, text, relevant }) =>
    [...relevant].map((document) => ({ id, text, document })),
  );
  await client.query(`DROP EVALUATION IF EXISTS '${name}'`);
  await client.query(
    `CREATE EVALUATION '${name}' AS
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) AS judgments (id, question, _id)`,
    [
      judgments.map(({ id }) => id),
      judgments.map(({ text }) => text),
      judgments.map(({ document }) => document),
    ],
  );
  const { rows } = await client.query<{ ndcg: number }>(`EVALUATE SEARCH '${name}' USING (${sql})`);
  return rows[0]?.ndcg ?? Number.NaN;
}
