/** Rights that are collected of each clause, as PostgreSQL's ExecCheckOneRelPerms would ask for them. */
import { beforeAll, describe, expect, it } from 'vitest';
import { privilegeNames } from '../../catalog/access/privileges.ts';
import { applyEdit, emptyCatalog } from '../../catalog/edit/edit.ts';
import type { Catalog } from '../../catalog/model.ts';
import { objectNames } from '../../catalog/services.ts';
import type { BoundStatement } from '../../plan/statement.ts';
import { DEFAULT_SETTINGS } from '../../types/settings.ts';
import { loadParser, parseStatements } from '../parse/parse.ts';
import { bindStatement } from './bind.ts';

const TABLES = [
  'CREATE TABLE t (a int PRIMARY KEY, b int, c int DEFAULT 5 CHECK (c > 0))',
  'CREATE TABLE u (a int, d int)',
  'CREATE VIEW v AS SELECT a, b FROM t',
  'CREATE VIEW i WITH (security_invoker) AS SELECT a FROM t',
  "CREATE FUNCTION f(x int) RETURNS int LANGUAGE sql AS 'SELECT b FROM t WHERE a = x'",
  "CREATE FUNCTION g() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT b FROM t'",
];

let catalog = emptyCatalog();

function bound(text: string, on: Catalog = catalog): BoundStatement {
  const [parsed] = parseStatements(text);
  if (!parsed) throw new Error('no statement');
  const settings = { ...DEFAULT_SETTINGS, objects: objectNames(on, ['public']) };
  return bindStatement(parsed.statement, {
    catalog: on,
    searchPath: ['public'],
    parameterTypes: [],
    settings,
  });
}

/** `t: SELECT(a,b)`; `()`: on any column; as whom, when that is not who runs it. */
function rights(text: string): readonly string[] {
  const shown = (bound(text).rights ?? []).map(({ kind, oid, privileges, columns, as, needs }) => {
    const relation = catalog.relations.get(oid);
    const name = relation?.name ?? catalog.functions.get(oid)?.name ?? kind;
    const names = columns?.map(
      (one) => relation?.columns.find(({ attribute }) => attribute === one)?.name ?? one,
    );
    const on = names === undefined ? '' : `(${names.join(',')})`;
    return `${name}: ${needs ?? privilegeNames(privileges).join('+')}${on}${as === null ? '' : ` as ${as}`}`;
  });
  return [...new Set(shown)];
}

beforeAll(async () => {
  await loadParser();
  for (const text of TABLES) {
    const made = bound(text);
    if (made.kind === 'catalog') catalog = made.edits.reduce(applyEdit, catalog);
  }
});

describe('rights', () => {
  const CASES: readonly (readonly [text: string, ...rights: readonly string[]])[] = [
    ['SELECT 1'],
    ['SELECT count(*) FROM t', 't: SELECT()'],
    ['SELECT a FROM t WHERE b = 1 ORDER BY c', 't: SELECT(a,b,c)'],
    ['SELECT * FROM t', 't: SELECT(a,b,c)'],
    ['SELECT t FROM t', 't: SELECT(a,b,c)'],
    ['SELECT ctid FROM t', 't: SELECT(-1)'],
    ['SELECT d FROM t JOIN u USING (a)', 't: SELECT(a)', 'u: SELECT(a,d)'],
    ['SELECT a FROM t FOR UPDATE', 't: SELECT(a)', 't: UPDATE()'],
    ['SELECT a FROM v', 'v: SELECT(a)', 't: SELECT(a,b) as 10'],
    ['SELECT a FROM i', 'i: SELECT(a)', 't: SELECT(a)'],
    ['SELECT f(1)', 'f: EXECUTE', 't: SELECT(b,a)'],
    ['SELECT g()', 'g: EXECUTE', 't: SELECT(b) as 10'],
    ['INSERT INTO t VALUES (1)', 't: INSERT(a)'],
    ['INSERT INTO t (b, a) VALUES (1, 2) RETURNING c', 't: INSERT(b,a)', 't: SELECT(c)'],
    ['INSERT INTO t DEFAULT VALUES', 't: INSERT()'],
    ['INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO NOTHING', 't: INSERT(a)', 't: SELECT(a)'],
    [
      'INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = excluded.c WHERE t.c = 1',
      't: INSERT(a)',
      't: SELECT(a,c)',
      't: UPDATE(b)',
    ],
    ['INSERT INTO v VALUES (1)', 'v: INSERT(a)', 't: INSERT(a) as 10'],
    ['UPDATE t SET a = 1', 't: UPDATE(a)'],
    ['UPDATE t SET a = b FROM u WHERE u.a = 1', 't: UPDATE(a)', 't: SELECT(b)', 'u: SELECT(a)'],
    ['DELETE FROM t', 't: DELETE'],
    ['DELETE FROM t WHERE c = 1 RETURNING b', 't: DELETE', 't: SELECT(c,b)'],
    [
      `MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN UPDATE SET b = d
       WHEN NOT MATCHED THEN INSERT (a) VALUES (u.a)`,
      't: SELECT(a)',
      't: UPDATE(b)',
      't: INSERT(a)',
      'u: SELECT(a,d)',
    ],
    ['TRUNCATE t', 't: TRUNCATE'],
    ['SELECT 1 FROM pg_authid', 'relation: superuser'],
    ['SELECT relname FROM pg_class'],
    ['CREATE TABLE w (a int REFERENCES t)', 'schema: CREATE', 't: REFERENCES(a)'],
    ['CREATE INDEX ON t (b)', 't: owner', 'schema: CREATE'],
    ['ALTER TABLE t ADD COLUMN e int', 't: owner'],
    ['DROP VIEW v', 'v: owner'],
    ["COMMENT ON TABLE t IS ''", 't: owner'],
    ['CREATE OR REPLACE VIEW v AS SELECT a, b FROM t', 'schema: CREATE', 'v: owner'],
  ];
  it.each(CASES)('%s', (text, ...expected) => {
    expect([...rights(text)].sort()).toEqual([...expected].sort());
  });
});
