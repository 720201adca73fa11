/** Long VALUES of plain constants are read by column (`plan/constant-rows.ts`): they say what short ones say. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';
import { sliced } from '../../../sql-tests/slow-tests.ts';

/** Rows of two pieces. */
const LONG = 1_100;
const SHORT = 50;
/** In the second one. */
const ODD = 1_050;

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  await session.rows(`CREATE TABLE t (k int, s smallint, i int, b bigint, n numeric(8, 1),
    f float8, t text, v varchar(9),
    d date, l interval(0), o bool, a int[], j jsonb, z int DEFAULT 5, y int DEFAULT 7)`);
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
  'sums of two widths': (i) => `${i % 2 === 0 ? i : 2147483648 + i} + 1`,
  'dates by cast': (i) => `'2026-01-${1 + (i % 28)}'::date`,
  'dates by two casts, and none': (i) =>
    [`date '2026-01-${1 + (i % 28)}'`, 'NULL', `CAST('2026-02-${1 + (i % 28)}' AS timestamp)`][i % 3] ?? '',
  'casts of NULL': (i) => (i % 2 === 0 ? 'NULL::numeric(5,1)' : `'${i}.25'::numeric(5,1)`),
  'decimals of two scales': (i) => (i % 2 === 0 ? `${i}.25::numeric(6,1)` : `${i}.25::numeric(6,2)`),
  'varchars cut': (i) => `'${i} and more'::varchar(4)`,
  intervals: (i) => `interval '${i} hours 3.6 seconds' second(0)`,
  arrays: (i) => `ARRAY[${i}, -${i}, NULL]`,
  'arrays of several lengths': (i) => `ARRAY[${'7,'.repeat(i % 5)}${i}]`,
  'arrays of strings by cast': (i) => `ARRAY['${i}', NULL]::int[]`,
  'arrays as text': (i) => `'{${i},7}'::int[]`,
  rows: (i) => `ROW(${i}, 'x${i}', now() IS NULL)`,
  'rows of a few': (i) => `ROW(${i}, 'x${i}')::text`,
  documents: (i) => `'{"i": ${i}}'::jsonb || '{"j": 1}'`,
  calls: (i) => `lower('É${i}') || '-' || coalesce(NULL, 'x')`,
  'calls of stable functions': (i) =>
    `extract(year from current_date) * ${i} - extract(year from now()) * ${i}`,
  negated: (i) => `-(${i})`,
  'names of relations': () => `'t'::regclass`,
  'more shapes than are kept': (i) => `${i}${' + 1'.repeat(i % 40)}`,
  subqueries: (i) => `(SELECT ${i} + 1)`,
  cases: (i) => `CASE WHEN ${i % 2 === 0} THEN ${i} ELSE 7 END`,
  'strings beside integers': (i) => (i % 2 === 0 ? `'${i}'` : String(i)),
};

describe.each(sliced(import.meta, Object.entries(COLUMNS)))('VALUES of %s', (_, item) => {
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
  ['z', 'DEFAULT everywhere', () => 'DEFAULT'],
  [
    'z',
    'DEFAULT, constants, casts, calls',
    (i) => ['DEFAULT', String(i), `'${i}'`, `'${i}'::int`, 'abs(-7)'][i % 5] ?? '',
  ],
  ['s, i, b, n, f', 'casts', (i) => `'${i}'::smallint`],
  ['d', 'dates by cast', (i) => `'2026-01-${1 + (i % 28)}'::date`],
  ['d', 'timestamps by cast', (i) => `timestamp '2026-01-${1 + (i % 28)} 10:00'`],
  ['t, v', 'calls', (i) => `upper('x${i}')`],
  ['a', 'arrays', (i) => `ARRAY[${i}, NULL]`],
  ['a', 'arrays of several lengths', (i) => `ARRAY[${'7,'.repeat(i % 5)}${i}]`],
  ['j', 'documents', (i) => `jsonb_build_object('i', ${i}, 's', 'x${i}')`],
  ['l', 'intervals', (i) => `interval '${i}.6 seconds'`],
  ['a[2]', 'sums', (i) => `${i} + 1`],
  ['a[2]', 'integers', String],
];

const written = async (statements: readonly string[]): Promise<unknown> => {
  await session.rows(`BEGIN; ${statements.join('; ')}`);
  const rows = await session.rows('SELECT * FROM t ORDER BY k');
  await session.rows('ROLLBACK');
  return rows;
};

it.each(sliced(import.meta, INSERTS))('INSERT into %s: %s', async (column, _, item) => {
  const row = (i: number): string => `${i}${`, ${item(i)}`.repeat(column.split(',').length)}`;
  const insert = (from: number, to: number): string =>
    `INSERT INTO t (k, ${column}) VALUES ${lists(row, from, to)}`;
  expect(await written([insert(0, LONG)])).toEqual(
    await written(parts.map(([from, to]) => insert(from, to))),
  );
});

it('INSERT of columns that are not declared', async () => {
  const items = [
    ...['integers', 'decimals', 'decimals beside integers', 'texts', 'nulls', 'booleans'],
    ...['strings beside integers', 'integers beyond bigint', 'dates by cast', 'integers with gaps'],
  ];
  const given = (i: number): string => items.map((name) => COLUMNS[name]?.(i)).join(', ');
  const row = (i: number): string => `'${i}', ${given(i)}, ${i % 2 === 0 ? 'DEFAULT' : i}, NULL`;
  const insert = (table: string, from: number, to: number): string =>
    `INSERT INTO ${table} (_id, a, b, c, d, e, f, g, h, i, j, k, x) VALUES ${lists(row, from, to)}`;
  const next = `(_id, a, c, d, e) VALUES ${lists((i) => `'n${i}', NULL, '${i}', ${i}, NULL`, 0, LONG)}`;
  await session.rows(`CREATE TABLE short (_id text); CREATE TABLE long (_id text);
    ${insert('long', 0, LONG)}; ${parts.map(([from, to]) => insert('short', from, to)).join(';')}`);
  await session.rows(`INSERT INTO long ${next}; INSERT INTO short ${next}`);
  const names = ['a', 'b', 'c', 'd', 'f', 'g', 'h', 'i', 'j', 'k'];
  const types = names.map((name) => `pg_typeof(${name})`);
  const rows = (table: string) => session.rows(`SELECT _id, ${names}, ${types} FROM ${table} ORDER BY 1`);
  expect(await rows('long')).toEqual(await rows('short'));
  expect((await session.error('SELECT e FROM long')).condition).toBe('undefined_column');
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
    ['d', (i: number) => (i === ODD ? `'2026-02-30'::date` : `'2026-01-01'::date`), false],
    ['s', (i: number) => (i === ODD ? `'x'::int` : `'${i}'::int`), false],
    ['s', (i: number) => (i === ODD ? `32767 + 1` : `${i} + 1`), false],
    ['d', (i: number) => (i === ODD ? `'x' || 'y'` : `'2026-01-01'`), false],
    ['d', (i: number) => (i === ODD ? `7` : `DEFAULT`), false],
    ['i', (i: number) => (i === ODD ? `nowhere(${i})` : `abs(${i})`), false],
    ['i', (i: number) => `abs('x', ${i})`, true],
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
