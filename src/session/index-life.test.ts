/** The life of a vector index as clients see it: built, watched, explained, checked, given up. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestDatabase, type TestSession } from '../../sql-tests/fixtures/database.ts';

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  await session.rows(`
    CREATE TABLE spots (id int PRIMARY KEY, kind int, v vector(8));
    INSERT INTO spots SELECT x, x % 100, ('[' || sin(x) || ',' || cos(x * 3) || ',' || sin(x * 7) || ',' ||
      cos(x * 11) || ',' || sin(x * 13) || ',' || cos(x * 17) || ',' || sin(x * 19) || ',1]')::vector
    FROM generate_series(1, 4000) s(x);
  `);
  await database.environment.engine.flush();
  await session.rows('CREATE INDEX spots_v ON spots USING hnsw (v vector_l2_ops) WITH (m = 8)');
});

afterAll(async () => {
  await database.close();
});

const NEAR = "SELECT id FROM spots WHERE kind < 50 ORDER BY v <-> '[0,1,0,1,0,1,0,1]' LIMIT 5";

test('CREATE INDEX returns when the rows that were there are in it', async () => {
  expect(
    await session.rows("SELECT state, segment_count, bytes > 0 FROM quern.indexes WHERE index = 'spots_v'"),
  ).toEqual([['ready', '1', 't']]);
  expect(
    await session.rows("SELECT state, row_count, deleted_count FROM quern.segments WHERE relation = 'spots'"),
  ).toEqual([['segment', '4000', '0']]);
  expect(await session.rows('SELECT index, structure, state, has_graph FROM quern.index_segments')).toEqual([
    ['spots_v', 'vectors', 'ready', 'f'],
  ]);
  expect(await session.rows('SELECT * FROM pg_stat_progress_create_index')).toEqual([]);
});

test('EXPLAIN ANALYZE tells how each arm was searched', async () => {
  const lines = (await session.rows(`EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) ${NEAR}`)).flat().join('\n');
  expect(lines).toMatch(/Search 1: strategy=(?:int8|exact) scan candidates=\d+ compared=2000 rescored=\d+\n/);
  expect(lines).toMatch(/Estimated Selectivity: 0\.\d+\n\s+Selectivity: 0\.5000/);
  const [[json]] = (await session.rows(`EXPLAIN (ANALYZE, FORMAT JSON) ${NEAR}`)) as [[string]];
  const text = JSON.stringify(JSON.parse(json));
  expect(text).toMatch(
    /"Searches":\[\{"Strategy":"(?:int8|exact) scan","Candidates":\d+,"Compared":2000,"Rescored":\d+,"Time":/,
  );
});

test('recall_check compares the index with every row', async () => {
  const [[text]] = (await session.rows("SELECT quern.recall_check('spots', 'v', 'kind < 50', 5, 20)")) as [
    [string],
  ];
  expect(JSON.parse(text)).toMatchObject({ index: 'spots_v', k: 5, recall: 1, short: 0 });
  await expect(session.rows("SELECT quern.recall_check('nowhere', 'v')")).rejects.toMatchObject({
    sqlstate: '42P01',
  });
  await expect(session.rows("SELECT quern.recall_check('spots', 'id')")).rejects.toMatchObject({
    sqlstate: '42704',
  });
  await expect(session.rows("SELECT quern.recall_check('spots', 'v', NULL, 0)")).rejects.toMatchObject({
    sqlstate: '22023',
  });
});

test('REINDEX makes it anew', async () => {
  const before = await session.rows("SELECT segment FROM quern.segments WHERE relation = 'spots'");
  await session.rows('REINDEX INDEX spots_v');
  expect(await session.rows("SELECT segment FROM quern.segments WHERE relation = 'spots'")).not.toEqual(
    before,
  );
  expect((await session.rows(NEAR)).length).toBe(5);
});

test('a statement that times out takes its index back', async () => {
  await session.rows("SET statement_timeout = '1ms'");
  await expect(session.rows('CREATE INDEX late ON spots USING hnsw (v vector_ip_ops)')).rejects.toMatchObject(
    {
      sqlstate: '57014',
    },
  );
  await session.rows('RESET statement_timeout');
  expect(await session.rows("SELECT index FROM quern.indexes WHERE index = 'late'")).toEqual([]);
  await session.rows('BEGIN');
  await expect(
    session.rows('CREATE INDEX CONCURRENTLY late ON spots USING hnsw (v vector_ip_ops)'),
  ).rejects.toMatchObject({ sqlstate: '25001' });
  await session.rows('ROLLBACK');
  await session.rows('CREATE INDEX CONCURRENTLY late ON spots USING hnsw (v vector_ip_ops)');
  expect(await session.rows("SELECT state FROM quern.indexes WHERE index = 'late'")).toEqual([['ready']]);
});
