/** Diversity beside maximal marginal relevance as it is defined, computed anew for every row. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../../seeded-random.ts';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';

const ROWS = 120;
const DIMENSION = 6;

let database: TestDatabase;
let session: TestSession;
const vectors: number[][] = [];

beforeAll(async () => {
  const random = seededRandom(11);
  database = await TestDatabase.open({ settings: { headRows: 50 } });
  session = await database.session();
  await session.rows(`CREATE TABLE points (id int PRIMARY KEY, at vector(${DIMENSION}));
    CREATE INDEX ON points USING vector (at)`);
  for (let i = 0; i < ROWS; i++)
    vectors.push(Array.from({ length: DIMENSION }, () => Math.round(100 * random()) - 30));
  for (let from = 0; from < ROWS; from += 40) {
    const rows = vectors.slice(from, from + 40).map((vector, i) => `(${from + i}, '[${vector.join()}]')`);
    await session.rows(`INSERT INTO points VALUES ${rows.join()}`);
  }
  await session.rows('INSERT INTO points VALUES (1000, NULL)');
});

afterAll(async () => {
  await database.close();
});

const QUERY = Array.from({ length: DIMENSION }, (_, i) => i + 1);

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]): number =>
    x.reduce((sum, value, i) => sum + value * (y[i] as number), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

/** @param relevant ids with their scores, best first. */
function naive(
  relevant: readonly (readonly [id: number, score: number])[],
  count: number,
  diversity: number,
) {
  const best = relevant[0]?.[1] ?? 1;
  const left = [...relevant];
  const taken: number[] = [];
  while (taken.length < count && left.length > 0) {
    const values = left.map(([id, score]) => {
      const near = taken.map((other) => cosine(vectors[id] as number[], vectors[other] as number[]));
      const most = near.length === 0 ? 0 : Math.max(...near);
      return taken.length === 0 ? score : (1 - diversity) * (score / best) - diversity * most;
    });
    const [next] = left.splice(values.indexOf(Math.max(...values)), 1);
    if (next !== undefined) taken.push(next[0]);
  }
  return taken;
}

it.each([0, 0.2, 0.5, 0.8, 1])('is maximal marginal relevance at %d', async (diversity) => {
  const search = (how: string): Promise<readonly (readonly (string | null)[])[]> =>
    session.rows(
      `SELECT id, score FROM hybrid('points', vector => '[${QUERY.join()}]', depth => 60, method => 'linear', ${how})`,
    );
  const all = (await search('k => 60')).map(([id, score]) => [Number(id), Number(score)] as const);
  const found = await search(`k => 15, diversity => ${diversity}`);
  expect(found.map(([id]) => Number(id))).toEqual(naive(all, 15, diversity));
});

it('gives all that was found, where more is wanted', async () => {
  const rows = await session.rows(
    `SELECT id FROM hybrid('points', vector => '[1,0,0,0,0,0]', k => 500, depth => 500, diversity => 0.5)`,
  );
  expect(new Set(rows.map(([id]) => id)).size).toBe(ROWS);
});
