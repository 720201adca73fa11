/** `hybrid()`: both arms in one table function, its methods, and what it refuses. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fuse, FUSION_METHODS, type FusedArm, judgedAmong } from './fusion-methods.ts';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  await session.rows(`
    CREATE TABLE books (_id text, title text INDEX keyword_index(),
      summary text INDEX semantic_index(model => 'hash'), year int);
    INSERT INTO books (_id, title, summary, year) VALUES
      ('a', 'the white whale', 'a captain hunts a whale at sea', 1851),
      ('b', 'quiet sea', 'waves and wind', 1951),
      ('c', 'war and peace', 'families in a war', 1869),
      ('d', NULL, NULL, 2000);
    INSERT INTO books$acme (_id, title, summary, year) VALUES ('a', 'sea of acme', 'another sea', 1999);
    CREATE TABLE plain (id int PRIMARY KEY, body text, score float);
    INSERT INTO plain SELECT x, 'word' || x % 7, x FROM generate_series(1, 50) s(x);
    CREATE INDEX ON plain USING keyword (body);
  `);
});

afterAll(async () => {
  await database.close();
});

it('gives rows with the fused score and, of each arm, rank, score and share', async () => {
  const rows = await session.rows(`SELECT _id, round(score::numeric, 3), semantic_rank, keyword_rank,
    round((semantic_share + keyword_share)::numeric, 3) FROM hybrid('books', 'whale sea')`);
  expect(rows.map(([id]) => id)).toEqual(['a', 'b', 'c']);
  expect(rows[0]).toEqual(['a', '0.474', '1', '1', '1.000']);
  expect(rows[2]?.[3]).toBeNull();
});

it.each([
  [`SELECT _id FROM hybrid('books', 'waves', k => 1)`, [['b']]],
  [`SELECT _id FROM hybrid('books$acme', 'sea')`, [['a']]],
  [`SELECT h._id FROM hybrid('books', 'sea', filter => 'year < 1900', method => 'rrf') h`, [['a'], ['c']]],
  [
    `SELECT round((score * 61)::numeric, 6) FROM hybrid('books', 'waves', method => 'rrf', k => 1)`,
    [['1.000000']],
  ],
  [`SELECT _id FROM hybrid('books', 'war', columns => ARRAY['title'])`, [['c']]],
  [`SELECT _id FROM hybrid('books', 'war', weights => ARRAY[0, 1], k => 1)`, [['c']]],
  [
    `SELECT q, _id FROM (VALUES ('whale'), ('war')) v(q), hybrid('books', q, k => 1)`,
    [
      ['whale', 'a'],
      ['war', 'c'],
    ],
  ],
  [
    `SELECT id, score, _score FROM hybrid('plain', 'word3', k => 2)`,
    [
      ['3', '3', '0.14285714285714285'],
      ['10', '10', '0.14285714285714285'],
    ],
  ],
  [`SELECT b.year FROM hybrid('books', 'whale', k => 1) h JOIN books b USING (_id)`, [['1851']]],
  [`SELECT _id FROM hybrid('books', NULL)`, []],
])('answers %s', async (text, expected) => {
  expect(await session.rows(text)).toEqual(expected);
  await session.rows("SET quern.disabled_rules = 'all'");
  expect(await session.rows(text)).toEqual(expected);
  await session.rows('RESET quern.disabled_rules');
});

it.each([
  [`SELECT * FROM hybrid('books')`, '42883'],
  [`SELECT * FROM hybrid('nowhere', 'x')`, '42P01'],
  [`SELECT * FROM hybrid('books$nobody', 'x')`, '42P01'],
  [`SELECT * FROM hybrid('books', 'x', k => 0)`, '22023'],
  [`SELECT * FROM hybrid('books', 'x', depth => 1000000)`, '22023'],
  [`SELECT * FROM hybrid('books', 'x', method => 'best')`, '22023'],
  [`SELECT * FROM hybrid('books', 'x', weights => ARRAY[1])`, '22023'],
  [`SELECT * FROM hybrid('books', 'x', columns => ARRAY['year'])`, '42809'],
  [`SELECT * FROM hybrid('books', 'x', columns => 'nothing')`, '42703'],
  [`SELECT * FROM hybrid('books', 'x', filter => 'nothing > 1')`, '42703'],
])('refuses %s', async (text, sqlstate) => {
  expect((await session.error(text)).sqlstate).toBe(sqlstate);
});

it('weighs what each arm says', () => {
  const arms = [
    {
      kind: 'semantic',
      least: -1,
      scores: Float64Array.of(0.5, -1, Number.NaN),
      ranks: Int32Array.of(1, 2, 0),
    },
    { kind: 'keyword', least: 0, scores: Float64Array.of(Number.NaN, 2, 8), ranks: Int32Array.of(0, 2, 1) },
  ] as const;
  const linear = fuse(FUSION_METHODS.linear as never, arms, [3, 1]);
  expect([...linear.scores]).toEqual([0.75, 0.0625, 0.25]);
  const rrf = fuse(FUSION_METHODS.rrf as never, arms, [1, 1]);
  expect([...rrf.scores]).toEqual([0.5 / 61, 1 / 62, 0.5 / 61]);
  expect([...(rrf.shares[0] ?? [])]).toEqual([1, 0.5, 0]);
});

const arm = (kind: FusedArm['kind'], least: number | null, scores: readonly number[]): FusedArm => {
  const better = (score: number): number => scores.filter((other) => other > score).length;
  const ranks = scores.map((score) => (Number.isNaN(score) ? 0 : 1 + better(score)));
  return { kind, least, scores: Float64Array.from(scores), ranks: Int32Array.from(ranks) };
};
const rows = (best: number, others: number): number[] => [best, ...Array<number>(9).fill(others)];

it.each([
  // A row that stands alone among n is √(n − 1) standard deviations from the mean.
  ['where it stands out and agrees', arm('semantic', -1, rows(0.9, 0.1)), 7 * 3],
  ['as little as words do where all rows are alike', arm('semantic', -1, rows(0.4, 0.4)), 0],
  [
    'less where it rates many rows well',
    arm('semantic', -1, [0.9, 0.9, 0.9, 0.9, 0.9, ...rows(0.1, 0.1).slice(5)]),
    7,
  ],
  [
    'not where it places last what the words found',
    arm('semantic', -1, [0.1, ...rows(0.9, 0.5).slice(0, 9)]),
    0,
  ],
  [
    'by a quarter where it places that halfway',
    arm('semantic', 0, [0.5, 1, ...rows(0, 0).slice(2)]),
    (7 / 4) * 2.655,
  ],
  ['as words, where its scores have no bound', arm('vector', null, rows(7, 3)), 3],
])('trusts meaning %s', (_, meaning, weight) => {
  const [own, words] =
    FUSION_METHODS.linear?.weights([meaning, arm('keyword', 0, rows(5, Number.NaN))]) ?? [];
  expect(own).toBeCloseTo(weight, 3);
  expect(words).toBeCloseTo(3);
});

describe('softmax', () => {
  const probable = (...arms: readonly FusedArm[]): number[] => [
    ...(FUSION_METHODS.softmax?.contributions(arms[0] as FusedArm, judgedAmong(arms)) ?? []),
  ];

  it('makes rows probable by deviations, from 0 where the arm says nothing', () => {
    // The mean is 1, the deviation 1.
    const scores = [2, 2, Number.NaN, Number.NaN];
    const odds = Math.exp(2 / 2.4);
    const found = (odds - 1) / (2 * odds + 2);
    const words = arm('keyword', 0, scores);
    const meaning = arm('semantic', -1, [0, 0, 0.5, 0.5]);
    expect(probable(words, meaning)).toEqual([found, found, 0, 0].map((x) => expect.closeTo(x, 9) as number));
  });

  it('does not mind the scale and the place of a score', () => {
    const scores = [0.9, 0.5, 0.4, 0.3];
    const [own, other] = [scores, scores.map((x) => 100 * x - 7)].map((of) =>
      probable(arm('vector', null, of)),
    );
    expect(other).toEqual(own?.map((x) => expect.closeTo(x, 9) as number));
  });

  it('spreads over rows that are alike, and is 0 where none is found', () => {
    expect(probable(arm('semantic', -1, [0.4, 0.4, Number.NaN]))).toEqual([0.5, 0.5, 0]);
    expect(probable(arm('keyword', 0, [3, 3]))).toEqual([0.5, 0.5]);
    expect(probable(arm('semantic', -1, [Number.NaN]))).toEqual([0]);
    expect(probable(arm('keyword', 0, [Number.NaN, Number.NaN]))).toEqual([0, 0]);
  });

  it('gives a row the same, however many are wanted', () => {
    const scores = Array.from({ length: 300 }, (_, i) => 1 / (i + 1));
    const first = (count: number) => probable(arm('semantic', 0, scores.slice(0, count)))[0];
    expect(first(300)).toBeCloseTo((first(100) as number) * 1, 1);
  });

  it('counts meaning as far as it agrees with the words', () => {
    const words = arm('keyword', 0, rows(5, Number.NaN));
    const weight = (best: number) =>
      FUSION_METHODS.softmax?.weights([arm('semantic', -1, rows(best, 0.5)), words]);
    expect(weight(0.9)).toEqual([1.7, 1]);
    expect(weight(0.1)).toEqual([0, 1]);
  });
});

it('trusts meaning in full where the words found nothing', () => {
  const nothing = arm('keyword', 0, rows(Number.NaN, Number.NaN));
  expect(FUSION_METHODS.linear?.weights([arm('semantic', -1, rows(0.9, 0.1)), nothing])[0]).toBeCloseTo(21);
});

it('judges arms by the same rows, however many are wanted', () => {
  const scores = Array.from({ length: 300 }, (_, i) => 1 / (i + 1));
  const of = (count: number): readonly number[] | undefined =>
    FUSION_METHODS.linear?.weights([
      arm('semantic', 0, scores.slice(0, count)),
      arm('keyword', 0, scores.slice(0, count)),
    ]);
  expect(of(300)).toEqual(of(100));
  expect(of(50)).not.toEqual(of(100));
});

it('begins where the model says that nothing is in common', () => {
  const meaning = arm('semantic', 0.7, [0.9, 0.8, 0.6, Number.NaN]);
  const contributions = FUSION_METHODS.linear?.contributions(meaning, judgedAmong([meaning]));
  expect(contributions?.[0]).toBe(1);
  expect(contributions?.[1]).toBeCloseTo(0.5);
  expect([...(contributions?.subarray(2) ?? [])]).toEqual([0, 0]);
});

it.each([
  ['one row', [[0.9], [3]]],
  [
    'nothing by words',
    [
      [0.9, 0.2],
      [Number.NaN, Number.NaN],
    ],
  ],
  [
    'nothing by meaning',
    [
      [Number.NaN, Number.NaN],
      [3, 2],
    ],
  ],
  [
    'nothing above the least',
    [
      [0.5, 0.5],
      [Number.NaN, Number.NaN],
    ],
  ],
])('gives scores where there is %s', (_, [meaning = [], words = []]) => {
  const arms = [arm('semantic', 0.7, meaning), arm('keyword', 0, words)];
  const method = FUSION_METHODS.linear as never;
  const { scores } = fuse(method, arms, FUSION_METHODS.linear?.weights(arms) ?? []);
  for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
});

it('counts the best of several semantic arms, not their sum', () => {
  const semantic = (...scores: number[]) =>
    ({
      kind: 'semantic',
      least: -1,
      scores: Float64Array.of(...scores),
      ranks: Int32Array.of(1, 2, 3),
    }) as const;
  const arms = [
    semantic(1, 0.5, -1),
    semantic(1, 1, 0),
    { kind: 'keyword', least: 0, scores: Float64Array.of(Number.NaN, 2, 4), ranks: Int32Array.of(0, 2, 1) },
  ] as const;
  const { scores, shares } = fuse(FUSION_METHODS.linear as never, arms, [3, 3, 1]);
  expect([...scores]).toEqual([0.75, 0.75 + 0.125, 0.375 + 0.25]);
  expect([...(shares[0] ?? [])]).toEqual([1, 0, 0]);
  expect([...(shares[1] ?? [])]).toEqual([0, 0.75 / 0.875, 0.6]);
});

it.each([
  [`SELECT _id FROM books ORDER BY rerank('a whale at sea', summary) DESC NULLS LAST LIMIT 1`, [['a']]],
  [`SELECT rerank('whale sea', summary) FROM books ORDER BY _id`, [['1'], ['0'], ['0'], [null]]],
  [`SELECT vector_dims(embed('sea', 'hash')), tokens('Quiet sea', model => 'hash')`, [['64', '{quiet,sea}']]],
  [
    `SELECT round((1 - (embed('sea', 'hash') <=> embed(title, 'hash')))::numeric, 3) FROM books WHERE _id = 'd'`,
    [[null]],
  ],
])('infers by hand: %s', async (text, expected) => {
  expect(await session.rows(text)).toEqual(expected);
});

it('says which models there are', async () => {
  const error = await session.error(`SELECT embed('sea', 'nothing')`);
  expect([error.sqlstate, error.fields.hint]).toEqual(['42704', 'No model is installed.']);
});
