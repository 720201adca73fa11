/** One way to run a plan: the operators that EXPLAIN ANALYZE measures are those that run without it. */
import { Session } from 'node:inspector/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../sql-tests/fixtures/database.ts';

let database: TestDatabase;
let session: TestSession;
const inspector = new Session();

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  await session.rows(`
    CREATE TABLE t (id int PRIMARY KEY, x int, s text);
    INSERT INTO t SELECT i, i % 10, 's' || i FROM generate_series(1, 3000) i;
    CREATE TABLE notes (_id text, body text INDEX keyword_index(), year int);
    INSERT INTO notes (_id, body, year) SELECT 'n' || i, 'whale ' || i, i FROM generate_series(1, 40) i;
  `);
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
});

afterAll(async () => {
  inspector.disconnect();
  await database.close();
});

/** Named functions of operators that the statement enters. */
async function operatorsOf(statement: string): Promise<ReadonlySet<string>> {
  // Counts begin anew with each look.
  await inspector.post('Profiler.takePreciseCoverage');
  await session.rows(`BEGIN; ${statement}; ROLLBACK`);
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  const entered = result
    .filter(({ url }) => /\/execute\/(?:rows|scan|ranking|group|window|write|common-table)/.test(url))
    .flatMap(({ url, functions }) =>
      functions
        .filter(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0)
        .map(({ functionName }) => `${url.slice(url.indexOf('/execute/'))} ${functionName}`),
    );
  return new Set(entered);
}

const STATEMENTS = [
  'SELECT s FROM t WHERE id = 5',
  'SELECT s FROM t WHERE x > 3 ORDER BY s LIMIT 5 OFFSET 2',
  'SELECT s FROM t WHERE id IN (1, 2, 3)',
  'SELECT x, count(*), sum(id) FROM t GROUP BY x',
  'SELECT DISTINCT x, row_number() OVER (ORDER BY x) FROM t',
  'SELECT a.s FROM t a JOIN t b ON a.id = b.x WHERE b.id < 50',
  'WITH RECURSIVE r AS (SELECT 1 AS i UNION SELECT i + 1 FROM r WHERE i < 5) SELECT * FROM r',
  'SELECT x FROM t EXCEPT SELECT id FROM t',
  "SELECT _id, bm25_score() FROM notes WHERE match('whale') ORDER BY bm25_score() DESC LIMIT 3",
  "SELECT _id FROM hybrid('notes', 'whale') LIMIT 3",
  'SELECT id FROM t WHERE id < 3 FOR UPDATE',
  "INSERT INTO t VALUES (9001, 1, 'new') RETURNING id",
  'UPDATE t SET x = x + 1 WHERE id = 7',
  'DELETE FROM t WHERE id = 8',
  'MERGE INTO t USING (VALUES (1)) v (i) ON t.id = v.i WHEN MATCHED THEN UPDATE SET x = 0',
];

/** Masks that EXPLAIN ANALYZE counts, and searches that it takes the time of. */
const LOOKS_ON = /recordSearch|beginMeasuring|countBits/;

describe('a plan', () => {
  it.each(STATEMENTS)('is run by the same operators under EXPLAIN ANALYZE: %s', async (statement) => {
    // Once before: what is made at first use is made.
    await session.rows(`BEGIN; ${statement}; ROLLBACK`);
    const alone = await operatorsOf(statement);
    const measured = await operatorsOf(`EXPLAIN (ANALYZE) ${statement}`);
    const others = [...measured.symmetricDifference(alone)].filter((name) => !LOOKS_ON.test(name));
    expect(alone.size).toBeGreaterThan(0);
    expect(others).toEqual([]);
  });

  it.each([
    [
      'nested',
      (count: number) => `${'SELECT * FROM ('.repeat(count)}SELECT x FROM t${' LIMIT 50) q'.repeat(count)}`,
    ],
    [
      'joined',
      (count: number) => {
        const joins = Array.from(
          { length: count },
          (_, i) => `LEFT JOIN t a${i + 1} ON a${i + 1}.id = a${i}.x`,
        );
        return `SELECT count(*) FROM t a0 ${joins.join(' ')}`;
      },
    ],
  ])('of 600 levels is answered or refused, and the next one is answered: %s', async (_, statement) => {
    const refusal = await session.rows(statement(600)).then(
      () => null,
      (error: { sqlstate: string }) => error.sqlstate,
    );
    expect([null, '54001']).toContain(refusal);
    expect(await session.rows('SELECT 1')).toEqual([['1']]);
  });
});
