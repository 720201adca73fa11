/** Filters whose rows are kept: the same answers when rows change, are written in a transaction, or merged. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';

let database: TestDatabase;
let session: TestSession;
let exact: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  exact = await database.session();
  await exact.rows('SET quern.exact = on');
  await session.rows(`
    CREATE TABLE spots (id int PRIMARY KEY, kind int, v vector(3));
    INSERT INTO spots SELECT x, x % 100, ('[' || sin(x) || ',' || cos(x * 3) || ',' || sin(x * 7) || ']')::vector
    FROM generate_series(1, 6000) s(x);
    CREATE INDEX ON spots USING hnsw (v vector_l2_ops);
  `);
});

afterAll(async () => {
  await database.close();
});

const near = (filter: string): string =>
  `SELECT id, kind FROM spots WHERE ${filter} ORDER BY v <-> '[0,1,0]' LIMIT 5`;
const FILTERS = ['kind = 7', 'kind < 50 AND id > 100', 'id % 3 = 1'];

/** Twice, so that the second answer comes from what is kept. */
async function agree(of: TestSession = session): Promise<void> {
  for (const filter of FILTERS) {
    for (let i = 0; i < 2; i++) expect(await of.rows(near(filter))).toEqual(await exact.rows(near(filter)));
  }
}

test('an answer from kept rows follows updates, deletes and merges', async () => {
  await agree();
  const [[first]] = (await session.rows(near('kind = 7'))) as [[string]];
  await session.rows(`UPDATE spots SET kind = 8 WHERE id = ${first}`);
  await agree();
  const [[second]] = (await session.rows(near('kind = 7'))) as [[string]];
  expect(second).not.toBe(first);
  await session.rows(`DELETE FROM spots WHERE id = ${second}`);
  await agree();
  await database.environment.engine.flush();
  await agree();
});

test('a transaction sees its own rows, others do not', async () => {
  const before = await exact.rows(near('kind = 7'));
  await session.rows(near('kind = 7'));
  await session.rows('BEGIN');
  await session.rows('UPDATE spots SET kind = 7 WHERE kind = 8');
  const own = await session.rows(near('kind = 7'));
  expect(own).not.toEqual(before);
  const other = await database.session();
  expect(await other.rows(near('kind = 7'))).toEqual(before);
  await session.rows('ROLLBACK');
  expect(await session.rows(near('kind = 7'))).toEqual(before);
});

test('lists that are parameters are told apart by all that is in them', async () => {
  const of = (list: string): string =>
    `PREPARE listed (int[]) AS ${near('kind = ANY ($1)')}; EXECUTE listed('${list}'); DEALLOCATE listed`;
  const kept = `PREPARE kept (int[]) AS ${near('kind = ANY ($1)')}`;
  await session.rows(kept);
  for (const list of ['{7}', '{8}', '{7,8}', '{8,7}', '{{7},{8}}', '{7,NULL}', '{}', '{7}', '{8}']) {
    expect(await session.rows(`EXECUTE kept('${list}')`)).toEqual(await exact.rows(of(list)));
  }
});
