/** `quern.reverify()` after documents were changed, moved about, deleted, or went with their dataset. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';
import { makeServerRelations, storeDocuments } from '../../../sql-tests/fixtures/stored-documents.ts';

const PROSE = 'Operating income grew because the Tucson works were opened in March 2022.';
const TABLE = `(in millions)
[row_1] [column_1]=Sales; [2023]=$1577; [2022]=$1421
[row_2] [column_1]=Operating income; [2023]=300; [2022]=240`;
const OTHER = 'The board met in Phoenix.';

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  await using own = database.openOwn();
  await makeServerRelations(own);
});

afterAll(async () => {
  await session.session[Symbol.asyncDispose]();
  await database.close();
});

beforeEach(async () => {
  await session.rows(
    "DROP DATASET IF EXISTS filings; CREATE DATASET filings WITH (embedding_model = 'hash')",
  );
  await store([PROSE, [1]], [TABLE, [2]]);
});

/** Another version of the document. */
async function store(
  ...chunks: readonly (readonly [text: string, pages: readonly number[]])[]
): Promise<void> {
  await using own = database.openOwn();
  const given = chunks.map(([text, pages]) => ({ text, pages }));
  await storeDocuments(own, 'filings', [
    { docId: 'acme', chunks: given },
    { docId: 'zoo', chunks: [{ text: 'The zebra sleeps by day.', pages: [1] }] },
  ]);
}

/** The answer's id. */
async function asked(question: string): Promise<string> {
  await session.rows(`SELECT * FROM ask('${question}', ARRAY['filings'])`);
  return String((await session.rows('SELECT quern.last_answer()'))[0]?.[0]);
}

const WHY = 'Why did operating income of Acme grow?';
const CHANGE = 'What was the percentage change in operating income from 2022 to 2023?';

/** Fate of the first fact's quotes, and where each stands. */
const standing = (id: string): Promise<(readonly (string | null)[])[]> =>
  session.rows(
    `SELECT quote, stands, reason, content_id, doc_pages FROM quern.reverify('${id}')
     WHERE fact_number = 1 ORDER BY citation_number`,
  );

const outcomes = async (id: string): Promise<readonly string[]> => [
  ...new Set((await standing(id)).map(([, , reason]) => String(reason))),
];

it('what stands stays, and is written down as checked', async () => {
  const id = await asked(WHY);
  expect(await standing(id)).toEqual([[PROSE, 't', 'in place', 'doc#acme#chunk#1', '{1}']]);
  await store([PROSE, [1]], [TABLE, [2]], [OTHER, [3]]);
  expect(await outcomes(id)).toEqual(['in place']);
  const kept = await session.rows(
    `SELECT stands, reason, current_content_id, current_doc_pages, checked_at > finished_at,
       quote = '${PROSE}'
     FROM quern.citations JOIN quern.answers USING (answer_id)
     WHERE answer_id = '${id}' AND fact_number = 1`,
  );
  expect(kept).toEqual([['t', 'in place', 'doc#acme#chunk#1', '{1}', 't', 't']]);
});

it('a sentence that was changed stands no longer', async () => {
  const id = await asked(WHY);
  await store([PROSE.replace('March', 'April'), [1]], [TABLE, [2]]);
  expect(await standing(id)).toEqual([[PROSE, 'f', 'changed', null, null]]);
  await store([PROSE, [1]], [TABLE, [2]]);
  expect(await outcomes(id)).toEqual(['in place']);
});

it('a sentence that moved is found, on its page or another', async () => {
  const id = await asked(WHY);
  await store([OTHER, [1]], [TABLE, [2]], [`${OTHER}\n${PROSE.replace(' works', '\nworks')}`, [3, 4]]);
  expect(await standing(id)).toEqual([[PROSE, 't', 'moved', 'doc#acme#chunk#3', '{3,4}']]);
  await store([PROSE, [2]], [TABLE, [3]]);
  expect(await standing(id)).toEqual([[PROSE, 't', 'moved', 'doc#acme#chunk#1', '{2}']]);
});

it('a sentence that is written in another way stands', async () => {
  const id = await asked(WHY);
  await store([OTHER, [1]], [TABLE, [2]], [PROSE.toUpperCase().replace('WORKS', 'WOR\u00adKS'), [3]]);
  expect(await outcomes(id)).toEqual(['moved']);
});

it('each operand of what was computed is looked for by itself', async () => {
  const id = await asked(CHANGE);
  const quotes = (await standing(id)).map(([quote]) => quote);
  expect(quotes).toEqual(expect.arrayContaining(['Operating income', '[2023]=300', '[2022]=240']));
  await store([PROSE, [1]], [TABLE.replace('=300', '=301'), [2]]);
  const changed = await standing(id);
  expect(changed.find(([quote]) => quote === '[2023]=300')?.[1]).toBe('f');
  await store([OTHER, [1]], [OTHER, [2]], [TABLE, [5]]);
  expect(await outcomes(id)).toEqual(['moved']);
});

it('cells stand only in the row of their name', async () => {
  const id = await asked('What was the operating income in 2023?');
  await store([PROSE, [1]], [TABLE.replace('=300', '=310').replace('$1577', '300'), [2]]);
  const rows = await standing(id);
  expect(rows.find(([quote]) => quote === '[2023]=300')?.[2]).toBe('changed');
  expect(rows.find(([quote]) => quote === 'in millions')?.[2]).toBe('in place');
});

it('a document that was deleted, and a dataset that was dropped', async () => {
  const id = await asked(WHY);
  await using own = database.openOwn();
  await own.transaction(async (query) => {
    await query("DELETE FROM filings.chunks WHERE doc_id = 'acme'");
    await query("DELETE FROM filings.documents WHERE doc_id = 'acme'");
  }, new AbortController().signal);
  expect(await standing(id)).toEqual([[PROSE, 'f', 'document deleted', null, null]]);
  await session.rows('DROP DATASET filings');
  expect(await standing(id)).toEqual([[PROSE, 'f', 'dataset dropped', null, null]]);
});

it('reads what is committed, in a transaction that sees less and only reads', async () => {
  const id = await asked(WHY);
  await session.rows('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT count(*) FROM filings.chunks');
  await store([OTHER, [1]], [TABLE, [2]]);
  expect(await outcomes(id)).toEqual(['changed']);
  await session.rows('ROLLBACK');
  const sql = `SELECT stands FROM quern.citations WHERE answer_id = '${id}' AND fact_number = 1`;
  expect(await session.rows(sql)).toEqual([['f']]);
});

it('of no facts there is nothing, of NULL neither', async () => {
  const id = await asked('Who wrote the anthem of Portugal?');
  expect(await session.rows(`SELECT * FROM quern.reverify('${id}')`)).toEqual([]);
  expect(await session.rows('SELECT * FROM quern.reverify(NULL)')).toEqual([]);
});

it('an answer that is not there is told', async () => {
  const id = '01a205a7-511e-7ebc-8f4b-48c4529d3397';
  const error = await session.error(`SELECT * FROM quern.reverify('${id}')`);
  expect([error.sqlstate, error.message]).toEqual(['22023', `answer "${id}" does not exist`]);
});
