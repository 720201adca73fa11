/** Undeclared columns under policies: those of documents that a role sees, and no others. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';

let database: TestDatabase;
let owner: TestSession;
let alice: TestSession;

beforeEach(async () => {
  database = await TestDatabase.open();
  owner = await database.session();
  await owner.rows(`CREATE ROLE alice;
    CREATE TABLE docs (_id text PRIMARY KEY, owner text, body text INDEX keyword_index());
    INSERT INTO docs (_id, owner, colour) VALUES ('a', 'alice', 'red');
    INSERT INTO docs (_id, owner, hidden) VALUES ('b', 'bob', 'seven');
    GRANT ALL ON docs TO alice;
    ALTER TABLE docs ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own ON docs USING (owner = current_user)`);
  alice = await database.session();
  await alice.rows('SET ROLE alice');
});

afterEach(() => database.close());

const fields = async (session: TestSession): Promise<unknown[]> =>
  (
    await session.rows(
      "SELECT attname FROM pg_attribute WHERE attrelid = 'docs'::regclass AND attnum > 3 ORDER BY attname",
    )
  ).flat();

it('lists those of documents that the role sees', async () => {
  expect(await fields(owner)).toEqual(['colour', 'hidden']);
  expect(await fields(alice)).toEqual(['colour']);
  expect(await alice.rows('SELECT * FROM docs')).toEqual([['a', 'alice', null, 'red']]);
  const unknown = await alice.error('SELECT hidden FROM docs');
  expect([unknown.sqlstate, unknown.fields.hint]).toEqual([
    '42703',
    'No document of collection "docs" has a column "hidden" yet.',
  ]);
});

it('asks again after each commit, and within a transaction', async () => {
  await alice.rows('PREPARE one AS SELECT * FROM docs WHERE _id = $1');
  await alice.rows("BEGIN; INSERT INTO docs (_id, owner, hidden) VALUES ('c', 'alice', 'mine')");
  expect(await alice.rows("SELECT hidden FROM docs WHERE _id = 'c'")).toEqual([['mine']]);
  await alice.rows('ROLLBACK');
  expect((await alice.error('SELECT hidden FROM docs')).sqlstate).toBe('42703');
  await owner.rows("UPDATE docs SET owner = 'alice' WHERE _id = 'b'");
  expect(await fields(alice)).toEqual(['colour', 'hidden']);
  expect((await alice.error("EXECUTE one('a')")).message).toBe('cached plan must not change result type');
  await owner.rows("UPDATE docs SET owner = 'bob'");
  expect(await fields(alice)).toEqual([]);
  expect((await alice.error('SELECT colour FROM docs')).sqlstate).toBe('42703');
});

it('does without what cannot be looked for', async () => {
  await alice.rows('SET row_security = off');
  expect(await fields(alice)).toEqual([]);
  expect(await alice.rows('SELECT 1')).toEqual([['1']]);
  await alice.rows('RESET row_security');
  await owner.rows('CREATE POLICY broken ON docs USING (1 / length(owner) = 1 / 0)');
  expect(await alice.rows('SELECT 1')).toEqual([['1']]);
  expect(await fields(alice)).toEqual([]);
  expect((await alice.error('SELECT * FROM docs')).sqlstate).toBe('22012');
});
