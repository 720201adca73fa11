/** Texts that differ in their numbers only are planned once, and answer as each by itself would. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestDatabase, type TestSession } from '../../sql-tests/fixtures/database.ts';

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  await session.rows(`
    CREATE TABLE things (id int PRIMARY KEY, big bigint UNIQUE, small smallint, exact numeric(6,2),
      words text, j jsonb);
    INSERT INTO things SELECT i, i * 10, i, i / 4.0, 'thing ' || i, '{}' FROM generate_series(0, 40) i`);
});

afterAll(async () => {
  await database.close();
});

/** A comment keeps a text from having a shape. */
const alone = (text: string): string => `${text} /* alone */`;

async function outcome(text: string): Promise<unknown> {
  try {
    return await session.rows(text);
  } catch (error) {
    const { sqlstate, message, fields } = error as Record<string, unknown>;
    return { sqlstate, message, position: (fields as { position?: number } | undefined)?.position };
  }
}

const READS: readonly ((n: number) => string)[] = [
  (n) => `SELECT id, words FROM things WHERE id = ${n}`,
  (n) => `SELECT words, ${n} FROM things WHERE id = ${n};`,
  (n) => `  select small + ${n} as "x 1" from things where ${n} = id and small < ${n + 1}`,
  (n) => `SELECT id FROM things WHERE big = ${n} AND words <> 'it''s 5'`,
  (n) => `SELECT id FROM things WHERE id = - ${n}`,
  (n) => `SELECT id FROM things WHERE id = -${n} AND exact > ${n}`,
  (n) => `SELECT id FROM things WHERE id = ${n} LIMIT ${n % 2}`,
  (n) => `SELECT id FROM things WHERE id = ${n}.0`,
  (n) => `SELECT id FROM things WHERE id = ${n} ORDER BY ${1 + (n % 2)}`,
  (n) => `SELECT id FROM things WHERE small > ${n} ORDER BY id`,
  (n) => `SELECT id FROM things WHERE id = ${n} / 0`,
  (n) => `SELECT id FROM things WHERE id = ${n} AND small / ${n % 3} > 1`,
  (n) => `SELECT id FROM things WHERE id = ${n} AND nothing = ${n}`,
  (n) => `SELECT id FROM things WHERE id = ${n} AND j = ${n}`,
  (n) => `SELECT id FROM things t1 WHERE t1.id = ${n} AND words = 'thing ${n}'`,
  (n) => `SELECT ${n}, now() = 'now'::timestamptz AND now()::date = 'today'`,
  (n) => `SELECT '${n}' AS a, ${n}.5, words FROM things WHERE words = 'thing ${n}'`,
  (n) => `SELECT $1 FROM things WHERE id = ${n}`,
  (n) => `SELECT id FROM things WHERE id = ${n}${n}${n}${n}${n}${n}`,
  (n) => `SELECT id FROM things WHERE id = ${n} AND id = (SELECT max(id) FROM things WHERE small < ${n})`,
];

test.each(READS.map((make) => [make(7), make] as const))('%s', async (_, make) => {
  for (const n of [3, 7, 12, 0, 40, 41, 9]) {
    expect(await outcome(make(n))).toEqual(await outcome(alone(make(n))));
  }
});

const WRITES: readonly ((n: number, id: number) => string)[] = [
  (n, id) => `UPDATE things SET small = small + ${n} WHERE id = ${id}`,
  (n, id) => `UPDATE things SET small = small * ${n}000 WHERE id = ${id}`,
  (n, id) => `UPDATE things SET exact = ${n}, words = ${n}, big = -${n + id} WHERE id = ${id}`,
  (n, id) => `UPDATE things SET exact = exact - -${n} WHERE id = ${id} RETURNING exact`,
  (n, id) => `UPDATE things SET exact = ${n}0000 WHERE id = ${id}`,
  (n, id) => `UPDATE things SET j = ${n} WHERE id = ${id}`,
  (n, id) => `INSERT INTO things (id, big, small, words) VALUES (${id}, ${n + id}, ${n}, 'new')`,
  (n, id) =>
    `INSERT INTO things VALUES (${id}, -${n}, ${n}, ${n}) ON CONFLICT (id) DO UPDATE SET small = ${n}`,
  (n, id) => `DELETE FROM things WHERE id = ${id} AND small < ${n} RETURNING small`,
];

test.each(WRITES.map((make) => [make(7, 5), make] as const))('%s', async (_, make) => {
  for (const [n, id] of [
    [3, 1],
    [7, 2],
    [12, 3],
    [0, 4],
    [9, 55],
    [40, 1],
  ] as const) {
    const found: unknown[] = [];
    for (const text of [make(n, id), alone(make(n, id))]) {
      await session.rows('BEGIN');
      const answer = await outcome(text);
      if ((answer as { sqlstate?: string }).sqlstate === undefined) {
        found.push(answer, await session.rows(`SELECT * FROM things ORDER BY id /* ${id} */`));
      } else found.push(answer);
      await session.rows('ROLLBACK');
    }
    const half = found.length / 2;
    expect(found.slice(0, half)).toEqual(found.slice(half));
  }
});

describe('a shape that is known', () => {
  test('is planned anew when the catalog changes', async () => {
    const ask = (n: number): Promise<unknown> => outcome(`SELECT * FROM few WHERE id = ${n}`);
    await session.rows('CREATE TABLE few (id int PRIMARY KEY, a int); INSERT INTO few VALUES (1, 2), (2, 3)');
    for (const n of [1, 2, 3, 2]) await ask(n);
    await session.rows('ALTER TABLE few ADD b text');
    expect(await ask(1)).toEqual([['1', '2', null]]);
    await session.rows('ALTER TABLE few DROP CONSTRAINT few_pkey');
    expect(await ask(2)).toEqual([['2', '3', null]]);
    await session.rows('DROP TABLE few');
    expect(await ask(10)).toMatchObject({ sqlstate: '42P01', position: 15 });
  });

  test('is shown as it was written', async () => {
    const text = (n: number): string => `SELECT words FROM things WHERE id = ${n} AND words <> 'x'`;
    for (const n of [1, 2, 3]) await session.rows(text(n));
    const other = await database.session();
    expect(await other.rows(`SELECT query FROM pg_stat_activity WHERE query LIKE 'SELECT words%'`)).toEqual([
      [text(3)],
    ]);
  });
});
