/**
 * Output of `explain_score()` and `hybrid(…, explain => true)`, computed anew: terms and fields add up to the scores of
 * `bm25_score()`, each of them by the formula from the numbers beside it; arms add up to the fused score; and a
 * passage that is named holds what was asked for.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../../src/seeded-random.ts';
import { TestDatabase, type TestSession } from '../fixtures/database.ts';

const ROWS = 300;
const random = seededRandom(77);
const whole = (most: number): number => Math.floor(random() * most);
const word = (): string => `w${Math.floor(90 ** random())}`;
const words = (count: number): string => Array.from({ length: count }, word).join(' ');

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open({ settings: { headRows: 70, mergeCount: 3 } });
  session = await database.session();
  await session.rows(`CREATE TABLE docs (_id text, id int, title text INDEX keyword_index(weight => 2.5),
    body text INDEX semantic_index(model => 'hash'), tags text[] INDEX keyword_index(type => 'exact'))`);
  for (let from = 0; from < ROWS; from += 50) {
    const rows = Array.from({ length: 50 }, (_, i) => {
      const title = whole(6) === 0 ? 'NULL' : `'${words(1 + whole(5))}'`;
      const body = words(whole(9) === 0 ? 400 + whole(700) : 5 + whole(40));
      return `('${from + i}', ${from + i}, ${title}, '${body}', ARRAY['${word()}', '${word()}'])`;
    });
    await session.rows(`INSERT INTO docs VALUES ${rows.join()}`);
  }
  await session.rows('DELETE FROM docs WHERE id % 11 = 0');
  await session.rows(`UPDATE docs SET title = '${words(4)}' WHERE id % 13 = 0`);
});

afterAll(async () => {
  await database.close();
});

interface Numbers {
  readonly frequency: number;
  readonly length: number;
  readonly average_length: number;
  readonly contribution: number;
}
interface Term extends Partial<Numbers> {
  readonly words: readonly string[];
  readonly idf: number;
  readonly boost: number;
  readonly contribution: number;
  readonly fields: readonly (Numbers & { readonly column: string; readonly weight: number })[];
}
interface Predicate {
  readonly score: number;
  readonly b: number;
  readonly k1: number;
  readonly terms: readonly Term[];
  readonly other_terms?: { readonly count: number; readonly contribution: number };
}
interface Explained {
  readonly score: number;
  readonly predicates: readonly Predicate[];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const close = (given: number, wanted: number): void =>
  expect(Math.abs(given - wanted)).toBeLessThan(1e-6 * Math.max(1, Math.abs(wanted)));

function checkPredicate({ score, b, k1, terms, other_terms: others }: Predicate): void {
  close(sum(terms.map(({ contribution }) => contribution)) + (others?.contribution ?? 0), score);
  for (const { idf, boost, frequency, contribution, fields } of terms) {
    const odds = fields.map((field) => {
      const norm = k1 * (1 - b + (b * field.length) / field.average_length);
      return (field.weight * field.frequency) / norm;
    });
    const all = Math.hypot(...odds);
    close((idf * boost * all) / (1 + all), contribution);
    close(sum(fields.map((field) => field.contribution)), contribution);
    for (const [i, field] of fields.entries()) {
      close(((odds[i] as number) / all) ** 2 * contribution, field.contribution);
    }
    if (frequency !== undefined) expect(fields.map((field) => field.frequency)).toEqual([frequency]);
  }
}

const WAYS: readonly ((query: string) => string)[] = [
  (query) => `match('${query}')`,
  (query) => `match('${query}', body)`,
  (query) => `match('${query}', fields => 'separate')`,
  (query) => `match('${query}', ARRAY[title, body], weight => 1.7, all_terms => false)`,
  (query) => `match('${query}', column_weights => '{"body": 0, "title": 3}')`,
  (query) => `match('${query}', ARRAY[body, title], column_weights => '{"body": 0.5}', all_terms => true)`,
  (query) => `match('${query}', title) AND should('w3 w4', body, 2)`,
  (query) => `match_all(body, ARRAY['w1', 'w2']) OR match_tokens(ARRAY['${query.split(' ')[0]}'], tags)`,
  (query) => `phrase(body, '${query}', 3) OR match('w9')`,
  (query) => `match('${query} -w50 title:w1 OR "w1 w2"', syntax => 'web')`,
  (query) => `prefix(body, '${query}')`,
  (query) => `fuzzy(body, '${query}', 1) OR match('${query}', title)`,
];

it('terms and fields add up to bm25_score()', async () => {
  let explained = 0;
  for (const way of WAYS) {
    for (const score of ['score()', 'score(0.3, 2)']) {
      const query = words(1 + whole(4));
      const rows = await session.rows(`SELECT bm25_${score}, explain_${score} FROM docs
        WHERE ${way(query)} ORDER BY bm25_${score} DESC LIMIT 15`);
      for (const [known, json] of rows) {
        const told = JSON.parse(json as string) as Explained;
        close(told.score, Number(known));
        close(sum(told.predicates.map((one) => one.score)), Number(known));
        told.predicates.forEach(checkPredicate);
        explained++;
      }
    }
  }
  expect(explained).toBeGreaterThan(150);
});

it('of a long query the terms that contribute most are told, and the sum of the others', async () => {
  const query = Array.from({ length: 500 }, (_, i) => `w${i % 90}`).join(' ');
  const rows = await session.rows(`SELECT explain_score() FROM docs
    WHERE match('${query}') ORDER BY bm25_score() DESC LIMIT 5`);
  for (const [json] of rows) {
    const [told] = (JSON.parse(json as string) as Explained).predicates as [Predicate];
    expect(told.terms).toHaveLength(50);
    expect(told.other_terms?.count).toBeGreaterThan(0);
    checkPredicate(told);
  }
});

interface Arm extends Predicate {
  readonly arm: string;
  readonly rank: number | null;
  readonly share: number;
  readonly weight: number;
  readonly normalized: number;
  readonly contribution: number;
  readonly least?: number;
  readonly best?: number;
  readonly passage?: {
    readonly number: number;
    readonly of: number;
    readonly start: number;
    readonly length: number;
  };
}

it('arms add up to the score of hybrid()', async () => {
  let passages = 0;
  for (const method of ['linear', 'minmax', 'rrf']) {
    for (const fields of ['together', 'separate']) {
      const query = words(3);
      const rows =
        await session.rows(`SELECT score, semantic_score, semantic_rank, keyword_score, explanation, body
        FROM hybrid('docs', '${query}', k => 10, method => '${method}', fields => '${fields}', explain => true)`);
      expect(rows).toHaveLength(10);
      for (const [score, cosine, rank, bm25, json, body] of rows) {
        const told = JSON.parse(json as string) as { score: number; method: string; arms: readonly Arm[] };
        const [semantic, keyword] = told.arms as [Arm, Arm];
        expect(told.method).toBe(method);
        close(told.score, Number(score));
        close(sum(told.arms.map((arm) => arm.contribution)), Number(score));
        for (const arm of told.arms) {
          close(arm.weight * arm.normalized, arm.contribution);
          close(arm.share * Number(score), arm.contribution);
          if (arm.best === undefined || arm.least === undefined || arm.score === null) continue;
          close((arm.score - arm.least) / (arm.best - arm.least), arm.normalized);
        }
        close(semantic.score, Number(cosine));
        expect(semantic.rank).toBe(rank === null ? null : Number(rank));
        if (Number(bm25) > 0) {
          close(keyword.score, Number(bm25));
          checkPredicate(keyword);
        }
        passages += await checkPassage(semantic, query, body as string);
      }
    }
  }
  expect(passages).toBeGreaterThan(1);
});

/** The passage is one of the model's, and by itself as similar as the text is. @returns 1 when there were several. */
async function checkPassage({ passage, score }: Arm, query: string, body: string): Promise<number> {
  const { of, number, start, length } = passage as NonNullable<Arm['passage']>;
  expect(number).toBeGreaterThan(0);
  expect(number).toBeLessThanOrEqual(of);
  const text = body.slice(start - 1, start - 1 + length);
  const [[similarity]] = (await session.rows(
    `SELECT 1 - (embed('${text}', model => 'hash') <=> embed('${query}', model => 'hash'))`,
  )) as [[string]];
  expect(Math.abs(Number(similarity) - score)).toBeLessThan(1e-4);
  return of > 1 ? 1 : 0;
}
