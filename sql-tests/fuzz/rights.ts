/**
 * `node sql-tests/fuzz/rights.ts [seed] [cases]`: roles, grants and statements by chance, on Quern and on PostgreSQL 18.
 * Each statement runs under SET ROLE and is rolled back; both succeed, or fail with one SQLSTATE and one message. Grants
 * are made in Quern's catalog itself, so that they do not depend on GRANT. `strict` as the third word tells also where
 * only the object differs that an error names first.
 */
import { startPostgres } from '../../scripts/postgres.ts';
import type { ObjectKind, PrivilegeName } from '../../src/catalog/access/privileges.ts';
import { TestAccess } from '../fixtures/access.ts';
import { TestDatabase, type TestSession } from '../fixtures/database.ts';
import { connectTarget, ServerError, type Target } from '../runner/target.ts';

const [seed = '1', cases = '1000', strict] = process.argv.slice(2);
const isStrict = strict === 'strict';

const ROLES = ['r1', 'r2', 'r3'] as const;

const SCHEMA = [
  'CREATE TABLE t1 (a int PRIMARY KEY, b int, c int)',
  'CREATE TABLE t2 (a int PRIMARY KEY, b int, c int)',
  'CREATE SCHEMA s',
  'CREATE TABLE s.t3 (a int PRIMARY KEY, b int, c int)',
  'CREATE VIEW v1 AS SELECT a, b FROM t1',
  'CREATE VIEW v2 WITH (security_invoker) AS SELECT a, b FROM t2',
  'CREATE VIEW v3 AS SELECT a FROM v2 WHERE b > 0',
  'CREATE SEQUENCE q1',
  "CREATE FUNCTION f1() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(a) FROM t1'",
  "CREATE FUNCTION f2() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER AS 'SELECT count(a) FROM t2'",
  'INSERT INTO t1 VALUES (1, 2, 3)',
  'INSERT INTO t2 VALUES (1, 2, 3)',
] as const;

interface Grantable {
  readonly kind: ObjectKind;
  readonly on: string;
  /** As SQL names it after ON. */
  readonly sql: string;
  readonly privileges: readonly PrivilegeName[];
}

const TABLE: readonly PrivilegeName[] = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'MAINTAIN'];
const ON_COLUMNS: readonly PrivilegeName[] = ['SELECT', 'INSERT', 'UPDATE'];

const OBJECTS: readonly Grantable[] = [
  ...[
    ['t1', 't1'],
    ['t2', 't2'],
    ['t3', 's.t3'],
    ['v1', 'v1'],
    ['v2', 'v2'],
    ['v3', 'v3'],
  ].map(([on = '', sql = '']): Grantable => ({ kind: 'relation', on, sql, privileges: TABLE })),
  ...['t1.a', 't1.b', 't1.c', 't2.a', 't2.b', 'v1.a', 'v2.a'].map(
    (on): Grantable => ({ kind: 'column', on, sql: on, privileges: ON_COLUMNS }),
  ),
  { kind: 'sequence', on: 'q1', sql: 'SEQUENCE q1', privileges: ['SELECT', 'UPDATE', 'USAGE'] },
  { kind: 'function', on: 'f1', sql: 'FUNCTION f1()', privileges: ['EXECUTE'] },
  { kind: 'function', on: 'f2', sql: 'FUNCTION f2()', privileges: ['EXECUTE'] },
  { kind: 'schema', on: 's', sql: 'SCHEMA s', privileges: ['USAGE', 'CREATE'] },
  { kind: 'schema', on: 'public', sql: 'SCHEMA public', privileges: ['USAGE', 'CREATE'] },
];

const RELATIONS = ['t1', 't2', 's.t3', 'v1', 'v2', 'v3'] as const;

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Chance {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = randomOf(seed);
  }

  is(share: number): boolean {
    return this.#random() < share;
  }

  of<T>(all: readonly T[]): T {
    return all[Math.floor(this.#random() * all.length)] as T;
  }

  some<T>(all: readonly T[], share: number): readonly T[] {
    return all.filter(() => this.is(share));
  }
}

const columnsOf = (relation: string): readonly string[] =>
  relation === 'v3' ? ['a'] : relation.startsWith('v') ? ['a', 'b'] : ['a', 'b', 'c'];

type Form = (chance: Chance, relation: string, column: () => string) => string;

const FORMS: readonly Form[] = [
  (_, r, c) => `SELECT ${c()} FROM ${r}`,
  (_, r) => `SELECT count(*) FROM ${r}`,
  (_, r, c) => `SELECT 1 FROM ${r} WHERE ${c()} = 1`,
  (_, r, c) => `SELECT ${c()} FROM ${r} ORDER BY ${c()}`,
  (_, r, c) => `SELECT max(${c()}) FROM ${r} GROUP BY ${c()}`,
  (_, r) => `SELECT * FROM ${r}`,
  (_, r) => `SELECT x FROM ${r} x`,
  (_, r, c) => `SELECT ${c()} FROM ${r} FOR UPDATE`,
  (chance, r) => `SELECT count(*) FROM ${r} x JOIN ${chance.of(RELATIONS)} y USING (a)`,
  (chance, r, c) => `SELECT (SELECT max(a) FROM ${chance.of(RELATIONS)}) FROM ${r} WHERE ${c()} > 0`,
  (chance, r, c) => `SELECT ${c()} FROM ${r} WHERE EXISTS (SELECT 1 FROM ${chance.of(RELATIONS)})`,
  (_, r, c) => `WITH w AS (SELECT ${c()} AS z FROM ${r}) SELECT z FROM w`,
  (_, r, c) => `INSERT INTO ${r} (${c()}) VALUES (9)`,
  (_, r) => `INSERT INTO ${r} VALUES (9)`,
  (_, r, c) => `INSERT INTO ${r} (a) VALUES (9) RETURNING ${c()}`,
  (_, r) => `INSERT INTO ${r} (a) SELECT a + 20 FROM t2`,
  (_, r, c) => `UPDATE ${r} SET ${c()} = 7`,
  (_, r, c) => `UPDATE ${r} SET ${c()} = ${c()} WHERE ${c()} = 1`,
  (_, r, c) => `UPDATE ${r} x SET ${c()} = y.b FROM t2 y WHERE x.a = y.a`,
  (_, r, c) => `UPDATE ${r} SET ${c()} = 7 RETURNING ${c()}`,
  (_, r) => `DELETE FROM ${r}`,
  (_, r, c) => `DELETE FROM ${r} WHERE ${c()} = 1`,
  (_, _r, c) => `INSERT INTO t1 (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET ${c()} = excluded.b`,
  (_, _r, c) => `INSERT INTO t1 (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = t1.${c()}`,
  () => 'INSERT INTO t1 (a) VALUES (1) ON CONFLICT DO NOTHING',
  () => 'INSERT INTO t1 (a) VALUES (1) ON CONFLICT (a) DO NOTHING',
  (_, _r, c) => `MERGE INTO t1 x USING t2 y ON x.a = y.a WHEN MATCHED THEN UPDATE SET ${c()} = y.${c()}`,
  () => 'MERGE INTO t1 x USING t2 y ON x.a = y.a WHEN NOT MATCHED THEN INSERT (a, b) VALUES (y.a, 1)',
  () => 'MERGE INTO t1 x USING t2 y ON x.a = y.a WHEN MATCHED THEN DELETE',
  (chance) => `TRUNCATE ${chance.of(['t1', 't2', 's.t3'])}`,
  (_, r) => `EXPLAIN (COSTS off) SELECT a FROM ${r}`,
  () => 'SELECT f1() >= 0',
  () => 'SELECT f2() >= 0',
  () => "SELECT nextval('q1') > 0",
  () => "SELECT setval('q1', 5)",
  () => 'SELECT is_called FROM q1',
  (chance) =>
    `LOCK TABLE ${chance.of(['t1', 't2'])} IN ${chance.of(['ACCESS SHARE', 'ROW EXCLUSIVE', 'SHARE', 'ACCESS EXCLUSIVE'])} MODE`,
  (_, r) => `CREATE TABLE made AS SELECT a FROM ${r}`,
  () => 'CREATE TABLE made (a int)',
  () => 'CREATE TABLE s.made (a int)',
  () => 'CREATE TEMP TABLE made (a int)',
  () => 'CREATE VIEW made AS SELECT 1 AS x',
  () => 'CREATE INDEX made ON t1 (b)',
  () => 'ALTER TABLE t1 ADD COLUMN d int',
  () => 'DROP VIEW v3',
  () => 'DROP SEQUENCE q1',
  () => "COMMENT ON TABLE t1 IS 'x'",
  () => "COMMENT ON COLUMN t1.a IS 'x'",
  () => 'CREATE SCHEMA made',
  (_, r) => `SET LOCAL search_path = s; SELECT a FROM ${r.replace('s.', '')}`,
];

function statementOf(chance: Chance): string {
  const relation = chance.of(RELATIONS);
  const form = chance.of(FORMS);
  const isOnT1 = /^INSERT INTO t1|^MERGE/.test(form(new Chance(0), relation, () => 'a'));
  return form(chance, relation, () => chance.of(isOnT1 ? ['a', 'b', 'c'] : columnsOf(relation)));
}

async function onPostgres(target: Target, text: string): Promise<string> {
  try {
    for (const part of text.split('; ')) await target.run(part);
    return 'ok';
  } catch (error) {
    if (error instanceof ServerError) return error.message;
    throw error;
  }
}

async function onQuern(session: TestSession, text: string): Promise<string> {
  try {
    for (const part of text.split('; ')) await session.rows(part);
    return 'ok';
  } catch (error) {
    const { sqlstate, message } = error as { readonly sqlstate: string; readonly message: string };
    return `${sqlstate} ${message}`;
  }
}

interface Both {
  readonly access: TestAccess;
  readonly session: TestSession;
  readonly target: Target;
}

/** New grants of everything to a role, in place of those that were. */
async function grantAnew({ access, target }: Both, chance: Chance, role: string): Promise<void> {
  for (const { kind, on, sql, privileges } of OBJECTS) {
    const given = chance.some(privileges, 0.35);
    await access.grant(given, kind, on, role);
    const [table, column] = on.split('.');
    const place = kind === 'column' ? `${table}` : sql;
    const names = (list: readonly string[]): string =>
      list.map((name) => (kind === 'column' ? `${name} (${column})` : name)).join(', ');
    await target.run(`REVOKE ${names(privileges)} ON ${place} FROM ${role}`);
    if (given.length > 0) await target.run(`GRANT ${names(given)} ON ${place} TO ${role}`);
  }
}

async function opened(database: TestDatabase, target: Target): Promise<Both> {
  const session = await database.session();
  const access = new TestAccess(database.environment.engine);
  for (const text of SCHEMA) {
    await session.rows(text);
    await target.run(text);
  }
  for (const role of ROLES) {
    await access.role(role);
    await target.run(`CREATE ROLE ${role}`);
  }
  await access.member('r2', 'r1');
  await target.run('GRANT r1 TO r2');
  // Views of which one is a lesser role's.
  await access.own('relation', 'v3', 'r3');
  await target.run('ALTER VIEW v3 OWNER TO r3');
  for (const on of ['f1', 'f2']) {
    await access.grant([], 'function', on, null);
    await target.run(`REVOKE EXECUTE ON FUNCTION ${on}() FROM PUBLIC`);
  }
  await access.grant([], 'schema', 'public', null);
  await target.run('REVOKE ALL ON SCHEMA public FROM PUBLIC');
  return { session, access, target };
}

/** Which of several missing rights is told first is the order of a plan; databases have names of their own. */
const sameAnswer = (wanted: string, found: string): boolean =>
  wanted === found || (!isStrict && isMissingRight(wanted) && isMissingRight(found));

/** True where nothing is done for want of a right, or of a schema that one may use. */
const isMissingRight = (answer: string): boolean => /^(42501 permission denied for|3F000|42P01)/.test(answer);

const STATEMENTS_A_GRANT = 25;

/** @returns how many differ. */
async function compare(seed: number, cases: number): Promise<number> {
  await using postgres = await startPostgres();
  await using target = await connectTarget(postgres);
  const database = await TestDatabase.open();
  const chance = new Chance(seed);
  const both = await opened(database, target);
  let differing = 0;
  for (let i = 0; i < cases; i++) {
    if (i % STATEMENTS_A_GRANT === 0) for (const role of ROLES) await grantAnew(both, chance, role);
    const role = chance.of(ROLES);
    const text = statementOf(chance);
    for (const begin of ['BEGIN', `SET LOCAL ROLE ${role}`]) {
      await target.run(begin);
      await both.session.rows(begin);
    }
    const [wanted, found] = [await onPostgres(target, text), await onQuern(both.session, text)];
    await target.run('ROLLBACK');
    await both.session.rows('ROLLBACK');
    if (sameAnswer(wanted, found)) continue;
    differing++;
    process.stdout.write(`${role}: ${text}\n  PostgreSQL: ${wanted}\n  Quern:      ${found}\n`);
  }
  await database.close();
  return differing;
}

const differing = await compare(Number(seed), Number(cases));
process.stdout.write(`${cases} statements of seed ${seed}: ${differing} differ\n`);
process.exit(differing === 0 ? 0 : 1);
