/** A warm `ask()` plans nothing anew: whatever is asked, its statements are the same texts, with ids as parameters. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { TestDatabase, TestSession } from '../../sql-tests/fixtures/database.ts';
import { databaseOfFilings } from '../../sql-tests/fixtures/stored-documents.ts';
import { CELLS_AS } from '../session/datasets/relations.ts';
import { Planner } from '../session/running/planner.ts';

const SALES = `(in millions)
[row_1] [column_1]=Sales; [2023]=1,577; [2022]=1,421; [2021]=1,300
[row_2] [column_1]=Cost of sales; [2023]=1,012; [2022]=987; [2021]=940
[row_3] [column_1]=Operating income; [2023]=300; [2022]=240; [2021]=210`;

let database: TestDatabase;
let session: TestSession;
const planned = new WeakSet<object>();
let sent: string[] = [];
let anew: string[] = [];

beforeAll(async () => {
  const notes = Array.from({ length: 18 }, (_, i) => ({ text: `Note ${i}. Works no. ${i} are in Tucson.` }));
  database = await databaseOfFilings([
    {
      docId: 'HARPER_2023_10K',
      chunks: [
        {
          text: 'Harper & Lindqvist Company, annual report of 2023. It makes anvils in Phoenix.',
          pages: [1],
        },
        { text: 'Maria Ortega runs the works in Tucson, which were opened in 2022.', pages: [1] },
        { text: SALES, pages: [2] },
        ...notes,
      ],
    },
    { docId: 'canteen', chunks: [{ text: 'The canteen opens at noon, and closes at two.' }] },
  ]);
  session = await database.session();
  await using own = database.openOwn();
  await own.transaction(
    (query) => query(`UPDATE filings.documents SET cells_as = ${CELLS_AS}`),
    new AbortController().signal,
  );
  const { plan } = Planner.prototype;
  vi.spyOn(Planner.prototype, 'plan').mockImplementation(function (this: Planner, request) {
    const made = plan.call(this, request);
    sent.push(request.text);
    if (!planned.has(made)) anew.push(request.text);
    planned.add(made);
    return made;
  });
  await session.rows("PREPARE asked(text, text) AS SELECT * FROM ask($1, ARRAY['filings'], thread => $2)");
  for (const question of ASKED) await ask(question);
});

afterAll(async () => {
  vi.restoreAllMocks();
  await session.session[Symbol.asyncDispose]();
  await database.close();
});

/** A question of each kind, in one thread. */
const ASKED = [
  'Who makes anvils?',
  'Who runs the works in Tucson?',
  'What were the costs of sales of Harper in 2023?',
  'What was the percentage change in sales from 2021 to 2022?',
  'What stands on page 1 about Harper?',
  'And in 2022?',
];

async function ask(question: string): Promise<void> {
  [sent, anew] = [[], []];
  await session.rows(`EXECUTE asked('${question.replaceAll("'", "''")}', 'test')`);
}

it.each([
  ['of what a sentence says', 'When were the works in Tucson opened?', 28],
  ['of a figure', "What was Harper's operating income in 2022?", 48],
  ['of what is computed', 'What was the difference between sales and cost of sales in 2023?', 49],
  ['of a page', 'What is on page 2 about sales?', 44],
  ['that follows another', 'And in 2021?', 46],
])('a question %s plans nothing anew', async (_, question, sentMax) => {
  await ask(question);
  expect(anew).toEqual([]);
  expect(sent.length).toBeLessThanOrEqual(sentMax);
  expect(sent.length).toBeGreaterThan(10);
});

it('in several sessions at once answers are kept in several, and later in these again', async () => {
  const others = await Promise.all(Array.from({ length: 6 }, () => database.session()));
  const before = await session.rows('SELECT count(*) FROM quern.answers');
  await Promise.all(others.map((other) => other.rows("SELECT * FROM ask('anvils', ARRAY['filings'])")));
  expect(await session.rows('SELECT count(*) FROM quern.answers')).toEqual([
    [`${Number(before[0]?.[0]) + 6}`],
  ]);
  await ask('Who makes anvils in Phoenix?');
  expect(anew.filter((text) => text.startsWith('INSERT'))).toEqual([]);
  for (const other of others) await other.session[Symbol.asyncDispose]();
});
