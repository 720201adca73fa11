/** Figures that are asked of somebody whom documents have only in passing: they are nobody else's. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestDatabase } from '../../../sql-tests/fixtures/database.ts';
import { passageOf } from '../../../sql-tests/fixtures/passage.ts';
import { databaseOfFilings } from '../../../sql-tests/fixtures/stored-documents.ts';
import { Contents, supported } from '../support.ts';
import { Reader } from '../question.ts';
import { bystandersOf, hasNames } from './bystanders.ts';

const reader = new Reader();
let database: TestDatabase;

beforeAll(async () => {
  const pages = Array.from({ length: 20 }, (_, i) => ({
    text: `Note ${i}. Sales of the Marine segment rose.`,
  }));
  database = await databaseOfFilings([
    {
      docId: 'HARPER_2022_10K',
      chunks: [
        { text: 'Annual report of Harper & Lindqvist Company. Net sales were 4,120 in 2022.' },
        { text: 'Ms. Adler was a vice president of Zentrix until 2019, and competes with it.' },
        ...pages,
      ],
    },
    { docId: 'note', chunks: [{ text: 'Nordkap moves containers over the sea. Revenue was 12 million.' }] },
    {
      docId: 'memo',
      chunks: [{ text: 'A memo.' }, { text: 'Lindgren Marine sold 12 ships.' }, { text: 'End.' }],
    },
  ]);
});

afterAll(() => database.close());

async function bystanders(question: string): Promise<readonly string[]> {
  await using own = database.openOwn();
  return own.transaction(
    (query) =>
      bystandersOf(query, reader.read(question), {
        datasets: [{ dataset: 'filings', filter: null }],
        said: [],
      }),
    new AbortController().signal,
  );
}

describe('bystanders', () => {
  it.each([
    ["What was Zentrix's revenue in 2022?", ['Zentrix']],
    ["How much did Zentrix's net sales rise in 2022?", ['Zentrix']],
  ])('are those that are only mentioned: %s', async (question, expected) => {
    expect(await bystanders(question)).toEqual(expected);
  });

  it.each([
    "What were Harper's net sales in 2022?",
    'What were net sales of the Marine segment in 2022?',
    'What were net sales in Germany in 2022?',
    'Who was a vice president of Zentrix?',
    'What was the revenue of Nordkap?',
    'How many ships did Lindgren Marine sell?',
  ])(
    'are none of whom a document is about, parts of it, places; nor where no figure is asked for: %s',
    async (question) => {
      expect(await bystanders(question)).toEqual([]);
    },
  );

  it('stand in a passage as words', () => {
    expect(hasNames(passageOf('Zentrix paid 12.'), ['Zentrix'])).toBe(true);
    expect(hasNames(passageOf('Zentrixes paid 12.'), ['Zentrix'])).toBe(false);
    expect(hasNames(passageOf('Mr. Roman paid 12.'), ['Mike Roman'])).toBe(true);
  });

  it('are in every fact, whoever makes it', () => {
    const passage = passageOf('Zentrix paid 12. Sales were 4,120.');
    const told = (text: string) =>
      supported(
        { text, supports: [{ passage, texts: [text], from: 0 }], score: 1, isComputed: false, sameAs: null },
        new Contents(['Zentrix']),
      );
    expect(told('Zentrix paid 12.')).toMatchObject({ text: 'Zentrix paid 12.' });
    expect(told('Sales were 4,120.')).toBeNull();
  });
});
