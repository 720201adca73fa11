/**
 * `search()` asked as a client asks it, and its ranking with one ingredient less: the product's own steps, which take
 * their rows by the same SQL over the wire.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
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
/** Of which results are made. */
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

/** `results` of `search()`: passages, chunks or pages. */
export function bySql(client: Client, set: QuestionSet, results: string): PageSearch {
  return async ({ file, text }) => {
    const { rows } = await client.query<{ doc_id: string; doc_pages: number[] | null }>(
      'SELECT doc_id, doc_pages FROM search($1, ARRAY[$2], $3, filter => $4, results => $5)',
      [text, set.name, RESULTS, set.isPerDocument ? `doc_id = '${file}'` : null, results],
    );
    return rows.map((row) => ({ file: row.doc_id, pages: row.doc_pages ?? [] }));
  };
}

export interface Ingredients {
  readonly weights?: Partial<Weights>;
  readonly question?: (asked: Asked) => Asked;
  readonly ranked?: typeof merged;
}

export function byIngredients(
  client: Client,
  set: QuestionSet,
  { weights = {}, question = (asked) => asked, ranked = merged }: Ingredients,
): PageSearch {
  const ask = askOf(client);
  return async ({ file, text }) => {
    const target = { dataset: set.name, documents: set.isPerDocument ? [file] : null };
    const asked = question(present(readQuestion(text), 'a question'));
    const candidates = await candidatesOfAll(ask, [target], { question: asked, topK: RESULTS });
    const best = byScore(candidates, { ...WEIGHTS, ...weights }).slice(0, CHUNKS);
    return ranked(await withTexts(ask, best))
      .slice(0, RESULTS)
      .map(foundOf);
  };
}

const foundOf = ({ docId, pages }: Passage): Found => ({ file: docId, pages: pageNumbers(pages) });
