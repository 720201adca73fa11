/** Names of an enum in messages and texts: as the session's own search path has it, whoever has bound what meanwhile. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestDatabase, type TestSession } from '../../sql-tests/fixtures/database.ts';
import { MemoryStore } from '../storage/memory-store.ts';

let database: TestDatabase;
let near: TestSession;
let far: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  near = await database.session();
  far = await database.session();
  await near.rows('CREATE SCHEMA s');
  await near.rows('SET search_path = s, public');
  await near.rows("CREATE TYPE mood AS ENUM ('sad', 'ok')");
});

afterAll(async () => {
  await database.close();
});

const said = async (session: TestSession, sql: string): Promise<string> =>
  session.rows(sql).then(
    (rows) => JSON.stringify(rows),
    (error: Error) => error.message,
  );

let bound = 0;
/** Binds something new in a session. */
const bindIn = (session: TestSession): Promise<unknown> => session.rows(`SELECT 1 AS a${bound++}`);

test('a value that is none is refused by the name that the session knows', async () => {
  const read = "SELECT (SELECT 'glad'::text)::mood";
  await said(near, read);
  await far.rows('SET search_path = public');
  await bindIn(far);
  expect(await said(near, read)).toBe('invalid input value for enum mood: "glad"');
  await bindIn(near);
  const qualified = "SELECT (SELECT 'glad'::text)::s.mood";
  await said(far, qualified);
  await bindIn(near);
  expect(await said(far, qualified)).toBe('invalid input value for enum s.mood: "glad"');
});

test("a function's arguments are shown as the session would write them", async () => {
  await near.rows('CREATE FUNCTION worse(a mood) RETURNS mood LANGUAGE sql RETURN a');
  const shown =
    "SELECT pg_get_function_arguments(oid), pg_get_function_result(oid) FROM pg_proc WHERE proname = 'worse'";
  const texts = [await said(near, shown), await said(far, shown)];
  for (let again = 0; again < 2; again++) {
    await bindIn(again === 0 ? near : far);
    expect([await said(near, shown), await said(far, shown)]).toEqual(texts);
  }
  expect(texts[0]).toContain('a mood');
  expect(texts[1]).toContain('a s.mood');
});

test('EXPLAIN shows types and values by the names of who asks', async () => {
  await near.rows('CREATE TABLE days (day int, felt mood)');
  const explain = 'EXPLAIN (COSTS OFF) SELECT * FROM s.days WHERE felt = $$ok$$';
  expect(await said(near, explain)).toContain("'ok'::mood");
  expect(await said(far, explain)).toContain("'ok'::s.mood");
  expect(await said(near, explain)).toContain("'ok'::mood");
});

test('a foreign key over an enum cascades, whoever has named the type', async () => {
  await near.rows('CREATE TABLE kinds (kind mood PRIMARY KEY)');
  await near.rows('CREATE TABLE notes (kind mood REFERENCES kinds ON DELETE CASCADE)');
  await near.rows("INSERT INTO kinds VALUES ('sad'), ('ok')");
  await near.rows("INSERT INTO notes VALUES ('sad'), ('ok')");
  const drop = "DELETE FROM s.kinds WHERE kind = 'sad'";
  await far.rows('BEGIN');
  await far.rows(drop);
  await far.rows('ROLLBACK');
  await bindIn(near);
  expect(await said(far, drop)).toBe('[]');
  expect(await said(near, 'SELECT count(*) FROM notes')).toContain('1');
});

test('what ANALYZE has found of enums is there after a restart', async () => {
  const store = new MemoryStore();
  const before = await TestDatabase.open({ store });
  const session = await before.session();
  await session.rows("CREATE TYPE mood AS ENUM ('sad', 'ok')");
  await session.rows('CREATE TABLE days (felt mood, changes mood[])');
  await session.rows("INSERT INTO days SELECT 'ok', '{ok,sad}' FROM generate_series(1, 50)");
  await session.rows('ANALYZE days');
  const stats =
    "SELECT attname, most_common_vals FROM pg_stats WHERE tablename = 'days' AND attname = 'felt'";
  const found = await session.rows(stats);
  expect(JSON.stringify(found)).toContain('ok');
  await before.close();
  const after = await TestDatabase.open({ store });
  const later = await after.session();
  expect(await later.rows(stats)).toEqual(found);
  expect(await later.rows("SELECT count(*) FROM days WHERE felt = 'ok'")).toEqual([['50']]);
  await after.close();
});
