/** `changed_at` of collections and datasets: when they were last written to, told to whom their rows may be counted for. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestDatabase, TestSession } from '../fixtures/database.ts';
import { databaseOfFilings, storeDocuments } from '../fixtures/stored-documents.ts';

let database: TestDatabase;
let owner: TestSession;

beforeAll(async () => {
  database = await databaseOfFilings([]);
  owner = await database.session();
  await owner.tags(`CREATE TABLE books (_id text, tenant text)`);
});
afterAll(async () => {
  await database.close();
});

const BOOKS = `SELECT changed_at IS NULL, changed_at >= created_at, changed_at <= clock_timestamp()
  FROM quern.collections WHERE name = 'books'`;

it('is not there before the first write', async () => {
  expect(await owner.rows(BOOKS)).toEqual([['t', null, null]]);
});

it('is the time of the last one', async () => {
  await owner.tags(`INSERT INTO books VALUES ('a', 'acme')`);
  expect(await owner.rows(BOOKS)).toEqual([['f', 't', 't']]);
  const AT = `SELECT changed_at::text FROM quern.collections WHERE name = 'books'`;
  const [[first] = []] = await owner.rows(AT);
  await owner.tags(`SELECT pg_sleep(0.01); DELETE FROM books`);
  expect(
    await owner.rows(`SELECT changed_at > '${first}' FROM quern.collections WHERE name = 'books'`),
  ).toEqual([['t']]);
});

it('is not told to who does not see every row', async () => {
  await owner.tags(`CREATE ROLE ann; GRANT SELECT ON books TO ann`);
  await owner.tags(`SET ROLE ann`);
  expect(await owner.rows(BOOKS)).toEqual([['f', 't', 't']]);
  await owner.tags(`RESET ROLE; ALTER TABLE books ENABLE ROW LEVEL SECURITY; SET ROLE ann`);
  expect(await owner.rows(BOOKS)).toEqual([['t', null, null]]);
  await owner.tags(`RESET ROLE`);
});

it('of a dataset is that of what is in it', async () => {
  const FILINGS = `SELECT changed_at >= created_at FROM quern.datasets WHERE name = 'filings'`;
  expect(await owner.rows(FILINGS)).toEqual([[null]]);
  await using own = database.openOwn();
  await storeDocuments(own, 'filings', [{ docId: 'a', chunks: [{ text: 'Revenue rose by 3%.' }] }]);
  expect(await owner.rows(FILINGS)).toEqual([['t']]);
});
