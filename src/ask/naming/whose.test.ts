/** Names that a question has and no document carries: then there is no answer, and nobody else's. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestDatabase } from '../../../sql-tests/fixtures/database.ts';
import { databaseOfFilings } from '../../../sql-tests/fixtures/stored-documents.ts';
import { initialsOf } from '../../language/names/initials.ts';
import { Reader } from '../question.ts';
import { documentsOfSubjects } from './subjects.ts';
import { properNames } from './proper-names.ts';
import { type Whose, whoseOf } from './whose.ts';

const reader = new Reader();
let database: TestDatabase;

beforeAll(async () => {
  const cover =
    'Annual report. The registrant has filed all reports that it has to file this year with the authority.';
  database = await databaseOfFilings([
    {
      docId: 'one',
      chunks: [{ text: `${cover} Harper & Lindqvist Company` }, { text: 'Sales in Norway rose.' }],
    },
    {
      docId: 'two',
      chunks: [{ text: `${cover} Union Machine Works Inc.` }, { text: 'Northwind is a customer.' }],
    },
  ]);
});

afterAll(() => database.close());

async function whose(question: string): Promise<Whose> {
  await using own = database.openOwn();
  return own.transaction(async (query) => {
    const datasets = [{ dataset: 'filings', filter: null }];
    const read = reader.read(question);
    const { sure, said } = await documentsOfSubjects(query, read, datasets);
    const { missing, doubtful, abbreviated } = await whoseOf(query, read, { datasets, said });
    return { missing, doubtful, abbreviated: abbreviated ?? sure };
  }, new AbortController().signal);
}

const documents = ({ abbreviated }: Whose): readonly string[] => abbreviated?.[0]?.documents ?? [];

describe('a name that', () => {
  it.each([
    ["What was Zentrix's revenue in 2022?", ['Zentrix']],
    ['How much did QXR pay for Norway?', ['QXR']],
    ['Compare the sales of Zentrix Holdings with those of Northwind.', ['Zentrix Holdings']],
    ['Wie hoch war der Umsatz von QXR im Jahr 2022?', ['QXR']],
  ])('nothing carries: %s', async (question, missing) => {
    expect((await whose(question)).missing).toEqual(missing);
  });

  it.each([
    'What did Northwind buy?',
    'What were sales in Norway in January 2022?',
    'What is the CEO paid in USD?',
    'What was the EBITDA margin in FY2022?',
    'Did sales rise in FY 2022, by Table 7 of Appendix Q?',
    'Wie hoch war der Umsatz im Ausland?',
    'WHO IS THE OWNER OF ZENTRIX?',
    'Which Goods Were Sold In Trondheim Last Year?',
  ])('is carried, or is none: %s', async (question) => {
    expect(await whose(question)).toEqual({ missing: [], doubtful: [], abbreviated: null });
  });

  it.each([
    ["What was H&L's revenue?", ['one']],
    ['What did HnL sell?', ['one']],
    ['How many people work for UMW?', ['two']],
  ])('is short for whom a document is of: %s', async (question, ids) => {
    const found = await whose(question);
    expect(found.missing).toEqual([]);
    expect(documents(found)).toEqual(ids);
  });
});

it('names are runs of words with capitals, without articles, dates and forms', () => {
  const names = (text: string): readonly string[] => properNames(reader.read(text));
  expect(
    names('What did Harper & Lindqvist, in its 10-K for Q2 of FY2023, say of Lake Mjøsa on Monday?'),
  ).toEqual(['Harper Lindqvist', 'Lake Mjøsa']);
  expect(names('x'.repeat(9000))).toEqual([]);
});

it('initials follow from names by rule', () => {
  const all = initialsOf('Harper & Lindqvist Co. Bank of Overland. Great Northern Paper Corp. The Company.');
  expect([...all]).toEqual(expect.arrayContaining(['hl', 'h&l', 'hnl', 'boo', 'bofo', 'gnp']));
  expect([...all]).not.toContain('c');
});
