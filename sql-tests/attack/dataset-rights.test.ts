/** Datasets, and what Quern keeps of requests: every function that reaches them asks for the caller's rights. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestAccess } from '../fixtures/access.ts';
import type { TestSession } from '../fixtures/database.ts';
import { TestResearch } from '../fixtures/research.ts';

const SALES = '## Report > Sales\nThe sales of Acme were 12 million in 2023.';

let world: TestResearch;
let access: TestAccess;
let session: TestSession;
/** Refused everything; reads `filings`; and uploads into it. */
const ROLES = ['nobody', 'reads', 'uploads'] as const;

beforeAll(async () => {
  world = await TestResearch.open();
  access = new TestAccess(world.database.environment.engine);
  await world.session.rows(`CREATE DATASET filings WITH (embedding_model = 'hash')`);
  await world.store('filings', [{ docId: 'acme', chunks: [{ text: SALES, pages: [1] }] }]);
  await world.session.rows(
    `CREATE EVALUATION questions AS SELECT 'sales' AS question, ARRAY['acme'] AS doc_id`,
  );
  for (const role of ROLES) await access.role(role);
  for (const role of ['reads', 'uploads']) await access.grant(['USAGE'], 'schema', 'filings', role);
  const relations = ['documents', 'chunks', 'tables', 'cells', '_lines', 'subjects', 'cell_paths'];
  for (const relation of relations) await access.grant(['SELECT'], 'relation', relation, 'reads');
  await access.grant(['INSERT', 'UPDATE'], 'relation', 'documents', 'uploads');
  session = await world.database.session();
});

afterAll(() => world[Symbol.asyncDispose]());

const COPIED = {
  copyIn: async function* () {
    yield Buffer.from('x');
  },
  copyOut: () => undefined,
  copyData: () => undefined,
  copyDone: () => undefined,
};

const state = async (role: string, text: string): Promise<string | null> => {
  await session.rows(`ROLLBACK; SET ROLE ${role}`);
  try {
    await session.rows(text, COPIED as never);
    return null;
  } catch (error) {
    return (error as { sqlstate: string }).sqlstate;
  } finally {
    await session.rows('ROLLBACK; RESET ROLE');
  }
};

const READS: readonly string[] = [
  "SELECT * FROM quern.search('sales', 'filings')",
  "SELECT * FROM quern.ask('What were the sales of Acme?', 'filings')",
  "SELECT quern.ask_json('What were the sales of Acme?', 'filings')",
  "SELECT quern.get_metadata('filings', ARRAY['acme'])",
  "SELECT quern.export('filings', 'acme', 'markdown')",
  "SELECT * FROM quern.research('Sales of Acme', 'filings')",
  "SELECT quern.start_research('Sales of Acme', 'filings')",
  "SELECT * FROM quern.ask('Sales of Acme', 'filings', mode => 'research')",
  "CREATE EVALUATION mine AS SELECT doc_id AS question, ARRAY['acme'] AS doc_id FROM filings.documents; DROP EVALUATION mine",
  'SELECT * FROM filings.documents',
  'SELECT * FROM filings.chunks',
  'EXPLAIN SELECT * FROM filings.chunks',
];

describe('reading', () => {
  it.each(READS)('%s', async (text) => {
    expect([await state('nobody', text), await state('uploads', text)]).toEqual(['42501', '42501']);
    expect(await state('reads', text)).toBeNull();
  });
});

const WRITES: readonly string[] = [
  "SELECT quern.upsert_file('filings', 'new', 'new.txt', 'abc')",
  "COPY quern.upload FROM STDIN WITH (dataset 'filings', doc_id 'n', name 'n.txt')",
  `SELECT quern.update_metadata('filings', 'acme', '{"a": 1}')`,
];

describe('writing', () => {
  it.each(WRITES)('%s', async (text) => {
    expect([await state('nobody', text), await state('reads', text)]).toEqual(['42501', '42501']);
    expect(await state('uploads', `BEGIN; ${text}`)).toBeNull();
  });
});

const CLOSED: readonly string[] = [
  'SELECT * FROM quern.ingest_queue',
  'SELECT * FROM quern.ingest_turns',
  'SELECT * FROM quern.terms',
  'SELECT * FROM quern.research_starters',
  'SELECT * FROM filings._files',
  'SELECT * FROM filings._pictures',
  'SELECT * FROM filings._passwords',
  "SELECT quern.delete_document('filings', 'acme')",
  'DROP DATASET filings',
  'CREATE DATASET mine',
];

describe('what no grant opens', () => {
  it.each(CLOSED)('%s', async (text) => {
    expect([await state('nobody', text), await state('reads', text)]).toEqual(['42501', '42501']);
  });

  it('stays closed to whoever reads all data', async () => {
    expect(await state('reader', "SELECT * FROM quern.search('sales', 'filings')")).toBeNull();
    for (const text of CLOSED) expect([text, await state('reader', text)]).toEqual([text, '42501']);
  });

  it('threads are of the role that asks', async () => {
    const ask = (question: string): string =>
      `SELECT * FROM quern.ask('${question}', 'filings', thread => 'shared')`;
    await session.rows(ask('What were the sales of Acme?'));
    expect(await state('reads', ask('And in 2023?'))).toBeNull();
    const own =
      "SELECT count(*) FROM quern.answers WHERE thread = 'shared' AND asked_by = 'reads' AND follows IS NULL";
    expect(await session.rows(own)).toEqual([['1']]);
  });
});
