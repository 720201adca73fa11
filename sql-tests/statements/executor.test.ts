/** The executor by whole statements: operators, writes, retrieval; with every rule on and every rule off. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RULES } from '../../src/optimize/optimize.ts';
import { CHOICES } from '../../src/physical/choices.ts';
import { TestDatabase, type TestSession } from '../fixtures/database.ts';

const ALL_OFF = "SET quern.disabled_rules = 'all'";

let database: TestDatabase;
let session: TestSession;
let plain: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  plain = await database.session();
  await plain.rows(ALL_OFF);
  await session.rows(`
    CREATE TABLE t (id int PRIMARY KEY, v text, f float8, g int);
    INSERT INTO t SELECT x, 'v' || (x % 7), x / 2.0, CASE WHEN x % 5 = 0 THEN NULL ELSE x % 3 END
      FROM generate_series(1, 3000) s(x);
    CREATE TABLE u (a int, b text);
    INSERT INTO u VALUES (1, 'one'), (2, 'two'), (2, 'zwei'), (NULL, 'null'), (99999, 'far');
    CREATE TABLE films (_id text, title text NOT NULL INDEX keyword_index(),
      plot text INDEX semantic_index(model => 'hash'), emb vector(3) INDEX vector_index(metric => 'cosine'),
      year int);
    INSERT INTO films (_id, title, plot, emb, year)
      SELECT 'f' || x, CASE WHEN x % 3 = 0 THEN 'war and peace' ELSE 'quiet sea' END,
             'plot ' || (x % 11) || ' of love',
             ('[' || (x % 5) || ',' || (x % 3) || ',1]')::vector, 1900 + x % 100
      FROM generate_series(1, 500) s(x);
    INSERT INTO films (_id, title) VALUES ('empty', 'nothing at all');
  `);
});

afterAll(async () => {
  await database.close();
});

/** Queries whose order is fixed; rules must not change a row. */
const QUERIES = [
  'SELECT 1, 2 + 3, NULL::int',
  "SELECT x, y FROM (VALUES (1, 'a'), (2, 'b')) s(x, y) WHERE x > 1",
  'SELECT id, v FROM t WHERE id = 42',
  'SELECT id FROM t WHERE f > 1495 AND v <> $$v1$$ ORDER BY id',
  'SELECT id FROM t ORDER BY g NULLS FIRST, v DESC, id LIMIT 20 OFFSET 5',
  'SELECT id, g FROM t ORDER BY g DESC NULLS LAST, id DESC LIMIT 3',
  'SELECT g, count(*), sum(id), min(v), max(f), avg(f) FROM t GROUP BY g ORDER BY g',
  'SELECT g FROM t GROUP BY g HAVING count(*) > 700 ORDER BY 1',
  'SELECT count(*), count(g), count(DISTINCT v), sum(f) FILTER (WHERE g = 1) FROM t',
  'SELECT count(*), sum(id) FROM t WHERE id < 0',
  'SELECT DISTINCT v FROM t ORDER BY v',
  'SELECT u.b, t.v FROM u JOIN t ON t.id = u.a ORDER BY u.b',
  'SELECT u.b, t.v FROM u LEFT JOIN t ON t.id = u.a ORDER BY u.b',
  'SELECT u.b, s.id FROM u RIGHT JOIN (SELECT id FROM t WHERE id < 4) s ON s.id = u.a ORDER BY s.id, u.b',
  'SELECT u.b, s.id FROM u FULL JOIN (SELECT id FROM t WHERE id < 4) s ON s.id = u.a ORDER BY s.id, u.b',
  'SELECT u.b, s.id FROM u, t s WHERE s.id < u.a AND s.id > 0 AND u.a < 10 ORDER BY 1, 2',
  'SELECT a.b, c.b FROM u a CROSS JOIN u c ORDER BY 1, 2',
  'SELECT u.b, x FROM u, LATERAL generate_series(1, u.a) x WHERE u.a < 5 ORDER BY 1, 2',
  'SELECT b FROM u WHERE a IN (SELECT id FROM t) ORDER BY b',
  'SELECT b FROM u WHERE a NOT IN (SELECT id FROM t WHERE id < 2) ORDER BY b',
  'SELECT b FROM u WHERE EXISTS (SELECT 1 FROM t WHERE t.id = u.a AND t.f > 0.5) ORDER BY b',
  'SELECT b FROM u WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.id = u.a) ORDER BY b',
  'SELECT b, (SELECT v FROM t WHERE t.id = u.a) FROM u ORDER BY b',
  'SELECT b, a > ALL (SELECT id FROM t WHERE id < 2), a = ANY (ARRAY[1, 2]) FROM u ORDER BY b',
  'SELECT (SELECT max(id) FROM t), ARRAY(SELECT id FROM t WHERE id < 4 ORDER BY id)',
  'SELECT CASE WHEN id <> 2 THEN 10 / (id - 2) END FROM t WHERE id < 5 ORDER BY id',
  'SELECT coalesce(g, 1 / (id - id + 1)), id IN (1, 3, NULL), g IS NULL FROM t WHERE id < 6 ORDER BY id',
  'SELECT id FROM t WHERE g IS NULL OR (g = 1 AND id > 2990) ORDER BY id LIMIT 4',
  'SELECT v FROM t WHERE id < 3 UNION ALL SELECT b FROM u WHERE a = 2 ORDER BY 1',
  'SELECT a FROM u UNION SELECT id FROM t WHERE id < 4 ORDER BY 1',
  'SELECT a FROM u INTERSECT SELECT id FROM t ORDER BY 1',
  'SELECT a FROM u EXCEPT ALL SELECT id FROM t ORDER BY 1',
  'WITH w AS (SELECT id FROM t WHERE id < 4) SELECT x.id, y.id FROM w x JOIN w y ON x.id < y.id ORDER BY 1,2',
  'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r LIMIT 5',
  'WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT (n * 2) % 7 FROM r) SELECT n FROM r ORDER BY n',
  'SELECT generate_series(1, 3), id FROM t WHERE id < 3 ORDER BY 2, 1',
  'SELECT * FROM generate_series(5, 7) WITH ORDINALITY s(x, n)',
  'SELECT DISTINCT ON (g) g, id FROM t ORDER BY g, id DESC',
  `SELECT id, sum(id) OVER (ORDER BY id), sum(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)
   FROM t WHERE id < 9 ORDER BY id`,
  `SELECT id, count(*) OVER (PARTITION BY g), max(v) OVER (ORDER BY g, id GROUPS 2 PRECEDING)
   FROM t WHERE id < 9 ORDER BY id`,
  'SELECT id, g FROM t WHERE id < 9 ORDER BY g FETCH FIRST 2 ROWS WITH TIES',
  "SELECT _id FROM films ORDER BY semantic_similarity(plot, 'plot 3 of love') DESC LIMIT 7",
  "SELECT _id, semantic_similarity(plot, 'plot 3') s FROM films WHERE year > 1990 ORDER BY s DESC LIMIT 60",
  "SELECT _id FROM films ORDER BY bm25(title, 'war') DESC LIMIT 200 OFFSET 3",
  "SELECT _id, bm25_score() > 0 FROM films WHERE match('war') ORDER BY bm25_score() DESC, _id LIMIT 5",
  "SELECT count(*) FROM films WHERE match('sea') AND year < 1950",
  "SELECT _id, emb <=> '[1,1,0]' AS d FROM films ORDER BY emb <=> '[1,1,0]', _id LIMIT 30",
  "SELECT _id FROM films ORDER BY 1 - (emb <=> '[0,1,1]') DESC NULLS LAST, _id LIMIT 30",
  "SELECT _id FROM films ORDER BY vector_distance(emb, '[1,0,0]') * year DESC LIMIT 12",
  "SELECT _id FROM films ORDER BY semantic_similarity(plot, 'plot 3') + bm25(title, 'war') DESC LIMIT 12",
  "SELECT _id FROM films WHERE _id IN ('f1', 'f2', 'nothing') ORDER BY _id",
];

describe('rules and choices keep the result', () => {
  it.each(QUERIES)('%s', async (query) => {
    const expected = await plain.rows(query);
    expect(await session.rows(query)).toEqual(expected);
  });

  it.each(['choices', ...[...RULES, ...CHOICES].map(({ name }) => name)])(
    'with %s switched off',
    async (name) => {
      const other = await database.session();
      await other.rows(`SET quern.disabled_rules = '${name}'`);
      for (const query of QUERIES) expect(await other.rows(query), query).toEqual(await session.rows(query));
    },
  );
});

describe('answers', () => {
  it.each([
    ['SELECT 1 WHERE NULL', []],
    [
      'SELECT g, count(*) FROM t GROUP BY g ORDER BY g',
      [
        ['0', '800'],
        ['1', '800'],
        ['2', '800'],
        [null, '600'],
      ],
    ],
    ['SELECT count(*) FROM t a JOIN t b ON a.id = b.id AND a.g = b.g', [['2400']]],
    ['SELECT NULL IN (SELECT 1 WHERE false), NULL NOT IN (SELECT 1)', [['f', null]]],
    ['SELECT b FROM u WHERE a NOT IN (SELECT a FROM u WHERE a IS NULL)', []],
    ['SELECT CASE WHEN true THEN 1 ELSE (SELECT id FROM t) END', [['1']]],
    [
      'SELECT g, v, count(*) FROM t WHERE id < 3 GROUP BY GROUPING SETS ((g), (v), ()) ORDER BY 1, 2',
      [
        ['1', null, '1'],
        ['2', null, '1'],
        [null, 'v1', '1'],
        [null, 'v2', '1'],
        [null, null, '2'],
      ],
    ],
  ])('%s', async (query, expected) => {
    expect(await session.rows(query)).toEqual(expected);
  });

  it.each([
    ['SELECT (SELECT id FROM t)', '21000', 'more than one row returned by a subquery used as an expression'],
    ['SELECT id FROM t LIMIT -1', '2201W', 'LIMIT must not be negative'],
    ['SELECT id FROM t OFFSET -1', '2201X', 'OFFSET must not be negative'],
    ['SELECT 1 / (id - 1) FROM t', '22012', 'division by zero'],
    [`SELECT semantic_similarity(plot, '${'x'.repeat(8193)}') FROM films`, '54000', undefined],
    ["INSERT INTO t VALUES (1, 'again')", '23505', undefined],
  ])('%s raises %s', async (query, sqlstate, message) => {
    const error = await session.error(query);
    expect(error.sqlstate).toBe(sqlstate);
    if (message !== undefined) expect(error.message).toBe(message);
  });
});

describe('writes', () => {
  it('upserts into collections, counts rows, returns them', async () => {
    const { rows, tags } = { rows: session.rows.bind(session), tags: session.tags.bind(session) };
    await rows('CREATE TABLE c (_id text, n int, s text NOT NULL)');
    expect(await tags("INSERT INTO c (_id, n, s) VALUES ('a', 1, 'x'), ('b', 2, 'y')")).toEqual([
      'INSERT 0 2',
    ]);
    expect(await rows("INSERT INTO c (_id, s) VALUES ('a', 'z') RETURNING *")).toEqual([['a', null, 'z']]);
    expect(await tags('UPDATE c SET n = coalesce(n, 0) + 1')).toEqual(['UPDATE 2']);
    expect(await rows('DELETE FROM c WHERE n = 3 RETURNING _id, s')).toEqual([['b', 'y']]);
    expect(await rows('SELECT * FROM c')).toEqual([['a', '1', 'z']]);
  });

  it('lists every fault of a batch and stores nothing of it', async () => {
    await session.rows('CREATE TABLE r (_id text, title text NOT NULL)');
    const error = await session.error(
      "INSERT INTO r (_id, title) VALUES ('1', NULL), ('2', 'x'), (NULL, NULL)",
    );
    expect(error.sqlstate).toBe('23502');
    expect(error.message).toBe('null value in column "title" of relation "r" violates not-null constraint');
    expect(JSON.parse(error.fields.detail ?? '')).toEqual([
      { kind: 'missing_field', document_offset: 0, field: 'title' },
      { kind: 'missing_id', document_offset: 2, field: '_id' },
      { kind: 'missing_field', document_offset: 2, field: 'title' },
    ]);
    expect(await session.rows('SELECT count(*) FROM r')).toEqual([['0']]);
    const large = await session.error(`INSERT INTO r (_id, title) VALUES ('1', '${'x'.repeat(200_001)}')`);
    expect(large.sqlstate).toBe('54000');
  });

  it('says which row of a plain table fails', async () => {
    await session.rows('CREATE TABLE p (a int, b text NOT NULL)');
    const error = await session.error('INSERT INTO p VALUES (7, NULL)');
    expect(error.fields.detail).toBe('Failing row contains (7, null).');
  });

  it('keeps undeclared columns and widens them', async () => {
    const s = session;
    await s.rows('CREATE TABLE d (_id text)');
    await s.rows("INSERT INTO d (_id, x) VALUES ('1', 5)");
    await s.rows("INSERT INTO d (_id, x) VALUES ('2', 2.5)");
    expect(await s.rows('SELECT _id, x FROM d ORDER BY x DESC')).toEqual([
      ['1', '5'],
      ['2', '2.5'],
    ]);
    await s.rows("INSERT INTO d (_id, x, y) VALUES ('3', 'text', true)");
    expect(await s.rows('SELECT _id, x, y FROM d ORDER BY _id')).toEqual([
      ['1', '5', null],
      ['2', '2.5', null],
      ['3', '"text"', 't'],
    ]);
  });

  it('does nothing or updates on conflict', async () => {
    await session.rows('CREATE TABLE k (id int PRIMARY KEY, n int); INSERT INTO k VALUES (1, 10)');
    expect(await session.tags('INSERT INTO k VALUES (1, 1), (2, 2) ON CONFLICT DO NOTHING')).toEqual([
      'INSERT 0 1',
    ]);
    expect(
      await session.rows(
        'INSERT INTO k VALUES (1, 5), (3, 3) ON CONFLICT (id) DO UPDATE SET n = k.n + excluded.n RETURNING *',
      ),
    ).toEqual([
      ['3', '3'],
      ['1', '15'],
    ]);
    const twice = 'INSERT INTO k VALUES (1, 1), (1, 2) ON CONFLICT (id) DO UPDATE SET n = 0';
    expect((await session.error(twice)).sqlstate).toBe('21000');
  });

  it('embeds the rows that are there when a semantic index is added', async () => {
    await session.rows(`CREATE TABLE e (_id text, s text);
      INSERT INTO e (_id, s) VALUES ('1', 'love'), ('2', 'war');
      CREATE INDEX ON e USING semantic (s) WITH (model = 'hash')`);
    const query = "SELECT _id FROM e WHERE semantic_similarity(s, 'war') > 0.99";
    expect(await session.rows(query)).toEqual([['2']]);
  });

  it('looks again at rows that another transaction changed', async () => {
    const other = await database.session();
    await session.rows('CREATE TABLE w (id int PRIMARY KEY, n int); INSERT INTO w VALUES (1, 0), (2, 0)');
    await session.rows('BEGIN; UPDATE w SET n = n + 1 WHERE id = 1; DELETE FROM w WHERE id = 2');
    const waiting = other.tags('UPDATE w SET n = n + 10 WHERE n >= 0');
    await new Promise((resolve) => setTimeout(resolve, 20));
    await session.rows('COMMIT');
    expect(await waiting).toEqual(['UPDATE 1']);
    expect(await session.rows('SELECT * FROM w')).toEqual([['1', '11']]);
  });
});
