/**
 * The nearest rows under filters that keep half of the rows down to one in ten thousand, whether what they
 * keep lies anywhere, near the query or far from it: never short, and what a look at every row finds. And
 * `quern.recall_check`, which says as much.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../../src/seeded-random.ts';
import { TestDatabase, type TestSession } from '../fixtures/database.ts';

const ROWS = 20_000;
const DIMENSION = 24;
const K = 10;
const QUERIES = 10;
/** Filters keep 1 / share of the rows. */
const SHARES = [2, 10, 100, 1_000, 10_000] as const;
/** Columns that number the rows: by chance, from those nearest to the query on, from the farthest on. */
const COLUMNS = ['chance', 'near', 'far'] as const;

interface Spot {
  readonly id: number;
  readonly v: Float32Array;
  readonly chance: number;
  readonly near: number;
  readonly far: number;
}

const random = seededRandom(17);
const noise = (): number => random() - 0.5;
const draw = (): Float32Array => Float32Array.from({ length: DIMENSION }, noise);
const centres = Array.from({ length: 60 }, draw);
const clustered = (): Float32Array => {
  const centre = centres[Math.floor(random() * centres.length)] as Float32Array;
  return centre.map((x) => x + noise() / 2);
};
const anchor = clustered();
const queries = Array.from({ length: QUERIES }, () => anchor.map((x) => x + noise() / 20));

function distance(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += ((a[i] as number) - (b[i] as number)) ** 2;
  return Math.sqrt(sum);
}

/** Place of each vector in the order of a figure. */
function places(vectors: readonly Float32Array[], figure: (v: Float32Array) => number): Int32Array {
  const figures = vectors.map(figure);
  const order = [...figures.keys()].sort((a, b) => (figures[a] as number) - (figures[b] as number));
  const found = new Int32Array(vectors.length);
  for (const [place, row] of order.entries()) found[row] = place;
  return found;
}

function makeSpots(): Spot[] {
  const vectors = Array.from({ length: ROWS }, clustered);
  const near = places(vectors, (v) => distance(v, anchor));
  const chance = places(vectors, random);
  return vectors.map((v, id) => ({
    id,
    v,
    chance: chance[id] as number,
    near: near[id] as number,
    far: ROWS - 1 - (near[id] as number),
  }));
}

const spots = makeSpots();
const text = (v: Float32Array): string => `'[${v.join(',')}]'`;

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open({ settings: { graphBytesMin: 100_000, headRows: 5_000 } });
  session = await database.session();
  await session.rows(`CREATE TABLE spots (id int PRIMARY KEY, chance int, near int, far int,
    v vector(${DIMENSION}))`);
  for (let from = 0; from < ROWS; from += 2_000) {
    const rows = spots
      .slice(from, from + 2_000)
      .map(({ id, chance, near, far, v }) => `(${id},${chance},${near},${far},${text(v)})`);
    await session.rows(`INSERT INTO spots VALUES ${rows.join()}`);
  }
  await session.rows('CREATE INDEX spots_v ON spots USING hnsw (v vector_l2_ops)');
});

afterAll(async () => {
  await database.close();
});

/** Ids of the rows of the filter that are nearest to the query, by looking at each. */
function nearest(query: Float32Array, keeps: (spot: Spot) => boolean): number[] {
  return spots
    .filter(keeps)
    .map(({ id, v }) => ({ id, distance: distance(v, query) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, K)
    .map(({ id }) => id);
}

it('has a graph, which an unfiltered ranking uses', async () => {
  expect(await session.rows('SELECT has_graph FROM quern.index_segments')).toEqual([['t']]);
  const plan = await session.rows(`EXPLAIN (ANALYZE, TIMING OFF)
    SELECT id FROM spots ORDER BY v <-> ${text(anchor)} LIMIT ${K}`);
  expect(plan.flat().join('\n')).toContain('strategy=graph');
});

it.each(COLUMNS.flatMap((column) => SHARES.map((share) => [column, share] as const)))(
  'finds the rows of a filter by %s that keeps one row in %i',
  async (column, share) => {
    const kept = ROWS / share;
    let found = 0;
    let wanted = 0;
    for (const query of queries) {
      const expected = nearest(query, (spot) => spot[column] < kept);
      const rows = await session.rows(
        `SELECT id FROM spots WHERE ${column} < ${kept} ORDER BY v <-> ${text(query)} LIMIT ${K}`,
      );
      const ids = rows.map(([id]) => Number(id));
      expect(ids.length).toBe(Math.min(K, kept));
      expect(ids.every((id) => (spots[id] as Spot)[column] < kept)).toBe(true);
      wanted += expected.length;
      found += expected.filter((id) => ids.includes(id)).length;
    }
    expect(found / wanted).toBeGreaterThanOrEqual(0.95);
  },
);

it.each([null, 'near < 2000', 'far < 200', 'chance < 2'])(
  'is checked by recall_check: %s',
  async (filter) => {
    const [[json]] = (await session.rows(
      `SELECT quern.recall_check('spots', 'v', ${filter === null ? 'NULL' : `'${filter}'`}, ${K}, 100)`,
    )) as [[string]];
    const checked = JSON.parse(json);
    expect(checked).toMatchObject({ index: 'spots_v', k: K, short: 0 });
    // Rows are drawn by chance, and none twice.
    expect(checked.sample).toBeGreaterThan(50);
    expect(checked.recall).toBeGreaterThanOrEqual(0.95);
  },
);

it('tells of an index that finds too little', async () => {
  const check = "SELECT quern.recall_check('spots', 'v', NULL, 10, 30)->>'recall'";
  await session.rows('SET quern.ef_search = 1');
  const [[narrow]] = (await session.rows(check)) as [[string]];
  // So wide that a scan is cheaper.
  await session.rows('SET quern.ef_search = 1000');
  const [[wide]] = (await session.rows(check)) as [[string]];
  await session.rows('RESET quern.ef_search');
  expect(Number(narrow)).toBeLessThan(1);
  expect(wide).toBe('1');
});
