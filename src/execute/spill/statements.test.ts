/** Statements whose rows are more than `work_mem`: what they give is what they give in memory. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';

let database: TestDatabase;
let session: TestSession;

const TABLES = `
  CREATE TABLE facts (id int8, k int4, t text, n numeric, f float8, b bool, a int4[], j jsonb);
  INSERT INTO facts SELECT i, (i * 7919) % 1009, CASE WHEN i % 11 = 0 THEN NULL ELSE 'text ' || (i * 31) % 977 END,
      i::numeric / 8, CASE WHEN i % 13 = 0 THEN 'NaN' ELSE -i / 3.0 END, i % 3 = 0, ARRAY[i % 5, i % 7],
      jsonb_build_object('a', i % 17) FROM generate_series(1, 6000) i;
  CREATE TABLE others (k int8, t text, v int4);
  INSERT INTO others SELECT i, 'text ' || i, i % 10 FROM generate_series(-3000, 3000) i;
  INSERT INTO others VALUES (NULL, NULL, 1), (7, 'text 7', 99);`;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  await session.rows(TABLES);
});

afterAll(() => database.close());

async function under(memory: string, query: string): Promise<readonly (readonly (string | null)[])[]> {
  await session.rows(`SET work_mem = '${memory}'`);
  return await session.rows(query);
}

const ORDERED: readonly string[] = [
  'SELECT * FROM facts ORDER BY k, id DESC',
  'SELECT t, f, n FROM facts ORDER BY t NULLS FIRST, f DESC, n',
  'SELECT a, j, b FROM facts ORDER BY a DESC, j, id % 100, id',
  'SELECT id FROM facts ORDER BY k',
  'SELECT id, k FROM facts ORDER BY t DESC LIMIT 5000 OFFSET 10',
];

describe('sorted', () => {
  it.each(ORDERED)('%s', async (query) => {
    const inMemory = await under('1GB', query);
    expect(await under('64kB', query)).toEqual(inMemory);
    const explained = (await under('64kB', `EXPLAIN (ANALYZE, COSTS OFF) ${query}`)).flat().join('\n');
    expect(explained).toMatch(/Sort Method: external merge {2}Disk: \d+kB/);
  });
});

const sortedRows = (rows: readonly (readonly (string | null)[])[]): string[] =>
  rows.map((row) => JSON.stringify(row)).sort();

/** @param spills what EXPLAIN ANALYZE says of it. */
async function expectAlike(query: string, spills: RegExp): Promise<void> {
  const inMemory = await under('1GB', query);
  expect(inMemory.length).toBeGreaterThan(0);
  expect(sortedRows(await under('64kB', query))).toEqual(sortedRows(inMemory));
  const explained = (await under('64kB', `EXPLAIN (ANALYZE, COSTS OFF) ${query}`)).flat().join('\n');
  expect(explained).toMatch(spills);
}

const HASHED = /Batches: \d+ {2}Memory Usage: \d+kB {2}Disk Usage: \d+kB/;

const JOINS: readonly string[] = [
  'SELECT f.id, o.v FROM facts f JOIN others o ON f.k = o.k',
  'SELECT f.id, o.v, o.t FROM facts f LEFT JOIN others o ON f.k = o.k AND o.v > f.id % 10',
  'SELECT f.id, o.v, o.k FROM facts f RIGHT JOIN others o ON f.k = o.k AND f.id > 3000',
  'SELECT f.id, o.k FROM (SELECT * FROM facts WHERE id % 3 = 0) f FULL JOIN others o ON f.k = o.k AND f.t = o.t',
  'SELECT f.id FROM facts f WHERE EXISTS (SELECT FROM others o WHERE o.t = f.t AND o.v < 8)',
  'SELECT f.id FROM facts f WHERE NOT EXISTS (SELECT FROM others o WHERE o.t = f.t AND o.v < 8)',
  'SELECT count(*) FROM facts f JOIN facts g ON f.n = g.n AND f.f = g.f',
];

describe('joined', () => {
  it.each(JOINS)('%s', (query) => expectAlike(query, HASHED));

  it('where all rows have one key', async () => {
    const query = `SELECT count(*), sum(f.id) FROM facts f JOIN (SELECT 7 AS k, v, repeat('x', 100) FROM others OFFSET 0) o ON f.k = o.k`;
    await expectAlike(query, HASHED);
  });
});

const GROUPINGS: readonly string[] = [
  'SELECT k, count(*), sum(id), avg(n), min(t), max(f) FROM facts GROUP BY k',
  'SELECT id, count(*) FROM facts GROUP BY id',
  'SELECT t, k % 10, count(*) FILTER (WHERE b), bool_or(b) FROM facts GROUP BY 1, 2',
  'SELECT n, f, sum(f) FROM facts GROUP BY n, f',
  "SELECT k % 100, array_agg(id), string_agg(t, ',' ORDER BY id DESC) FROM facts GROUP BY 1",
  'SELECT k % 500, count(DISTINCT t), sum(DISTINCT k) FROM facts GROUP BY 1',
  'SELECT k, t, count(*), grouping(k, t) FROM facts GROUP BY GROUPING SETS ((k), (t), (k, t), ())',
  'SELECT k, percentile_disc(0.5) WITHIN GROUP (ORDER BY id) FROM facts GROUP BY CUBE (k, b)',
  'SELECT id, count(*), max(f) FROM facts WHERE k > 10 GROUP BY id',
  'SELECT t, sum(k) FROM facts WHERE NOT b GROUP BY t',
  'SELECT a, j, count(*), jsonb_agg(id) FROM facts GROUP BY a, j',
];

describe('grouped', () => {
  it.each(GROUPINGS)('%s', (query) => expectAlike(query, HASHED));
});

const SETS: readonly string[] = [
  'SELECT DISTINCT id, t FROM facts',
  'SELECT DISTINCT n, f FROM facts WHERE id % 2 = 0',
  'SELECT DISTINCT ON (k, b) k, b, id, t FROM facts ORDER BY k DESC, b, id DESC',
  'SELECT DISTINCT ON (n) * FROM facts',
  'SELECT t, n FROM facts UNION SELECT t, v FROM others',
];

describe('row by row as in memory', () => {
  it.each(SETS)('%s', async (query) => {
    const inMemory = await under('1GB', query);
    expect(await under('64kB', query)).toEqual(inMemory);
    await expectAlike(query, HASHED);
  });
});

const COUNTED: readonly string[] = [
  'SELECT k::int8, t FROM facts INTERSECT SELECT k, t FROM others',
  'SELECT k, id % 7 FROM facts INTERSECT ALL SELECT k, id % 11 FROM facts WHERE id > 900 INTERSECT ALL SELECT k, v FROM others',
  'SELECT id, k FROM facts EXCEPT SELECT k, v FROM others',
  'SELECT id % 2000, k % 3 FROM facts EXCEPT ALL SELECT k, 1 FROM others EXCEPT ALL SELECT k, 2 FROM others',
];

describe('counted', () => {
  it.each(COUNTED)('%s', (query) => expectAlike(query, HASHED));
});
