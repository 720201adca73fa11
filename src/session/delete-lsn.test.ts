/** Every DELETE of a collection has an LSN of its own, whatever it finds; nothing else that finds nothing has one. */
import { afterEach, expect, it } from 'vitest';
import { TestDatabase } from '../../sql-tests/fixtures/database.ts';
import { MemoryStore } from '../storage/memory-store.ts';

const opened: TestDatabase[] = [];
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
});

async function open(store = new MemoryStore()) {
  const database = await TestDatabase.open({ store });
  opened.push(database);
  return { database, store, session: await database.session() };
}

it('numbers deletes of collections', async () => {
  const { session, store, database } = await open();
  await session.rows('CREATE TABLE books (_id text, n bigint); CREATE TABLE plain (id int)');
  await session.rows("INSERT INTO books (_id, n) VALUES ('1', 1)");
  const lsns = "SELECT quern.last_lsn(), quern.lsn('books'), quern.lsn('books$acme'), quern.lsn('plain')";
  await session.rows("DELETE FROM books WHERE _id = ANY(ARRAY['nobody'])");
  expect(await session.rows(lsns)).toEqual([['2', '2', '0', '0']]);
  await session.rows('DELETE FROM books WHERE n > 100');
  expect(await session.rows(lsns)).toEqual([['3', '3', '0', '0']]);
  await session.rows("DELETE FROM books WHERE _id = '1'");
  await session.rows('UPDATE books SET n = 2; DELETE FROM plain');
  expect(await session.rows(lsns)).toEqual([['4', '4', '0', '0']]);
  expect((await session.error("DELETE FROM books$acme WHERE _id = '1'")).sqlstate).toBe('42P01');
  await session.rows("INSERT INTO books$acme (_id) VALUES ('1'); DELETE FROM books$acme WHERE _id = 'x'");
  expect(await session.rows(lsns)).toEqual([['1', '4', '1', '0']]);
  await session.rows("BEGIN; DELETE FROM books WHERE _id = 'x'; DELETE FROM books WHERE _id = 'y'; COMMIT");
  await session.rows("BEGIN; DELETE FROM books WHERE _id = 'x'; ROLLBACK");
  expect(await session.rows(lsns)).toEqual([['5', '5', '1', '0']]);
  await database.close();
  opened.length = 0;
  const restarted = await open(store);
  expect(await restarted.session.rows("SELECT quern.lsn('books')")).toEqual([['5']]);
});

it('conflicts with nobody', async () => {
  const { database, session } = await open();
  await session.rows("CREATE TABLE books (_id text); INSERT INTO books (_id) VALUES ('1')");
  const other = await database.session();
  await session.rows('BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT count(*) FROM books');
  await other.rows("INSERT INTO books (_id) VALUES ('2')");
  await session.rows("DELETE FROM books WHERE _id = 'nobody'; COMMIT");
  expect(await session.rows("SELECT quern.lsn('books'), count(*) FROM books")).toEqual([['3', '2']]);
});
