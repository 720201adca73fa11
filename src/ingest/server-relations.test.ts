/** The server's relations are made once for each text that they are made by. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestDatabase } from '../../sql-tests/fixtures/database.ts';
import type { Query, ServerSession } from '../session/server-session.ts';
import { makeServerRelations } from './server-relations.ts';

const MADE = ['CREATE TABLE IF NOT EXISTS quern.things (a int)', 'INSERT INTO quern.things VALUES (1)'];
const GROWN = [...MADE, 'ALTER TABLE quern.things ADD COLUMN IF NOT EXISTS b int'];

let database: TestDatabase;
let session: ServerSession;

beforeEach(async () => {
  database = await TestDatabase.open();
  session = database.openOwn();
});

afterEach(async () => {
  await session[Symbol.asyncDispose]();
  await database.close();
});

const run = <Result>(work: (query: Query) => Promise<Result>): Promise<Result> =>
  session.transaction(work, new AbortController().signal);
const make = (texts: readonly string[]): Promise<void> => run((query) => makeServerRelations(query, texts));
const things = async (): Promise<number> =>
  (await run((query) => query('SELECT a FROM quern.things'))).length;

test('they are made anew where their texts have changed, and only there', async () => {
  const counts: number[] = [];
  for (const texts of [MADE, MADE, GROWN, GROWN, MADE]) {
    await make(texts);
    counts.push(await things());
  }
  expect(counts).toEqual([1, 1, 2, 2, 3]);
});

test('what fails leaves nothing, and is tried again', async () => {
  await expect(make([...MADE, 'SELECT 1 FROM quern.nowhere'])).rejects.toThrow('does not exist');
  await make(MADE);
  expect(await things()).toBe(1);
});
