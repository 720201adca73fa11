/** EXPLAIN with costs, in the form that tools read: pgAdmin, DBeaver, auto_explain's readers. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestDatabase, type TestSession } from '../../sql-tests/fixtures/database.ts';

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  await session.rows('CREATE TABLE plain (id int PRIMARY KEY, v text, n int)');
  await session.rows(
    "INSERT INTO plain SELECT i, 'v' || i, i % 10 FROM generate_series(1, 1000) i; ANALYZE plain",
  );
});

afterAll(async () => {
  await database.close();
});

const explain = async (text: string): Promise<string> =>
  (await session.rows(`EXPLAIN ${text}`)).flat().join('\n');

interface Node {
  readonly 'Startup Cost': number;
  readonly 'Total Cost': number;
  readonly 'Plan Rows': number;
  readonly 'Plan Width': number;
  readonly Plans?: readonly Node[];
}

async function planOf(text: string): Promise<Node> {
  const [found] = JSON.parse(await explain(`(FORMAT JSON) ${text}`)) as [{ Plan: Node }];
  return found.Plan;
}

test('a line has cost, rows and width as PostgreSQL writes them, none with COSTS OFF', async () => {
  expect(await explain('SELECT id FROM plain')).toBe(
    'Seq Scan on plain  (cost=0.00..10.00 rows=1000 width=4)',
  );
  expect(await explain('(COSTS OFF) SELECT id FROM plain')).toBe('Seq Scan on plain');
  expect(await explain('(ANALYZE, TIMING OFF, SUMMARY OFF) SELECT id, v FROM plain')).toBe(
    'Seq Scan on plain  (cost=0.00..10.00 rows=1000 width=36) (actual rows=1000 loops=1)\n  Rows Scanned: 1000',
  );
});

test('JSON has them as numbers', async () => {
  expect(await planOf('SELECT id FROM plain')).toMatchObject({
    'Startup Cost': 0,
    'Total Cost': 10,
    'Plan Rows': 1000,
    'Plan Width': 4,
  });
  expect(await explain('(FORMAT JSON, COSTS OFF) SELECT id FROM plain')).not.toContain('Cost');
});

const QUERIES = [
  'SELECT n, count(*) FROM plain GROUP BY n ORDER BY 2 DESC LIMIT 3',
  'SELECT a.id FROM plain a JOIN plain b ON a.id = b.n LEFT JOIN plain c ON c.n < b.n',
  'SELECT p.id, x.v FROM plain p, LATERAL (SELECT q.v FROM plain q WHERE q.n = p.n LIMIT 1) x',
  'SELECT DISTINCT n FROM plain UNION SELECT id FROM plain WHERE n IN (SELECT 3)',
  'WITH w AS (SELECT n FROM plain) SELECT sum(n) OVER (ORDER BY n) FROM w',
  'DELETE FROM plain WHERE id > 10',
  'INSERT INTO plain VALUES (5000, NULL, 1)',
];

test.each(QUERIES)('a node costs what its inputs cost, and something before: %s', async (text) => {
  const visit = (node: Node): void => {
    const [first] = node.Plans ?? [];
    expect(node['Total Cost']).toBeGreaterThanOrEqual(node['Startup Cost']);
    expect(Number.isFinite(node['Total Cost'])).toBe(true);
    expect(node['Plan Rows']).toBeGreaterThanOrEqual(1);
    if (first) expect(node['Startup Cost']).toBeGreaterThanOrEqual(first['Startup Cost']);
    node.Plans?.forEach(visit);
  };
  visit(await planOf(text));
});

test('a key costs less than all rows, and a sort more than what it sorts', async () => {
  const all = await planOf('SELECT v FROM plain');
  expect((await planOf('SELECT v FROM plain WHERE id = 7'))['Total Cost']).toBeLessThan(all['Total Cost']);
  expect((await planOf('SELECT v FROM plain ORDER BY v'))['Total Cost']).toBeGreaterThan(all['Total Cost']);
});
