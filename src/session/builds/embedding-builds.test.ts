/** Changing the embedding model and adding semantic indexes beside readers and writers, and through faults. */
import { FREELY } from '../../../sql-tests/fixtures/sender.ts';
import { afterEach, expect, it } from 'vitest';
import { SqlError } from '../../errors.ts';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';
import { HASH_MODEL } from '../../inference/hash-model.ts';
import { createInference } from '../../inference/registry.ts';
import type { EmbeddingModel, Inference } from '../../inference/provider.ts';
import { FaultyStore } from '../../../sql-tests/fixtures/faulty-store.ts';
import { MemoryStore } from '../../storage/memory-store.ts';

const SET = "ALTER TABLE notes ALTER COLUMN body SET EMBEDDING MODEL 'last'";
const RESET = 'ALTER TABLE notes ALTER COLUMN body RESET EMBEDDING MODEL';
const STATES = "SELECT index, options->>'model', state FROM quern.indexes WHERE kind = 'semantic' ORDER BY 1";
const ROWS = 700;

/** Embeds only the last word; can be told to fail, and tells how many texts it has embedded. */
class LastWord implements EmbeddingModel {
  readonly name = 'last';
  readonly leastCosine = -1;
  readonly dimension = HASH_MODEL.dimension;
  fingerprint = 'last word';
  readonly isOutside = false;
  embedded = 0;
  failsAfter = Number.POSITIVE_INFINITY;

  embedQuery(text: string, signal: AbortSignal): Promise<Float32Array> {
    return HASH_MODEL.embedQuery(lastWord(text), signal, FREELY);
  }

  async embedDocuments(texts: readonly string[], signal: AbortSignal) {
    this.embedded += texts.length;
    if (this.embedded > this.failsAfter) throw new Error('the model failed');
    await new Promise((resolve) => setTimeout(resolve, 1));
    return HASH_MODEL.embedDocuments(texts.map(lastWord), signal, FREELY);
  }

  hasQuery = HASH_MODEL.hasQuery;
  tokens = HASH_MODEL.tokens;
  passages = HASH_MODEL.passages;
  warm = HASH_MODEL.warm;
}

const lastWord = (text: string): string => text.split(' ').at(-1) ?? '';

const opened: TestDatabase[] = [];
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
});

async function open(last: LastWord, store = new FaultyStore(new MemoryStore(), null)) {
  const own = await createInference({ modelsFolder: '/nowhere', threads: 1, rerank: 'words' });
  const inference: Inference = {
    ...own,
    model: (name) => (name === 'last' ? last : own.model(name)),
    models: () => ['hash', 'last'],
    [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
  };
  const database = await TestDatabase.open({ store, inference });
  opened.push(database);
  return { database, store, session: await database.session() };
}

const bodyOf = (i: number): string => `note ${i} ends with word${i}`;

async function fill(session: TestSession, declared = "body text INDEX semantic_index(model => 'hash')") {
  await session.rows(`CREATE TABLE notes (${declared}, stars int)`);
  for (const table of ['notes', 'notes$acme']) {
    await session.rows(
      `INSERT INTO ${table} (_id, body) SELECT i::text, 'note ' || i || ' ends with word' || i ` +
        `FROM generate_series(0, ${ROWS - 1}) i`,
    );
  }
}

/** The model gives 1 for texts that end alike. */
const found = (i: number, table = 'notes'): string =>
  `SELECT _id FROM ${table} WHERE semantic_similarity(body, 'quite another word${i}') > 0.999`;

async function state(session: TestSession): Promise<string[]> {
  return (await session.rows(STATES)).map((row) => row.join(' '));
}

it('sets another model beside readers and writers, and goes back without embedding', async () => {
  const last = new LastWord();
  const { database, session } = await open(last);
  await fill(session);
  const [writer, reader] = [await database.session(), await database.session()];
  let done = false;
  const set = session.rows(SET).finally(() => {
    done = true;
  });
  let written = 0;
  const seen = new Set<string>();
  while (!done) {
    const i = ROWS + written++;
    await writer.rows(`INSERT INTO notes (_id, body) VALUES ('${i}', '${bodyOf(i)}')`);
    await writer.rows(`UPDATE notes SET body = 'changed to word${2 * i}' WHERE _id = '${ROWS - written}'`);
    await writer.rows(`DELETE FROM notes WHERE _id = '${written % 300}'`);
    expect(await reader.rows("SELECT _id FROM notes WHERE match('changed', body) LIMIT 1")).toHaveLength(1);
    for (const row of await reader.rows('SELECT phase FROM pg_stat_progress_create_index'))
      seen.add(`${row[0]}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await set;
  expect([...seen]).toContain('embedding');
  expect(await state(session)).toEqual([
    'notes_body_semantic_idx last ready',
    'notes_body_semantic_idx_ccold hash former',
  ]);
  const bodies = await session.rows('SELECT _id, body FROM notes');
  expect(bodies.length).toBeGreaterThan(ROWS - 300);
  for (const [id, body] of bodies) {
    const similar = `SELECT semantic_similarity(body, '${lastWord(String(body))}') > 0.999 FROM notes WHERE _id = '${id}'`;
    expect(await session.rows(similar)).toEqual([['t']]);
  }
  expect(await session.rows(found(5, 'notes$acme'))).toContainEqual(['5']);
  const embedded = last.embedded;
  await session.rows(RESET);
  expect(await session.rows(found(650))).toEqual([]);
  await session.rows(SET);
  expect(await session.rows(found(5, 'notes$acme'))).toContainEqual(['5']);
  expect(last.embedded).toBe(embedded);
  await session.rows('DROP INDEX notes_body_semantic_idx_ccold');
  expect(await state(session)).toEqual(['notes_body_semantic_idx last ready']);
  expect((await session.error(RESET)).sqlstate).toBe('55000');
  expect((await session.error(SET.replace('last', 'none'))).sqlstate).toBe('42704');
});

it('keeps the old model where the new one fails, and refuses vectors of a model that has changed', async () => {
  const last = new LastWord();
  const { session } = await open(last);
  await fill(session);
  last.failsAfter = 300;
  await expect(session.rows(SET)).rejects.toThrow('the model failed');
  expect(await state(session)).toEqual(['notes_body_semantic_idx hash ready']);
  last.failsAfter = Number.POSITIVE_INFINITY;
  await session.rows(SET);
  last.fingerprint = 'another';
  const error = await session.error(found(1));
  expect([error.sqlstate, error.message]).toEqual([
    '55000',
    'embedding model "last" has changed since index "notes_body_semantic_idx" was made',
  ]);
  expect((await session.error("INSERT INTO notes (_id, body) VALUES ('x', 'y')")).sqlstate).toBe('55000');
});

it('makes a semantic index while others write, and takes a canceled one back', async () => {
  const last = new LastWord();
  const { database, session } = await open(last);
  await fill(session, '_id text, body text');
  const create = "CREATE INDEX notes_body ON notes USING semantic (body) WITH (model = 'last')";
  const canceled = session.rows(create);
  setTimeout(() => session.session.cancel(new SqlError('query_canceled', 'canceled')), 3);
  await expect(canceled).rejects.toThrow('canceled');
  expect(await state(session)).toEqual([]);
  const writer = await database.session();
  const creating = session.rows(create);
  for (let i = ROWS; i < ROWS + 40; i++) {
    await writer.rows(`INSERT INTO notes (_id, body) VALUES ('${i}', '${bodyOf(i)}')`);
    if (i === ROWS + 5) await writer.rows("ALTER TABLE notes ADD COLUMN more text DEFAULT 'more'");
    if (i === ROWS + 15) await writer.rows('ALTER TABLE notes DROP COLUMN stars');
  }
  await creating;
  for (const i of [0, 1, 300, ROWS - 1, ROWS, ROWS + 39]) {
    expect(await session.rows(found(i))).toContainEqual([String(i)]);
  }
  expect(await session.rows(`SELECT count(*), count(more) FROM notes`)).toEqual([
    [String(ROWS + 40), String(ROWS + 40)],
  ]);
});

it('answers at every moment while a second model is built beside the first, compared and takes its place', async () => {
  const last = new LastWord();
  const { database, session } = await open(last);
  await fill(session);
  const first = 'notes_body_semantic_idx';
  const prepared =
    'PREPARE nearest (text) AS SELECT _id FROM notes ORDER BY semantic_similarity(body, $1) DESC LIMIT 3';
  const answers = new Map<string, number>();
  let done = false;
  const reader = async (statements: readonly string[]): Promise<void> => {
    const own = await database.session();
    await own.rows(prepared);
    while (!done) {
      for (const text of statements) {
        expect(await own.rows(text), text).toHaveLength(3);
        answers.set(text, (answers.get(text) ?? 0) + 1);
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  const snapshots = async (): Promise<void> => {
    const own = await database.session();
    await own.rows(prepared);
    while (!done) {
      await own.rows('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM notes');
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(await own.rows("EXECUTE nearest ('note 5')")).toHaveLength(3);
      await own.rows('COMMIT');
    }
  };
  const readers = [
    reader(["EXECUTE nearest ('quite another word5')"]),
    reader(["SELECT _id FROM notes WHERE match('note', body) ORDER BY bm25_score() DESC, _id LIMIT 3"]),
    reader(["SELECT _id, snippet(body, 'word5') FROM hybrid('notes', 'word5 word6 word7', k => 3)"]),
    snapshots(),
  ];
  const writer = await database.session();
  const creating = session.rows("CREATE INDEX second ON notes USING semantic (body) WITH (model = 'last')");
  for (let i = ROWS; i < ROWS + 30; i++) {
    await writer.rows(`INSERT INTO notes (_id, body) VALUES ('${i}', '${bodyOf(i)}')`);
    expect(await writer.rows(`EXPLAIN ${found(5)}`)).toContainEqual([`  Arm: semantic on ${first}`]);
  }
  await creating;
  const named = (index: string): string => found(5).replace("word5')", `word5', index => '${index}')`);
  expect(await session.rows(found(5))).toEqual([]);
  expect(await session.rows(named(first))).toEqual([]);
  expect(await session.rows(named('second'))).toEqual([['5']]);
  await session.rows(`DROP INDEX ${first}`);
  expect(await session.rows(found(5))).toEqual([['5']]);
  await session.rows(`CREATE INDEX third ON notes USING semantic (body) WITH (model = 'hash')`);
  await session.rows('DROP INDEX second');
  expect(await session.rows(found(5))).toEqual([]);
  done = true;
  await Promise.all(readers);
  expect([...answers.values()].every((count) => count > 3)).toBe(true);
});

it('refuses an index that is newer than a snapshot rather than finding nothing', async () => {
  const { database, session } = await open(new LastWord());
  await fill(session);
  const similar = (how: string): string => found(5).replace("word5')", `word5'${how})`);
  const old = await database.session();
  await old.rows('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM pg_class LIMIT 1');
  await session.rows("CREATE INDEX second ON notes USING semantic (body) WITH (model = 'last')");
  await old.rows('SAVEPOINT s');
  expect(await old.rows(similar(''))).toEqual([]);
  const named = await old.error(similar(", index => 'second'"));
  expect([named.sqlstate, named.message]).toEqual([
    '40001',
    'index "second" is newer than the transaction\'s snapshot',
  ]);
  // Its lock of the table goes with the savepoint.
  await old.rows('ROLLBACK TO s');
  await session.rows('DROP INDEX notes_body_semantic_idx');
  expect((await old.error(similar(''))).sqlstate).toBe('40001');
  await old.rows('ROLLBACK');
  expect(await old.rows(similar(''))).toEqual([['5']]);
});

it('plans a statement by what there is once it has waited', async () => {
  const { database, session } = await open(new LastWord());
  await fill(session);
  await session.rows("CREATE INDEX second ON notes USING semantic (body) WITH (model = 'last')");
  const [[lsn]] = (await session.rows("SELECT quern.lsn('notes')")) as [[string]];
  const select = found(5);
  const waiting = [
    select,
    `EXPLAIN ANALYZE ${select}`,
    `CREATE TABLE copied AS ${select}; SELECT * FROM copied`,
    `BEGIN; DECLARE c CURSOR FOR ${select}; FETCH 9 FROM c; COMMIT`,
    `PREPARE p AS ${select}; EXECUTE p`,
  ].map(async (text) => {
    const own = await database.session();
    await own.rows(`SET quern.lsn = 'notes:${Number(lsn) + 3}'`);
    return own.rows(text);
  });
  const answers = Promise.all(waiting);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await session.rows('DROP INDEX notes_body_semantic_idx');
  for (const i of [1, 2, 3]) await session.rows(`INSERT INTO notes (_id, body) VALUES ('n${i}', 'new')`);
  const [plain, explained, copied, fetched, executed] = await answers;
  expect([plain, copied, fetched, executed]).toEqual(new Array(4).fill([['5']]));
  expect(explained).toContainEqual(['  Arm: semantic on second']);
});

it('goes on after the process was killed, at every tenth write of it', async () => {
  const whole = await open(new LastWord());
  await fill(whole.session);
  const before = whole.store.survivor();
  await whole.session.rows(SET);
  const points = 3 * whole.store.writes;
  let finished = 0;
  for (let at = 1; at < points; at += 10) {
    const store = new FaultyStore(before, { kind: 'crash', at });
    const { session } = await open(new LastWord(), store);
    // A store that is gone never answers.
    await Promise.race([session.rows(SET), new Promise((resolve) => setTimeout(resolve, 300))]);
    opened.length = 1;
    const after = await open(new LastWord(), new FaultyStore(store.survivor(), null));
    await expect
      .poll(async () => (await state(after.session)).some((line) => line.includes('building')))
      .toBe(false);
    const model = (await state(after.session))[0];
    expect(await after.session.rows('SELECT count(*) FROM notes')).toEqual([[String(ROWS)]]);
    if (model === 'notes_body_semantic_idx last ready') {
      finished++;
      expect(await after.session.rows(found(3))).toContainEqual(['3']);
      expect(await after.session.rows(found(ROWS - 1, 'notes$acme'))).toContainEqual([`${ROWS - 1}`]);
    } else expect(model).toBe('notes_body_semantic_idx hash ready');
  }
  expect(finished).toBeGreaterThan(0);
});

it('keeps the old model where the disk is full', async () => {
  const { session, store } = await open(new LastWord());
  await fill(session);
  store.setFault({ kind: 'error', at: store.writes + 1, count: 1, code: 'ENOSPC' });
  const error = await session.error(SET);
  expect(error.sqlstate).toBe('53100');
  expect(await state(session)).toEqual(['notes_body_semantic_idx hash ready']);
  await session.rows(SET);
  expect(await state(session)).toContain('notes_body_semantic_idx last ready');
});
