/**
 * `search()` asked as a client asks it, and its ranking with one ingredient less: the product's own steps, which take
 * their rows by the same SQL over the wire.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { ALL_DOMAINS } from '../../src/language/domains/vocabulary.ts';
import { merged } from '../../src/session/datasets/ranking/merge.ts';
import { pageNumbers } from '../../src/session/datasets/parameters.ts';
import type { Passage } from '../../src/session/datasets/ranking/passage.ts';
import { type Question as Asked, readQuestion } from '../../src/session/datasets/ranking/question.ts';
import { candidatesOfAll } from '../../src/session/datasets/ranking/rank.ts';
import { byScore } from '../../src/session/datasets/ranking/score.ts';
import { withTexts } from '../../src/session/datasets/ranking/texts.ts';
import { WEIGHTS, type Weights } from '../../src/session/datasets/ranking/weights.ts';
import { present } from '../../src/assert.ts';
import { askOf } from '../wire-ask.ts';
import type { Found, QuestionSet } from './page-questions.ts';
import type { PageSearch } from './search-baselines.ts';

const RESULTS = 10;
/** Chunks that results are made of. */
const CHUNKS = 50;
const POLL_MS = 1_000;
/** The model that the baseline has. */
const MODEL = 'all-minilm-l6-v2';

/** Uploads the files of a set into a dataset of its name and waits until all are searched. */
export async function load(client: Client, { name, files }: QuestionSet): Promise<void> {
  await client.query(`CREATE DATASET ${name} WITH (embedding_model = '${MODEL}')`);
  for (const [file, path] of files) {
    const values = [name, file, readFileSync(path)];
    await client.query('SELECT quern.upsert_file($1, $2, $2, $3::bytea)', values);
  }
  const unfinished = `SELECT count(*)::int AS count FROM quern.ingest_queue WHERE dataset = '${name}'`;
  while ((await client.query(unfinished)).rows[0]?.count > 0) await sleep(POLL_MS);
  const failed = await client.query(
    `SELECT doc_id, reason FROM quern.ingest_failures WHERE dataset = '${name}'`,
  );
  if (failed.rows.length > 0) throw new Error(`not ingested: ${JSON.stringify(failed.rows)}`);
}

/** The set's questions as an evaluation of its name. */
export async function createEvaluation(
  client: Client,
  { name, questions, isPerDocument }: QuestionSet,
): Promise<void> {
  const rows = questions.map(({ file, text, pages }, i) => ({
    id: i,
    question: text,
    filter: isPerDocument ? `doc_id = '${file}'` : null,
    doc_id: file,
    pages,
  }));
  await client.query(
    `CREATE EVALUATION ${name} AS SELECT id, question, filter, doc_id,
       ARRAY(SELECT jsonb_array_elements_text(pages)::int) AS pages
     FROM jsonb_to_recordset($1::jsonb) AS q (id int, question text, filter text, doc_id text, pages jsonb)
     ORDER BY id`,
    [JSON.stringify(rows)],
  );
}

/** Places of each question's evidence by `search()`. @param results passages, chunks or pages. */
export function bySql(
  client: Client,
  { name }: QuestionSet,
  results: string,
): () => Promise<readonly number[]> {
  return async () => {
    const { rows: runs } = await client.query<{ run: string }>(
      `EVALUATE SEARCH ${name} ON ${name} WITH (results = '${results}', top_k = ${RESULTS})`,
    );
    const { rows } = await client.query<{ rank: number | null }>(
      'SELECT rank FROM quern.evaluation_results WHERE run = $1 ORDER BY ordinal',
      [runs[0]?.run],
    );
    return rows.map(({ rank }) => rank ?? Number.POSITIVE_INFINITY);
  };
}

export interface Ingredients {
  readonly weights?: Partial<Weights>;
  readonly question?: (asked: Asked) => Asked;
  readonly ranked?: (chunks: readonly Passage[]) => readonly Passage[];
}

export function byIngredients(
  client: Client,
  set: QuestionSet,
  { weights = {}, question = (asked) => asked, ranked }: Ingredients,
): PageSearch {
  const ask = askOf(client);
  return async ({ file, text }) => {
    const target = {
      dataset: set.name,
      documents: set.isPerDocument ? [file] : null,
      vocabulary: ALL_DOMAINS,
      named: new Map(),
    };
    const asked = question(present(readQuestion(text, ALL_DOMAINS), 'a question'));
    const candidates = await candidatesOfAll(ask, [target], { read: () => asked, topK: RESULTS });
    const best = byScore(candidates, { ...WEIGHTS, ...weights }).slice(0, CHUNKS);
    const texts = await withTexts(ask, best);
    return (ranked?.(texts) ?? merged(texts, { ...WEIGHTS, ...weights })).slice(0, RESULTS).map(foundOf);
  };
}

const foundOf = ({ docId, pages }: Passage): Found => ({ file: docId, pages: pageNumbers(pages) });
