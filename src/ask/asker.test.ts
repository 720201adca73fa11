/** `ask()` as SQL over stored documents: rows, references, streaming, and what is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../sql-tests/fixtures/database.ts';
import { makeServerRelations, storeDocuments } from '../../sql-tests/fixtures/stored-documents.ts';
import { whyNot } from '../../sql-tests/fixtures/stands.ts';
import { SqlError } from '../errors.ts';
import type { Asker } from '../session/datasets/asker.ts';

const SALES = `(in millions)
[row_1] [column_1]=Sales; [2023]=$1,577; [2022]=$1,421
[row_2] [column_1]=Cost of sales; [2023]=(1,012); [2022]=(987)
[row_3] [column_1]=Operating income; [2023]=300; [2022]=240`;

const SALES_RUN = { page: 2, start: 25, end: 57, box: [72, 100, 200, 112] } as const;

const PROSE = [
  '## Acme > Overview',
  'Acme makes anvils. Operating income grew because the Tucson works were opened in March 2022.',
  'The board met in Phoenix.',
].join('\n');

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  await using own = database.openOwn();
  await makeServerRelations(own);
  for (const name of ['filings', 'empty']) {
    await session.rows(`CREATE DATASET ${name} WITH (embedding_model = 'hash')`);
  }
  await storeDocuments(own, 'filings', [
    {
      docId: 'acme-2023',
      metadata: { year: 2023 },
      chunks: [
        { text: PROSE, pages: [1], headings: ['Acme', 'Overview'] },
        { text: SALES, pages: [2], runs: [SALES_RUN] },
      ],
    },
    { docId: 'zoo', metadata: { year: 1900 }, chunks: [{ text: 'The zebra sleeps by day.', pages: [1] }] },
  ]);
});

afterAll(async () => {
  await session.session[Symbol.asyncDispose]();
  await database.close();
});

interface Ref {
  readonly content_id: string;
  readonly content: { readonly text: string; readonly doc_pages: readonly number[] };
  readonly quotes: readonly {
    readonly text: string;
    readonly start: number;
    readonly end: number;
    readonly boxes: readonly { readonly page: number; readonly box: readonly number[] }[];
  }[];
}

interface Answer {
  readonly facts: readonly { readonly fact: string; readonly ref_ids: readonly string[] }[];
  readonly refs: Readonly<Record<string, Ref>>;
  readonly confidence: number;
}

async function answered(question: string, more = ''): Promise<Answer> {
  const sql = `SELECT ask_json('${question.replaceAll("'", "''")}', ARRAY['filings']${more})`;
  return JSON.parse(String((await session.rows(sql))[0]?.[0])) as Answer;
}

describe('an answer', () => {
  it('names row, column, value and unit of a cell', async () => {
    const { facts, refs, confidence } = await answered('What were the sales of Acme in 2023?');
    expect(facts[0]?.fact).toBe('Sales, 2023: $1,577 (in millions)');
    const ref = refs[facts[0]?.ref_ids[0] ?? ''];
    expect(ref).toMatchObject({
      dataset: 'filings',
      doc_id: 'acme-2023',
      doc_name: 'acme-2023.txt',
      doc_type: 'text/plain',
      content_id: 'doc#acme-2023#chunk#2',
      content: { text: SALES, doc_pages: [2] },
    });
    expect(ref?.quotes.map(({ text }) => text)).toContain('[2023]=$1,577');
    expect(ref?.quotes.flatMap(({ boxes }) => boxes)).toContainEqual({ page: 2, box: [72, 100, 200, 112] });
    expect(confidence).toBeGreaterThan(50);
    expect(confidence).toBeLessThanOrEqual(100);
  });

  it('gives the sentence that tells the reason', async () => {
    const { facts } = await answered('Why did operating income of Acme grow?');
    expect(facts[0]?.fact).toBe('Operating income grew because the Tucson works were opened in March 2022.');
  });

  it('computes what stands in a table, and cites every operand', async () => {
    const { facts, refs } = await answered(
      'What was the percentage change in operating income from 2022 to 2023?',
    );
    expect(facts[0]?.fact).toBe(
      'Percentage change, operating income (computed): (300 − 240) / 240 = 25 %; ' +
        'from Operating income, 2023: 300; Operating income, 2022: 240',
    );
    const quotes = refs[facts[0]?.ref_ids[0] ?? '']?.quotes.map(({ text }) => text);
    expect(quotes).toEqual(expect.arrayContaining(['Operating income', '[2023]=300', '[2022]=240']));
  });

  it('cites only words that stand where it says, and every id is a reference', async () => {
    for (const question of ['sales', 'What happened in March 2022?', 'cost of sales in 2022', 'anvils']) {
      const { facts, refs } = await answered(question, ", mode => 'summarize'");
      expect(facts.length, question).toBeGreaterThan(0);
      for (const id of facts.flatMap(({ ref_ids }) => ref_ids)) expect(Object.keys(refs)).toContain(id);
      for (const { content, quotes } of Object.values(refs)) {
        expect(quotes.length).toBeGreaterThan(0);
        for (const { text, start, end } of quotes)
          expect(whyNot({ quote: text, content: content.text, start, end })).toBeNull();
      }
    }
  });

  it('comes as rows: progress, facts, and the answer last', async () => {
    const rows = await session.rows(
      "SELECT kind, update, fact, ref_ids FROM ask('sales in 2023', ARRAY['filings'])",
    );
    const kinds = rows.map(([kind]) => kind);
    expect(kinds.slice(0, 2)).toEqual(['progress', 'progress']);
    expect(rows[0]?.[1]).toBe('Searching filings.');
    expect(kinds.at(-1)).toBe('answer');
    expect(kinds.filter((kind) => kind === 'answer')).toHaveLength(1);
    expect(kinds.slice(2, -1).every((kind) => kind === 'fact')).toBe(true);
  });

  it('keeps to the page that the question names', async () => {
    const { refs } = await answered('What is said of operating income on page 1?');
    expect(Object.values(refs).map(({ content }) => content.doc_pages)).toEqual([[1]]);
  });
});

const nothing = async (call: string): Promise<string> => {
  const rows = await session.rows(`SELECT kind, update, refs, confidence FROM ${call}`);
  expect(
    rows.some(([kind]) => kind === 'fact'),
    call,
  ).toBe(false);
  expect(rows.at(-1)).toEqual(['answer', null, '{}', '0']);
  return rows.findLast(([kind]) => kind === 'progress')?.[1] ?? '';
};

describe('no facts, and confidence 0', () => {
  it.each([
    ["ask('', ARRAY['filings'])", 'The question has no word to look for.'],
    ["ask('  🙂 ', ARRAY['filings'])", 'The question has no word to look for.'],
    ["ask('sales', ARRAY['empty'])", 'Dataset "empty" has no document that is ready.'],
    [
      "ask('sales', ARRAY['filings'], filter => 'year = 1')",
      'The filter keeps nothing in which something was found.',
    ],
    [
      "ask('Who wrote the national anthem, and where was it sung first?', ARRAY['filings'])",
      'Nothing that was found supports an answer well enough: no facts are given.',
    ],
    [
      "ask('Who wrote the national anthem of Portugal?', ARRAY['filings'])",
      'No document of filings is about "Portugal".',
    ],
  ])('%s', async (call, update) => {
    expect(await nothing(call)).toBe(update);
  });

  it('of a NULL there is nothing', async () => {
    expect(await session.rows("SELECT * FROM ask(NULL, ARRAY['filings'])")).toEqual([]);
    expect(await session.rows("SELECT ask_json('x', NULL::text[])")).toEqual([[null]]);
  });
});

describe('refused', () => {
  it.each([
    ["ask('sales', ARRAY['filings'], 'fast')", '22023', 'unknown mode "fast"'],
    [
      "ask('sales', ARRAY['filings'], mode => 'research')",
      '0A000',
      'research is done by a server that keeps its runs',
    ],
    ["ask('sales', ARRAY['fillings'])", '42704', 'dataset "fillings" does not exist'],
    ["ask('sales', ARRAY[]::text[])", '22023', 'provide at least one dataset'],
    ["ask(repeat('a', 8193), ARRAY['filings'])", '54000', 'question of 8193 characters is longer than 8192'],
    ["ask('sales', '{}'::jsonb)", '22023', 'datasets are a list'],
    ["ask('sales', ARRAY['filings'], filter => 'nothing = 1')", '42703', 'column "nothing" does not exist'],
  ])('%s', async (call, code, message) => {
    const error = await session.error(`SELECT * FROM ${call}`);
    expect([error.sqlstate, error.message]).toEqual([code, message]);
  });
});

describe('streaming', () => {
  it('sends rows before the next ones are there, and stops when it is cancelled', async () => {
    const told = Promise.withResolvers<AbortSignal>();
    const waiting: Asker = {
      standing: async () => [],
      async *answer(_request, _query, signal) {
        yield { kind: 'progress', update: 'first' };
        told.resolve(signal);
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    };
    const own = await TestDatabase.open({ asker: waiting });
    const client = await own.session();
    const one = client.session;
    await client.rows("CREATE DATASET a WITH (embedding_model = 'hash')");
    const flushed = Promise.withResolvers<number>();
    let rows = 0;
    const statement = client.rows("SELECT * FROM ask('x', ARRAY['a'])", {
      rows: (batch) => {
        rows += batch.length;
      },
      flush: () => flushed.resolve(rows),
    });
    const ended = statement.then(
      () => null,
      (error: unknown) => error,
    );
    expect(await flushed.promise).toBe(1);
    one.cancel(new SqlError('query_canceled', 'canceling statement due to user request'));
    expect((await told.promise).aborted).toBe(true);
    expect(await ended).toMatchObject({ sqlstate: '57014' });
    await one[Symbol.asyncDispose]();
    await own.close();
  });
});
