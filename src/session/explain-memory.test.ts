/** EXPLAIN (ANALYZE, FORMAT JSON) tells the memory of each operator that holds rows, and every arm of a scan. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../sql-tests/fixtures/database.ts';

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  await session.rows(`CREATE TABLE films (title text INDEX keyword_index(),
    plot text INDEX semantic_index(model => 'hash') INDEX keyword_index())`);
  await session.rows(`INSERT INTO films (_id, title, plot)
    SELECT g, 'title ' || g % 7, 'plot of ' || g FROM generate_series(1, 500) AS g`);
});

afterAll(() => database.close());

interface Node {
  readonly [fact: string]: unknown;
  readonly 'Node Type': string;
  readonly Plans?: readonly Node[];
}

async function nodesOf(sql: string): Promise<ReadonlyMap<string, Node>> {
  const [row] = await session.rows(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`);
  const [{ Plan: root }] = JSON.parse(String(row?.[0])) as [{ readonly Plan: Node }];
  const all = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(all)];
  return new Map(all(root).map((node) => [node['Node Type'], node]));
}

it('tells what sorts, joins, groups and windows held, and nothing of what holds none', async () => {
  const sorted = await nodesOf(`SELECT a.title, count(*) FROM films a JOIN films b USING (title)
    GROUP BY 1 ORDER BY 2`);
  for (const type of ['Sort', 'HashAggregate', 'Hash Join'])
    expect(sorted.get(type)?.['Peak Memory Usage'], type).toBeGreaterThan(0);
  expect(sorted.get('Seq Scan')).not.toHaveProperty('Peak Memory Usage');
  const windowed = await nodesOf('SELECT row_number() OVER (PARTITION BY title ORDER BY _id) FROM films');
  expect(windowed.get('WindowAgg')?.['Peak Memory Usage']).toBeGreaterThan(0);
  const larger = await nodesOf('SELECT * FROM films, generate_series(1, 20) ORDER BY plot');
  const smaller = await nodesOf('SELECT * FROM films ORDER BY plot');
  const memory = (nodes: ReadonlyMap<string, Node>): number =>
    Number(nodes.get('Sort')?.['Peak Memory Usage']);
  expect(memory(larger)).toBeGreaterThan(5 * memory(smaller));
});

it('lists all arms of a scan', async () => {
  const nodes = await nodesOf(`SELECT title FROM films
    ORDER BY bm25(title, 'title 3') + semantic_similarity(plot, 'plot') DESC LIMIT 3`);
  expect([...nodes.values()].find((node) => 'Arm' in node)?.Arm).toHaveLength(2);
});
