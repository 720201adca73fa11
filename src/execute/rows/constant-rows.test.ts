/** Long VALUES of plain constants are read by column (`plan/constant-rows.ts`): they say what short ones say. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';

/** Rows of two pieces. */
const LONG = 1_100;
const SHORT = 100;
/** In the second one. */
const ODD = 1_050;

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  await session.rows(`CREATE TABLE t (k int, s smallint, i int, b bigint, n numeric(8, 1),
    f float8, t text, v varchar(9),
    d date, l interval(0), o bool, a int[], j jsonb)`);
});

afterAll(() => database.close());

const lists = (items: (i: number) => string, from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => `(${items(from + i)})`).join(', ');

/** Many short statements say what one long one says. */
const parts = Array.from({ length: LONG / SHORT }, (_, i) => [i * SHORT, (i + 1) * SHORT] as const);

const COLUMNS: Readonly<Record<string, (i: number) => string>> = {
  integers: (i) => String(i - 1_000),
  'integers of two widths': (i) => (i === ODD ? '2147483648' : String(i)),
  'the least integer': (i) => (i === ODD ? '-2147483648' : String(i)),
  'integers beyond bigint': (i) => (i === 7 ? '-9223372036854775809' : String(i)),
  'integers with gaps': (i) => (i % 3 === 0 ? 'NULL' : String(i)),
  decimals: (i) => `${i}.50`,
  'decimals beside integers': (i) => (i % 2 === 0 ? `-${i}` : `${i}.25`),
  exponents: (i) => `${i}e-2`,
  texts: (i) => `'é''${i}'`,
  'texts with gaps': (i) => (i % 512 === 0 ? 'NULL' : `''`),
  nulls: () => 'NULL',
  booleans: (i) => (i % 5 === 0 ? 'NULL' : String(i % 2 === 0)),
  'other expressions': (i) => `${i} + 1`,
  'strings beside integers': (i) => (i % 2 === 0 ? `'${i}'` : String(i)),
};

describe.each(Object.entries(COLUMNS))('VALUES of %s', (_, item) => {
  it('has the rows of short ones, in their common type', async () => {
    const row = (i: number): string => `${i}, ${item(i)}`;
    const short = parts.map(([from, to]) => `SELECT * FROM (VALUES ${lists(row, from, to)}) v(a, b)`);
    const [long, wanted] = [`VALUES ${lists(row, 0, LONG)}`, short.join(' UNION ALL ')].map(
      (query) => `SELECT a, b, pg_typeof(b) FROM (${query}) v(a, b) ORDER BY a`,
    );
    expect(await session.rows(long ?? '')).toEqual(await session.rows(wanted ?? ''));
  });
});

const INSERTS: readonly (readonly [column: string, constants: string, item: (i: number) => string])[] = [
  ...['integers', 'integers with gaps', 'decimals', 'decimals beside integers', 'nulls'].map(
    (name) => ['s, i, b, n, f, t, v', name, COLUMNS[name] ?? String] as const,
  ),
  ['s, i, b, n, f, t, v', 'texts', (i) => `'${i}'`],
  ['t', 'texts', (i) => `'é''${i}'`],
  ['t', 'booleans', (i) => String(i % 2 === 0)],
  ['o', 'booleans', (i) => (i % 5 === 0 ? 'NULL' : String(i % 2 === 0))],
  ['o', 'texts', (i) => (i % 2 === 0 ? `'yes'` : `'off'`)],
  ['v', 'texts with blanks at their ends', (i) => `'${i}        '`],
  ['d', 'texts', (i) => `'2026-01-${1 + (i % 28)}'`],
  ['l', 'texts', (i) => `'${i}.6 seconds'`],
  ['a', 'texts', (i) => `'{${i},NULL}'`],
  ['j', 'texts', (i) => `'{"i": ${i}}'`],
  ['i', 'DEFAULT', (i) => (i % 2 === 0 ? 'DEFAULT' : String(i))],
  ['a[2]', 'integers', String],
];

const written = async (statements: readonly string[]): Promise<unknown> => {
  await session.rows(`BEGIN; ${statements.join('; ')}`);
  const rows = await session.rows('SELECT * FROM t ORDER BY k');
  await session.rows('ROLLBACK');
  return rows;
};

it.each(INSERTS)('INSERT into %s: %s', async (column, _, item) => {
  const row = (i: number): string => `${i}${`, ${item(i)}`.repeat(column.split(',').length)}`;
  const insert = (from: number, to: number): string =>
    `INSERT INTO t (k, ${column}) VALUES ${lists(row, from, to)}`;
  expect(await written([insert(0, LONG)])).toEqual(
    await written(parts.map(([from, to]) => insert(from, to))),
  );
});

it('INSERT of columns that are not declared', async () => {
  const items = ['integers', 'decimals', 'decimals beside integers', 'texts', 'nulls', 'booleans'];
  const row = (i: number): string => [`'${i}'`, ...items.map((name) => COLUMNS[name]?.(i))].join(', ');
  const insert = (table: string, from: number, to: number): string =>
    `INSERT INTO ${table} (_id, a, b, c, d, e, f) VALUES ${lists(row, from, to)}`;
  await session.rows(`CREATE TABLE short (_id text); CREATE TABLE long (_id text);
    ${insert('long', 0, LONG)}; ${parts.map(([from, to]) => insert('short', from, to)).join(';')}`);
  const rows = (table: string) =>
    session.rows(
      `SELECT _id, a, b, c, d, f, pg_typeof(a), pg_typeof(b), pg_typeof(c) FROM ${table} ORDER BY 1`,
    );
  expect(await rows('long')).toEqual(await rows('short'));
});

it('INSERT with RETURNING, ON CONFLICT, OVERRIDING, and from WITH', async () => {
  const row = (i: number): string => `${i % 1_000}, ${i}`;
  const rows = lists(row, 0, LONG);
  await session.rows(`CREATE TABLE g (k int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, i int)`);
  const first = await session.rows(`INSERT INTO g VALUES ${rows} ON CONFLICT DO NOTHING RETURNING k, i`);
  expect(first).toEqual(Array.from({ length: 1_000 }, (_, i) => [String(i), String(i)]));
  const update = `ON CONFLICT (k) DO UPDATE SET i = excluded.i + g.i`;
  await session.rows(`INSERT INTO g VALUES ${lists(row, 0, 1_000)} ${update}`);
  expect(await session.rows('SELECT sum(i) FROM g')).toEqual([[String(2 * 499_500)]]);
  await session.rows(`DELETE FROM g; INSERT INTO g OVERRIDING USER VALUE VALUES ${rows};
    WITH v(a, b) AS (VALUES ${rows}) INSERT INTO g SELECT a + 10000, b FROM v WHERE b < 5`);
  expect(await session.rows('SELECT count(*), min(k), max(k) FROM g')).toEqual([
    [String(LONG + 5), '1', '10004'],
  ]);
});

it('a view of them has a definition that makes it again', async () => {
  const row = (i: number): string =>
    Object.values(COLUMNS)
      .slice(0, 12)
      .map((item) => item(i))
      .join(', ');
  await session.rows(`CREATE VIEW first AS VALUES ${lists(row, 0, LONG)}`);
  const [[definition] = []] = await session.rows(`SELECT pg_get_viewdef('first'::regclass)`);
  await session.rows(`CREATE VIEW second AS ${definition}`);
  expect(await session.rows('SELECT * FROM second')).toEqual(await session.rows('SELECT * FROM first'));
});

describe('errors', () => {
  const position = async (text: string) => {
    const { condition, message, fields } = await session.error(text);
    return { condition, message, position: fields.position };
  };

  it.each([
    ['i', (i: number) => (i === ODD ? `'x'` : `'${i}'`), false],
    ['d', (i: number) => (i === ODD ? `'2026-02-30'` : `'2026-01-01'`), false],
    ['j', (i: number) => (i === ODD ? `'{'` : `'{}'`), false],
    ['v', (i: number) => (i === ODD ? `'0123456789'` : `'${i}'`), false],
    ['s', (i: number) => (i === ODD ? '32768' : String(i)), false],
    ['d', String, true],
    ['d', (i: number) => String(i % 2 === 0), true],
  ])('INSERT into %s', async (column, item, isOfAll) => {
    const lead = `INSERT INTO t (t, ${column}) VALUES `;
    const row = (i: number): string => `'é', ${item(i)}`;
    const first = isOfAll ? 0 : ODD;
    const short = await position(lead + lists(row, first, first + 1));
    const moved = lead + lists(row, 0, first) + (isOfAll ? '' : ', ');
    const wanted = short.position && short.position + moved.length - lead.length;
    expect(await position(lead + lists(row, 0, LONG))).toEqual({ ...short, position: wanted });
  });

  it('rows of several lengths, and too many columns', async () => {
    const rows = lists((i) => `${i}, ${i}`, 0, LONG);
    expect(await position(`VALUES ${rows}, (1)`)).toMatchObject({ position: 7 + rows.length + 4 });
    expect(await position(`INSERT INTO t (k) VALUES ${rows}`)).toEqual(
      await position(`INSERT INTO t (k) VALUES ${lists((i) => `${i}, ${i}`, 0, 5)}`),
    );
  });
});
