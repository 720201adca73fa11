/** Roles with passwords of their own: who signs in by one, and how often at a time. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';

let database: TestDatabase;
let owner: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  owner = await database.session();
});

afterAll(() => database.close());

const refusal = (password: string, user: string): Promise<string | null> =>
  database.sessionOf(password, { user }).then(
    async ({ session }) => {
      await session[Symbol.asyncDispose]();
      return null;
    },
    ({ sqlstate }) => sqlstate as string,
  );

it('a role signs in by its own password, which nobody is shown, while it may', async () => {
  await owner.rows("CREATE ROLE anna LOGIN PASSWORD 'secret'; CREATE ROLE nobody PASSWORD 'secret'");
  expect(await refusal('secret', 'anna')).toBe(null);
  expect([await refusal('wrong', 'anna'), await refusal('secret', 'nobody')]).toEqual(['28P01', '28P01']);
  const shown = "SELECT count(*) FROM pg_authid WHERE rolpassword LIKE '%secret%'";
  expect(await owner.rows(shown)).toEqual([['0']]);
  await owner.rows("ALTER ROLE anna PASSWORD 'other'");
  expect([await refusal('secret', 'anna'), await refusal('other', 'anna')]).toEqual(['28P01', null]);
  await owner.rows('ALTER ROLE anna PASSWORD NULL');
  expect([await refusal('other', 'anna'), await refusal('', 'anna')]).toEqual(['28P01', '28P01']);
});

it('a role has as many sessions as it may', async () => {
  await owner.rows("CREATE ROLE ben LOGIN CONNECTION LIMIT 1 PASSWORD 'secret'");
  const first = await database.sessionOf('secret', { user: 'ben' });
  expect(await first.rows('SELECT session_user, system_user')).toEqual([['ben', 'password:ben']]);
  expect(await refusal('secret', 'ben')).toBe('53300');
  await first.session[Symbol.asyncDispose]();
  expect(await refusal('secret', 'ben')).toBe(null);
});
