/**
 * nDCG@10 of keyword, semantic and hybrid search beside exact search with the float32 model, on sets with judged
 * answers. One setting for all of them; the language of the analyser is the set's.
 */
import type { Client } from 'pg';
import { type Peers, prepared } from '../peers.ts';
import { report } from '../statistics.ts';
import { type Embedded, embedFloat32 } from './float32-model.ts';
import { nearest } from './vectors.ts';
import { ndcg, type RetrievalSet, readSet } from './sets.ts';

const DIMENSION = 384;
const BATCH = 500;
const K = 10;

/** Plain BM25 as the data's README has it; null: its tokenizer does not know the script. */
const SETS = [
  { name: 'cranfield', language: 'english', plain: 0.3577 },
  { name: 'medline', language: 'english', plain: 0.6631 },
  { name: 'npl', language: 'english', plain: 0.4378 },
  { name: 'xquad-en', language: 'english', plain: 0.9681 },
  { name: 'xquad-es', language: 'spanish', plain: 0.9492 },
  { name: 'xquad-de', language: 'german', plain: 0.933 },
  { name: 'xquad-zh', language: 'cjk', plain: null },
] as const;
/** The sets whose language the model knows: those of the bars. */
const BARRED = 4;

const ARMS = {
  keyword: 'SELECT _id FROM judged ORDER BY bm25(body, $1) DESC LIMIT 10',
  semantic: 'SELECT _id FROM judged ORDER BY semantic_similarity(body, $1) DESC LIMIT 10',
  hybrid: "SELECT _id FROM hybrid('judged', $1, k => 10)",
  'rank fusion': "SELECT _id FROM hybrid('judged', $1, k => 10, method => 'rrf')",
} as const;

/** @param quick the two smallest sets, without the float32 model. */
export async function quality({ quern }: Peers, quick: boolean): Promise<void> {
  const gains: number[] = [];
  const chosen = quick ? SETS.filter(({ name }) => name === 'medline' || name === 'xquad-en') : SETS;
  for (const { name, language, plain } of chosen) {
    const set = readSet(name);
    await load(quern.client, set, language);
    const scores: Record<string, number> = {};
    for (const [arm, sql] of Object.entries(ARMS)) scores[arm] = await measure(quern.client, set, sql);
    const { keyword = 0, semantic = 0, hybrid = 0, 'rank fusion': fused = 0 } = scores;
    const exact = quick ? Number.NaN : exactScore(set, await embedSet(set));
    const better = Math.max(keyword, semantic);
    if (SETS.findIndex((one) => one.name === name) < BARRED) gains.push(hybrid - better);
    report(`${name}: nDCG@10 of hybrid over the better arm`, hybrid - better, {
      bar: '>= -0.005',
      keyword: `${keyword.toFixed(4)}${plain === null ? '' : ` (bar ${(plain - 0.01).toFixed(4)})`}`,
      semantic: `${semantic.toFixed(4)} (bar ${(exact - 0.005).toFixed(4)})`,
      'exact float32': exact.toFixed(4),
      hybrid: hybrid.toFixed(4),
      'rank fusion': fused.toFixed(4),
    });
  }
  const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
  report('nDCG@10 of hybrid over the better arm, mean', mean, { bar: '> 0' });
}

async function load(client: Client, { documents }: RetrievalSet, language: string): Promise<void> {
  await client.query('DROP TABLE IF EXISTS judged');
  await client.query(
    `CREATE TABLE judged (_id text, body text INDEX semantic_index() INDEX keyword_index(language => '${language}'))`,
  );
  for (let start = 0; start < documents.length; start += BATCH) {
    const batch = documents.slice(start, start + BATCH);
    await client.query('INSERT INTO judged (_id, body) SELECT * FROM unnest($1::text[], $2::text[])', [
      batch.map(({ id }) => id),
      batch.map(({ text }) => text),
    ]);
  }
}

async function measure(client: Client, { queries }: RetrievalSet, sql: string): Promise<number> {
  let sum = 0;
  for (const { text, relevant } of queries) {
    const { rows } = await client.query<{ _id: string }>(prepared(sql, [text]));
    const found = rows.map(({ _id }) => _id);
    sum += ndcg(found, relevant);
  }
  return sum / queries.length;
}

const embedSet = ({ documents, queries }: RetrievalSet): Promise<Embedded> =>
  embedFloat32([...documents, ...queries].map(({ text }) => text));

/** By the float32 vectors of documents and queries, every pair compared. */
function exactScore({ name, documents, queries }: RetrievalSet, { vectors }: Embedded): number {
  const base = vectors.subarray(0, documents.length * DIMENSION);
  const asked = { name, dimension: DIMENSION, base, queries: vectors.subarray(base.length) };
  const scores = queries.map(({ relevant }, query) => {
    const rows = nearest(asked, { query, k: K, keeps: () => true });
    return ndcg(
      rows.map((row) => documents[row]?.id ?? ''),
      relevant,
    );
  });
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}
