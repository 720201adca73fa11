/** Ranked queries by their indexes and by looking at every row: the same rows in the same order. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';

const ROWS = 3_000;

let database: TestDatabase;
let session: TestSession;
let exact: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  exact = await database.session();
  await exact.rows('SET quern.exact = on');
  await session.rows(`
    CREATE TABLE docs (_id text, doc int, body text INDEX semantic_index(model => 'hash'),
      emb vector(4) INDEX vector_index(metric => 'cosine'), rating float, votes int, price numeric,
      seen timestamp);
    INSERT INTO docs
      SELECT 'd' || x, x % 97, 'word' || (x * 7919 % 211) || ' word' || (x * 104729 % 53) ||
               CASE WHEN x % 10 = 0 THEN ' common' ELSE '' END,
             CASE WHEN x % 50 = 0 THEN NULL ELSE ('[' || sin(x) || ',' || cos(x * 3) || ',' || sin(x * 7) || ',1]')::vector END,
             CASE WHEN x % 9 = 0 THEN NULL ELSE abs(sin(x)) * 5 END, x * 31 % 1000, (x % 300) / 10.0,
             timestamp '2024-01-01' + x * interval '1 hour'
      FROM generate_series(1, ${ROWS}) s(x);
  `);
  await database.environment.engine.flush();
  await session.rows("INSERT INTO docs (_id, body, rating) VALUES ('late', 'word7 word5 common', 4)");
});

afterAll(async () => {
  await database.close();
});

const SEMANTIC = "semantic_similarity(body, 'word7 word5')";
const VECTOR = "vector_distance(emb, '[1,0.5,0,1]')";
const KEYWORD = "bm25(body, 'common word7')";
const TERMS = [SEMANTIC, VECTOR, KEYWORD, 'rating', 'votes', 'price', '2', '0.5', '-1'];

const term = fc.constantFrom(...TERMS);
const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const deeper = tie('expression');
  const call = (make: (a: string) => string) => deeper.map(make);
  return {
    expression: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      term,
      fc.tuple(deeper, fc.constantFrom('+', '-', '*'), deeper).map(([a, op, b]) => `(${a} ${op} ${b})`),
      call((a) => `coalesce(${a}, 0)`),
      call((a) => `greatest(${a}, 0.25)`),
      call((a) => `least(${a}, 0.75)`),
      call((a) => `abs(${a})`),
      call((a) => `square(least((${a})::float8, 10))`),
      call((a) => `exp(least((${a})::float8, 5))`),
      call((a) => `sqrt(abs(${a})::float8)`),
      call((a) => `ln(1 + abs(${a})::float8)`),
      call((a) => `saturate(abs(${a})::float8, 2, 1.5)`),
      call((a) => `decay(abs(${a})::float8, 2, 1)`),
      call((a) => `boost(${KEYWORD} > 1, 2) * ${a}`),
      call((a) => `(${a}) * CASE WHEN rating > 3 THEN 1.5 ELSE 1 END`),
    ),
  };
});

describe('ranked queries', () => {
  it('give what ranking every row gives', async () => {
    const query = fc.record({
      scored: expression,
      descending: fc.boolean(),
      limit: fc.integer({ min: 1, max: 40 }),
      where: fc.constantFrom('', 'WHERE votes < 100', "WHERE match('common', body)"),
    });
    await fc.assert(
      fc.asyncProperty(query, async ({ scored, descending, limit, where }) => {
        const order = `(${scored}) + 0 ${descending ? 'DESC' : 'ASC'} NULLS LAST`;
        const text = `SELECT _id FROM docs ${where} ORDER BY ${order}, _id LIMIT ${limit}`;
        expect(await session.rows(text), text).toEqual(await exact.rows(text));
      }),
      { numRuns: 150, seed: 7 },
    );
  });

  it('by one score give what ranking every row gives, ties by key', async () => {
    const query = fc.record({
      score: fc.constantFrom(SEMANTIC, VECTOR, KEYWORD, "bm25(body, 'common')"),
      order: fc.constantFrom('DESC NULLS LAST', 'ASC NULLS LAST', 'DESC NULLS FIRST'),
      limit: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constantFrom(300, 1_100, 20_000)),
      offset: fc.constantFrom(0, 7),
      where: fc.constantFrom('', 'WHERE votes < 100', "WHERE match('common', body)", 'WHERE votes > 5000'),
    });
    await fc.assert(
      fc.asyncProperty(query, async ({ score, order, limit, offset, where }) => {
        const text = `SELECT _id, ${score} FROM docs ${where}
          ORDER BY ${score} ${order} LIMIT ${limit} OFFSET ${offset}`;
        expect(await session.rows(text), text).toEqual(await exact.rows(text));
      }),
      { numRuns: 100, seed: 11 },
    );
  });

  it('look at few rows when the arms tell', async () => {
    const text = `SELECT _id FROM docs ORDER BY 0.7 * ${SEMANTIC} + 0.3 * saturate(${KEYWORD}, 2, 1) DESC LIMIT 5`;
    const plan = (await session.rows(`EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) ${text}`)).flat().join('\n');
    expect(plan).not.toMatch(/Rows Scanned: 3000/);
    expect(await session.rows(text)).toEqual(await exact.rows(text));
  });

  it.each([
    "SELECT _id, bm25_score() FROM docs WHERE match('common word7', body) ORDER BY bm25_score() DESC LIMIT 12 OFFSET 3",
    "SELECT _id, match('common', body) FROM docs WHERE match('common', body) ORDER BY bm25_score() DESC LIMIT 100",
    "SELECT _id FROM docs WHERE match('common', body) ORDER BY bm25_score() ASC LIMIT 4",
    "SELECT _id FROM docs WHERE match('common', body, 0.0) ORDER BY bm25_score() DESC LIMIT 4",
    "SELECT _id FROM docs WHERE match('common', body) ORDER BY match('common', body) DESC, _id LIMIT 4",
    "SELECT _id FROM docs WHERE match('common', body) AND votes < 300 AND doc > 5 ORDER BY bm25_score() DESC LIMIT 4",
    'SELECT _id FROM docs WHERE match(NULL::text, body) ORDER BY bm25_score() DESC LIMIT 4',
    "SELECT _id FROM docs WHERE match('nowhere', body) ORDER BY bm25_score() DESC LIMIT 4",
    "SELECT _id FROM docs WHERE match('common', body) ORDER BY bm25_score() DESC, votes LIMIT 2000",
    "SELECT _id FROM docs WHERE match('common', body) ORDER BY bm25_score() DESC LIMIT 0",
    "SELECT _id FROM docs WHERE match('common', body) ORDER BY bm25_score() DESC, _id LIMIT NULL",
    "SELECT _id FROM docs WHERE match('common', body) ORDER BY bm25_score() DESC LIMIT (SELECT NULL::int)",
    "SELECT _id FROM docs WHERE should('common', body) ORDER BY bm25_score() DESC LIMIT 2500",
    "SELECT _id FROM docs WHERE votes < 500 ORDER BY bm25(body, 'nowhere') DESC LIMIT 4",
    `SELECT _id, emb, doc, emb <=> '[1,0.5,0,1]' AS d FROM docs ORDER BY d LIMIT 9 OFFSET 2`,
    `SELECT upper(b) FROM (SELECT _id || body AS b FROM docs ORDER BY ${VECTOR} DESC LIMIT 5) x ORDER BY 1 LIMIT 3`,
    `SELECT _id FROM docs ORDER BY ${SEMANTIC} DESC LIMIT (SELECT 3)`,
  ])('answer %s', async (text) => {
    for (let time = 0; time < 2; time++) expect(await session.rows(text)).toEqual(await exact.rows(text));
  });

  it('rank what a transaction has written, and lock it', async () => {
    const text = `SELECT _id, bm25_score() FROM docs WHERE match('common', body)
      ORDER BY bm25_score() DESC LIMIT 3`;
    const before = await session.rows(text);
    await session.rows('BEGIN');
    await session.rows("INSERT INTO docs (_id, body) VALUES ('own', 'common common')");
    const own = await session.rows(text);
    expect(own[0]?.[0]).toBe('own');
    expect((await session.rows(`${text} FOR UPDATE`)).map(([id]) => id)).toEqual(own.map(([id]) => id));
    await session.rows('ROLLBACK');
    expect(await session.rows(text)).toEqual(before);
  });

  it.each([
    `SELECT doc, score FROM (SELECT DISTINCT ON (doc) doc, ${SEMANTIC} AS score FROM docs
       ORDER BY doc, score DESC) best ORDER BY score DESC, doc LIMIT 7`,
    `SELECT doc, score FROM (SELECT doc, score, row_number() OVER (PARTITION BY doc
        ORDER BY score DESC) AS place
       FROM (SELECT doc, ${SEMANTIC} AS score FROM docs) scored) numbered WHERE place = 1
       ORDER BY score DESC, doc LIMIT 7`,
    `SELECT doc, score FROM (SELECT doc, ${SEMANTIC} + ${VECTOR} AS score,
       row_number() OVER (PARTITION BY doc ORDER BY ${SEMANTIC} + ${VECTOR} DESC) AS place FROM docs) numbered
       WHERE place <= 2 ORDER BY score DESC, doc LIMIT 20 OFFSET 3`,
  ])('give the best of each group: %s', async (text) => {
    const plan = (await session.rows(`EXPLAIN ${text}`)).flat().join('\n');
    expect(plan).toContain('Best Per Group');
    expect(await session.rows(text)).toEqual(await exact.rows(text));
  });
});
