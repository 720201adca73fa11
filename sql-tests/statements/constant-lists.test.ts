/** Long lists of constants are one array (`map/constants.ts`): they say what short ones say. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../fixtures/database.ts';

const LONG = 300;

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  await session.rows(`CREATE TABLE v (s smallint, i int, b bigint, n numeric, f double precision, t text);
    INSERT INTO v SELECT i, i, i * 10000000000, i + 0.0, i, i::text FROM generate_series(-5, 400) i;
    INSERT INTO v VALUES (null, null, null, null, null, null)`);
});

afterAll(() => database.close());

const numbers = Array.from({ length: LONG }, (_, i) => String(i - 3));
const texts = numbers.map((number) => `'${number}'`);
const large = numbers.map((number) => `${number}0000000000`);

const CASES: readonly (readonly [column: string, constants: readonly string[]])[] = [
  ['s', numbers],
  ['i', numbers],
  ['b', large],
  ['i', large],
  ['n', numbers],
  ['f', numbers],
  ['t', texts],
  ['i', texts],
];

/** The same in lists that are short. */
const short = (
  test: (part: readonly string[]) => string,
  constants: readonly string[],
  word: string,
): string =>
  Array.from({ length: 3 }, (_, i) => `(${test(constants.slice(i * 100, i * 100 + 100))})`).join(word);

describe.each(CASES)('%s among many constants', (column, constants) => {
  const rows = (condition: string) =>
    session.rows(
      `SELECT count(*) FILTER (WHERE ${condition}), count(*) FILTER (WHERE (${condition}) IS NULL) FROM v`,
    );
  const within = (part: readonly string[]): string => `${column} IN (${part.join(', ')})`;
  const without = (part: readonly string[]): string => `${column} NOT IN (${part.join(', ')})`;

  it('IN, and a chain of OR', async () => {
    const wanted = await rows(short(within, constants, ' OR '));
    expect(await rows(within(constants))).toEqual(wanted);
    expect(await rows(constants.map((each) => `${column} = ${each}`).join(' OR '))).toEqual(wanted);
    const more = [...constants.map((each) => `${column} = ${each}`), 'n = -5'].join(' OR ');
    expect(await rows(more)).toEqual(await rows(`${short(within, constants, ' OR ')} OR n = -5`));
  });

  it('NOT IN, and a chain of AND', async () => {
    const wanted = await rows(short(without, constants, ' AND '));
    expect(await rows(without(constants))).toEqual(wanted);
    expect(await rows(constants.map((each) => `${column} <> ${each}`).join(' AND '))).toEqual(wanted);
  });
});

it('what cannot be compared is told', async () => {
  const error = await session.error(`SELECT t IN (${numbers.join(', ')}) FROM v`);
  expect(error.condition).toBe('undefined_function');
  const invalid = await session.error(`SELECT i IN (${texts.join(', ')}, 'x') FROM v`);
  expect(invalid.condition).toBe('invalid_text_representation');
});

it('chains of ranges select the rows that one by one do', async () => {
  const ranges = Array.from({ length: 50 }, (_, i) => `(i >= ${8 * i} AND i < ${8 * i + 4})`).join(' OR ');
  expect(await session.rows(`SELECT count(*) FROM v WHERE ${ranges}`)).toEqual(
    await session.rows('SELECT count(*) FROM v WHERE i BETWEEN 0 AND 399 AND i % 8 < 4'),
  );
});

it('a view with one has a definition that makes it again', async () => {
  for (const constants of [numbers, large, texts]) {
    await session.rows(
      `CREATE VIEW first AS SELECT i FROM v WHERE ${constants === texts ? 't' : 'b'} IN (${constants})`,
    );
    const [[definition] = []] = await session.rows(`SELECT pg_get_viewdef('first'::regclass)`);
    await session.rows(`CREATE VIEW second AS ${definition}`);
    expect(await session.rows('SELECT * FROM second')).toEqual(await session.rows('SELECT * FROM first'));
    await session.rows('DROP VIEW first, second');
  }
});
