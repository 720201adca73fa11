/**
 * Attempts of a lesser role: each way around a right that it lacks is refused, each way by a right that it has goes on.
 * Ways and answers are PostgreSQL 18's, but for what only Quern has.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestAccess } from '../fixtures/access.ts';
import { TestDatabase, TestSession } from '../fixtures/database.ts';

let database: TestDatabase;
let access: TestAccess;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  access = new TestAccess(database.environment.engine);
  const owner = await database.session();
  await owner.rows(`
    CREATE SCHEMA closed;
    CREATE TABLE secret (a int PRIMARY KEY, b text, c int);
    CREATE TABLE notes (a int PRIMARY KEY, b text);
    CREATE TABLE closed.inside (a int);
    CREATE TABLE secret_plain (a int);
    CREATE TABLE children (a int REFERENCES notes (a));
    CREATE TABLE books (_id text, title text INDEX keyword_index());
    INSERT INTO secret VALUES (1, 'hidden', 7);
    INSERT INTO notes VALUES (1, 'shown');
    INSERT INTO books (_id, title) VALUES ('b1', 'Emma');
    CREATE SEQUENCE numbers;
    CREATE VIEW through AS SELECT a, b FROM secret;
    CREATE VIEW invoking WITH (security_invoker = true) AS SELECT a, b FROM secret;
    CREATE VIEW outer_view AS SELECT a FROM invoking;
    CREATE FUNCTION as_caller() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM secret';
    CREATE FUNCTION as_owner() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER AS 'SELECT count(*) FROM secret';
    CREATE FUNCTION who() RETURNS name LANGUAGE sql STABLE SECURITY DEFINER AS 'SELECT current_user';
    CREATE FUNCTION next() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS $$SELECT nextval('numbers')$$;
    CREATE FUNCTION shut() RETURNS int LANGUAGE sql AS 'SELECT 1'`);
  await access.role('alice');
  await access.role('team');
  await access.role('boss', { superuser: true });
  await access.member('alice', 'team');
  await access.grant(['SELECT'], 'relation', 'notes', 'team');
  await access.grant(['SELECT'], 'relation', 'through', 'alice');
  await access.grant(['SELECT'], 'relation', 'invoking', 'alice');
  await access.grant(['SELECT'], 'relation', 'outer_view', 'alice');
  await access.grant([], 'function', 'shut', null);
});

afterAll(() => database.close());

beforeEach(async () => {
  session = await database.session();
  await session.rows('SET ROLE alice');
});

const state = async (text: string): Promise<string | null> => {
  try {
    await session.rows(text);
    return null;
  } catch (error) {
    const { message, sqlstate } = error as { message: string; sqlstate: string };
    return `${sqlstate} ${message}`;
  }
};

const DENIED = '42501 permission denied for table secret';

describe('statements are refused without rights', () => {
  const REFUSED: readonly string[] = [
    'SELECT a FROM secret',
    'SELECT count(*) FROM secret',
    'SELECT s FROM secret s',
    'SELECT 1 FROM notes n WHERE EXISTS (SELECT 1 FROM secret)',
    'SELECT (SELECT max(a) FROM secret)',
    'WITH s AS (SELECT a FROM secret) SELECT 1',
    'WITH s AS (INSERT INTO secret VALUES (2) RETURNING a) SELECT * FROM s',
    'SELECT n.a FROM notes n JOIN secret USING (a)',
    'SELECT n.a FROM notes n NATURAL JOIN secret',
    'SELECT a FROM notes UNION SELECT a FROM secret',
    'SELECT a FROM notes ORDER BY (SELECT a FROM secret)',
    'TABLE secret',
    'INSERT INTO secret VALUES (2)',
    'INSERT INTO secret DEFAULT VALUES',
    "INSERT INTO secret VALUES (1) ON CONFLICT (a) DO UPDATE SET b = 'x'",
    'UPDATE secret SET a = 2',
    'DELETE FROM secret',
    'MERGE INTO secret s USING notes n ON s.a = n.a WHEN MATCHED THEN DELETE',
    'TRUNCATE secret',
    'COPY secret TO STDOUT',
    'COPY (SELECT * FROM secret) TO STDOUT',
    'COPY secret FROM STDIN',
    'EXPLAIN SELECT * FROM secret',
    'EXPLAIN ANALYZE SELECT * FROM secret',
    'BEGIN; DECLARE c CURSOR FOR SELECT * FROM secret',
    'BEGIN; LOCK TABLE secret',
    'SELECT * FROM invoking',
    'SELECT * FROM outer_view',
    'SELECT as_caller()',
    'CREATE TEMP TABLE copied AS SELECT * FROM secret',
    'PREPARE p AS SELECT * FROM secret; EXECUTE p',
    'PREPARE p (bigint) AS SELECT $1; EXECUTE p ((SELECT count(*) FROM secret))',
    'REINDEX TABLE secret',
  ];
  it.each(REFUSED)('%s', async (text) => {
    expect(await state(text)).toBe(DENIED);
  });

  const OTHERWISE: readonly (readonly [text: string, state: string | null])[] = [
    ['SELECT * FROM notes', null],
    ['SELECT a FROM through', null],
    ['SELECT as_owner()', null],
    ['INSERT INTO notes VALUES (5)', '42501 permission denied for table notes'],
    ['SELECT a FROM notes FOR UPDATE', '42501 permission denied for table notes'],
    ['SELECT shut()', '42501 permission denied for function shut'],
    ['SELECT * FROM closed.inside', '42501 permission denied for schema closed'],
    ['SET search_path = closed; SELECT * FROM inside', '42P01 relation "inside" does not exist'],
    ["SELECT nextval('numbers')", '42501 permission denied for sequence numbers'],
    ["SELECT setval('numbers', 5)", '42501 permission denied for sequence numbers'],
    ['SELECT last_value FROM numbers', '42501 permission denied for sequence numbers'],
    ['CREATE TABLE mine (a int)', '42501 permission denied for schema public'],
    ['CREATE VIEW mine AS SELECT 1', '42501 permission denied for schema public'],
    ['CREATE SCHEMA mine', '42501 permission denied for database quern'],
    ['DROP TABLE secret_plain', '42501 must be owner of table secret_plain'],
    ['ALTER TABLE notes ADD COLUMN d int', '42501 must be owner of table notes'],
    ['CREATE INDEX ON notes (b)', '42501 must be owner of table notes'],
    ["COMMENT ON TABLE notes IS 'x'", '42501 must be owner of table notes'],
    ["COMMENT ON COLUMN notes.a IS 'x'", '42501 must be owner of relation notes'],
    ['CREATE OR REPLACE VIEW through AS SELECT a, b FROM notes', '42501 permission denied for schema public'],
    ['DROP FUNCTION shut()', '42501 must be owner of function shut'],
    ['DROP SCHEMA closed', '42501 must be owner of schema closed'],
    ['DROP SEQUENCE numbers', '42501 must be owner of sequence numbers'],
    ['CREATE TEMP TABLE own (a int); INSERT INTO own VALUES (1); SELECT * FROM own; DROP TABLE own', null],
    ['CHECKPOINT', '42501 permission denied to execute CHECKPOINT command'],
    ["SELECT * FROM hybrid('books', query => 'emma')", '42501 permission denied for table books'],
    [
      "SELECT * FROM facets('books', 'emma', columns => array['title'])",
      '42501 permission denied for table books',
    ],
    ["SELECT * FROM suggest('books', 'em')", '42501 permission denied for table books'],
    ["SELECT did_you_mean('books', 'emna')", '42501 permission denied for table books'],
    ["SELECT quern.lsn('books')", '42501 permission denied for table books'],
    ['SELECT * FROM pg_authid', '42501 permission denied for table pg_authid'],
    ['SELECT * FROM pg_shadow', '42501 permission denied for view pg_shadow'],
    ['SELECT * FROM quern.cache', '42501 permission denied for view cache'],
    ['SELECT relname FROM pg_class LIMIT 1', null],
    [
      'SET session_replication_role = local',
      '42501 permission denied to set parameter "session_replication_role"',
    ],
    ['SELECT who()', null],
    [
      'SELECT next()',
      '0A000 nextval in a SECURITY DEFINER function that another role calls is not supported',
    ],
    ['CREATE DATASET mine', '42501 permission denied for database quern'],
  ];
  it.each(OTHERWISE)('%s', async (text, expected) => {
    expect(await state(text)).toBe(expected);
  });
});

describe('rights on columns', () => {
  beforeAll(async () => {
    await access.role('clerk');
    await access.grant(['SELECT', 'UPDATE', 'INSERT'], 'column', 'secret.a', 'clerk');
    await access.grant(['SELECT'], 'column', 'secret.b', 'clerk');
  });
  beforeEach(() => session.rows('RESET ROLE; SET ROLE clerk'));

  const CASES: readonly (readonly [text: string, allowed: boolean])[] = [
    ['SELECT a, b FROM secret', true],
    ['SELECT count(*) FROM secret', true],
    ['SELECT c FROM secret', false],
    ['SELECT * FROM secret', false],
    ['SELECT s FROM secret s', false],
    ['SELECT a FROM secret WHERE c = 1', false],
    ['SELECT a FROM secret ORDER BY c', false],
    ['SELECT a FROM secret GROUP BY a HAVING max(c) > 0', false],
    ['SELECT ctid FROM secret', false],
    ['SELECT x.a FROM secret x JOIN secret y USING (a, c)', false],
    ['SELECT x.a FROM secret x NATURAL JOIN secret y', false],
    ['SELECT x.a FROM secret x JOIN secret y USING (a)', true],
    ['SELECT a FROM (SELECT a, b FROM secret) q', true],
    ['SELECT a FROM (SELECT * FROM secret) q', false],
    ['SELECT a FROM secret FOR UPDATE', true],
    ['BEGIN; UPDATE secret SET a = a; ROLLBACK', true],
    ['UPDATE secret SET a = c', false],
    ['UPDATE secret SET a = 1 WHERE c = 1', false],
    ['UPDATE secret SET a = a RETURNING c', false],
    ['UPDATE secret SET b = a', false],
    ['DELETE FROM secret WHERE a = 9', false],
    ['BEGIN; INSERT INTO secret (a) VALUES (8); ROLLBACK', true],
    ['INSERT INTO secret (a, b) VALUES (9, 1)', false],
    ['INSERT INTO secret VALUES (9, 1)', false],
    ['INSERT INTO secret (a) VALUES (9) RETURNING *', false],
    ['INSERT INTO secret (a) VALUES (1) ON CONFLICT (a) DO NOTHING', true],
    ['INSERT INTO secret (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET a = excluded.a', true],
    ['INSERT INTO secret (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET a = secret.c', false],
    ["INSERT INTO secret (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = 'x'", false],
    ['INSERT INTO secret (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET a = 1 WHERE secret.c = 1', false],
    ['MERGE INTO secret s USING notes n ON s.c = 1 WHEN MATCHED THEN UPDATE SET a = 1', false],
    ['COPY secret (a, b) TO STDOUT', true],
    ['COPY secret TO STDOUT', false],
  ];
  it.each(CASES)('%s', async (text, allowed) => {
    const copied = { copyOut: () => undefined, copyData: () => undefined, copyDone: () => undefined };
    const found = allowed
      ? await session.rows(text, copied).then(() => true)
      : (await session.error(text, copied)).sqlstate === '42501' && false;
    expect(found).toBe(allowed);
  });
});

describe('whose session it is', () => {
  const one = async (text: string): Promise<string | null | undefined> =>
    (await session.rows(text)).at(-1)?.[0];

  it('SET ROLE, and back', async () => {
    await session.rows('RESET ROLE');
    expect(await one("SELECT current_user || ' ' || session_user")).toBe('quern quern');
    await session.rows('SET ROLE alice');
    expect(
      await one("SELECT current_user || ' ' || current_role || ' ' || user || ' ' || session_user"),
    ).toBe('alice alice alice quern');
    expect([await one('SHOW role'), await one('SHOW is_superuser')]).toEqual(['alice', 'off']);
    await session.rows('SET ROLE NONE');
    expect([await one('SELECT current_user'), await one('SHOW is_superuser')]).toEqual(['quern', 'on']);
  });

  it('ends with its transaction as other settings do', async () => {
    await session.rows('RESET ROLE; BEGIN; SET LOCAL ROLE alice');
    expect(await one('SELECT current_user')).toBe('alice');
    await session.rows('COMMIT');
    expect(await one('SELECT current_user')).toBe('quern');
    await session.rows('BEGIN; SAVEPOINT s; SET ROLE alice; ROLLBACK TO s');
    expect(await one('SELECT current_user')).toBe('quern');
    await session.rows('SET ROLE team; ROLLBACK');
    expect(await one('SELECT current_user')).toBe('quern');
    await session.rows('SET ROLE alice; RESET ALL');
    expect(await one('SELECT current_user')).toBe('alice');
    await session.rows('DISCARD ALL');
    expect(await one('SELECT current_user')).toBe('quern');
  });

  it('takes only roles that one is a member of', async () => {
    await session.rows('SET SESSION AUTHORIZATION alice');
    expect(await one('SELECT session_user')).toBe('alice');
    await session.rows('SET ROLE team');
    expect(await one("SELECT current_user || ' ' || session_user")).toBe('team alice');
    expect(await state('SET ROLE boss')).toBe('42501 permission denied to set role "boss"');
    expect(await state('SET ROLE quern')).toBe('42501 permission denied to set role "quern"');
    expect(await state("SELECT set_config('role', 'boss', false)")).toBe(
      '42501 permission denied to set role "boss"',
    );
    expect(await state('SET ROLE nobody')).toBe('22023 role "nobody" does not exist');
    // Whoever signed in goes on to decide who one may be.
    await session.rows('RESET SESSION AUTHORIZATION');
    expect(await one("SELECT current_user || ' ' || session_user")).toBe('quern quern');
  });

  it('is that of the sign-in, with the settings of its role', async () => {
    await access.role('guest', { settings: ['application_name=of guest', 'statement_timeout=5000'] });
    const guest = new TestSession(
      database.factory.openFor({
        role: access.oid('guest'),
        settings: new Map([['statement_timeout', '7000']]),
      }),
    );
    session = guest;
    expect(await one("SELECT current_user || ' ' || session_user")).toBe('guest guest');
    expect([await one('SHOW application_name'), await one('SHOW statement_timeout')]).toEqual([
      'of guest',
      '7s',
    ]);
    expect(await state('SET SESSION AUTHORIZATION alice')).toBe(
      '42501 permission denied to set session authorization "alice"',
    );
    expect(await state('SET ROLE alice')).toBe('42501 permission denied to set role "alice"');
    expect(guest.session.reportedSettings().get('is_superuser')).toBe('off');
    expect(guest.session.reportedSettings().get('session_authorization')).toBe('guest');
  });
});

describe('rights are asked for at each execution', () => {
  it('of what was prepared, after REVOKE and SET ROLE; a cursor goes on', async () => {
    await access.role('temp');
    await access.grant(['SELECT'], 'relation', 'secret', 'temp');
    await session.rows('RESET ROLE; SET ROLE temp; PREPARE p AS SELECT a FROM secret');
    expect(await session.rows('EXECUTE p')).toEqual([['1']]);
    await session.rows('BEGIN; DECLARE c CURSOR FOR SELECT a FROM secret');
    await access.grant([], 'relation', 'secret', 'temp');
    expect(await session.rows('FETCH c')).toEqual([['1']]);
    await session.rows('ROLLBACK');
    expect(await state('EXECUTE p')).toBe(DENIED);
    await session.rows('RESET ROLE');
    expect(await session.rows('EXECUTE p')).toEqual([['1']]);
    await session.rows('SET ROLE alice');
    expect(await state('EXECUTE p')).toBe(DENIED);
    expect(await state('PREPARE q AS SELECT * FROM secret')).toBeNull();
  });

  it('of a role that is gone', async () => {
    await access.role('gone');
    await access.grant(['SELECT'], 'relation', 'secret', 'gone');
    await session.rows('RESET ROLE; SET ROLE gone; SELECT a FROM secret');
    await access.dropRole('gone');
    expect(await state('SELECT a FROM secret')).toBe(DENIED);
    expect(await state('SELECT current_user')).toBeNull();
    const shown = "SELECT count(*) FROM information_schema.schemata WHERE schema_name = 'closed'";
    expect(await session.rows(shown)).toEqual([['0']]);
  });

  it('of views whose owner has lost its own', async () => {
    await access.role('owner_of_view');
    await access.grant(['SELECT'], 'relation', 'secret', 'owner_of_view');
    await access.own('relation', 'through', 'owner_of_view');
    await access.grant(['SELECT'], 'relation', 'through', 'alice');
    expect(await state('SELECT a FROM through')).toBeNull();
    await access.grant([], 'relation', 'secret', 'owner_of_view');
    expect(await state('SELECT a FROM through')).toBe(DENIED);
  });
});

describe('system relations', () => {
  const names = async (text: string): Promise<readonly (string | null | undefined)[]> =>
    (await session.rows(text)).map(([name]) => name);

  it('show in information_schema what one has a right on', async () => {
    const tables =
      "SELECT table_name FROM information_schema.tables WHERE table_schema IN ('public', 'closed')";
    expect(await names(`${tables} ORDER BY 1`)).toEqual(['invoking', 'notes', 'outer_view', 'through']);
    await session.rows('RESET ROLE');
    expect(await names(tables)).toContain('secret');
  });

  it('tell of rows only to whoever reads them', async () => {
    expect(await names('SELECT name FROM quern.collections')).toEqual([]);
    expect(await names('SELECT relation FROM quern.indexes')).toEqual(['notes']);
    await session.rows('RESET ROLE; ANALYZE secret; ANALYZE notes; SET ROLE alice');
    expect(await names('SELECT DISTINCT tablename FROM pg_stats')).toEqual(['notes']);
  });
});

describe('other sessions and what belongs to them', () => {
  it('are not ended or looked at', async () => {
    const other = await database.session();
    const [[pid] = []] = await other.rows('SELECT pg_backend_pid()');
    expect(await state(`SELECT pg_terminate_backend(${pid})`)).toBe(
      '42501 permission denied to terminate process',
    );
    expect(await state(`SELECT pg_cancel_backend(${pid})`)).toBe('42501 permission denied to cancel query');
    const shown = `SELECT query FROM pg_stat_activity WHERE pid = ${pid}`;
    expect(await session.rows(shown)).toEqual([['<insufficient privilege>']]);
    expect(await other.rows(shown)).toEqual([[shown]]);
  });
});
