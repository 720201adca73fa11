/** Statements whose rows are more than `work_mem`: what they give is what they give in memory. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SpillFiles } from './space.ts';
import { SqlError } from '../../errors.ts';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';

let database: TestDatabase;
let session: TestSession;

const TABLES = `
  CREATE TABLE facts (id int8, k int4, t text, n numeric, f float8, b bool, a int4[], j jsonb);
  INSERT INTO facts SELECT i, (i * 7919) % 1009,
      CASE WHEN i % 11 = 0 THEN NULL ELSE 'text ' || (i * 31) % 977 END, i::numeric / 8,
      CASE WHEN i % 13 = 0 THEN 'NaN' ELSE -i / 3.0 END, i % 3 = 0, ARRAY[i % 5, i % 7],
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

/** Their subqueries become joins over what is sorted. */
const ORDERED_JOINS: readonly string[] = [
  'SELECT id, (SELECT max(v) FROM others o WHERE o.k = f.k) FROM facts f ORDER BY t, id DESC',
  'SELECT * FROM (SELECT * FROM facts ORDER BY f DESC, id OFFSET 0) f LEFT JOIN others o ON f.k = o.k',
  'SELECT * FROM (SELECT * FROM facts ORDER BY n DESC OFFSET 0) f WHERE NOT EXISTS (SELECT FROM others o WHERE f.t = o.t AND f.k = o.k)',
];

describe('joined', () => {
  it.each(JOINS)('%s', (query) => expectAlike(query, HASHED));

  it.each(ORDERED_JOINS)('in the order of the left side: %s', async (query) => {
    const inMemory = await under('1GB', query);
    expect(await under('64kB', query)).toEqual(inMemory);
    await expectAlike(query, HASHED);
  });

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
  'SELECT n, sum(k) FROM facts WHERE NOT b GROUP BY n',
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

const WINDOWS: readonly string[] = [
  'SELECT id, row_number() OVER (PARTITION BY k ORDER BY id DESC), lag(t) OVER (PARTITION BY k ORDER BY id DESC) FROM facts',
  'SELECT id, sum(n) OVER (PARTITION BY t), rank() OVER (PARTITION BY b, k % 7 ORDER BY f NULLS FIRST) FROM facts',
  'SELECT id, count(*) OVER (PARTITION BY k % 3 ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) FROM facts',
  'SELECT id, first_value(id) OVER (PARTITION BY a, j ORDER BY n DESC) FROM facts',
];

describe('windows, row by row as in memory', () => {
  it.each(WINDOWS)('%s', async (query) => {
    const inMemory = await under('1GB', query);
    expect(await under('64kB', query)).toEqual(inMemory);
    await expectAlike(query, /Sort Method: external merge {2}Disk: \d+kB/);
  });
});

const KEPT: readonly string[] = [
  'WITH c AS MATERIALIZED (SELECT id, t, k FROM facts) SELECT a.id, b.t FROM c a JOIN c b ON a.id = b.id + 1',
  'WITH RECURSIVE r AS (SELECT id, 0 AS n FROM facts UNION ALL SELECT id, n + 1 FROM r WHERE n < 2) SELECT n, id FROM r',
  'WITH w AS (INSERT INTO copies SELECT id, t FROM facts RETURNING id) SELECT count(*), sum(id) FROM w',
];

describe('kept', () => {
  beforeAll(() => session.rows('CREATE TABLE copies (id int8, t text)'));

  it.each(KEPT)('%s', async (query) => {
    const inMemory = await under('1GB', query);
    expect(sortedRows(await under('64kB', query))).toEqual(sortedRows(inMemory));
  });

  it.each(['SCROLL CURSOR', 'CURSOR WITH HOLD', 'SCROLL CURSOR WITH HOLD'])('by a %s', async (kind) => {
    const fetches = ['FETCH 5', 'MOVE 3000', 'FETCH 1500', ...(kind.startsWith('SCROLL') ? SCROLLED : [])];
    const results = new Map<string, unknown[]>();
    for (const memory of ['1GB', '64kB']) {
      await session.rows(`SET work_mem = '${memory}'; BEGIN`);
      await session.rows(`DECLARE c ${kind} FOR SELECT * FROM facts`);
      if (kind.endsWith('HOLD')) await session.rows('COMMIT');
      const given: unknown[] = [];
      for (const fetch of fetches) given.push(await session.rows(`${fetch} FROM c`));
      results.set(memory, given);
      await session.rows(kind.endsWith('HOLD') ? 'CLOSE c' : 'COMMIT');
    }
    expect(results.get('64kB')).toEqual(results.get('1GB'));
  });
});

const SCROLLED = [
  'FETCH BACKWARD 700',
  'FETCH LAST',
  'FETCH ABSOLUTE 4097',
  'FETCH RELATIVE -3',
  'FETCH BACKWARD ALL',
  'FETCH NEXT',
];

/** Takes so many writes, then fails. */
function failing(writes: number, error: SqlError): SpillFiles {
  let left = writes;
  const block = new Uint8Array(0);
  return {
    written: { files: 0, bytes: 0 },
    open: async () => ({
      write: async () => {
        if (left-- <= 0) throw error;
        return 0;
      },
      read: async () => block,
      [Symbol.dispose]: () => undefined,
    }),
  };
}

describe('where the disk takes no more', () => {
  const queries = [ORDERED[0], JOINS[0], GROUPINGS[1], GROUPINGS[4], SETS[0], COUNTED[0], KEPT[0]] as const;
  const full = new SqlError('disk_full', 'could not write to file "temporary file": No space left on device');

  it.each(queries)('53100 for %s', async (query = '') => {
    for (const writes of [0, 1, 5]) {
      const small = await TestDatabase.open({ temporaryFiles: failing(writes, full) });
      const other = await small.session({ work_mem: '64kB' });
      await other.rows(TABLES);
      await expect(other.rows(query)).rejects.toMatchObject({ condition: 'disk_full' });
      expect(await other.rows("SET work_mem = '1GB'; SELECT count(*) FROM facts")).toEqual([['6000']]);
      expect(await other.rows("SELECT sum(bytes) FROM quern.cache WHERE kind = 'statement'")).toEqual([
        ['0'],
      ]);
      await small.close();
    }
  });

  it('pg_stat_database counts the files', async () => {
    const counts = 'SELECT temp_files, temp_bytes FROM pg_stat_database';
    const [before] = await session.rows(counts);
    await under('64kB', ORDERED[3] as string);
    const [after] = await session.rows(counts);
    expect(Number(after?.[0])).toBe(Number(before?.[0]) + 1);
    expect(Number(after?.[1])).toBeGreaterThan(Number(before?.[1]) + 1000);
  });

  it('53400 past temp_file_limit, which counts only what is there', async () => {
    const query = ORDERED[3] as string;
    const inMemory = await under('1GB', query);
    await session.rows("SET work_mem = '64kB'; SET temp_file_limit = '40kB'");
    await expect(session.rows(query)).rejects.toMatchObject({ condition: 'configuration_limit_exceeded' });
    await session.rows("SET temp_file_limit = '400kB'");
    for (let i = 0; i < 5; i++) expect(await session.rows(query)).toEqual(inMemory);
    await session.rows('RESET temp_file_limit');
  });
});
