/**
 * Scores of words through SQL beside Lucene's formula written out (k1 1.2, b 0.75), with the lengths of the
 * texts as they are, over head, segments and merged segments, and after rows were replaced and deleted.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../../src/seeded-random.ts';
import { TestDatabase, type TestSession } from '../fixtures/database.ts';

const K1 = 1.2;
const B = 0.75;
const ROWS = 600;

const random = seededRandom(41);
const whole = (most: number): number => Math.floor(random() * most);
/** Few frequent words and many rare ones; a text of 500 words now and then, whose length Lucene would round. */
const textOf = (): string =>
  Array.from(
    { length: whole(10) === 0 ? 260 + whole(300) : 1 + whole(60) },
    () => `w${Math.floor(200 ** random())}`,
  ).join(' ');

const texts = new Map<number, string>();
let database: TestDatabase;
let session: TestSession;

async function upsert(ids: readonly number[]): Promise<void> {
  for (const id of ids) texts.set(id, textOf());
  const rows = ids.map((id) => `(${id}, '${texts.get(id)}')`);
  await session.rows(`INSERT INTO docs VALUES ${rows.join()}
    ON CONFLICT (id) DO UPDATE SET body = excluded.body`);
}

beforeAll(async () => {
  database = await TestDatabase.open({ settings: { headRows: 100, mergeCount: 3 } });
  session = await database.session();
  await session.rows('CREATE TABLE docs (id int PRIMARY KEY, body text)');
  await session.rows("CREATE INDEX ON docs USING keyword (body) WITH (language = 'simple')");
});

afterAll(async () => {
  await database.close();
});

/** Σ ln(1 + (N − n + 0.5) / (n + 0.5)) · f / (f + k1 · (1 − b + b · length / average)), by id. */
function scoresByHand(query: string): Map<number, number> {
  const documents = [...texts].map(([id, text]) => ({ id, words: text.split(' ') }));
  const average = documents.reduce((sum, { words }) => sum + words.length, 0) / documents.length;
  const scores = new Map<number, number>();
  for (const term of query.split(' ')) {
    const n = documents.filter(({ words }) => words.includes(term)).length;
    const idf = Math.log(1 + (documents.length - n + 0.5) / (n + 0.5));
    for (const { id, words } of documents) {
      const f = words.filter((word) => word === term).length;
      const part = (idf * f) / (f + K1 * (1 - B + (B * words.length) / average));
      if (f > 0) scores.set(id, (scores.get(id) ?? 0) + part);
    }
  }
  return scores;
}

const QUERIES = ['w1', 'w150', 'w2 w40', 'w3 w70 w199', 'w0 w1 w2 w3 w4 w5 w6 w7', 'w5 w5'];

async function check(): Promise<void> {
  for (const query of QUERIES) {
    const expected = scoresByHand(query);
    const given = await session.rows(`SELECT id, bm25_score() FROM docs WHERE match('${query}', body)`);
    expect(new Set(given.map(([id]) => Number(id)))).toEqual(new Set(expected.keys()));
    for (const [id, score] of given) {
      expect(Math.abs(Number(score) - (expected.get(Number(id)) as number))).toBeLessThan(1e-4);
    }
    const best = await session.rows(
      `SELECT bm25_score() AS s FROM docs WHERE match('${query}', body) ORDER BY s DESC LIMIT 10`,
    );
    const wanted = [...expected.values()].sort((a, b) => b - a).slice(0, 10);
    expect(best.length).toBe(wanted.length);
    for (const [i, [score]] of best.entries()) {
      expect(Math.abs(Number(score) - (wanted[i] as number))).toBeLessThan(1e-4);
    }
  }
}

it('are those of the formula in heads, segments and merged segments', async () => {
  const ids = Array.from({ length: ROWS }, (_, id) => id);
  for (let from = 0; from < ROWS; from += 60) await upsert(ids.slice(from, from + 60));
  await check();
  await database.environment.engine.flush();
  await check();
});

it('count what is there after half of the rows were replaced or deleted', async () => {
  await upsert(Array.from({ length: ROWS / 4 }, (_, i) => 3 * i));
  const gone = [...texts.keys()].filter((id) => id % 4 === 1);
  await session.rows(`DELETE FROM docs WHERE id IN (${gone.join()})`);
  for (const id of gone) texts.delete(id);
  await check();
  await database.environment.engine.flush();
  await check();
});
