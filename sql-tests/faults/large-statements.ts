/**
 * Statements that ask for much, one row a shape: none may keep others from being answered, and every one
 * ends soon after its time-out or a cancel. `statements.test.ts` runs them small, `bench/statements.ts` in
 * the sizes of their `full`.
 */
export interface LargeStatement {
  readonly name: string;
  /** Rows, terms, or whatever makes it large: in the tests, and in the bench. */
  readonly quick: number;
  readonly full: number;
  /** Run once before, and undone by `after`. */
  readonly before?: (size: number) => string;
  readonly after?: (size: number) => string;
  readonly sql: (size: number) => string;
  /** Text of the first column of its first row; null where that is not fixed. */
  readonly result?: (size: number) => string;
}

const count = (size: number): string => String(size);
const list = (size: number, item: (i: number) => string, separator = ','): string =>
  Array.from({ length: size }, (_, i) => item(i + 1)).join(separator);
const series = (size: number): string => `generate_series(1, ${size})`;

const WINDOWS: readonly LargeStatement[] = [
  ...['sum(i)', 'count(i)', 'min(i)', 'max(i)', 'avg(i::numeric)'].map((call) => ({
    name: `a wide frame of ${call}`,
    quick: 20_000,
    full: 120_000,
    sql: (size: number) => `SELECT count(s) FROM (SELECT ${call} OVER
        (ORDER BY i ROWS BETWEEN ${Math.floor(size * 0.8)} PRECEDING AND CURRENT ROW) AS s
        FROM ${series(size)} i) t`,
    result: count,
  })),
  ...['sum(i::float8)', 'array_agg(i % 3)'].map((call) => ({
    name: `a frame that does not slide: ${call}`,
    quick: 2_000,
    full: 10_000,
    sql: (size: number) => `SELECT count(s) FROM (SELECT ${call} OVER
      (ORDER BY i ROWS BETWEEN ${Math.floor(size * 0.8)} PRECEDING AND CURRENT ROW) AS s
      FROM ${series(size)} i) t`,
    result: count,
  })),
  {
    name: 'a wide frame of RANGE',
    quick: 20_000,
    full: 120_000,
    sql: (size) => `SELECT count(s) FROM (SELECT sum(i) OVER
      (ORDER BY i RANGE BETWEEN ${Math.floor(size * 0.8)} PRECEDING AND 10 FOLLOWING) AS s
      FROM ${series(size)} i) t`,
    result: count,
  },
  {
    name: 'a wide frame with EXCLUDE',
    quick: 20_000,
    full: 120_000,
    sql: (size) => `SELECT count(s) FROM (SELECT sum(i) OVER
      (ORDER BY i ROWS BETWEEN ${Math.floor(size * 0.8)} PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) AS s
      FROM ${series(size)} i) t`,
    result: (size) => count(size - 1),
  },
  {
    name: 'last_value with EXCLUDE',
    quick: 20_000,
    full: 120_000,
    sql: (size) => `SELECT count(s) FROM (SELECT last_value(i) OVER
      (ORDER BY i ROWS BETWEEN ${Math.floor(size * 0.8)} PRECEDING AND CURRENT ROW EXCLUDE TIES) AS s
      FROM ${series(size)} i) t`,
    result: count,
  },
  {
    name: 'one partition of a million',
    quick: 100_000,
    full: 1_000_000,
    sql: (size) => `SELECT count(r) FROM (SELECT rank() OVER (ORDER BY i) r FROM ${series(size)} i) t`,
    result: count,
  },
];

const TEXTS: readonly LargeStatement[] = [
  {
    name: 'IN of constants',
    quick: 50_000,
    full: 200_000,
    sql: (size) => `SELECT count(*) FROM ${series(1000)} i WHERE i IN (${list(size, String)})`,
    result: () => '1000',
  },
  {
    name: 'IN of texts',
    quick: 50_000,
    full: 200_000,
    sql: (size) => `SELECT count(*) FROM ${series(1000)} i WHERE i::text IN (${list(size, (i) => `'${i}'`)})`,
    result: () => '1000',
  },
  {
    name: 'NOT IN of constants',
    quick: 50_000,
    full: 200_000,
    sql: (size) => `SELECT count(*) FROM ${series(1000)} i WHERE i NOT IN (${list(size, String)})`,
    result: () => '0',
  },
  {
    name: 'VALUES',
    quick: 150_000,
    full: 500_000,
    sql: (size) => `SELECT count(*) FROM (VALUES ${list(size, (i) => `(${i}, 'name ${i}')`)}) v(a, b)`,
    result: count,
  },
  {
    name: 'INSERT of VALUES',
    quick: 60_000,
    full: 200_000,
    before: () => 'CREATE TABLE large_values (a int PRIMARY KEY, b text, c numeric(12,2), d date, e bool)',
    after: () => 'DROP TABLE large_values',
    sql: (size) =>
      `WITH w AS (INSERT INTO large_values
        VALUES ${list(size, (i) => `(${i}, 'name ${i}', ${i}.5, '2026-01-01', NULL)`)} RETURNING a)
        SELECT count(*) FROM w`,
    result: count,
  },
  {
    name: 'VALUES of casts and calls',
    quick: 60_000,
    full: 200_000,
    sql: (size) =>
      `SELECT count(*) FROM (VALUES ${list(
        size,
        (i) => `('2026-01-01'::date, CAST('${i}' AS bigint), now(), ARRAY[${i}, -1], lower('X${i}'))`,
      )}) v(a, b)`,
    result: count,
  },
  {
    name: 'VALUES of expressions that are bound row by row',
    quick: 12_000,
    full: 15_000,
    sql: (size) =>
      `SELECT count(*) FROM (VALUES ${list(size, (i) => `(${i}, CASE WHEN true THEN ${i} END)`)}) v(a, b)`,
    result: count,
  },
  {
    name: 'INSERT into undeclared columns, of several kinds',
    quick: 20_000,
    full: 60_000,
    before: () => 'CREATE TABLE large_documents (_id text)',
    after: () => 'DROP TABLE large_documents',
    sql: (size) =>
      `WITH w AS (INSERT INTO large_documents (_id, a, b)
        VALUES ${list(size, (i) => `('${i}', ${i % 2 === 0 ? i : `'x${i}'`}, ${i % 2 === 0 ? 'NULL' : i})`)}
        RETURNING _id) SELECT count(*) FROM w`,
    result: count,
  },
  {
    name: 'INSERT of VALUES with casts, calls and DEFAULT',
    quick: 60_000,
    full: 200_000,
    before: () => `CREATE TABLE large_mixed (a int PRIMARY KEY, b timestamptz, c date, d int DEFAULT 7)`,
    after: () => 'DROP TABLE large_mixed',
    sql: (size) =>
      `WITH w AS (INSERT INTO large_mixed
        VALUES ${list(size, (i) => `(${i}, now(), '2020-01-01'::date, ${i % 3 === 0 ? i : 'DEFAULT'})`)}
        RETURNING d) SELECT count(*) FROM w`,
    result: count,
  },
  {
    name: 'an OR of equalities',
    quick: 10_000,
    full: 50_000,
    sql: (size) => `SELECT count(*) FROM ${series(1000)} i WHERE ${list(size, (i) => `i = ${i}`, ' OR ')}`,
    result: () => '1000',
  },
  {
    name: 'an OR of ranges',
    quick: 2_500,
    full: 50_000,
    sql: (size) =>
      `SELECT count(*) FROM ${series(1000)} i WHERE ${list(size, (i) => `i BETWEEN ${i} AND ${i}`, ' OR ')}`,
    result: () => '1000',
  },
  {
    name: 'an AND of inequalities',
    quick: 10_000,
    full: 50_000,
    sql: (size) => `SELECT count(*) FROM ${series(1000)} i WHERE ${list(size, (i) => `i <> ${-i}`, ' AND ')}`,
    result: () => '1000',
  },
  {
    name: 'CASE with many branches',
    quick: 5_000,
    full: 20_000,
    sql: (size) =>
      `SELECT sum(CASE i ${list(size, (i) => `WHEN ${i} THEN 1`, ' ')} END) FROM ${series(1000)} i`,
    result: () => '1000',
  },
  {
    name: '1,600 columns',
    quick: 1_600,
    full: 1_600,
    sql: (size) => `SELECT count(*) FROM (SELECT ${list(size, (i) => `i + ${i} AS c${i}`)}
      FROM ${series(5_000)} i ORDER BY c1) t WHERE c1600 IS NOT NULL`,
    result: () => '5000',
  },
  {
    name: 'UNION ALL branches',
    quick: 300,
    full: 1_000,
    sql: (size) => `SELECT count(*) FROM (${list(size, (i) => `SELECT ${i} AS n`, ' UNION ALL ')}) u`,
    result: count,
  },
  {
    name: 'nested subqueries',
    quick: 100,
    full: 500,
    sql: (size) => {
      let text = 'SELECT 1 AS n';
      for (let i = 0; i < size; i++) text = `SELECT n FROM (${text}) s${i}`;
      return text;
    },
    result: () => '1',
  },
  {
    name: 'an array of constants',
    quick: 50_000,
    full: 500_000,
    sql: (size) => `SELECT count(*) FROM ${series(1000)} i WHERE i = ANY (ARRAY[${list(size, String)}])`,
    result: () => '1000',
  },
  {
    name: 'a sum of terms',
    quick: 800,
    full: 50_000,
    sql: (size) => `SELECT ${list(size, () => '1', ' + ')}`,
  },
  {
    name: 'a long string constant',
    quick: 4_000_000,
    full: 15_000_000,
    sql: (size) => `SELECT length('${'x'.repeat(size)}')`,
    result: count,
  },
  {
    name: 'a join of tables',
    quick: 25,
    full: 40,
    before: (size) =>
      `${list(size, (i) => `CREATE TABLE j${i} (id int PRIMARY KEY, a int); INSERT INTO j${i} VALUES (1, 1)`, ';')}`,
    after: (size) => `DROP TABLE ${list(size, (i) => `j${i}`)}`,
    sql: (size) =>
      `SELECT count(*) FROM j1 ${list(size - 1, (i) => `JOIN j${i + 1} ON j${i + 1}.a = j${i}.id`, ' ')}`,
    result: () => '1',
  },
  {
    name: 'a join of small tables',
    quick: 25,
    full: 40,
    sql: (size) =>
      `SELECT count(*) FROM (VALUES (1)) t0(x) ${list(
        size - 1,
        (i) => `JOIN (VALUES (1), (2)) t${i}(x) ON t${i}.x = t${i - 1}.x`,
        ' ',
      )}`,
    result: () => '1',
  },
  {
    name: 'a star join of small tables',
    quick: 25,
    full: 40,
    sql: (
      size,
    ) => `SELECT count(*) FROM (VALUES (1)) t0(x), ${list(size - 1, (i) => `(VALUES (1), (2)) t${i}(x)`)}
      WHERE ${list(size - 1, (i) => `t0.x = t${i}.x`, ' AND ')}`,
    result: () => '1',
  },
];

const ROWS: readonly LargeStatement[] = [
  {
    name: 'DISTINCT over a cross join',
    quick: 300,
    full: 1_000,
    sql: (size) => `SELECT count(*) FROM (SELECT DISTINCT * FROM ${series(size)} a, ${series(size)} b) t`,
    result: (size) => count(size * size),
  },
  {
    name: 'ORDER BY texts',
    quick: 100_000,
    full: 1_000_000,
    sql: (size) =>
      `SELECT count(*) FROM (SELECT md5(i::text) m FROM ${series(size)} i ORDER BY 1 OFFSET 0) t`,
    result: count,
  },
  {
    name: 'GROUP BY of many groups',
    quick: 100_000,
    full: 1_000_000,
    sql: (size) =>
      `SELECT count(*) FROM (SELECT i::text, count(*), sum(i::numeric) FROM ${series(size)} i GROUP BY 1) t`,
    result: count,
  },
  {
    name: 'GROUP BY two keys',
    quick: 100_000,
    full: 1_000_000,
    sql: (size) => `SELECT count(*) FROM (SELECT i, i::text, max(i) FROM ${series(size)} i GROUP BY 1, 2) t`,
    result: count,
  },
  ...[
    'array_length(array_agg(i), 1)',
    "length(string_agg(i::text, ''))",
    'json_array_length(json_agg(i))',
    'jsonb_array_length(jsonb_agg(i))',
    'count(DISTINCT i::text)',
    'array_length(array_agg(i ORDER BY -i), 1)',
  ].map((call) => ({
    name: `an aggregate: ${call}`,
    quick: 100_000,
    full: 1_000_000,
    sql: (size: number) => `SELECT ${call} FROM ${series(size)} i`,
    ...(call.startsWith('length') ? {} : { result: count }),
  })),
  {
    name: 'INTERSECT',
    quick: 100_000,
    full: 1_000_000,
    sql: (size) =>
      `SELECT count(*) FROM (SELECT i FROM ${series(size)} i INTERSECT SELECT i FROM ${series(size)} i) t`,
    result: count,
  },
  {
    name: 'EXCEPT ALL of texts',
    quick: 100_000,
    full: 1_000_000,
    sql: (size) => `SELECT count(*) FROM (SELECT i::text FROM ${series(size)} i EXCEPT ALL SELECT '1') t`,
    result: (size) => count(size - 1),
  },
  {
    name: 'a recursion',
    quick: 5_000,
    full: 100_000,
    sql: (size) => `WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < ${size})
      SELECT count(*) FROM r`,
    result: count,
  },
  {
    name: 'a correlated subquery',
    quick: 5_000,
    full: 100_000,
    sql: (size) => `SELECT count((SELECT max(j) FROM ${series(3)} j WHERE j < i)) FROM ${series(size)} i`,
    result: (size) => count(size - 1),
  },
  {
    name: 'a lateral join',
    quick: 5_000,
    full: 100_000,
    sql: (size) => `SELECT count(*) FROM ${series(size)} i, LATERAL (SELECT i + j FROM ${series(2)} j) t`,
    result: (size) => count(2 * size),
  },
  {
    name: 'a set in the select list',
    quick: 100_000,
    full: 1_000_000,
    sql: (size) => `SELECT count(*) FROM (SELECT ${series(size)}) t`,
    result: count,
  },
  {
    name: 'unnest of a long array',
    quick: 100_000,
    full: 1_000_000,
    sql: (size) => `SELECT count(*) FROM unnest(array_fill(1, ARRAY[${size}])) t`,
    result: count,
  },
  {
    name: 'a hash join',
    quick: 100_000,
    full: 1_000_000,
    sql: (size) => `SELECT count(*) FROM ${series(size)} a JOIN ${series(size)} b ON a::text = b::text`,
    result: count,
  },
  {
    name: 'GROUPING SETS',
    quick: 50_000,
    full: 300_000,
    sql: (size) => `SELECT count(*) FROM (SELECT i, i % 7, i % 11, count(*) FROM ${series(size)} i
      GROUP BY CUBE (i, i % 7, i % 11)) t`,
  },
  {
    name: 'percentiles',
    quick: 100_000,
    full: 1_000_000,
    sql: (size) => `SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY i) FROM ${series(size)} i`,
    result: (size) => count(size / 2),
  },
];

/** These would take hours: they have to end when they are told to. */
const ENDLESS: readonly LargeStatement[] = [
  {
    name: 'an aggregate of 1e9 rows',
    quick: 1_000_000_000,
    full: 1_000_000_000,
    sql: (size) => `SELECT sum(i) FROM ${series(size)} i`,
  },
  {
    name: 'a nested loop of 1e10 pairs',
    quick: 100_000,
    full: 100_000,
    sql: (size) => `SELECT count(*) FROM ${series(size)} a, ${series(size)} b WHERE a + b < 0`,
  },
  {
    name: 'an endless recursion',
    quick: 0,
    full: 0,
    sql: () =>
      'WITH RECURSIVE r(n) AS (SELECT 1::bigint UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r',
  },
  {
    name: 'a long text that is being parsed',
    quick: 300_000,
    full: 500_000,
    sql: (size) => `SELECT pg_sleep(60) FROM (VALUES ${list(size, (i) => `(${i}, 'name ${i}')`)}) v`,
  },
  {
    name: 'a subquery over 1e9 rows',
    quick: 1_000_000_000,
    full: 1_000_000_000,
    sql: (size) => `SELECT 5 IN (SELECT i + 5 FROM ${series(size)} i WHERE i < 0)`,
  },
];

const parents = (size: number): string =>
  `CREATE TABLE large_parents (a int PRIMARY KEY, b int);
   INSERT INTO large_parents SELECT i, i FROM ${series(size)} i`;
const children = (size: number, action: string): string =>
  `${parents(size)}; CREATE TABLE large_children (a int REFERENCES large_parents ${action});
   INSERT INTO large_children SELECT i FROM ${series(size)} i`;
const dropBoth = (): string => 'DROP TABLE IF EXISTS large_children, large_parents';

/** Rows that are locked, changed and checked by the hundred thousand. */
const CHANGES: readonly LargeStatement[] = [
  {
    name: 'COMMIT of a large UPDATE',
    quick: 250_000,
    full: 1_000_000,
    before: (size) => `${parents(size)}; BEGIN; UPDATE large_parents SET b = b + 1`,
    after: dropBoth,
    sql: () => 'COMMIT',
  },
  {
    name: 'ROLLBACK of a large DELETE',
    quick: 250_000,
    full: 1_000_000,
    before: (size) => `${parents(size)}; BEGIN; DELETE FROM large_parents`,
    after: dropBoth,
    sql: () => 'ROLLBACK',
  },
  {
    name: 'ROLLBACK TO a savepoint before a large DELETE',
    quick: 250_000,
    full: 500_000,
    before: (size) => `${parents(size)}; BEGIN; SAVEPOINT s; DELETE FROM large_parents`,
    after: () => `ROLLBACK; ${dropBoth()}`,
    sql: () => 'ROLLBACK TO s',
  },
  {
    name: 'rows that refer to others',
    quick: 100_000,
    full: 500_000,
    before: (size) => `${parents(size)}; CREATE TABLE large_children (a int REFERENCES large_parents)`,
    after: dropBoth,
    sql: (size) => `INSERT INTO large_children SELECT i FROM ${series(size)} i`,
  },
  {
    name: 'rows that refer to others, checked at the end',
    quick: 100_000,
    full: 500_000,
    before: (size) => `BEGIN; ${children(size, 'DEFERRABLE INITIALLY DEFERRED')}`,
    after: dropBoth,
    sql: () => 'COMMIT',
  },
  {
    name: 'a DELETE that goes on to those who refer',
    quick: 100_000,
    full: 500_000,
    before: (size) => children(size, 'ON DELETE CASCADE'),
    after: dropBoth,
    sql: () => 'DELETE FROM large_parents',
  },
];

export const LARGE_STATEMENTS: readonly LargeStatement[] = [...WINDOWS, ...TEXTS, ...ROWS, ...CHANGES];
export const ENDLESS_STATEMENTS = ENDLESS;
