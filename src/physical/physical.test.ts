/** Decisions of physical plans as EXPLAIN tells them: with a choice on, with it off, and as they were measured. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../sql-tests/fixtures/database.ts';
import { CHOICES } from './choices.ts';

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  await session.rows(`
    CREATE TABLE t (id int PRIMARY KEY, x int, s text);
    INSERT INTO t SELECT i, i % 10, 's' || i FROM generate_series(1, 3000) i;
    CREATE TABLE u (id int PRIMARY KEY);
    CREATE TABLE notes (_id text, body text INDEX keyword_index(), year int);
    INSERT INTO notes (_id, body, year) SELECT 'n' || i, 'whale ' || i, i FROM generate_series(1, 40) i;
  `);
});

afterAll(async () => {
  await database.close();
});

async function explained(query: string, options = 'VERBOSE, COSTS OFF'): Promise<string> {
  return (await session.rows(`EXPLAIN (${options}) ${query}`)).flat().join('\n');
}

async function without(choice: string, query: string): Promise<string> {
  await session.rows(`SET quern.disabled_rules = '${choice}'`);
  try {
    return await explained(query);
  } finally {
    await session.rows('RESET quern.disabled_rules');
  }
}

/** A line that a choice gives, and the one that stands there without it (null: none). */
const CHOSEN: readonly (readonly [choice: string, query: string, on: string, off: string | null])[] = [
  [
    'condition-order',
    "SELECT 1 FROM notes WHERE bm25(body, 'x') > 1 AND year = 2",
    'Filter: ((year = 2) AND (bm25 > 1',
    'Filter: ((bm25 > 1',
  ],
  ['key-list', 'SELECT id FROM u WHERE id IN (1, 2, 3)', 'Index Scan using u_pkey on u', 'Seq Scan on u'],
  [
    'keyword-rows',
    "SELECT _id FROM notes WHERE match('whale')",
    'Keyword Scan using notes_body_keyword_idx on notes',
    'Seq Scan on notes',
  ],
  [
    'candidates',
    "SELECT _id FROM notes ORDER BY bm25(body, 'x') DESC LIMIT 3",
    'Keyword Search using',
    'Ranked Scan on notes',
  ],
  [
    'implied-match',
    "SELECT _id FROM notes WHERE match('x') ORDER BY bm25_score() DESC LIMIT 3",
    'Request: best rows, of those that match',
    'Request: best rows\n',
  ],
  [
    'ranked-order',
    "SELECT _id FROM notes ORDER BY bm25(body, 'x') DESC LIMIT 3",
    'Limit\n  Output: _id, bm25\n  ->  Keyword Search',
    'Top-N Sort',
  ],
  ['hash-join', 'SELECT 1 FROM t a JOIN t b ON a.x = b.id', 'Hash Join', 'Nested Loop'],
  [
    'masked-aggregate',
    'SELECT x, count(*) FROM t WHERE id > 5 GROUP BY x',
    'Request: rows, masked',
    'Request: rows\n',
  ],
];

describe('choices', () => {
  it.each(CHOSEN)('%s: %s', async (choice, query, on, off) => {
    expect(await explained(query)).toContain(on);
    const plain = await without(choice, query);
    expect(plain).not.toContain(on);
    expect(plain).toContain(off ?? '');
  });

  it('are all shown, but what parts answer', () => {
    const shown = CHOSEN.map(([choice]) => choice);
    expect(CHOICES.map(({ name }) => name).filter((name) => !shown.includes(name))).toEqual([
      'zones',
      'kept-masks',
    ]);
  });
});

describe('demands of a plan', () => {
  it('stay when every choice is off', async () => {
    for (const disabled of ['', 'choices']) {
      const ties = "SELECT _id FROM notes ORDER BY bm25(body, 'x')";
      expect(await without(disabled, ties)).toContain('Request: rows by key');
      expect(await without(disabled, 'UPDATE t SET id = id + 1')).toContain('Written: at the end');
      expect(await without(disabled, 'UPDATE t SET x = x + 1')).toContain('Row Lock: for no key update');
      expect(await without(disabled, 'SELECT s FROM t WHERE id = 5')).toContain('Request: key');
    }
  });
});

it('ANALYZE counts the rows that pass, however they are told', async () => {
  const text = await explained('SELECT count(*) FROM t WHERE x < 5', 'ANALYZE, COSTS OFF, TIMING OFF');
  expect(text).toMatch(/Seq Scan on t \(actual rows=1500 loops=1\)/);
});
