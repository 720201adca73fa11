/** Documents that a search is kept to: by ids, and by names of whom they are of. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestDatabase, TestSession } from '../../../sql-tests/fixtures/database.ts';
import { databaseOfFilings } from '../../../sql-tests/fixtures/stored-documents.ts';

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  const filing = (docId: string, cover: string) => ({
    docId,
    chunks: [{ text: cover }, { text: 'Revenue rose by a tenth.' }],
  });
  database = await databaseOfFilings([
    ...['a', 'b', 'c'].map((docId) => ({ docId, chunks: [{ text: `The whale of ${docId} sings.` }] })),
    filing('f1-2022', 'Harper & Lindqvist Company (NYSE: HLQ)'),
    filing('f2-2023', 'HARPER & LINDQVIST COMPANY'),
    filing('f3-2022', 'Union Machine Works Inc. (NASDAQ: UMWX)'),
    filing('f4-2022', 'Apple Orchard Ltd'),
    { docId: 'titled', title: 'Corvin Tools Inc. Annual Report', chunks: [{ text: 'Revenue was 7.' }] },
    { docId: 'memo', chunks: [{ text: 'Revenue of Union Machine Works will rise, we think.' }] },
  ]);
  session = await database.session();
});

afterAll(() => database.close());

async function found(query: string, more = ''): Promise<string> {
  const sql = `SELECT DISTINCT doc_id FROM search($q$${query}$q$, ARRAY['filings'], 50 ${more}) ORDER BY 1`;
  return (await session.rows(sql)).map(([id]) => id).join(' ');
}

describe('a search that names whom documents are of', () => {
  const OTHERS = 'a b c';
  it.each([
    ['revenue of Harper & Lindqvist', `${OTHERS} f1-2022 f2-2023 memo`],
    ["What was Harper and Lindqvist's revenue?", `${OTHERS} f1-2022 f2-2023 memo`],
    ['What was the revenue of H&L in 2022?', `${OTHERS} f1-2022 f2-2023 memo`],
    ['What was the revenue of HLQ?', `${OTHERS} f1-2022 memo`],
    ['revenue of union machine works', `${OTHERS} f3-2022 memo`],
    ['Compare UMWX with Harper & Lindqvist', `${OTHERS} f1-2022 f2-2023 f3-2022 memo`],
  ])('is kept to these and to those of nobody: %s', async (query, documents) => {
    expect(await found(query)).toBe(documents);
  });

  it.each(['how did revenue rise', 'umwx revenue', 'WHAT WAS THE REVENUE OF ALL?', 'the works of a machine'])(
    'is kept to nobody: %s',
    async (query) => {
      expect((await found(query)).split(' ')).toEqual(
        expect.arrayContaining(['f1-2022', 'f2-2023', 'f3-2022']),
      );
    },
  );

  it.each([
    ["What was Orchard's revenue?", 'a b c f1-2022 f2-2023 f3-2022 f4-2022 memo titled'],
    ["What was Harper's revenue?", `${OTHERS} f1-2022 f2-2023 memo`],
    ['What was the revenue of Harper in 2022?', `${OTHERS} f1-2022 f2-2023 memo`],
    ['How did revenue rise in Union States?', 'a b c f1-2022 f2-2023 f3-2022 f4-2022 memo titled'],
    // The memo has as much of it as the report.
    ['What was the revenue of Union?', 'a b c f1-2022 f2-2023 f3-2022 f4-2022 memo titled'],
  ])('knows a company by its first words, where nothing else has them: %s', async (query, documents) => {
    expect(await found(query)).toBe(documents);
  });

  it('says whom it took as named, and how surely', async () => {
    const named = async (query: string) =>
      session.rows(`SELECT DISTINCT doc_id, named, named_surely
        FROM search($q$${query}$q$, ARRAY['filings'], 50)
        WHERE named IS NOT NULL ORDER BY 1`);
    expect(await named('revenue of Union Machine Works Inc.')).toEqual([
      ['f3-2022', 'Union Machine Works', 't'],
    ]);
    expect(await named('Harper & Lindqvist against UMWX')).toEqual([
      ['f1-2022', 'Harper & Lindqvist', 't'],
      ['f2-2023', 'Harper & Lindqvist', 't'],
      ['f3-2022', 'UMWX', 't'],
    ]);
    expect(await named('revenue of nobody')).toEqual([]);
  });

  it('keeps to what its filter and its documents say', async () => {
    expect(await found('revenue of Harper & Lindqvist', `, filter => $$doc_id = 'f3-2022'$$`)).toBe(
      'f3-2022',
    );
    const sql = `SELECT DISTINCT doc_id FROM search('revenue of Harper & Lindqvist',
      '[{"dataset": "filings", "documents": ["f3-2022"]}]'::jsonb)`;
    expect(await session.rows(sql)).toEqual([['f3-2022']]);
  });

  it('knows the names that users give, and none that they have taken away', async () => {
    await session.rows(
      `SELECT quern.put_subjects('filings', '{"doc_id": "f3-2022", "names": ["the big mill"]}')`,
    );
    expect(await found('revenue of the big mill')).toBe(`${OTHERS} f3-2022 memo`);
    await session.rows("SELECT quern.drop_subjects('filings', 'f3-2022', ARRAY['the big mill'])");
    expect(await found('revenue of the big mill')).toContain('f1-2022');
  });
});

it.each([
  ['{"dataset": "filings", "documents": ["a", "c", "none"]}', 'ac'],
  ['{"dataset": "filings", "documents": null}', 'abc'],
  ['{"dataset": "filings", "documents": []}', ''],
  [`{"dataset": "filings", "documents": ["a", "b"], "filter": "doc_id <> 'a'"}`, 'b'],
  ['{"dataset": "filings", "documents": ["a"]}, {"dataset": "filings", "documents": ["b"]}', 'ab'],
  ['{"dataset": "filings", "documents": ["a"]}, "filings"', 'abc'],
])('documents of %s are %s', async (wanted, documents) => {
  const sql = `SELECT doc_id FROM search('whale', $$[${wanted}]$$::jsonb) WHERE text LIKE '%sings%' ORDER BY 1`;
  expect((await session.rows(sql)).map(([id]) => id).join('')).toBe(documents);
});

it.each(['7', '"a"', '[7]', '{}'])('documents are not %s', async (documents) => {
  const error = await session.error(
    `SELECT 1 FROM search('whale', '[{"dataset": "filings", "documents": ${documents}}]'::jsonb)`,
  );
  expect(error.sqlstate).toBe('22023');
});
