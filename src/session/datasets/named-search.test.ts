/** Documents that a search is kept to: by ids, and by names of whom they are of. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestDatabase, TestSession } from '../../../sql-tests/fixtures/database.ts';
import { databaseOfFilings } from '../../../sql-tests/fixtures/stored-documents.ts';

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await databaseOfFilings(
    ['a', 'b', 'c'].map((docId) => ({ docId, chunks: [{ text: `The whale of ${docId} sings.` }] })),
  );
  session = await database.session();
});

afterAll(() => database.close());

it.each([
  ['{"dataset": "filings", "documents": ["a", "c", "none"]}', 'ac'],
  ['{"dataset": "filings", "documents": null}', 'abc'],
  ['{"dataset": "filings", "documents": []}', ''],
  [`{"dataset": "filings", "documents": ["a", "b"], "filter": "doc_id <> 'a'"}`, 'b'],
  ['{"dataset": "filings", "documents": ["a"]}, {"dataset": "filings", "documents": ["b"]}', 'ab'],
  ['{"dataset": "filings", "documents": ["a"]}, "filings"', 'abc'],
])('documents of %s are %s', async (wanted, documents) => {
  const sql = `SELECT doc_id FROM search('whale', $$[${wanted}]$$::jsonb) ORDER BY 1`;
  expect((await session.rows(sql)).map(([id]) => id).join('')).toBe(documents);
});

it.each(['7', '"a"', '[7]', '{}'])('documents are not %s', async (documents) => {
  const error = await session.error(
    `SELECT 1 FROM search('whale', '[{"dataset": "filings", "documents": ${documents}}]'::jsonb)`,
  );
  expect(error.sqlstate).toBe('22023');
});
