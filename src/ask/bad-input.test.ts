/**
 * Questions that nobody should ask, and documents that are uploaded again in the middle of one: each step of an
 * answer is met by another version once.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTurns } from '../../sql-tests/faults/turn-watch.ts';
import { TestDatabase, type TestSession } from '../../sql-tests/fixtures/database.ts';
import { makeServerRelations, storeDocuments } from '../../sql-tests/fixtures/stored-documents.ts';
import { whyNot } from '../../sql-tests/fixtures/stands.ts';
import type { Asker } from '../session/datasets/asker.ts';
import type { ServerSession } from '../session/server-session.ts';
import { DocumentAsker } from './asker.ts';

const OLD = 'Operating income of Acme grew by 25 % because the Tucson works were opened.';
const NEW = 'Operating income of Acme fell by 9 % because the Tucson works were closed.';
const QUESTION = 'Why did operating income of Acme change?';
const DATASETS = 1_000;

let database: TestDatabase;
let session: TestSession;
let own: ServerSession;
/** Before which of its own statements an answer waits, and for what. */
let before: (statement: number) => Promise<void> = async () => undefined;
let statements = 0;

const stored = (text: string): Promise<void> =>
  storeDocuments(own, 'filings', [{ docId: 'acme', chunks: [{ text, pages: [1] }] }]);

beforeAll(async () => {
  const asker = new DocumentAsker();
  const hooked: Asker = {
    standing: (...given) => asker.standing(...given),
    answer: (request, query, signal, sender) =>
      asker.answer(
        request,
        async (sql, ...parameters) => {
          await before(++statements);
          return query(sql, ...parameters);
        },
        signal,
        sender,
      ),
  };
  database = await TestDatabase.open({ asker: hooked });
  session = await database.session();
  own = database.openOwn();
  await makeServerRelations(own);
  for (const name of ['filings', 'other', 'being_made']) {
    await session.rows(`CREATE DATASET ${name} WITH (embedding_model = 'hash')`);
  }
  await stored(OLD);
  await storeDocuments(own, 'other', [{ docId: 'zoo', chunks: [{ text: 'The zebra sleeps.', pages: [1] }] }]);
});

afterAll(async () => {
  await own[Symbol.asyncDispose]();
  await session.session[Symbol.asyncDispose]();
  await database.close();
});

interface Answer {
  readonly facts: readonly { readonly fact: string }[];
  readonly refs: Readonly<
    Record<
      string,
      {
        readonly content: { readonly text: string };
        readonly quotes: readonly { readonly text: string; readonly start: number; readonly end: number }[];
      }
    >
  >;
}

async function asked(datasets: string, more = ''): Promise<Answer> {
  statements = 0;
  const sql = `SELECT ask_json('${QUESTION}', ${datasets}${more})`;
  const answer = JSON.parse(String((await session.rows(sql))[0]?.[0])) as Answer;
  for (const { content, quotes } of Object.values(answer.refs)) {
    for (const { text, start, end } of quotes)
      expect(whyNot({ quote: text, content: content.text, start, end })).toBeNull();
  }
  return answer;
}

const FILINGS = "ARRAY['filings']";
const factsOf = ({ facts }: Answer): readonly string[] => facts.map(({ fact }) => fact);
const cited = ({ refs }: Answer): readonly string[] => Object.values(refs).map(({ content }) => content.text);

describe('a document that is uploaded again', () => {
  it('answers with its old version until the new one is there', async () => {
    const goesOn = Promise.withResolvers<void>();
    const isWritten = Promise.withResolvers<void>();
    const upload = own.transaction(async (query) => {
      await query(`UPDATE filings.chunks SET text = '${NEW}'`);
      isWritten.resolve();
      await goesOn.promise;
    }, new AbortController().signal);
    await isWritten.promise;
    expect(factsOf(await asked(FILINGS))).toEqual([OLD]);
    goesOn.resolve();
    await upload;
    await stored(OLD);
  });

  it('answers with one of its versions, whole, at whatever step the new one comes', async () => {
    expect(factsOf(await asked(FILINGS))).toEqual([OLD]);
    const count = statements;
    expect(count).toBeGreaterThan(2);
    const seen = new Set<string>();
    for (let at = 1; at <= count; at++) {
      await stored(OLD);
      before = async (statement) => {
        if (statement === at) await stored(NEW);
      };
      const answer = await asked(FILINGS);
      before = async () => undefined;
      expect([[OLD], [NEW]]).toContainEqual(factsOf(answer));
      expect(cited(answer)).toEqual(factsOf(answer));
      seen.add(factsOf(answer)[0] ?? '');
    }
    expect([...seen].length).toBeGreaterThan(0);
    await stored(OLD);
  });

  it('gives no facts where it has gone before it is searched', async () => {
    before = async (statement) => {
      if (statement === 1) await own.transaction((query) => query('DELETE FROM filings.chunks'), NEVER);
    };
    const answer = await asked(FILINGS);
    before = async () => undefined;
    expect([[], [OLD]]).toContainEqual(factsOf(answer));
    await stored(OLD);
  });
});

const NEVER = new AbortController().signal;

describe('datasets', () => {
  it('named twice are one', async () => {
    const once = await asked(FILINGS);
    expect(await asked("ARRAY['filings', 'filings']")).toEqual(once);
    expect(await asked(`'["filings", {"dataset": "filings"}]'::jsonb`)).toEqual(once);
  });

  it('named twice with filters are what each keeps', async () => {
    const both = '[{"dataset": "filings", "filter": "doc_id = \'none\'"}, {"dataset": "filings"}]';
    expect(factsOf(await asked(`'${both.replaceAll("'", "''")}'::jsonb`))).toEqual([OLD]);
  });

  it('may be a thousand', async () => {
    const many = `array_fill('other'::text, ARRAY[${DATASETS - 1}]) || ${FILINGS}`;
    await inTurns(20, async () => expect(factsOf(await asked(many))).toEqual([OLD]));
  });

  it.each([
    [`array_fill('filings'::text, ARRAY[${DATASETS + 1}])`, '54000', /1001 datasets are more than 1000/],
    ["ARRAY['filings', NULL]", '22004', /may not be null/],
    ["'[null]'::jsonb", '22023', /a dataset is a name/],
    ['\'["filings", ["filings"]]\'::jsonb', '22023', /a dataset is a name/],
    ["ARRAY['']", '42704', /dataset "" does not exist/],
    ["ARRAY['filings; DROP TABLE x']", '42704', /does not exist/],
  ])('%s', async (datasets, code, message) => {
    statements = 0;
    const error = await session.error(`SELECT * FROM ask('${QUESTION}', ${datasets})`);
    expect([error.sqlstate, error.message]).toEqual([code, expect.stringMatching(message)]);
    // Before anything was looked for.
    expect(statements).toBe(0);
  });

  it('without a document that is ready say so', async () => {
    const rows = await session.rows(
      `SELECT update, confidence FROM ask('${QUESTION}', ARRAY['being_made', 'being_made'])`,
    );
    expect(rows.at(-2)?.[0]).toBe('Dataset "being_made" has no document that is ready.');
    expect(rows.at(-1)?.[1]).toBe('0');
  });
});

describe('progress', () => {
  it('names a few of many datasets', async () => {
    const many = Array.from({ length: 12 }, (_, i) => `d${i}`);
    for (const name of many) await session.rows(`CREATE DATASET ${name} WITH (embedding_model = 'hash')`);
    const list = many.map((name) => `'${name}'`).join(', ');
    const rows = await session.rows(`SELECT update FROM ask('${QUESTION}', ARRAY[${list}])`);
    expect(rows[0]?.[0]).toBe('Searching d0, d1, d2, d3, d4 and 7 more.');
    expect(rows[1]?.[0]).toBe(
      'Datasets "d0", "d1", "d2", "d3", "d4" and 7 more have no document that is ready.',
    );
  });
});
