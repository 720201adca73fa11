/** Threads: follow-ups over a socket's statements, who sees which, and what is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';
import { storeDocuments } from '../../../sql-tests/fixtures/stored-documents.ts';
import { SERVER_RELATIONS } from '../datasets/relations.ts';

const NEVER = new AbortController().signal;
const tableOf = (sales: number, profit: number): string => `(in millions)
[row_1] [column_1]=Sales; [2023]=$${sales}; [2022]=$${sales - 100}
[row_2] [column_1]=Net profit; [2023]=${profit}; [2022]=${profit - 10}`;

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  await using own = database.openOwn();
  await own.transaction(async (query) => {
    for (const relation of SERVER_RELATIONS) await query(relation);
  }, NEVER);
  await session.rows("CREATE DATASET filings WITH (embedding_model = 'hash')");
  await storeDocuments(own, 'filings', [
    { docId: 'acme-report', chunks: [{ text: tableOf(1_577, 300), pages: [2] }] },
    { docId: 'zenith-report', chunks: [{ text: tableOf(9_112, 700), pages: [4] }] },
    { docId: 'borealis-report', chunks: [{ text: tableOf(4_321, 50), pages: [6] }] },
  ]);
});

afterAll(async () => {
  await session.session[Symbol.asyncDispose]();
  await database.close();
});

const DATASETS = "ARRAY['filings']";

/** The first fact. */
async function asked(question: string, thread: string, datasets = DATASETS): Promise<string> {
  const sql = `SELECT ask_json('${question.replaceAll("'", "''")}', ${datasets}, thread => ${thread})`;
  const [[json] = []] = await session.rows(sql);
  const { facts } = JSON.parse(String(json)) as { facts: readonly { fact: string; ref_ids: string[] }[] };
  return facts[0]?.fact ?? '';
}

const lastDocument = async (): Promise<string | null | undefined> =>
  (
    await session.rows(
      'SELECT doc_id FROM quern.citations WHERE answer_id = quern.last_answer() ORDER BY fact_number LIMIT 1',
    )
  )[0]?.[0];

describe('a follow-up', () => {
  it('takes measure, year or name from the questions before', async () => {
    expect(await asked('What were the sales of Acme in 2023?', "'one'")).toContain('$1577');
    expect(await asked('and in 2022?', "'one'")).toContain('$1477');
    expect(await asked('what about Zenith?', "'one'")).toContain('$9012');
    expect(await lastDocument()).toBe('zenith-report');
    expect(await asked('And its net profit?', "'one'")).toContain('690');
    expect(await asked('What was its net profit in 2023?', "'one'")).toContain('700');
    const [kept] = await session.rows(
      `SELECT understood, thread, follows = (SELECT answer_id FROM quern.answers WHERE thread = 'one'
         ORDER BY answer_id DESC OFFSET 1 LIMIT 1) FROM quern.answers WHERE answer_id = quern.last_answer()`,
    );
    expect(kept).toEqual(["What was Zenith's net profit in 2023?", 'one', 't']);
  });

  it('says how it was understood', async () => {
    await asked('What were the sales of Acme in 2023?', "'told'");
    const rows = await session.rows(`SELECT update FROM ask('and in 2022?', ${DATASETS}, thread => 'told')`);
    expect(rows[0]).toEqual(['Understood as: What were the sales of Acme in 2022?']);
  });

  it('follows the answer whose id it names, and what that followed', async () => {
    await asked('What were the sales of Borealis in 2023?', "'by id'");
    const [[id]] = (await session.rows('SELECT quern.last_answer()')) as [[string]];
    await asked('What were the sales of Acme in 2022?', "'by id'");
    expect(await asked('and the net profit?', `'${id}'`)).toContain('50');
    expect(await lastDocument()).toBe('borealis-report');
    expect(
      await session.rows(`SELECT follows = '${id}', thread FROM quern.answers
      WHERE answer_id = quern.last_answer()`),
    ).toEqual([['t', 'by id']]);
  });

  it('goes back to an answer that had no name', async () => {
    await session.rows(`SELECT ask_json('What were the sales of Zenith in 2023?', ${DATASETS})`);
    expect(await asked('and in 2022?', 'quern.last_answer()::text')).toContain('$9012');
  });

  it('is asked of the same datasets, with their filter, where it names none', async () => {
    const one = `'[{"dataset": "filings", "filter": "doc_id = ''acme-report''"}]'::jsonb`;
    await asked('What were the sales in 2023?', "'same'", one);
    expect(await asked('and in 2022?', "'same'", 'NULL::text[]')).toContain('$1477');
    expect(
      await session.rows('SELECT datasets, filters FROM quern.answers WHERE answer_id = quern.last_answer()'),
    ).toEqual([
      [
        '{filings}',
        `{"filter": null, "datasets": [{"filter": "doc_id = 'acme-report'", "dataset": "filings"}]}`,
      ],
    ]);
  });

  it('works in a transaction that sees no answer', async () => {
    await asked('What were the sales of Acme in 2023?', "'frozen'");
    await session.rows('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM quern.answers');
    await asked('and the net profit?', "'frozen'");
    expect(await asked('and in 2022?', "'frozen'")).toContain('290');
    await session.rows('COMMIT');
  });
});

it('a whole question is not changed by its thread', async () => {
  await asked('What were the sales of Acme in 2023?', "'whole'");
  const question = 'What was the net profit of Zenith in 2022?';
  const alone = await session.rows(`SELECT ask_json('${question}', ${DATASETS})`);
  const within = await session.rows(`SELECT ask_json('${question}', ${DATASETS}, thread => 'whole')`);
  expect(within).toEqual(alone);
});

it('two who ask in one thread at once are both kept, after the same answer', async () => {
  await asked('What were the sales of Acme in 2023?', "'both'");
  const other = await database.session();
  const sql = `SELECT ask_json('and in 2022?', ${DATASETS}, thread => 'both')`;
  await Promise.all([session.rows(sql), other.rows(sql)]);
  await other.session[Symbol.asyncDispose]();
  const rows = await session.rows(
    "SELECT count(*), count(DISTINCT follows), count(DISTINCT understood) FROM quern.answers WHERE thread = 'both'",
  );
  expect(rows).toEqual([['3', '1', '1']]);
});

it("another's thread is not seen, nor an answer of it", async () => {
  await asked('What were the sales of Acme in 2023?', "'mine'");
  const [[id]] = (await session.rows('SELECT quern.last_answer()')) as [[string]];
  await using own = database.openOwn();
  const of = (role: string): Promise<unknown> =>
    own.transaction((query) => query(`UPDATE quern.answers SET role = ${role} WHERE thread = 'mine'`), NEVER);
  // Of before answers said whose they are: it was the owner who asked.
  await of('NULL');
  await asked('and in 2022?', "'mine'");
  expect(
    await session.rows('SELECT follows FROM quern.answers WHERE answer_id = quern.last_answer()'),
  ).toEqual([[id]]);
  await of('1');
  await asked('and in 2022?', "'mine'");
  const sql = 'SELECT follows, understood FROM quern.answers WHERE answer_id = quern.last_answer()';
  expect(await session.rows(sql)).toEqual([[null, null]]);
  const error = await session.error(`SELECT ask_json('and in 2022?', ${DATASETS}, thread => '${id}')`);
  expect([error.sqlstate, error.message]).toEqual(['22023', `answer "${id}" does not exist`]);
});

it.each([
  ["''", 'the name of a thread has 1 to 255 bytes'],
  ["repeat('é', 128)", 'the name of a thread has 1 to 255 bytes'],
  ["'01a205a7-511e-7ebc-8f4b-48c4529d3397'", 'answer "01a205a7-511e-7ebc-8f4b-48c4529d3397" does not exist'],
])('refuses thread => %s', async (thread, message) => {
  const error = await session.error(`SELECT * FROM ask('x', ${DATASETS}, thread => ${thread})`);
  expect([error.sqlstate, error.message]).toEqual(['22023', message]);
});

it('without datasets a new thread has none', async () => {
  const error = await session.error("SELECT ask_json('sales', NULL::text[], thread => 'quite new')");
  expect([error.sqlstate, error.message]).toEqual(['22023', 'provide at least one dataset']);
});

it('research follows none', async () => {
  const sql = `SELECT ask_json('x', ${DATASETS}, mode => 'research', thread => 'a')`;
  expect((await session.error(sql)).sqlstate).toBe('0A000');
});
