/** Which documents a question names, of those that ingestion has names of. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestDatabase } from '../../../sql-tests/fixtures/database.ts';
import { databaseOfFilings } from '../../../sql-tests/fixtures/stored-documents.ts';
import type { WantedDataset } from '../../functions/services.ts';
import { namedDocuments } from './named-documents.ts';
import { Reader } from '../question.ts';

const DOCUMENTS = [
  'BOEING_2021_10K',
  'BOEING_2022_10K',
  'BESTBUY_2023_10K',
  'BESTBUY_2024Q2_10Q',
  'acl-long-386',
  'minutes-of-may',
  'notes-of-june',
];
const reader = new Reader();

let database: TestDatabase;

beforeAll(async () => {
  database = await databaseOfFilings(
    DOCUMENTS.map((docId) => ({ docId, chunks: [{ text: 'Sales rose.' }] })),
  );
});

afterAll(() => database.close());

async function named(question: string, filter: string | null = null): Promise<WantedDataset | null> {
  await using own = database.openOwn();
  const found = await own.transaction(
    (query) => namedDocuments(query, reader.read(question), [{ dataset: 'filings', filter }]),
    new AbortController().signal,
  );
  return found?.[0] ?? null;
}

describe('documents that a question names', () => {
  it.each([
    ['What were the sales of Boeing in FY2022?', ['BOEING_2022_10K']],
    ["What were Best Buy's sales in Q2 of FY2024?", ['BESTBUY_2024Q2_10Q']],
    ['boeing sales 2021', ['BOEING_2021_10K']],
    ['What were the sales of Boeing?', ['BOEING_2021_10K', 'BOEING_2022_10K']],
  ])('%s', async (question, ids) => {
    expect((await named(question))?.documents?.toSorted()).toEqual(ids);
  });

  it.each(['What were the long-term obligations of Acme?', 'What were sales in 2022?'])(
    'none: %s',
    async (question) => {
      expect(await named(question)).toBeNull();
    },
  );

  it('are looked for within what the asker keeps to', async () => {
    const filter = "kind = 'report'";
    expect(await named('sales of Boeing in 2022', filter)).toEqual({
      dataset: 'filings',
      filter,
      documents: ['BOEING_2022_10K'],
    });
  });
});
