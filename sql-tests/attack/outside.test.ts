/** Texts that may not go outside go nowhere, by whatever is asked: endpoints are real, and are asked for what they saw. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { DocumentAsker } from '../../src/ask/asker.ts';
import { InferenceLog } from '../../src/ask/inference-log.ts';
import { ChatEndpoint } from '../../src/ask/model/chat-endpoint.ts';
import { ResearchJobs } from '../../src/ask/research/jobs.ts';
import { Writer } from '../../src/ask/writer.ts';
import { createInference } from '../../src/inference/registry.ts';
import { Retention } from '../../src/session/answers/retention.ts';
import { forgetCalls } from '../../src/session/outside/retention.ts';
import type { ServerSession } from '../../src/session/server-session.ts';
import { ChatEndpointServer } from '../fixtures/chat-endpoint.ts';
import { TestDatabase, type TestSession } from '../fixtures/database.ts';
import { EmbeddingEndpointServer } from '../fixtures/embedding-endpoint.ts';
import { makeServerRelations, storeDocuments } from '../fixtures/stored-documents.ts';

const REMOTE = 'text-embedding-3-small';
const SECRET = 'The sales of Acme were 12 million in 2023, for Zanzibar harbour.';
const QUESTION = 'What were the sales of Acme in 2023?';

let chat: ChatEndpointServer;
let embedding: EmbeddingEndpointServer;
/** It gives no scores, which is all the same: it was asked. */
const reranker = createServer((_, response) => {
  reranked++;
  response.end('{"results": []}');
});
let reranked = 0;
let database: TestDatabase;
let jobs: ResearchJobs;
let session: TestSession;

beforeAll(async () => {
  chat = await ChatEndpointServer.start();
  embedding = await EmbeddingEndpointServer.start();
  await new Promise<void>((done) => reranker.listen(0, '127.0.0.1', done));
  const { port } = reranker.address() as AddressInfo;
  const at = { url: embedding.url, key: null };
  const inference = await createInference({
    modelsFolder: '/nowhere',
    threads: 1,
    embedding: { ...at, models: [REMOTE], dimensions: null, queryPrefix: '', passagePrefix: '' },
    rerank: { url: `http://127.0.0.1:${port}`, key: null, model: null },
  });
  const openSession = (): ServerSession => database.openOwn();
  const writer = new Writer({
    model: new ChatEndpoint({ url: chat.url, model: 'tiny', key: null }),
    log: new InferenceLog(openSession),
    tokensADay: null,
    allowance: { seconds: 10, tokens: null },
    report: (error) => {
      throw error;
    },
  });
  jobs = new ResearchJobs({
    ...{ openSession, writer, log: () => undefined, nowMs: () => performance.now() },
    openAs: (starter) => database.factory.openAs(starter),
  });
  database = await TestDatabase.open({ inference, asker: new DocumentAsker(writer), researcher: jobs });
  await using own = database.openOwn();
  await makeServerRelations(own);
  await jobs.resume();
  session = await database.session();
  for (const [name, outside] of [
    ['secret', 'off'],
    ['open', 'on'],
  ] as const) {
    await session.rows(`CREATE DATASET ${name} WITH (embedding_model = 'hash', outside = '${outside}')`);
    await storeDocuments(own, name, [{ docId: 'acme', chunks: [{ text: SECRET, pages: [1] }] }]);
  }
  await session.rows(
    `CREATE TABLE hidden (_id text, body text INDEX keyword_index()) WITH (outside = off);
     INSERT INTO hidden VALUES ('a', '${SECRET}');
     CREATE TABLE shown (_id text, body text INDEX semantic_index(model => '${REMOTE}'))`,
  );
  await session.rows(
    `CREATE EVALUATION questions AS SELECT '${QUESTION}' AS question, ARRAY['acme'] AS doc_id`,
  );
  await session.rows('CREATE ROLE outsider; CREATE ROLE insider; GRANT ALL ON shown TO outsider, insider');
  await session.rows('GRANT quern_outside TO insider');
});

afterAll(async () => {
  await jobs[Symbol.asyncDispose]();
  await database.close();
  await chat.close();
  await embedding.close();
  reranker.closeAllConnections();
  reranker.close();
});

beforeEach(async () => {
  chat.bodies.length = 0;
  embedding.asked.length = 0;
  reranked = 0;
  await session.rows('RESET ROLE');
});

const requests = (): number => chat.bodies.length + embedding.asked.length + reranked;

/** SQLSTATE that a statement ends with; null: it ran. */
async function state(text: string, by = session): Promise<string | null> {
  try {
    await by.rows(text);
    return null;
  } catch (error) {
    return (error as { sqlstate: string }).sqlstate;
  }
}

const NEAR = 'ORDER BY semantic_similarity(shown.body, (SELECT body FROM hidden)) DESC';

const REFUSED: readonly string[] = [
  `SELECT embed(body, '${REMOTE}') FROM hidden`,
  `SELECT embed(text, '${REMOTE}') FROM secret.chunks`,
  `SELECT embed(text, '${REMOTE}') FROM quern.search('sales', 'secret')`,
  `WITH w AS MATERIALIZED (SELECT body FROM hidden) SELECT embed(body, '${REMOTE}') FROM w`,
  `SELECT embed((SELECT body FROM hidden), '${REMOTE}')`,
  "SELECT rerank(body, 'sales') FROM hidden",
  "SELECT rerank(text, 'sales') FROM quern.search('sales', 'secret')",
  `SELECT _id FROM shown ${NEAR} LIMIT 1`,
  "INSERT INTO shown SELECT 'x', body FROM hidden",
  'UPDATE shown SET body = (SELECT body FROM hidden)',
  `CREATE INDEX ON hidden USING semantic (body) WITH (model = '${REMOTE}')`,
  `CREATE INDEX ON secret.chunks USING semantic (text) WITH (model = '${REMOTE}')`,
  `CREATE TABLE late (_id text, body text INDEX semantic_index(model => '${REMOTE}')) WITH (outside = off)`,
  `CREATE DATASET late WITH (embedding_model = '${REMOTE}', outside = 'off')`,
  `ALTER DATASET secret SET EMBEDDING MODEL '${REMOTE}'`,
  'ALTER TABLE shown SET (outside = off)',
];

it.each(REFUSED)('%s: 42501, and no request', async (text) => {
  await session.rows("INSERT INTO shown VALUES ('s', 'a quiet sea') ON CONFLICT DO NOTHING");
  embedding.asked.length = 0;
  expect(await state(text)).toBe('42501');
  expect(requests()).toBe(0);
});

it('answers in words of the documents, and says why, by ask, research and evaluations', async () => {
  const rows = await session.rows(`SELECT * FROM quern.ask('${QUESTION}', 'secret')`);
  expect(JSON.stringify(rows)).toContain('Texts of dataset \\"secret\\" may not go to an endpoint outside');
  expect(JSON.stringify(rows)).toContain('12 million');
  const researched = await session.rows(`SELECT * FROM quern.research('${QUESTION}', 'secret')`);
  expect(JSON.stringify(researched)).toContain('12 million');
  expect(await state(`SELECT embed(fact, '${REMOTE}') FROM quern.facts`)).toBe('42501');
  const answer = 'SELECT answer_id FROM quern.answers LIMIT 1';
  const verified = `SELECT embed(fact, '${REMOTE}') FROM quern.reverify((${answer}))`;
  expect(await state(verified)).toBe('42501');
  await session.rows('EVALUATE ASK questions ON secret');
  expect(requests()).toBe(0);
  for (const text of [
    `SELECT * FROM quern.ask('${QUESTION}', 'open')`,
    `SELECT * FROM quern.research('${QUESTION}', 'open')`,
    'EVALUATE ASK questions ON open',
  ]) {
    chat.bodies.length = 0;
    await session.rows(text);
    expect([text, chat.bodies.length > 0]).toEqual([text, true]);
  }
});

it('searches a dataset whose model is outside, though another one stays here', async () => {
  await session.rows(`CREATE DATASET far WITH (embedding_model = '${REMOTE}')`);
  await using own = database.openOwn();
  await storeDocuments(own, 'far', [{ docId: 'sea', chunks: [{ text: 'A quiet sea.', pages: [1] }] }]);
  embedding.asked.length = 0;
  expect(await session.rows("SELECT doc_id FROM quern.search('still waters', 'far')")).toEqual([['sea']]);
  expect(requests()).toBeGreaterThan(0);
  expect(await state("ALTER DATASET far SET (outside = 'off')")).toBe('42501');
  await session.rows('DROP DATASET far');
});

it('sends nothing of who may not, and a row says what was sent by whom', async () => {
  await session.rows('SET ROLE outsider');
  for (const text of [
    `SELECT embed('whale', '${REMOTE}')`,
    "SELECT rerank('whale', 'sea')",
    "INSERT INTO shown VALUES ('o', 'whale')",
    "SELECT _id FROM shown ORDER BY semantic_similarity(body, 'harpoon') DESC LIMIT 1",
  ]) {
    expect([text, await state(text)]).toEqual([text, '42501']);
  }
  expect(requests()).toBe(0);
  expect(await session.rows('SELECT * FROM quern.outside_calls')).toEqual([]);
  await session.rows('RESET ROLE; SET ROLE insider');
  await session.rows("INSERT INTO shown VALUES ('i', 'whale of insiders')");
  const columns = "purpose, source, model, outcome, bytes > 0, length(digest), host LIKE '127.0.0.1:%'";
  expect(await session.rows(`SELECT ${columns} FROM quern.outside_calls`)).toEqual([
    ['embedding', 'public.shown', REMOTE, 'answered', 't', '64', 't'],
  ]);
  expect(await state('DELETE FROM quern.outside_calls')).toBe('42501');
  await session.rows('RESET ROLE');
  const seen = JSON.stringify(await session.rows('SELECT * FROM quern.outside_calls'));
  expect(seen).not.toMatch(/whale|Zanzibar/);
});

it('research sends as whoever began it: nothing of a role that may not, and the rows of its calls are its own', async () => {
  const reads = 'GRANT USAGE ON SCHEMA open, secret TO outsider, insider';
  const all = (dataset: string): string =>
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${dataset} TO outsider, insider`;
  await session.rows(`${reads}; ${all('open')}; ${all('secret')}`);
  const research = async (role: string, dataset: string): Promise<string> => {
    chat.bodies.length = 0;
    await session.rows(`RESET ROLE; SET ROLE ${role}`);
    return JSON.stringify(await session.rows(`SELECT * FROM quern.research('${QUESTION}', '${dataset}')`));
  };
  for (const [role, dataset] of [
    ['outsider', 'open'],
    ['insider', 'secret'],
  ] as const) {
    expect(await research(role, dataset)).toContain('12 million');
    expect([role, chat.bodies.length]).toEqual([role, 0]);
  }
  await research('insider', 'open');
  expect(chat.bodies.length).toBeGreaterThan(0);
  const calls =
    'SELECT DISTINCT role::regrole::text, source FROM quern.outside_calls WHERE purpose = $$answer$$';
  expect(await session.rows(calls)).toEqual([['insider', 'open']]);
});

it('sends nothing for a key with outside = off, whatever its role and whoever it acts as', async () => {
  await session.rows(`CREATE DATASET distant WITH (embedding_model = '${REMOTE}');
    CREATE FUNCTION sent() RETURNS f32_vector LANGUAGE sql SECURITY DEFINER
      AS $$SELECT embed('whale', '${REMOTE}')$$`);
  const [[, key] = []] = await session.rows('CREATE API KEY quiet WITH (role = owner, outside = off)');
  const quiet = await database.sessionOf(key as string);
  for (const text of [
    `SELECT embed('whale', '${REMOTE}')`,
    'SELECT sent()',
    'SET ROLE insider',
    `SELECT embed('whale', '${REMOTE}')`,
    'RESET ROLE',
    "SELECT rerank('whale', 'sea')",
    "INSERT INTO shown VALUES ('k', 'whale')",
    "SELECT _id FROM shown ORDER BY semantic_similarity(body, 'harpoon') DESC LIMIT 1",
    "SELECT quern.upsert_file('distant', 'k', 'whale.txt', 'a whale'::bytea)",
    `CREATE TABLE of_key (_id text, body text INDEX semantic_index(model => '${REMOTE}'))`,
    `CREATE DATASET of_key WITH (embedding_model = '${REMOTE}')`,
    'CREATE API KEY louder',
  ]) {
    const ended = await state(text, quiet);
    expect([text, ended]).toEqual([text, / ROLE/.test(text) ? null : '42501']);
  }
  const told = JSON.stringify(await quiet.rows(`SELECT * FROM quern.ask('${QUESTION}', 'open')`));
  const researched = JSON.stringify(await quiet.rows(`SELECT * FROM quern.research('${QUESTION}', 'open')`));
  for (const answer of [told, researched]) expect(answer).toContain('12 million');
  expect(requests()).toBe(0);
  const listed = "SELECT name, outside FROM quern.api_keys WHERE name IN ('quiet', 'owner') ORDER BY 1";
  expect(await session.rows(listed)).toEqual([
    ['owner', 't'],
    ['quiet', 'f'],
  ]);
  await session.rows('ALTER API KEY quiet SET (outside = on)');
  const heard = await database.sessionOf(key as string);
  await heard.rows(`SELECT embed('a whale is heard', '${REMOTE}')`);
  expect(requests()).toBe(1);
  await session.rows('DROP DATASET distant; DROP FUNCTION sent');
});

it('forgets rows of requests that are too many or too old', async () => {
  await using own = database.openOwn();
  const { signal } = new AbortController();
  const counts = async (): Promise<unknown> =>
    session.rows(`SELECT (SELECT count(*) FROM quern.outside_calls WHERE host = 'h'),
      (SELECT count(*) FROM quern.inference_log WHERE model = 'm')`);
  const old = "clock_timestamp() - CASE WHEN i <= 300 THEN interval '20 days' ELSE interval '1 day' END";
  await own.transaction(async (query) => {
    await query('DELETE FROM quern.outside_calls');
    await query('DELETE FROM quern.inference_log');
    await query(`INSERT INTO quern.outside_calls (at, role, purpose, host, bytes, digest, outcome)
      SELECT ${old}, 10, 'answer', 'h', 1, '', 'sent' FROM generate_series(1, 420) AS i`);
    await query(`INSERT INTO quern.inference_log
        (at, purpose, model, outcome, prompt_tokens, completion_tokens, ms, facts_written, facts_placed)
      SELECT ${old}, 'ask', 'm', 'answered', 1, 1, 1, 0, 0 FROM generate_series(1, 420) AS i`);
  }, signal);
  const forget = (bounds: Parameters<typeof forgetCalls>[1]): Promise<void> =>
    new Retention({
      openSession: () => database.openOwn(),
      nowMs: () => 0,
      report: (error) => expect(error).toBeNull(),
      forgetSome: (query) => forgetCalls(query, bounds),
    }).forget();
  await forget({ days: 30 });
  expect(await counts()).toEqual([['420', '420']]);
  await forget({ days: 10 });
  expect(await counts()).toEqual([['120', '120']]);
  await forget({ days: 10, countMax: 7 });
  expect(await counts()).toEqual([['7', '7']]);
  expect(await session.rows('SHOW quern.call_days')).toEqual([['365']]);
});

it('is listed, and changes', async () => {
  const options = "SELECT reloptions FROM pg_class WHERE relname = 'hidden'";
  expect(await session.rows(options)).toEqual([['{outside=off}']]);
  const listed = `SELECT name, outside FROM quern.datasets
    UNION ALL SELECT name, outside FROM quern.collections ORDER BY 1`;
  expect(await session.rows(listed)).toEqual([
    ['hidden', 'f'],
    ['open', 't'],
    ['secret', 'f'],
    ['shown', 't'],
  ]);
  await session.rows('ALTER TABLE hidden SET (outside = on)');
  await session.rows(`SELECT embed(body, '${REMOTE}') FROM hidden`);
  expect(requests()).toBe(1);
  await session.rows('ALTER TABLE hidden SET (outside = off); ALTER TABLE hidden RESET (outside)');
  expect(await session.rows(options)).toEqual([[null]]);
  await session.rows("ALTER TABLE hidden SET (outside = off); ALTER DATASET open SET (outside = 'off')");
  expect(await state(`SELECT embed(text, '${REMOTE}') FROM open.chunks`)).toBe('42501');
  await session.rows("ALTER DATASET open SET (outside = 'on')");
  expect(await state('ALTER TABLE hidden SET (fillfactor = 10)')).toBe('0A000');
  expect(await state('ALTER TABLE hidden SET (outside = maybe)')).toBe('22023');
});
