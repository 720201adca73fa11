/** Semantic indexes whose model is behind an endpoint: it is down, slow or another, and rows change meanwhile. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestDatabase } from '../../../sql-tests/fixtures/database.ts';
import {
  answers,
  EmbeddingEndpointServer,
  rightAfter,
  vectors,
} from '../../../sql-tests/fixtures/embedding-endpoint.ts';
import { FaultyStore } from '../../../sql-tests/fixtures/faulty-store.ts';
import { OUTSIDE_RELATIONS } from '../outside/log.ts';
import { MemoryStore } from '../../storage/memory-store.ts';
import { SqlError } from '../../errors.ts';
import { createInference } from '../../inference/registry.ts';

const NAME = 'text-embedding-3-small';
const TABLE = `CREATE TABLE notes (_id text, body text INDEX semantic_index(model => '${NAME}'))`;
const best = (text: string): string =>
  `SELECT _id FROM notes ORDER BY semantic_similarity(body, '${text}') DESC LIMIT 1`;

let server: EmbeddingEndpointServer;
const opened: TestDatabase[] = [];
beforeEach(async () => {
  server = await EmbeddingEndpointServer.start();
});
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
  await server.close();
});

async function open(
  dimensions: number | null = null,
  store = new FaultyStore(new MemoryStore(), null),
  url = server.url,
) {
  const embedding = {
    url,
    models: [NAME],
    dimensions,
    queryPrefix: '',
    passagePrefix: '',
    key: null,
  };
  const inference = await createInference({ modelsFolder: '/nowhere', threads: 1, embedding });
  const database = await TestDatabase.open({ store, inference });
  opened.push(database);
  await using own = database.openOwn();
  await own.transaction(async (query) => {
    for (const relation of OUTSIDE_RELATIONS) await query(relation);
  }, new AbortController().signal);
  return { database, store, session: await database.session() };
}

/** The machine may be busy. */
const soon = <T>(value: () => T) => expect.poll(value);
/** A promise that a test keeps. */
const gate = () => Promise.withResolvers<void>();

it('finds by the vectors of the endpoint, and embeds texts by it', async () => {
  const { session } = await open();
  await session.rows(TABLE);
  await session.rows(
    "INSERT INTO notes VALUES ('a', 'a whale hunt'), ('b', 'quiet sea'), ('c', NULL), ('d', ' ')",
  );
  expect(await session.rows(best('sea so quiet'))).toEqual([['b']]);
  server.asked.length = 0;
  const dims = await session.rows(
    `SELECT DISTINCT vector_dims(embed('text ' || i, '${NAME}')) FROM generate_series(1, 500) i`,
  );
  expect(dims).toEqual([['64']]);
  expect(server.asked.length).toBeLessThan(20);
  expect((await session.error(`SELECT tokens('quiet', '${NAME}')`)).sqlstate).toBe('0A000');
  const unknown = await session.error("SELECT embed('quiet', 'none')");
  expect([unknown.sqlstate, unknown.fields.hint]).toEqual(['42704', `Models are ${NAME}.`]);
});

it('keeps answering what needs no endpoint while it is down', async () => {
  const { session } = await open();
  await session.rows(TABLE);
  await session.rows("CREATE TABLE others (_id text, body text INDEX semantic_index(model => 'hash'))");
  await session.rows("INSERT INTO notes VALUES ('a', 'quiet sea')");
  const { port } = server;
  await server.close();
  await session.rows("INSERT INTO others VALUES ('o', 'quiet sea')");
  const written = await session.error("INSERT INTO notes VALUES ('b', 'a whale hunt')");
  expect(written.sqlstate).toBe('58000');
  expect(written.message).toMatch(/^the endpoint of embedding model ".*" failed: ECONNREFUSED$/);
  expect((await session.error(best('sea'))).sqlstate).toBe('58000');
  expect(await session.rows("SELECT _id FROM notes WHERE match('sea', body)")).toEqual([['a']]);
  expect(await session.rows(best('sea').replace('notes', 'others'))).toEqual([['o']]);
  await server.listen(port);
  await session.rows("INSERT INTO notes VALUES ('b', 'a whale hunt')");
  expect(await session.rows(best('whale'))).toEqual([['b']]);
});

it('refuses vectors of another model, whether the settings say so or the endpoint does not', async () => {
  const { session, store } = await open();
  await session.rows(TABLE);
  await session.rows("INSERT INTO notes VALUES ('a', 'quiet sea')");
  const configured = await open(32, new FaultyStore(store.survivor(), null));
  const refused = await configured.session.error(best('sea'));
  expect([refused.sqlstate, refused.message]).toEqual([
    '55000',
    `embedding model "${NAME}" has changed since index "notes_body_semantic_idx" was made`,
  ]);
  const silent = await open(null, new FaultyStore(store.survivor(), null));
  server.next.push(...Array.from({ length: 3 }, () => vectors([1, 2, 3])));
  const added = await silent.session.error("INSERT INTO notes VALUES ('b', 'quiet')");
  expect([added.sqlstate, added.message]).toEqual([
    '55000',
    'index "notes_body_semantic_idx" holds vectors of 64 dimensions, and its model gives 3',
  ]);
  const asked = await silent.session.error(best('sea'));
  expect([asked.sqlstate, asked.message]).toEqual(['22000', 'different vector dimensions 64 and 3']);
});

it('does not let two transactions store vectors of two dimensions', async () => {
  const { database, session } = await open();
  await session.rows(TABLE);
  const other = await database.session();
  server.next.push(vectors([1, 2, 3]));
  await session.rows("BEGIN; INSERT INTO notes VALUES ('a', 'one')");
  const again = await open(null);
  // The model itself has learned its dimension; one that has not comes with another process.
  Object.assign(database.environment, { inference: again.database.environment.inference });
  await other.rows("INSERT INTO notes VALUES ('b', 'two')");
  expect((await session.error('COMMIT')).sqlstate).toBe('55000');
  expect(await session.rows('SELECT _id FROM notes')).toEqual([['b']]);
});

it('keeps a row that is being embedded from others, and embeds what they wrote before', async () => {
  const { database, session } = await open();
  await session.rows(TABLE);
  await session.rows("INSERT INTO notes VALUES ('a', 'quiet sea')");
  const other = await database.session();
  const opened = gate();
  server.next.push(rightAfter(opened.promise));
  const first = session.rows("UPDATE notes SET body = 'loud city' WHERE _id = 'a'");
  await soon(() => server.asked.length).toBe(2);
  const second = other.rows("UPDATE notes SET body = body || ' and more' WHERE _id = 'a'");
  const third = database
    .session()
    .then((deleting) => deleting.tags("DELETE FROM notes WHERE body = 'quiet sea'"));
  await new Promise((done) => setTimeout(done, 20));
  opened.resolve();
  await Promise.all([first, second]);
  expect(await third).toEqual(['DELETE 0']);
  const similar = "SELECT body, semantic_similarity(body, 'loud city and more') > 0.999 FROM notes";
  expect(await session.rows(similar)).toEqual([['loud city and more', 't']]);
});

it('inserts against a key that was taken while the endpoint was asked', async () => {
  const { database, session } = await open();
  await session.rows('CREATE TABLE notes (id text PRIMARY KEY, body text)');
  await session.rows(`CREATE INDEX ON notes USING semantic (body) WITH (model = '${NAME}')`);
  const other = await database.session();
  const opened = gate();
  server.next.push(rightAfter(opened.promise), rightAfter(opened.promise));
  const plain = session.error("INSERT INTO notes VALUES ('a', 'quiet sea')");
  const upserting = await database.session();
  const upsert = upserting.rows(
    "INSERT INTO notes VALUES ('a', 'quiet sea') ON CONFLICT (id) DO UPDATE SET body = notes.body || ' again'",
  );
  await soon(() => server.asked.length).toBe(2);
  await other.rows("INSERT INTO notes VALUES ('a', 'loud city')");
  opened.resolve();
  expect((await plain).sqlstate).toBe('23505');
  await upsert;
  const similar = "SELECT body, semantic_similarity(body, 'loud city again') > 0.999 FROM notes";
  expect(await session.rows(similar)).toEqual([['loud city again', 't']]);
});

it('builds an index whose rows change while the endpoint is asked', async () => {
  const { database, session } = await open();
  await session.rows('CREATE TABLE notes (_id text, body text)');
  await session.rows("INSERT INTO notes SELECT i::text, 'number' || i FROM generate_series(1, 40) i");
  const other = await database.session();
  const opened = gate();
  server.next.push(rightAfter(opened.promise), rightAfter(opened.promise));
  const create = session.rows(`CREATE INDEX ON notes USING semantic (body) WITH (model = '${NAME}')`);
  await soon(() => server.asked.length).toBe(2);
  await other.rows("UPDATE notes SET body = 'changed to sea' WHERE _id = '7'");
  await other.rows("DELETE FROM notes WHERE _id = '8'");
  await other.rows("INSERT INTO notes VALUES ('new', 'brand new city')");
  opened.resolve();
  await create;
  for (const [text, id] of [
    ['sea', '7'],
    ['brand new city', 'new'],
    ['number9', '9'],
  ] as const) {
    expect(await session.rows(best(text))).toEqual([[id]]);
  }
  const unembedded = "SELECT count(*) FROM notes WHERE semantic_similarity(body, 'sea') IS NULL";
  expect(await session.rows(unembedded)).toEqual([['0']]);
});

it('gives the request up with its statement, by cancel and by statement_timeout, and writes nothing', async () => {
  const { session } = await open();
  await session.rows(TABLE);
  const never = rightAfter(new Promise(() => undefined));
  server.next.push(never, never, answers(429, '', { 'retry-after': '50' }));
  const insert = "INSERT INTO notes VALUES ('a', 'quiet sea')";
  const cancelled = session.error(insert);
  await soon(() => server.asked.length).toBe(1);
  session.session.cancel(new SqlError('query_canceled', 'canceled'));
  expect((await cancelled).sqlstate).toBe('57014');
  await session.rows('SET statement_timeout = 1000');
  expect((await session.error(insert)).sqlstate).toBe('57014');
  await soon(() => server.givenUp).toBe(2);
  expect((await session.error(insert)).sqlstate).toBe('57014');
  await session.rows('RESET statement_timeout');
  expect(await session.rows('SELECT _id FROM notes')).toEqual([]);
  await session.rows(insert);
  expect(await session.rows(best('sea'))).toEqual([['a']]);
});

const SET = `ALTER TABLE notes ALTER COLUMN body SET EMBEDDING MODEL '${NAME}'`;
const STATES = "SELECT options->>'model', state FROM quern.indexes WHERE kind = 'semantic' ORDER BY index";
const NOTES = 300;

/** Rows with vectors of 64 dimensions; the endpoint gives 24. */
async function openNotes() {
  const { session, ...rest } = await open(24);
  await session.rows("CREATE TABLE notes (_id text, body text INDEX semantic_index(model => 'hash'))");
  await session.rows(
    `INSERT INTO notes SELECT i::text, 'note ' || i || ' about word' || i FROM generate_series(1, ${NOTES}) i`,
  );
  return { ...rest, session };
}

it('sets a model of another dimension beside readers and writers, and goes back', async () => {
  const { database, session } = await openNotes();
  const [writer, reader] = [await database.session(), await database.session()];
  const opened = gate();
  server.next.push(rightAfter(opened.promise));
  const set = session.rows(SET);
  await soon(() => server.asked.length).toBeGreaterThan(0);
  for (let written = 1; written <= 6; written++) {
    const i = NOTES + written;
    await writer.rows(`INSERT INTO notes VALUES ('${i}', 'note ${i} about word${i}')`);
    await writer.rows(`UPDATE notes SET body = 'changed to word${2 * i}' WHERE _id = '${NOTES - written}'`);
    await writer.rows(`DELETE FROM notes WHERE _id = '${written}'`);
    expect(await reader.rows(best(`note ${i} about word${i}`))).toEqual([[String(i)]]);
  }
  opened.resolve();
  await set;
  expect(await session.rows(STATES)).toEqual([
    [NAME, 'ready'],
    ['hash', 'former'],
  ]);
  const bodies = await session.rows('SELECT _id, body FROM notes');
  expect(bodies).toHaveLength(NOTES);
  const exact = `SELECT count(*) FROM notes WHERE semantic_similarity(body, 'changed to word${2 * (NOTES + 1)}') > 0.999`;
  expect(await session.rows(exact)).toEqual([['1']]);
  await session.rows('ALTER TABLE notes ALTER COLUMN body RESET EMBEDDING MODEL');
  expect(await session.rows(best(`note ${NOTES + 1} about word${NOTES + 1}`))).toEqual([[`${NOTES + 1}`]]);
});

it('answers by the model of before while a change whose statement was cancelled goes on, and takes it back', async () => {
  const { session } = await openNotes();
  const building = [
    ['hash', 'ready'],
    [NAME, 'building'],
  ];
  const cancel = async (): Promise<() => void> => {
    const opened = gate();
    server.next.push(rightAfter(opened.promise));
    const asked = server.asked.length;
    const cancelled = session.error(SET);
    await soon(() => server.asked.length).toBeGreaterThan(asked);
    session.session.cancel(new SqlError('query_canceled', 'canceled'));
    expect((await cancelled).sqlstate).toBe('57014');
    expect(await session.rows(STATES)).toEqual(building);
    expect(await session.rows(best('note 7 about word7'))).toEqual([['7']]);
    return opened.resolve;
  };
  const first = await cancel();
  await session.rows('ALTER TABLE notes ALTER COLUMN body RESET EMBEDDING MODEL');
  first();
  expect(await session.rows(STATES)).toEqual([['hash', 'ready']]);
  const second = await cancel();
  second();
  await soon(() => session.rows(STATES)).toContainEqual([NAME, 'ready']);
  expect(await session.rows(best('note 7 about word7'))).toEqual([['7']]);
});

it('goes on with a change to another dimension after a restart in its middle, and keeps the old where it cannot', async () => {
  const { session, store } = await openNotes();
  const opened = gate();
  server.next.push(...Array.from({ length: 9 }, () => rightAfter(0)), rightAfter(opened.promise));
  const set = session.rows(SET);
  await soon(() => server.asked.length).toBeGreaterThanOrEqual(10);
  const middle = [store.survivor(), store.survivor()] as const;
  opened.resolve();
  await set;
  const after = await open(24, new FaultyStore(middle[0], null));
  await soon(() => after.session.rows(STATES)).toEqual([
    [NAME, 'ready'],
    ['hash', 'former'],
  ]);
  expect(await after.session.rows(best('note 7 about word7'))).toEqual([['7']]);
  const { url } = server;
  await server.close();
  const alone = await open(24, new FaultyStore(middle[1], null), url);
  await soon(() => alone.session.rows(STATES)).toEqual([['hash', 'ready']]);
  expect(await alone.session.rows(best('about word7'))).toEqual([['7']]);
});
