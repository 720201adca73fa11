/** Rows found by the order of an index, and by looking at every row: the same rows in the same order. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';

const ROWS = 6_000;

let database: TestDatabase;
let session: TestSession;
let scanning: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  scanning = await database.session();
  await scanning.rows("SET quern.disabled_rules = 'order-access'");
  await session.rows(`
    CREATE TABLE t (id int PRIMARY KEY, i int, b bigint, f float, n numeric, s text, d date, u uuid,
      flag boolean, e vector(3));
    CREATE INDEX ON t (i); CREATE INDEX ON t (b); CREATE INDEX ON t (f); CREATE INDEX ON t (n);
    CREATE INDEX ON t (s); CREATE INDEX ON t (d); CREATE INDEX ON t (u); CREATE INDEX ON t (flag);
    CREATE INDEX ON t USING hnsw (e vector_cosine_ops);
    INSERT INTO t SELECT x, nullif(x * 7919 % 1000, 7), 9007199254740990 + x % 50 * (x % 2),
        CASE x % 500 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN NULL ELSE sin(x) END,
        (x % 700)::numeric / (1 + x % 3), CASE WHEN x % 400 = 0 THEN NULL
          ELSE chr(97 + x % 5) || repeat('é', x % 3) || x % 300 END,
        date '2020-01-01' + x % 800, ('00000000-0000-0000-0000-' || lpad((x % 999)::text, 12, '0'))::uuid,
        x % 1000 = 0, ('[' || sin(x) || ',' || cos(x) || ',1]')::vector
      FROM generate_series(1, ${ROWS}) s(x);
    ANALYZE t;
  `);
  await database.environment.engine.flush();
  await session.rows('DELETE FROM t WHERE id % 11 = 0; UPDATE t SET i = i + 1 WHERE id % 501 = 0');
});

afterAll(async () => {
  await database.close();
});

const VALUES: Readonly<Record<string, fc.Arbitrary<string>>> = {
  id: fc.integer({ min: -5, max: ROWS + 5 }).map(String),
  i: fc.oneof(fc.integer({ min: -5, max: 1005 }).map(String), fc.constantFrom('7.5', '500::bigint', 'NULL')),
  b: fc.integer({ min: 0, max: 60 }).map((x) => String(9007199254740985n + BigInt(x))),
  f: fc.constantFrom('0.5', '-0.25', "'NaN'", "'Infinity'", '0', '1'),
  n: fc.oneof(
    fc.integer({ min: 0, max: 2100 }).map((x) => `${x}::numeric / 3`),
    fc.constant("'NaN'::numeric"),
  ),
  s: fc.constantFrom("'a'", "'bé1'", "'c17'", "'dé'", "'zz'", "''", "'eéé299'"),
  d: fc.integer({ min: 0, max: 810 }).map((x) => `date '2020-01-01' + ${x}`),
  u: fc
    .integer({ min: 0, max: 1000 })
    .map((x) => `'00000000-0000-0000-0000-${String(x).padStart(12, '0')}'::uuid`),
  flag: fc.constantFrom('true', 'false'),
};
const COLUMNS = Object.keys(VALUES);

const condition = fc.constantFrom(...COLUMNS).chain((column) => {
  const value = VALUES[column] as fc.Arbitrary<string>;
  const operator = fc.constantFrom('=', '=', '<', '<=', '>', '>=', '<>');
  return fc.oneof(
    fc.tuple(operator, value).map(([op, v]) => `${column} ${op} ${v}`),
    fc.tuple(value, value).map(([a, b]) => `${column} BETWEEN ${a} AND ${b}`),
    fc.array(value, { minLength: 1, maxLength: 4 }).map((list) => `${column} IN (${list.join(', ')})`),
    fc
      .array(value, { minLength: 1, maxLength: 4 })
      .map((list) => `${column} = ANY (ARRAY[${list.join(', ')}])`),
    fc.constant(`${column} IS NULL`),
    fc.constantFrom('a1%', 'bé_%', 'c\\_%', '%', 'd%1', 'eéé29_', '').map((p) => `s LIKE '${p}'`),
  );
});
const filter = fc
  .array(condition, { minLength: 0, maxLength: 3 })
  .map((list) => (list.length === 0 ? '' : `WHERE ${list.join(' AND ')}`));
const order = fc
  .tuple(
    fc.constantFrom(...COLUMNS),
    fc.constantFrom('', ' DESC'),
    fc.constantFrom('', ' NULLS FIRST', ' NULLS LAST'),
  )
  .map((parts) => parts.join(''));

async function same(text: string): Promise<void> {
  const [found, scanned] = [await outcome(session, text), await outcome(scanning, text)];
  expect(found, text).toEqual(scanned);
}

async function outcome(on: TestSession, text: string): Promise<unknown> {
  try {
    return await on.rows(text);
  } catch (error) {
    return String(error);
  }
}

describe('the order of an index', () => {
  it('finds what a scan finds', async () => {
    const query = filter.map((where) => `SELECT id, i, s FROM t ${where}`);
    await fc.assert(fc.asyncProperty(query, same), { numRuns: 70 });
  });

  it('gives the first rows that a sort gives', async () => {
    const query = fc
      .tuple(filter, order, fc.option(order), fc.constantFrom(0, 1, 5, 20))
      .map(([where, first, second, count]) => {
        const keys = second === null ? first : `${first}, ${second}`;
        return `SELECT id, f, b FROM t ${where} ORDER BY ${keys} LIMIT ${count}`;
      });
    await fc.assert(fc.asyncProperty(query, same), { numRuns: 70 });
  });

  it('gives least and greatest values', async () => {
    const columns = fc.constantFrom('id', 'i', 'b', 'f', 'n', 's', 'd');
    const query = fc
      .tuple(fc.constantFrom('min', 'max'), columns, filter)
      .map(([name, column, where]) => `SELECT ${name}(${column}) FROM t ${where}`);
    await fc.assert(fc.asyncProperty(query, same), { numRuns: 50 });
  });

  it('filters a ranking', async () => {
    const query = filter.map((where) => `SELECT id FROM t ${where} ORDER BY e <=> '[1,0.5,1]', id LIMIT 7`);
    await fc.assert(fc.asyncProperty(query, same), { numRuns: 30 });
  });

  it('is what changes and sub-queries use, too', async () => {
    await same('SELECT a.id, (SELECT count(*) FROM t b WHERE b.i = a.i) FROM t a WHERE a.id < 40');
    await session.rows(
      'BEGIN; UPDATE t SET f = 2 WHERE i = 15; DELETE FROM t WHERE n = 5; INSERT INTO t (id, i) VALUES (-1, 15)',
    );
    expect(await session.rows('SELECT count(*) FROM t WHERE f = 2')).toEqual(
      await session.rows('SELECT count(*) FROM t WHERE i = 15 AND id > 0'),
    );
    expect(await session.rows('SELECT min(id) FROM t')).toEqual([['-1']]);
    await session.rows('ROLLBACK');
  });

  it('looks at few rows', async () => {
    const plan = async (text: string): Promise<string> =>
      (await session.rows(`EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) ${text}`)).flat().join('\n');
    const few = await plan('SELECT s FROM t WHERE i = 500');
    expect(few).toContain('Index Scan using t_i_idx on t');
    expect(few).toContain('Index Cond: (i = 500)');
    expect(Number(/Rows Scanned: (\d+)/.exec(few)?.[1])).toBeLessThan(20);
    const first = await plan('SELECT s FROM t ORDER BY d DESC LIMIT 3');
    expect(first).toContain('Index Scan Backward using t_d_idx on t');
    const ranked = await plan("SELECT id FROM t WHERE i = 500 ORDER BY e <=> '[1,0,1]' LIMIT 3");
    expect(Number(/Rows Scanned: (\d+)/.exec(ranked)?.[1])).toBeLessThan(20);
  });
});
