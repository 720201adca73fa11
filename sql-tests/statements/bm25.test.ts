/**
 * Scores of words through SQL beside Lucene's formula written out (k1 1.2, b 0.75), with the lengths of the
 * texts as they are, over head, segments and merged segments, and after rows were replaced and deleted: of one column,
 * and of two as the fields of one text.
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

/** By id: title and body; a title is missing now and then. */
const texts = new Map<number, readonly [title: string | null, body: string]>();
let database: TestDatabase;
let session: TestSession;

async function upsert(ids: readonly number[]): Promise<void> {
  for (const id of ids) texts.set(id, [id % 5 === 0 ? null : textOf().split(' ', 4).join(' '), textOf()]);
  const rows = ids.map((id) => {
    const [title, body] = texts.get(id) ?? [];
    return `(${id}, ${title === null ? 'NULL' : `'${title}'`}, '${body}')`;
  });
  await session.rows(`INSERT INTO docs VALUES ${rows.join()}
    ON CONFLICT (id) DO UPDATE SET title = excluded.title, body = excluded.body`);
}

beforeAll(async () => {
  database = await TestDatabase.open({ settings: { headRows: 100, mergeCount: 3 } });
  session = await database.session();
  await session.rows('CREATE TABLE docs (id int PRIMARY KEY, title text, body text)');
  await session.rows("CREATE INDEX ON docs USING keyword (body) WITH (language = 'simple')");
  await session.rows("CREATE INDEX ON docs USING keyword (title) WITH (language = 'simple', weight = 2.5)");
});

afterAll(async () => {
  await database.close();
});

/** Occurrences and lengths of title and body count as often. */
type Weights = readonly [title: number, body: number];

/**
 * Σ ln(1 + (N − n + 0.5) / (n + 0.5)) · o / (1 + o), by id, where o² is the sum of the squares of
 * weight · f / (k1 · (1 − b + b · length / average)) over the fields.
 */
function scoresByHand(query: string, weights: Weights): Map<number, number> {
  const documents = [...texts].map(([id, fields]) => {
    return { id, words: fields.map((text) => text?.split(' ') ?? []) };
  });
  const averages = weights.map((_, field) => {
    const lengths = documents.map(({ words }) => words[field]?.length ?? 0).filter((length) => length > 0);
    return lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  });
  const oddsOf = (words: readonly (readonly string[])[], term: string): number =>
    Math.hypot(
      ...words.map((list, field) => {
        const frequency = list.filter((word) => word === term).length * (weights[field] as number);
        return frequency / (K1 * (1 - B + (B * list.length) / (averages[field] as number)));
      }),
    );
  const scores = new Map<number, number>();
  for (const term of query.split(' ')) {
    const found = documents.map(({ words }) => oddsOf(words, term));
    const n = found.filter((odds) => odds > 0).length;
    const idf = Math.log(1 + (documents.length - n + 0.5) / (n + 0.5));
    for (const [i, { id }] of documents.entries()) {
      const odds = found[i] as number;
      if (odds > 0) scores.set(id, (scores.get(id) ?? 0) + (idf * odds) / (1 + odds));
    }
  }
  return scores;
}

const QUERIES = ['w1', 'w150', 'w2 w40', 'w3 w70 w199', 'w0 w1 w2 w3 w4 w5 w6 w7', 'w5 w5'];

/** Columns that `match` is asked for beside the query, and the weights that it means. */
const SEARCHES: readonly (readonly [columns: string, weights: Weights])[] = [
  [', body', [0, 1]],
  ['', [2.5, 1]],
  [`, ARRAY[body, title], column_weights => '{"title": 1, "body": 0.5}'`, [1, 0.5]],
];

async function check(): Promise<void> {
  for (const query of QUERIES) {
    for (const [columns, weights] of SEARCHES)
      await checkScores(query, columns, scoresByHand(query, weights));
  }
}

async function checkScores(
  query: string,
  columns: string,
  expected: ReadonlyMap<number, number>,
): Promise<void> {
  const found = `docs WHERE match('${query}'${columns})`;
  const given = await session.rows(`SELECT id, bm25_score() FROM ${found}`);
  expect(new Set(given.map(([id]) => Number(id)))).toEqual(new Set(expected.keys()));
  for (const [id, score] of given) {
    expect(Math.abs(Number(score) - (expected.get(Number(id)) as number))).toBeLessThan(1e-4);
  }
  const best = await session.rows(`SELECT bm25_score() AS s FROM ${found} ORDER BY s DESC LIMIT 10`);
  const wanted = [...expected.values()].sort((a, b) => b - a).slice(0, 10);
  expect(best.length).toBe(wanted.length);
  for (const [i, [score]] of best.entries()) {
    expect(Math.abs(Number(score) - (wanted[i] as number))).toBeLessThan(1e-4);
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
