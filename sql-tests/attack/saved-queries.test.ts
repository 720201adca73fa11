/** Saved queries: a role's own, and of a limited key its own alone; a name is there once for each. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SAVED_QUERIES_COUNT_MAX, SAVED_QUERY_BYTES_MAX } from '../../src/limits.ts';
import { TestDatabase, type TestSession } from '../fixtures/database.ts';
import { makeServerRelations } from '../fixtures/stored-documents.ts';

let database: TestDatabase;
let owner: TestSession;
let alice: TestSession;
let bob: TestSession;
let limited: TestSession;
let reading: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  owner = await database.session();
  await using own = database.openOwn();
  await makeServerRelations(own);
  await owner.rows('CREATE ROLE alice LOGIN; CREATE ROLE bob LOGIN; CREATE TABLE films (title text)');
  const key = async (name: string, options: string): Promise<TestSession> =>
    await database.sessionOf(String((await owner.rows(`CREATE API KEY ${name} WITH (${options})`))[0]?.[1]));
  alice = await key('of_alice', 'role = alice');
  bob = await key('of_bob', 'role = bob');
  limited = await key('limited', "role = alice, collections = 'films'");
  reading = await key('reading', 'role = alice, read_only = true');
});

afterAll(() => database.close());

const listed = (as: TestSession) =>
  as.rows('SELECT name, statement, params FROM quern.saved_queries ORDER BY 1');

describe('a saved query', () => {
  it('is there for its role, and replaced by one of its name', async () => {
    await alice.rows(`SELECT quern.save_query('by year', 'SELECT 1')`);
    await alice.rows(`SELECT quern.save_query('by year', 'SELECT $1', '["2023"]')`);
    expect(await listed(alice)).toEqual([['by year', 'SELECT $1', '["2023"]']]);
    expect(await listed(bob)).toEqual([]);
    const whose = await owner.rows(
      'SELECT role::regrole, key, updated_at >= created_at FROM quern.saved_queries',
    );
    expect(whose).toEqual([['alice', null, 't']]);
  });

  it('is no other role’s to replace, rename or drop', async () => {
    await bob.rows(`SELECT quern.save_query('by year', 'SELECT 2')`);
    expect(await listed(alice)).toEqual([['by year', 'SELECT $1', '["2023"]']]);
    expect(await bob.rows(`SELECT quern.drop_query('by year'), quern.drop_query('by year')`)).toEqual([
      ['t', 'f'],
    ]);
    expect(await bob.rows(`SELECT quern.rename_query('by year', 'mine')`)).toEqual([['f']]);
    expect(await listed(alice)).toHaveLength(1);
  });

  it('of a limited key is the key’s alone', async () => {
    await limited.rows(`SELECT quern.save_query('by year', 'SELECT 3')`);
    expect(await listed(limited)).toEqual([['by year', 'SELECT 3', null]]);
    expect(await listed(alice)).toEqual([['by year', 'SELECT $1', '["2023"]']]);
    expect(await limited.rows(`SELECT quern.rename_query('by year', 'of the key')`)).toEqual([['t']]);
    expect(await limited.rows(`SELECT quern.drop_query('of the key')`)).toEqual([['t']]);
    expect(await listed(alice)).toHaveLength(1);
  });

  it('is not written by a key or transaction that only reads', async () => {
    const save = `SELECT quern.save_query('other', 'SELECT 1')`;
    expect((await reading.error(save)).sqlstate).toBe('25006');
    expect((await alice.error(`BEGIN READ ONLY; ${save}`)).sqlstate).toBe('25006');
    await alice.rows('ROLLBACK');
    expect(await listed(reading)).toHaveLength(1);
  });

  it('is written by its functions alone', async () => {
    for (const sql of [
      'DELETE FROM quern.saved_queries',
      'UPDATE quern.saved_queries SET role = 10',
      `INSERT INTO quern.saved_queries SELECT * FROM quern.saved_queries`,
      'TRUNCATE quern.saved_queries',
    ]) {
      expect([sql, (await alice.error(sql)).sqlstate]).toEqual([sql, '42501']);
    }
  });

  it('is part of its transaction', async () => {
    await alice.rows(`BEGIN; SELECT quern.save_query('gone', 'SELECT 1'); ROLLBACK`);
    expect(await listed(alice)).toHaveLength(1);
  });
});

describe('what cannot be saved', () => {
  it.each([
    [`quern.save_query('by year', 'SELECT 9', replace => false)`, '42710'],
    [`quern.save_query(' ', 'SELECT 1')`, '42602'],
    [`quern.save_query(repeat('x', 256), 'SELECT 1')`, '54000'],
    [`quern.save_query('long', repeat('x', ${SAVED_QUERY_BYTES_MAX + 1}))`, '54000'],
    [`quern.save_query('odd', 'SELECT 1', '{"a": 1}')`, '22023'],
    [`quern.save_query('odd', 'SELECT 1', jsonb_build_array(repeat('x', 70000)))`, '54000'],
  ])('%s is %s', async (call, sqlstate) => {
    expect((await alice.error(`SELECT ${call}`)).sqlstate).toBe(sqlstate);
  });

  it('is a new name that is taken', async () => {
    await alice.rows(`SELECT quern.save_query('two', 'SELECT 2')`);
    expect((await alice.error(`SELECT quern.rename_query('two', 'by year')`)).sqlstate).toBe('42710');
    expect((await listed(alice)).map(([name]) => name)).toEqual(['by year', 'two']);
  });

  it('is one more than a role may have', async () => {
    await using own = database.openOwn();
    await own.transaction(
      (query) =>
        query(`INSERT INTO quern.saved_queries
          SELECT role, key, 'n' || i, statement, params, created_at, updated_at
          FROM quern.saved_queries, generate_series(1, ${SAVED_QUERIES_COUNT_MAX - 2}) AS i
          WHERE name = 'two'`),
      new AbortController().signal,
    );
    expect((await alice.error(`SELECT quern.save_query('more', 'SELECT 1')`)).sqlstate).toBe('54000');
    await alice.rows(`SELECT quern.save_query('n1', 'SELECT 2')`);
    expect((await listed(alice)).length).toBe(SAVED_QUERIES_COUNT_MAX);
  });
});
