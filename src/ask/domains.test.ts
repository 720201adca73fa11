/** Domain packs of datasets: when they are active, and what questions get where they are not. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestDatabase, TestSession } from '../../sql-tests/fixtures/database.ts';
import { databaseOfFilings, storeDocuments } from '../../sql-tests/fixtures/stored-documents.ts';
import { vocabularyFor } from './vocabulary.ts';
import { Reader } from './question.ts';

let database: TestDatabase;
let session: TestSession;
const { signal } = new AbortController();

beforeAll(async () => {
  database = await databaseOfFilings([
    { docId: 'accounts', chunks: [{ text: 'Net sales and operating income rose; total assets did not.' }] },
  ]);
  session = await database.session();
  for (const name of ['ward', 'empty'])
    await session.rows(`CREATE DATASET ${name} WITH (embedding_model = 'hash')`);
  await using own = database.openOwn();
  await storeDocuments(own, 'ward', [
    {
      docId: 'ward',
      chunks: [{ text: 'Nurses wear gloves and masks. Revenue is no matter of theirs, nor is debt.' }],
    },
  ]);
});

afterAll(() => database.close());

const domains = (name: string) => session.rows(`SELECT domains FROM quern.datasets WHERE name = '${name}'`);

async function conceptsFor(dataset: string, question: string): Promise<readonly string[]> {
  await using own = database.openOwn();
  const datasets = [{ dataset, filter: null }];
  const vocabulary = await own.transaction((query) => vocabularyFor(query, question, datasets), signal);
  return new Reader().read(question, undefined, vocabulary).concepts.map(({ id }) => id);
}

describe('domains', () => {
  it('are those that documents speak of', async () => {
    expect(await domains('filings')).toEqual([['{finance}']]);
    expect(await domains('ward')).toEqual([['{}']]);
    expect(await domains('empty')).toEqual([['{}']]);
  });

  it('are those that the dataset is told to have', async () => {
    await session.rows("CREATE DATASET told WITH (embedding_model = 'hash', domains = 'Finance')");
    expect(await domains('told')).toEqual([['{finance}']]);
    await session.rows("ALTER DATASET told SET (domains = 'none')");
    expect(await domains('told')).toEqual([['{}']]);
    await session.rows("ALTER DATASET filings SET (domains = 'none')");
    expect(await domains('filings')).toEqual([['{}']]);
    expect(await conceptsFor('filings', 'What was the operating margin?')).toEqual([]);
    await session.rows("ALTER DATASET filings SET (domains = 'auto')");
    expect(await domains('filings')).toEqual([['{finance}']]);
  });

  it.each(['law', '', 'finance,', 'auto,finance'])('are not %j', async (value) => {
    const sql = `ALTER DATASET ward SET (domains = '${value}')`;
    await expect(session.rows(sql)).rejects.toMatchObject({ condition: 'invalid_parameter_value' });
  });
});

describe('a question to documents that speak of something else has nothing added', () => {
  it.each([
    'Which PPE must nurses wear?',
    'What is the protein turnover?',
    'What is acquired immune deficiency?',
    'What is the operating margin?',
    '¿Quién dio el nombre a la calle?',
  ])('%s', async (question) => {
    expect(await conceptsFor('ward', question)).toEqual([]);
  });

  it('and one to accounts has what they print', async () => {
    expect(await conceptsFor('filings', 'What is the operating margin?')).toEqual(['operating_margin']);
    for (const question of [
      'What is the protein turnover?',
      '¿Quién dio el nombre a la calle?',
      'What is acquired immune deficiency?',
    ])
      expect(await conceptsFor('filings', question)).toEqual([]);
  });
});
