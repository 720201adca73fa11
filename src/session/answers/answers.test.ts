/** Answers that are kept: what of them, for whom it stays, and what leaves nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';
import { FaultyStore } from '../../../sql-tests/fixtures/faulty-store.ts';
import { MemoryStore } from '../../storage/memory-store.ts';
import { makeServerRelations, storeDocuments } from '../../../sql-tests/fixtures/stored-documents.ts';
import { forgetAnswers, Retention } from './retention.ts';

const SALES = `(in millions)
[row_1] [column_1]=Sales; [2023]=$1,577; [2022]=$1,421
[row_2] [column_1]=Operating income; [2023]=300; [2022]=240`;

const SALES_RUN = { page: 2, start: 22, end: 54, box: [72, 100, 200, 112] } as const;

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  await using own = database.openOwn();
  await makeServerRelations(own);
  await session.rows("CREATE DATASET filings WITH (embedding_model = 'hash')");
  await storeDocuments(own, 'filings', [
    { docId: 'acme', chunks: [{ text: SALES, pages: [2], runs: [SALES_RUN] }] },
    { docId: 'zoo', chunks: [{ text: 'The zebra sleeps by day.', pages: [1] }] },
  ]);
});

afterAll(async () => {
  await session.session[Symbol.asyncDispose]();
  await database.close();
});

const SALES_ASKED = "ask('What were the sales in 2023?', ARRAY['filings'])";

const count = async (): Promise<number> =>
  Number((await session.rows('SELECT count(*) FROM quern.answers'))[0]?.[0]);

describe('a kept answer', () => {
  it('tells what was asked and how it was made', async () => {
    await session.rows(`SELECT * FROM ${SALES_ASKED}`);
    const rows = await session.rows(
      `SELECT question, datasets, mode, asked_by, thread = answer_id::text, follows, understood, model,
         facts > 0, confidence > 50, finished_at >= asked_at, progress[1]
       FROM quern.answers WHERE answer_id = quern.last_answer()`,
    );
    const known = ['What were the sales in 2023?', '{filings}', 'auto', 'quern', 't', null, null, null];
    expect(rows).toEqual([[...known, 't', 't', 't', 'Searching filings.']]);
  });

  it('joins with documents and chunks, quote by quote', async () => {
    await session.rows(`SELECT * FROM ${SALES_ASKED}`);
    const rows = await session.rows(
      `SELECT f.fact, f.computed, c.ref_id, d.doc_id, c.version = d.version, c.quote, c.line,
         substr(k.text, c.quote_start + 1, c.quote_end - c.quote_start) = c.quote, c.doc_pages = k.doc_pages,
         c.boxes, c.stands
       FROM quern.facts f JOIN quern.citations c USING (answer_id, fact_number)
         JOIN filings.documents d USING (doc_id) JOIN filings.chunks k USING (content_id)
       WHERE f.answer_id = quern.last_answer() AND f.fact_number = 1 ORDER BY citation_number`,
    );
    const boxes = '[{"box": [72, 100, 200, 112], "page": 2}]';
    const fact = ['Sales, 2023: $1,577 (in millions)', 'f', '1', 'acme', 't'];
    expect(rows).toContainEqual([...fact, '[2023]=$1,577', '2', 't', 't', boxes, 't']);
    expect(rows).toContainEqual([...fact, 'in millions', '1', 't', 't', '[]', 't']);
  });

  it('marks what is computed, with each operand', async () => {
    await session.rows(
      "SELECT ask_json('What was the percentage change in sales from 2022 to 2023?', ARRAY['filings'])",
    );
    const rows = await session.rows(
      `SELECT c.quote FROM quern.facts f JOIN quern.citations c USING (answer_id, fact_number)
       WHERE f.answer_id = quern.last_answer() AND f.computed ORDER BY 1`,
    );
    expect(rows.flat()).toEqual(expect.arrayContaining(['[2022]=$1,421', '[2023]=$1,577']));
  });

  it('without facts is one too', async () => {
    await session.rows("SELECT * FROM ask('Who wrote the anthem of Portugal?', ARRAY['filings'])");
    const sql = 'SELECT facts, confidence FROM quern.answers WHERE answer_id = quern.last_answer()';
    expect(await session.rows(sql)).toEqual([['0', '0']]);
  });
});

describe('the asker', () => {
  it.each(['ROLLBACK', 'COMMIT'])('reads only, then %s', async (end) => {
    const before = await count();
    await session.rows(`BEGIN READ ONLY; SELECT * FROM ${SALES_ASKED}; ${end}`);
    expect(await count()).toBe(before + 1);
  });

  it('finds the answer in the same transaction', async () => {
    const rows = await session.rows(
      `BEGIN; SELECT count(*) FROM ${SALES_ASKED};
       SELECT count(*) FROM quern.answers WHERE answer_id = quern.last_answer(); COMMIT`,
    );
    expect(rows.at(-1)).toEqual(['1']);
  });

  it('who wants only some rows leaves nothing, who has the last one does', async () => {
    const before = await count();
    await session.rows(`SELECT * FROM ${SALES_ASKED} LIMIT 1`);
    expect(await count()).toBe(before);
    const rows = await session.rows(`SELECT count(*) FROM ${SALES_ASKED}`);
    await session.rows(`SELECT * FROM ${SALES_ASKED} LIMIT ${rows[0]?.[0]}`);
    expect(await count()).toBe(before + 2);
  });

  it('may switch it off', async () => {
    const before = await count();
    const rows = await session.rows(
      `SET quern.keep_answers = off; SELECT count(*) FROM ${SALES_ASKED}; SELECT quern.last_answer();
       RESET quern.keep_answers`,
    );
    expect(rows.at(-1)).toEqual([null]);
    expect(await count()).toBe(before);
  });

  it('cannot write what is kept', async () => {
    const error = await session.error('DELETE FROM quern.answers');
    expect(error.sqlstate).toBe('42501');
  });
});

describe('a dataset that is dropped', () => {
  it('leaves its answers, which stand no longer', async () => {
    await session.rows("CREATE DATASET brief WITH (embedding_model = 'hash')");
    await using own = database.openOwn();
    await storeDocuments(own, 'brief', [{ docId: 'acme', chunks: [{ text: SALES, pages: [2] }] }]);
    await session.rows("SELECT * FROM ask('What were the sales in 2023?', ARRAY['brief'])");
    const sql = `SELECT DISTINCT stands, reason FROM quern.citations WHERE answer_id = quern.last_answer()`;
    await session.rows('BEGIN; DROP DATASET brief; ROLLBACK');
    expect(await session.rows(sql)).toEqual([['t', null]]);
    await session.rows('DROP DATASET brief');
    expect(await session.rows(sql)).toEqual([['f', 'dataset dropped']]);
  });
});

describe('what is kept is bounded', () => {
  const retention = (bounds: { days: number; countMax?: number }): Retention =>
    new Retention({
      openSession: () => database.openOwn(),
      nowMs: () => 0,
      report: (error) => expect(error).toBeNull(),
      forgetSome: (query) => forgetAnswers(query, bounds),
    });

  it('the oldest go, with their facts and citations', async () => {
    for (let i = 0; i < 3; i++) await session.rows(`SELECT * FROM ${SALES_ASKED}`);
    const newest = 'SELECT answer_id FROM quern.answers ORDER BY answer_id DESC LIMIT 2';
    const kept = await session.rows(newest);
    await retention({ days: 1, countMax: 2 }).forget();
    expect(await session.rows('SELECT answer_id FROM quern.answers ORDER BY answer_id DESC')).toEqual(kept);
    for (const relation of ['facts', 'citations']) {
      const sql = `SELECT count(*) FROM quern.${relation} WHERE answer_id NOT IN (${newest})`;
      expect(await session.rows(sql)).toEqual([['0']]);
    }
  });

  it('and those that are too old, more than go at once', async () => {
    await using own = database.openOwn();
    await own.transaction(async (query) => {
      await query(`INSERT INTO quern.answers
        SELECT uuidv7(), thread, follows, question, understood, datasets, filters,
          mode, asked_by, asked_at, finished_at - interval '2 days', progress, facts, confidence, model
        FROM quern.answers, generate_series(1, 300)`);
    }, new AbortController().signal);
    expect(await count()).toBe(602);
    const closing = retention({ days: 1 });
    closing.kept();
    while ((await count()) > 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await closing.close();
  });

  it('a server that keeps none keeps what a session asks for', async () => {
    const forgetful = await TestDatabase.open({ answerDays: 0 });
    const client = await forgetful.session();
    const shown = await client.rows('SHOW quern.keep_answers; SHOW quern.answer_days');
    expect(shown).toEqual([['off'], ['0']]);
    await client.session[Symbol.asyncDispose]();
    await forgetful.close();
  });
});

it('a server that is killed while an answer is kept has the whole of it or nothing', async () => {
  const start = new MemoryStore();
  const made = await TestDatabase.open({ store: start });
  const first = await made.session();
  await using own = made.openOwn();
  await makeServerRelations(own);
  await first.rows("CREATE DATASET filings WITH (embedding_model = 'hash')");
  await storeDocuments(own, 'filings', [{ docId: 'acme', chunks: [{ text: SALES, pages: [2] }] }]);
  const outcomes = new Set<string>();
  for (let at = 0; at < 9; at++) {
    const store = new FaultyStore(start, { kind: 'crash', at });
    const crashing = await TestDatabase.open({ store });
    const asking = await crashing.session();
    // A crashed store never answers.
    const told = asking.rows(`SELECT * FROM ${SALES_ASKED}`).then(() => 'told');
    const ended = await Promise.race([told, crashed(store)]);
    const after = await TestDatabase.open({ store: ended === 'told' ? store : store.survivor() });
    const reader = await after.session();
    const [[answers, whole] = []] = await reader.rows(
      `SELECT count(*), count(*) FILTER (WHERE facts = (SELECT count(*) FROM quern.facts f
           WHERE f.answer_id = a.answer_id)
         AND EXISTS (SELECT 1 FROM quern.citations c WHERE c.answer_id = a.answer_id))
       FROM quern.answers a`,
    );
    expect(whole).toBe(answers);
    outcomes.add(`${ended} ${answers}`);
    if (ended === 'told') break;
  }
  expect(outcomes).toEqual(new Set(['crashed 0', 'crashed 1', 'told 1']));
});

async function crashed(store: FaultyStore): Promise<'crashed'> {
  while (!store.crashed) await new Promise((resolve) => setTimeout(resolve, 2));
  return 'crashed';
}
