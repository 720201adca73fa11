/** Rows found by parts of their text in an ngram index, and by looking at every row. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';

let database: TestDatabase;
let session: TestSession;
let scanning: TestSession;

/** Letters with unlike cases, widths and meanings in patterns. */
const LETTERS = [
  'a',
  'b',
  'c',
  'A',
  'B',
  'é',
  'É',
  'ß',
  'İ',
  'i',
  'K',
  'k',
  'ſ',
  's',
  'Σ',
  'ς',
  '😀',
  '%',
  '_',
  '.',
  ' ',
];
const CHARACTERS = `(ARRAY['${LETTERS.join("','")}'])`;
const COUNT = LETTERS.length;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  scanning = await database.session();
  await scanning.rows("SET quern.disabled_rules = 'text-access'");
  const letters = (from: string, to: string): string =>
    `SELECT x, CASE WHEN x % 40 = 0 THEN NULL ELSE (
         SELECT string_agg(${CHARACTERS}[1 + (x * 7919 + y * y * (x % 13 + 1)) % ${COUNT}], '' ORDER BY y)
         FROM generate_series(1, 3 + x % 9) y) END, ('[' || sin(x) || ',1]')::vector
       FROM generate_series(${from}, ${to}) x`;
  await session.rows(
    `CREATE TABLE t (id int PRIMARY KEY, s text, e vector(2)); INSERT INTO t ${letters('1', '700')}`,
  );
  await database.environment.engine.flush();
  // An index over rows that are there; then come a second segment and the head.
  await session.rows(
    'CREATE INDEX t_s ON t USING ngram (s); CREATE INDEX ON t USING hnsw (e vector_cosine_ops)',
  );
  await session.rows(`INSERT INTO t ${letters('701', '1400')}`);
  await database.environment.engine.flush();
  await session.rows(`INSERT INTO t ${letters('1401', '1600')}; DELETE FROM t WHERE id % 13 = 0`);
});

afterAll(async () => {
  await database.close();
});

const some = (most: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...LETTERS), { maxLength: most }).map((letters) => letters.join(''));
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const regexp = fc
  .array(
    fc.oneof(
      some(4),
      fc.constantFrom(
        '.*',
        '(a|b)',
        '[ab]',
        'a?',
        'b*',
        'c+',
        'a{2}',
        '\\w',
        '\\.',
        '^',
        '$',
        '(ab)?',
        '[^]a]',
        '|',
      ),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(''));
const condition = fc.oneof(
  some(5).map((text) => `s LIKE ${quoted(`%${text}%`)}`),
  fc.tuple(some(4), some(4)).map(([a, b]) => `s LIKE ${quoted(`${a}%${b}_%`)}`),
  some(5).map((text) => `s ILIKE ${quoted(`%${text}%`)}`),
  some(4).map((text) => `s LIKE ${quoted(`%!${text}%`)} ESCAPE '!'`),
  regexp.map((pattern) => `s ~ ${quoted(pattern)}`),
  regexp.map((pattern) => `s ~* ${quoted(pattern)}`),
  some(4).map((text) => `strpos(s, ${quoted(text)}) > 0`),
  some(4).map((text) => `position(${quoted(text)} IN s) > 0`),
  some(4).map((text) => `starts_with(s, ${quoted(text)})`),
  some(4).map((text) => `contains(s, ${quoted(text)})`),
  some(8).map((text) => `s % ${quoted(text)}`),
  some(8).map((text) => `${quoted(text)} % s`),
  fc.tuple(some(5), fc.constantFrom('<%', '<<%')).map(([text, is]) => `${quoted(text)} ${is} s`),
  fc.tuple(some(5), fc.constantFrom('%>', '%>>')).map(([text, is]) => `s ${is} ${quoted(text)}`),
);

async function outcome(on: TestSession, text: string): Promise<unknown> {
  try {
    return await on.rows(text);
  } catch (error) {
    return String(error);
  }
}

async function same(text: string): Promise<void> {
  expect(await outcome(session, text), text).toEqual(await outcome(scanning, text));
}

describe('an ngram index', () => {
  it('finds what a scan finds', async () => {
    const where = fc.array(condition, { minLength: 1, maxLength: 2 }).map((list) => list.join(' AND '));
    await fc.assert(
      fc.asyncProperty(where, (filter) => same(`SELECT id, s FROM t WHERE ${filter}`)),
      { numRuns: 250 },
    );
  });

  it('filters a ranking', async () => {
    await fc.assert(
      fc.asyncProperty(condition, (filter) =>
        same(`SELECT id FROM t WHERE ${filter} ORDER BY e <=> '[1,0.5]', id LIMIT 5`),
      ),
      { numRuns: 40 },
    );
  });

  it('looks at few rows, and says so', async () => {
    const [[wanted]] = (await session.rows('SELECT substr(s, 2, 6) FROM t WHERE id = 17')) as [[string]];
    const plan = (
      await session.rows(
        `EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) SELECT id FROM t WHERE strpos(s, ${quoted(wanted)}) > 0`,
      )
    )
      .flat()
      .join('\n');
    expect(plan).toContain('Index Scan using t_s on t');
    expect(Number(/Rows Scanned: (\d+)/.exec(plan)?.[1])).toBeLessThan(300);
  });
});
