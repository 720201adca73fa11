/** The binder from SQL text: plans in short form, and errors against what PostgreSQL 18 says. */
import { beforeAll, describe, expect, test } from 'vitest';
import { applyEdit, emptyCatalog } from '../../catalog/edit/edit.ts';
import type { Catalog, Column } from '../../catalog/model.ts';
import { objectNames } from '../../catalog/services.ts';
import { SqlError } from '../../errors.ts';
import type { BoundStatement } from '../../plan/statement.ts';
import { OID } from '../../types/oids.ts';
import { DEFAULT_SETTINGS } from '../../types/settings.ts';
import { QUERY_ERRORS } from '../../../sql-tests/fixtures/postgres-errors.ts';
import { WRITE_ERRORS } from '../../../sql-tests/fixtures/postgres-write-errors.ts';
import { planText } from '../../../sql-tests/fixtures/plan-text.ts';
import type { Expression } from '../../plan/expression.ts';
import { bindStatement } from './bind.ts';
import { INTEGER, type Expression as Draft, reference } from './draft.ts';
import type { BindRequest } from './context.ts';
import { loadParser, parseStatements } from '../parse/parse.ts';

const TABLES = [
  'CREATE TABLE t (id int PRIMARY KEY, a int, b text, c bigint DEFAULT 5, d timestamptz)',
  'CREATE TABLE u (id int PRIMARY KEY, a int NOT NULL, x float8)',
  'CREATE TABLE books (title text, summary text)',
  `CREATE TABLE docs (title TEXT NOT NULL INDEX semantic_index() INDEX keyword_index(),
     summary TEXT INDEX semantic_index(), isbn TEXT INDEX keyword_index(type => 'exact'),
     emb F32_VECTOR(3) INDEX vector_index(metric => 'cosine'), rating FLOAT)`,
];
const UNDECLARED = { year: OID.int8, author: OID.text, mixed: OID.jsonb };

function contextOf(catalog: Catalog): BindRequest {
  const settings = { ...DEFAULT_SETTINGS, objects: objectNames(catalog, ['public']) };
  return { catalog, searchPath: ['public'], parameterTypes: [], settings };
}

function bindOne(catalog: Catalog, sql: string): BoundStatement {
  const [parsed] = parseStatements(sql);
  if (!parsed) throw new Error('no statement');
  return bindStatement(parsed.statement, contextOf(catalog));
}

/** The catalog after a definition. */
function define(catalog: Catalog, sql: string): Catalog {
  const bound = bindOne(catalog, sql);
  return bound.kind === 'catalog' ? bound.edits.reduce(applyEdit, catalog) : catalog;
}

function withUndeclared(catalog: Catalog): Catalog {
  const docs = [...catalog.relations.values()].find((relation) => relation.name === 'docs');
  return Object.entries(UNDECLARED).reduce((before, [name, oid]) => {
    const column: Column = {
      attribute: 0,
      name,
      type: { oid, modifier: -1 },
      notNull: false,
      defaultText: null,
      identity: null,
      generatedText: null,
      undeclared: true,
      dropped: false,
    };
    return applyEdit(before, { edit: 'add column', relation: docs?.oid ?? 0, column });
  }, catalog);
}

let catalog = emptyCatalog();

beforeAll(async () => {
  await loadParser();
  catalog = withUndeclared(TABLES.reduce(define, emptyCatalog()));
});

function oidOf(name: string): number {
  return [...catalog.relations.values()].find((relation) => relation.name === name)?.oid ?? 0;
}

/** Lines of the plan with relations by name instead of OID, without output names. */
function plan(sql: string): readonly string[] {
  const bound = bindOne(catalog, sql);
  if (bound.kind !== 'plan') throw new Error(`${sql} is ${bound.kind}`);
  let text = planText(bound.plan).replace(/ *→ [^|}\n]*(?= \||}|$)/gm, '');
  for (const name of ['t', 'u', 'books', 'docs']) text = text.replaceAll(String(oidOf(name)), name);
  return text.split('\n').map((line) => line.trim());
}

function errorOf(sql: string): SqlError {
  try {
    const bound = bindOne(catalog, sql);
    if (bound.kind === 'catalog') bound.edits.reduce(applyEdit, catalog);
  } catch (error) {
    if (error instanceof SqlError) return error;
    throw error;
  }
  throw new Error(`${sql} has no error`);
}

describe('errors as PostgreSQL 18 gives them', () => {
  test.each([...QUERY_ERRORS, ...WRITE_ERRORS])('$sql', ({ sql, state, message, position, hint }) => {
    const error = errorOf(sql);
    expect([error.sqlstate, error.message]).toEqual([state, message]);
    if (position !== undefined) expect(error.fields.position).toBe(position);
    if (hint !== undefined) expect(error.fields.hint).toContain(hint);
  });
});

describe('errors of our own dialect', () => {
  test.each([
    [
      `SELECT semantic_similarity(isbn, 'x') FROM docs`,
      '42809',
      'column "isbn" of relation "docs" has no semantic index',
    ],
    [`SELECT vector_distance(emb, '[1,2]') FROM docs`, '22000', 'expected 3 dimensions, not 2'],
    [`SELECT match('x') FROM docs a, docs b`, '42702', 'match without a column is ambiguous'],
    [
      `SELECT match('x', index => 'nope') FROM docs`,
      '42704',
      'relation "docs" has no keyword index named "nope"',
    ],
    ['SELECT pages FROM docs', '42703', 'column "pages" does not exist'],
    [
      `INSERT INTO docs (_id) VALUES ('a') RETURNING ctid`,
      '0A000',
      'system column "ctid" here is not supported',
    ],
    [`INSERT INTO docs (_id, _x) VALUES ('a', 1)`, '42939', 'column name "_x" is reserved'],
    [
      'CREATE TABLE n (a int INDEX keyword_index())',
      '42804',
      'a keyword index does not fit column "a" of type integer',
    ],
    [`CREATE TABLE n (a text INDEX keyword_index(kind => 'x'))`, '22023', 'unrecognized parameter "kind"'],
    [
      `CREATE TABLE n (a text INDEX keyword_index(type => 'x'))`,
      '22023',
      'invalid value for parameter "type": "x"',
    ],
    ['CREATE TABLE n (a text INDEX odd_index())', '42704', 'index "odd_index" does not exist'],
    ['CREATE TABLE n (_id int)', '42804', 'column "_id" must be type text, not type integer'],
    [
      `SELECT bm25(title, author) FROM docs`,
      '0A000',
      'a query of bm25 that depends on the row is not supported',
    ],
    [`SELECT 1${'+1'.repeat(20_000)}`, '54001', 'stack depth limit exceeded'],
  ])('%s', (sql, state, message) => {
    const error = errorOf(sql);
    if (state === '54001') expect(error.sqlstate).toBe(state);
    else expect([error.sqlstate, error.message]).toEqual([state, message]);
  });

  test('hints name the next step', () => {
    expect(errorOf(`SELECT semantic_similarity(isbn, 'x') FROM docs`).fields.hint).toBe(
      'Make one: CREATE INDEX ON docs USING semantic (isbn), or declare it inline: isbn TEXT INDEX semantic_index()',
    );
    expect(errorOf('SELECT pages FROM docs').fields.hint).toContain('No document of collection "docs"');
    expect(errorOf('SELECT _id FROM t').fields.hint).toContain('plain table');
  });
});

describe('queries', () => {
  test.each([
    ['SELECT 1', ['project 1:integer', 'values ()']],
    ['SELECT a FROM t WHERE id = $1', ['project #1', 'filter =(#0, $1:integer)', 'scan t [1 2]']],
    [
      'SELECT b FROM t ORDER BY a DESC, c NULLS FIRST LIMIT 2 OFFSET 1',
      ['project #1', 'limit 2:bigint 1:bigint', 'sort #0 desc nulls first, #2 nulls first', 'scan t [2 3 4]'],
    ],
    [
      'SELECT a, count(*) FROM t GROUP BY a HAVING count(*) > 1',
      ['project #0, #1', 'filter >(#1, 1:integer)', 'aggregate by (#0) count()()', 'scan t [2]'],
    ],
    ['SELECT id, b FROM t GROUP BY id', ['project #0, #1', 'aggregate by (#0, #1)', 'scan t [1 3]']],
    [
      'SELECT a, grouping(a) FROM t GROUP BY ROLLUP (a)',
      [
        'project #0, <<(&(>>(#1, 0:integer), 1:integer), 0:integer)',
        'aggregate by (#0) sets {0} {}',
        'scan t [2]',
      ],
    ],
    [
      'SELECT t.b FROM t LEFT JOIN u ON t.a = u.a WHERE u.x > 1',
      [
        'project #1',
        'filter >(#3, 1:double precision)',
        'join left on =(#0, #2)',
        'scan t [2 3]',
        'scan u [2 3]',
      ],
    ],
    [
      'SELECT id FROM t FULL JOIN u USING (id)',
      ['project coalesce(#0, #1)', 'join full on =(#0, #1)', 'scan t [1]', 'scan u [1]'],
    ],
    [
      'SELECT (SELECT max(x) FROM u WHERE u.a = t.a) FROM t',
      [
        'project {scalar correlated project #0 | aggregate by () max(float8)(#1) | filter =(#0, ^1#0) | scan u [2 3]}',
        'scan t [2]',
      ],
    ],
    [
      'SELECT id FROM t WHERE a NOT IN (SELECT a FROM u)',
      ['project #0', 'filter {not in correlated =(^1#1, #0) project #0 | scan u [2]}', 'scan t [1 2]'],
    ],
    [
      'SELECT s.x FROM t, LATERAL (SELECT x FROM u WHERE u.a = t.a) s',
      ['project #1', 'join cross lateral', 'scan t [2]', 'project #1', 'filter =(#0, ^1#0)', 'scan u [2 3]'],
    ],
    [
      'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 9) SELECT n FROM r',
      [
        'with 1 r',
        'project 1:integer',
        'values ()',
        'project +(#0, 1:integer)',
        'filter <(#0, 9:integer)',
        'cte 1',
        'project #0',
        'cte 1',
      ],
    ],
    [
      `SELECT a FROM t UNION ALL SELECT '7' ORDER BY 1`,
      ['sort #0', 'union all', 'project #0', 'scan t [2]', 'project 7:integer', 'values ()'],
    ],
    [
      'SELECT DISTINCT ON (a) a, b FROM t ORDER BY a, c',
      ['project #0, #1', 'distinct on #0', 'sort #0, #2', 'scan t [2 3 4]'],
    ],
    [
      'SELECT generate_series(1, 3) + 0, a FROM t',
      [
        'project +(#1, 0:integer), #0',
        'project #0, null:integer set@1 generate_series(int4,int4)(1:integer, 3:integer)',
        'scan t [2]',
      ],
    ],
    [
      `SELECT b IN ('x', 'y'), a BETWEEN 1 AND 2 FROM t`,
      ['project #1 in (x:text, y:text), (>=(#0, 1:integer) and <=(#0, 2:integer))', 'scan t [2 3]'],
    ],
    [
      `SELECT (a, b) < (1, 'x') FROM t`,
      ['project (<(#0, 1:integer) or (=(#0, 1:integer) and <(#1, x:text)))', 'scan t [2 3]'],
    ],
  ])('%s', (sql, lines) => {
    expect(plan(sql)).toEqual(lines);
  });
});

describe('ranking is an arm of the scan', () => {
  test.each([
    [
      `SELECT _id, semantic_similarity(summary, 'love') AS score FROM docs ORDER BY score * rating DESC LIMIT 3`,
      ['project #0, #2', 'limit 3:bigint -', 'sort *(#2, #1) desc', 'scan docs [1 6] semantic(love:text)'],
    ],
    [
      `SELECT bm25_score() FROM docs WHERE match('foo') AND rating > 3 ORDER BY bm25_score() DESC`,
      [
        'project coalesce(#2, 0:double precision)',
        'sort coalesce(#2, 0:double precision) desc',
        'filter (#1 and >(#0, 3:double precision))',
        'scan docs [6] match:matched(foo:text) match:score(foo:text)',
      ],
    ],
    [
      `SELECT vector_distance(emb, $1), vector_distance(emb, $1) + 1 FROM docs`,
      ['project #0, +(#0, 1:double precision)', 'scan docs [] vector($1:vector)'],
    ],
    [
      `SELECT x.v, (SELECT _id FROM docs ORDER BY bm25(title, x.v) DESC LIMIT 1) FROM (VALUES ('a')) x(v)`,
      [
        'project #0, {scalar correlated project #0 | limit 1:bigint - | sort #1 desc | scan docs [1] bm25:score(^1#0)}',
        'values (a:text)',
      ],
    ],
  ])('%s', (sql, lines) => {
    expect(plan(sql)).toEqual(lines);
  });
});

describe('undeclared columns', () => {
  test.each([
    ['year > 1900', '>(#0, 1900:integer)'],
    [`year > '1900'`, '>(#0, 1900:bigint)'],
    [`year > 'abc'`, 'null:boolean'],
    ['author = 5', 'null:boolean'],
    ['mixed > 5', '>(undeclared_number(#0), 5:numeric)'],
    [`mixed = 'x'`, '=(undeclared_text(#0), x:text)'],
    ['mixed = $1', '=(undeclared_text(#0), $1:text)'],
    [`year LIKE '19%'`, 'null:boolean'],
  ])('%s', (condition, bound) => {
    const line = plan(`SELECT 1 FROM docs WHERE ${condition}`)[1];
    expect(line?.replace(/\{"datum":"numeric","digits":"5","scale":0\}/, '5')).toBe(`filter ${bound}`);
  });
});

describe('writes', () => {
  test.each([
    [
      `INSERT INTO t VALUES (1, 2, 'x', DEFAULT), ($1, $2, $3, 4) RETURNING a + 1`,
      [
        'insert t [1 2 3 4] error returning +(#1, 1:integer)',
        'values (1:integer, 2:integer, x:text, 5:bigint) ($1:integer, $2:integer, $3:text, 4:bigint)',
      ],
    ],
    ['INSERT INTO t DEFAULT VALUES', ['insert t [] 4=5:bigint error', 'values ()']],
    [
      `INSERT INTO docs (_id, year, pages) VALUES ('a', 5, 1), ('b', 6, 2.5)`,
      [
        'insert docs [1 7 +pages:double precision] replace',
        'values (a:text, 5:bigint, 1:double precision) (b:text, 6:bigint, 2.5:double precision)',
      ],
    ],
    [
      `INSERT INTO docs (_id, year) VALUES ('a', 'x')`,
      ['insert docs [1 +year:text] replace', 'values (a:text, x:text)'],
    ],
    [
      'INSERT INTO t (id, a) SELECT id, a FROM u ON CONFLICT (id) DO NOTHING',
      ['insert t [1 2] 4=5:bigint nothing', 'project #0, #1', 'scan u [1 2]'],
    ],
    [
      'UPDATE t SET a = t.a + 1, b = u.x FROM u WHERE u.id = t.id RETURNING t.a, u.x',
      [
        'update t 2=+(#1, 1:integer) 3=#4::text row #2 returning #1, #9',
        'filter =(#3, #0)',
        'join cross',
        'scan t [1 2] +row',
        'scan u [1 3] +row',
      ],
    ],
    [
      `UPDATE docs SET pages = 5, rating = rating * 2 WHERE _id = 'x'`,
      [
        'update docs 6=*(#1, 2:double precision) +pages=5:bigint row #2',
        'filter =(#0, x:text)',
        'scan docs [1 6] +row',
      ],
    ],
    ['DELETE FROM t WHERE a = 1', ['delete t row #1', 'filter =(#0, 1:integer)', 'scan t [2] +row']],
  ])('%s', (sql, lines) => {
    expect(plan(sql)).toEqual(lines);
  });

  test('parameters take the types of their targets', () => {
    const bound = bindOne(catalog, 'INSERT INTO docs (_id, rating, year, pages) VALUES ($1, $2, $3, $4)');
    expect(bound.kind === 'plan' && bound.parameters).toEqual([OID.text, OID.float8, OID.int8, OID.text]);
  });

  test('a partition is dropped by DELETE without WHERE', () => {
    expect(bindOne(catalog, 'DELETE FROM docs$acme')).toMatchObject({
      kind: 'drop partition',
      relation: oidOf('docs'),
      absent: null,
      partition: 'acme',
    });
  });
});

describe('definitions', () => {
  test('a table with an INDEX clause is a collection with _id', () => {
    const docs = catalog.relations.get(oidOf('docs'));
    expect(docs?.kind).toBe('collection');
    expect(docs?.columns[0]).toMatchObject({ name: '_id', notNull: true, type: { oid: OID.text } });
    expect(docs?.indexes.map((index) => [index.name, index.kind, index.primary])).toEqual([
      ['docs_pkey', 'btree', true],
      ['docs_title_semantic_idx', 'semantic', false],
      ['docs_title_keyword_idx', 'keyword', false],
      ['docs_summary_semantic_idx', 'semantic', false],
      ['docs_isbn_keyword_idx', 'keyword', false],
      ['docs_emb_vector_idx', 'vector', false],
    ]);
  });

  test('other tables are plain', () => {
    const table = catalog.relations.get(oidOf('t'));
    expect(table?.kind).toBe('table');
    expect(table?.columns.find((column) => column.name === 'c')?.defaultText).toBe('5');
  });

  test('pgvector: operator classes are metrics', () => {
    const after = define(catalog, 'CREATE INDEX e ON docs USING hnsw (emb vector_l2_ops) WITH (m = 16)');
    const index = after.relations.get(oidOf('docs'))?.indexes.find(({ name }) => name === 'e');
    expect(index).toMatchObject({ kind: 'vector', options: { metric: 'euclidean' } });
  });

  test('IF EXISTS skips with a notice', () => {
    expect(bindOne(catalog, 'DROP TABLE IF EXISTS nope')).toMatchObject({
      edits: [],
      notices: ['table "nope" does not exist, skipping'],
    });
  });

  test('ALTER TABLE: each action sees what those before it did', () => {
    const after = define(
      catalog,
      `ALTER TABLE t ADD e text DEFAULT 'x', ADD f int, DROP COLUMN b, ALTER f SET NOT NULL`,
    );
    const names = after.relations
      .get(oidOf('t'))
      ?.columns.filter(({ dropped }) => !dropped)
      .map(({ name }) => name);
    expect(names).toEqual(['id', 'a', 'c', 'd', 'e', 'f']);
  });

  test('views are expanded where they are read', () => {
    const after = define(catalog, 'CREATE VIEW v AS SELECT a, x FROM u WHERE x > 1');
    const bound = bindOne(after, 'SELECT a FROM v');
    expect(bound.kind === 'plan' && bound.plan.output.map(({ name }) => name)).toEqual(['a']);
  });
});

test('types tell what names a column by its id from what names it by its position', () => {
  const draft: Draft = reference(7, INTEGER);
  // @ts-expect-error a draft is no finished expression
  const settled: Expression = draft;
  const finished: Expression = { kind: 'column', index: 0, type: INTEGER };
  // @ts-expect-error a position is no id
  const again: Draft = finished;
  expect([settled, again]).toEqual([draft, finished]);
});
