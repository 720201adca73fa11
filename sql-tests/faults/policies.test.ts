/** Policies and roles that are wrong, fail, sleep, or are gone: each is an error of its own, and hides what it hid. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type InProcessServer, startInProcess } from '../runner/in-process.ts';

let server: InProcessServer;
let owner: pg.Client;
let lesser: pg.Client;

async function connected(): Promise<pg.Client> {
  const client = new pg.Client(server.address as pg.ClientConfig);
  await client.connect();
  return client;
}

async function codeOf(client: pg.Client, sql: string): Promise<string> {
  try {
    await client.query(sql);
    return 'ok';
  } catch (error) {
    return `${(error as pg.DatabaseError).code} ${(error as pg.DatabaseError).message}`;
  }
}

const valuesOf = async (client: pg.Client, sql: string): Promise<unknown[]> =>
  (await client.query({ text: sql, rowMode: 'array' })).rows.map(([first]) => first);

async function rule(condition: string): Promise<void> {
  await owner.query(`DROP POLICY IF EXISTS p ON ruled; CREATE POLICY p ON ruled USING (${condition})`);
}

beforeAll(async () => {
  server = await startInProcess('memory');
  owner = await connected();
  lesser = await connected();
  await owner.query(`CREATE ROLE reader1; CREATE TABLE ruled (id int PRIMARY KEY, who text, n int);
    INSERT INTO ruled VALUES (1, 'reader1', 1), (2, 'other', 2), (3, 'reader1', 3), (4, 'other', 0);
    GRANT ALL ON ruled TO reader1; ALTER TABLE ruled ENABLE ROW LEVEL SECURITY;
    CREATE SEQUENCE asked; GRANT ALL ON asked TO reader1`);
  await lesser.query('SET ROLE reader1');
});

afterAll(async () => {
  await lesser.end();
  await owner.end();
  await server[Symbol.asyncDispose]();
});

test('one that asks its own table, or another that asks it, is 42P17', async () => {
  await rule('id IN (SELECT id FROM ruled)');
  const recursion = '42P17 infinite recursion detected in policy for relation "ruled"';
  for (const sql of [
    'SELECT id FROM ruled',
    'UPDATE ruled SET n = 1',
    'DELETE FROM ruled',
    'COPY ruled TO STDOUT',
    "INSERT INTO ruled VALUES (9, 'reader1', 1) RETURNING id",
    'MERGE INTO ruled r USING (SELECT 1 AS id) s ON r.id = s.id WHEN MATCHED THEN DELETE',
  ])
    expect(await codeOf(lesser, sql)).toBe(recursion);
  await owner.query(`CREATE TABLE beside (id int); GRANT ALL ON beside TO reader1;
    ALTER TABLE beside ENABLE ROW LEVEL SECURITY;
    CREATE POLICY p ON beside USING (id IN (SELECT id FROM ruled))`);
  await rule('id IN (SELECT id FROM beside)');
  expect(await codeOf(lesser, 'SELECT id FROM ruled')).toMatch(/^42P17 /);
  await owner.query('DROP POLICY p ON ruled; DROP TABLE beside');
});

test('one that fails is an error, and what fails of a question never looks at hidden rows', async () => {
  await rule('10 / n > 0');
  expect(await codeOf(lesser, 'SELECT id FROM ruled')).toBe('22012 division by zero');
  await rule('who = current_user');
  expect(await valuesOf(lesser, 'SELECT id FROM ruled WHERE 10 / (n - 2) <> 0 ORDER BY id')).toEqual([1, 3]);
  expect(await valuesOf(lesser, 'SELECT id FROM ruled WHERE 10 / n > 0 ORDER BY id')).toEqual([1, 3]);
  expect(await codeOf(lesser, 'UPDATE ruled SET n = n WHERE 1 / n >= 0')).toBe('ok');
  expect(await codeOf(lesser, 'SELECT id FROM ruled WHERE 10 / (n - 3) > 0')).toBe('22012 division by zero');
});

test('one that sleeps is ended by statement_timeout, and by a cancel', async () => {
  await rule('pg_sleep(20) IS NOT NULL');
  await lesser.query('SET statement_timeout = 50');
  for (const sql of ['SELECT id FROM ruled', 'UPDATE ruled SET n = 1', 'DELETE FROM ruled'])
    expect(await codeOf(lesser, sql)).toBe('57014 canceling statement due to statement timeout');
  await lesser.query('RESET statement_timeout');
  const [process] = await valuesOf(lesser, 'SELECT pg_backend_pid()');
  const running = codeOf(lesser, 'SELECT id FROM ruled');
  // Until it is under way there is nothing to cancel.
  while (
    (await valuesOf(owner, `SELECT 1 FROM pg_stat_activity WHERE pid = ${process} AND state = 'active'`))
      .length === 0
  );
  await owner.query(`SELECT pg_cancel_backend(${process})`);
  expect(await running).toBe('57014 canceling statement due to user request');
});

test('one that is volatile is asked by every statement', async () => {
  await rule("nextval('asked') % 2 = 1");
  const drawn = async (): Promise<number> =>
    Number((await valuesOf(owner, 'SELECT last_value FROM asked'))[0]);
  await lesser.query('SELECT id FROM ruled');
  const first = await drawn();
  await lesser.query('SELECT id FROM ruled');
  expect((await drawn()) - first).toBe(4);
});

test('a role that is gone may nothing, also in the session that acts as it', async () => {
  await rule('true');
  await owner.query('CREATE ROLE leaving; GRANT SELECT ON ruled TO leaving');
  const left = await connected();
  await left.query('SET SESSION AUTHORIZATION leaving');
  expect(await codeOf(left, 'SELECT id FROM ruled')).toBe('ok');
  await owner.query('DROP OWNED BY leaving; DROP ROLE leaving');
  expect(await codeOf(left, 'SELECT id FROM ruled')).toMatch(/^42501 /);
  expect(await codeOf(left, 'CREATE TABLE mine (a int)')).toMatch(/^42501 /);
  await left.end();
});

test('a role is held by what it owns, by policies and by keys', async () => {
  await owner.query('CREATE ROLE "it""s"; CREATE POLICY "p""q" ON ruled TO "it""s" USING (true)');
  const held = '2BP01 role "it"s" cannot be dropped because some objects depend on it';
  const drop = 'DROP ROLE "it""s"';
  const detail = async (): Promise<string | undefined> =>
    owner.query(drop).then(
      () => undefined,
      (error: pg.DatabaseError) => error.detail,
    );
  expect(await codeOf(owner, drop)).toBe(held);
  expect(await detail()).toBe('target of policy p"q on table ruled');
  await owner.query('DROP POLICY "p""q" ON ruled');
  await owner.query("CREATE API KEY held WITH (role = 'it\"s')");
  expect(await codeOf(owner, drop)).toBe(held);
  expect(await detail()).toBe('API key held');
  await owner.query('DROP API KEY held');
  expect(await codeOf(owner, drop)).toBe('ok');
});

test('SET ROLE is no part of a function, and takes no more than its session may', async () => {
  expect(
    await codeOf(owner, "CREATE FUNCTION become() RETURNS void LANGUAGE sql AS 'SET ROLE quern'"),
  ).toMatch(/^0A000 /);
  await owner.query(`CREATE FUNCTION becomes(name text) RETURNS text LANGUAGE sql
    AS 'SELECT set_config(''role'', name, true)'; CREATE FUNCTION owner_becomes(name text) RETURNS text
    LANGUAGE sql SECURITY DEFINER AS 'SELECT set_config(''role'', name, true)'`);
  const asReader = await connected();
  await asReader.query('SET SESSION AUTHORIZATION reader1');
  expect(await codeOf(asReader, "SELECT becomes('quern')")).toBe(
    '42501 permission denied to set role "quern"',
  );
  expect(await codeOf(asReader, "SELECT owner_becomes('quern')")).toMatch(/^(0A000|42501) /);
  expect(await valuesOf(asReader, 'SELECT current_user')).toEqual(['reader1']);
  await asReader.end();
});

test('values of a row that a role may not read are in no error', async () => {
  await rule('who = current_user');
  await owner.query(`CREATE TABLE kept (id int PRIMARY KEY, secret int CHECK (secret < 10));
    INSERT INTO kept VALUES (1, 7); CREATE ROLE changes; GRANT SELECT (id), UPDATE ON kept TO changes`);
  const detailAs = async (role: string, sql: string): Promise<string | undefined> => {
    await owner.query(`SET ROLE ${role}`);
    const detail = await owner.query(sql).then(
      () => 'no error',
      (error: pg.DatabaseError) => error.detail,
    );
    await owner.query('RESET ROLE');
    return detail;
  };
  const change = 'UPDATE kept SET secret = 70 WHERE id = 1';
  expect(await detailAs('changes', change)).toBeUndefined();
  expect(await detailAs('quern', change)).toBe('Failing row contains (1, 70).');
  expect(await detailAs('reader1', "INSERT INTO ruled VALUES (2, 'reader1')")).toBeUndefined();
});

test('a thousand policies hold, each for its role', async () => {
  const all = Array.from({ length: 1_000 }, (_, i) => i);
  await owner.query('DROP POLICY p ON ruled; CREATE ROLE many');
  await owner.query(all.map((i) => `CREATE POLICY m${i} ON ruled TO many USING (id = ${i - 996})`).join(';'));
  await owner.query('GRANT many TO reader1');
  expect(await valuesOf(lesser, 'SELECT id FROM ruled ORDER BY id')).toEqual([1, 2, 3]);
  await owner.query('REVOKE many FROM reader1');
  expect(await valuesOf(lesser, 'SELECT id FROM ruled')).toEqual([]);
});
