/** Documents that are not embedded yet are told, and found by words; embedding waits for a gate, or fails. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatedModel, inferenceWith } from '../../sql-tests/fixtures/gated-model.ts';
import { TestIngestion } from '../../sql-tests/fixtures/ingestion.ts';
import { MemoryStore } from '../storage/memory-store.ts';
import { SqlError } from '../errors.ts';

let model: GatedModel;
let store: MemoryStore;
let files: TestIngestion;

beforeEach(async () => {
  model = new GatedModel();
  store = new MemoryStore();
  files = await TestIngestion.open({ store, inference: await inferenceWith(model) });
  await files.session.rows("CREATE DATASET notes WITH (embedding_model = 'gated')");
});

afterEach(async () => {
  model.open();
  await files[Symbol.asyncDispose]();
});

const SEARCH = "SELECT doc_id, version FROM search('whale', ARRAY['notes'])";
const HYBRID = "SELECT doc_id FROM hybrid('notes.chunks', 'whale')";
const PENDING = 'SELECT schema, relation, "column", model, doc_id, state, rows, reason FROM quern.pending';
const STATES = 'SELECT state FROM quern.handles ORDER BY seq';

describe('a new document', () => {
  it('is found by words before it is embedded, which everybody is told once', async () => {
    model.close();
    const handle = await files.upload('w', 'The whale sings.');
    await model.asked;
    expect(await files.session.rows(PENDING)).toEqual([
      ['notes', 'chunks', 'passage', 'gated', 'w', 'embedding', '1', 'words find it until it is embedded'],
    ]);
    expect(await files.session.rows(SEARCH)).toEqual([['w', '1']]);
    const told = 'dataset "notes": 1 document is found by words only (1 chunk)';
    const notice = `not everything is searched by meaning yet: ${told}`;
    expect(await files.session.notices(SEARCH)).toEqual([notice]);
    expect(await files.session.notices(HYBRID)).toEqual([notice]);
    expect(await files.session.notices(`${SEARCH} UNION ALL ${SEARCH}`)).toEqual([notice]);
    expect(await files.session.notices("SELECT 1 FROM notes.chunks WHERE match('whale', passage)")).toEqual(
      [],
    );
    for (const search of [SEARCH, HYBRID]) {
      const plan = (await files.session.rows(`EXPLAIN (COSTS OFF) ${search}`)).map(([line]) => line);
      expect(plan.at(-1)).toBe(`Not searched by meaning yet: ${told}`);
    }
    const [json] = await files.session.rows(`EXPLAIN (FORMAT JSON) ${HYBRID}`);
    expect(JSON.parse(String(json?.[0]))[0]['Not Searched By Meaning Yet']).toEqual([told]);
    expect(await files.session.rows(`SELECT quern.check_handle('${handle}')`)).toEqual([['f']]);
    model.open();
    await files.wait(handle);
    expect(await files.session.rows(PENDING)).toEqual([]);
    expect(await files.session.notices(SEARCH)).toEqual([]);
    const plan = await files.session.rows(`EXPLAIN ${HYBRID}`);
    expect(plan.join()).not.toContain('Not searched');
    expect(
      await files.session.rows("SELECT semantic_similarity(passage, 'whale') > 0 FROM notes.chunks"),
    ).toEqual([['t']]);
  });

  it('that waits for its turn is told of too', async () => {
    await files.stop();
    await files.upload('w', 'The whale sings.');
    const [notice] = await files.session.notices(SEARCH);
    expect(notice).toContain('dataset "notes": 1 document queued');
    expect(await files.session.rows('SELECT doc_id, rows, reason FROM quern.pending')).toEqual([
      ['w', null, 'it waits for its turn'],
    ]);
    expect((await files.session.rows('SELECT since IS NOT NULL FROM quern.pending')).flat()).toEqual(['t']);
  });

  it('of which half is embedded goes on with the rest after a restart', async () => {
    const text = Array.from({ length: 90 }, (_, i) => `whale${i} `.repeat(150)).join('\n\n');
    model.close();
    const handle = await files.upload('w', text);
    await model.asked;
    await files.stop();
    const [[chunks] = []] = await files.session.rows('SELECT count(*) FROM notes.chunks');
    expect(Number(chunks)).toBeGreaterThan(64);
    await files.start();
    await model.asked;
    model.open();
    await files.wait(handle);
    expect(model.embedded).toBe(Number(chunks));
    expect(await files.session.rows('SELECT count(*) FROM notes.chunks')).toEqual([[chunks]]);
    expect(await files.session.rows('SELECT status, version FROM notes.documents')).toEqual([['ready', '1']]);
  });
});

it('a new version is told of, and the old one answers until one commit replaces it', async () => {
  await files.wait(await files.upload('w', 'The whale sings.'));
  model.close();
  const handle = await files.upload('w', 'The whale dives.');
  await model.asked;
  expect(await files.session.rows(SEARCH)).toEqual([['w', '1']]);
  expect(await files.session.notices(SEARCH)).toEqual([
    'not everything is searched by meaning yet: dataset "notes": 1 document embedding',
  ]);
  expect(await files.session.rows('SELECT doc_id, state, rows FROM quern.pending')).toEqual([
    ['w', 'embedding', null],
  ]);
  model.open();
  await files.wait(handle);
  expect(await files.session.rows(SEARCH)).toEqual([['w', '2']]);
  expect(await files.session.rows(PENDING)).toEqual([]);
});

describe('a model that does not answer', () => {
  beforeEach(() => {
    model.failure = new SqlError(
      'system_error',
      'embedding model "gated" at http://127.0.0.1 failed: refused',
    );
  });

  it('is waited for, while words find the document and the reason is told', async () => {
    const handle = await files.upload('w', 'The whale sings.');
    await files.until("SELECT attempts FROM quern.handles WHERE state = 'queued' AND reason IS NOT NULL", [
      '1',
    ]);
    const [row] = await files.session.rows('SELECT state, rows, reason FROM quern.pending');
    expect(row?.slice(0, 2)).toEqual(['queued', '1']);
    expect(row?.[2]).toContain('it is tried again later: embedding model "gated"');
    expect(await files.session.rows(SEARCH)).toEqual([['w', '1']]);
    expect(await files.session.notices(SEARCH)).toHaveLength(1);
    model.failure = null;
    await files.wait(handle);
    expect(await files.session.rows(PENDING)).toEqual([]);
  });

  it('does not keep a later version or a deletion waiting', async () => {
    await files.upload('w', 'The whale sings.');
    await files.until("SELECT attempts FROM quern.handles WHERE state = 'queued' AND reason IS NOT NULL", [
      '1',
    ]);
    const [row] = await files.session.rows("SELECT quern.delete_document('notes', 'w')");
    await files.wait(String(row?.[0]));
    await files.until(STATES, ['error', 'ready']);
    expect(await files.session.rows('SELECT count(*) FROM notes.chunks')).toEqual([['0']]);
    expect(await files.session.rows('SELECT count(*) FROM notes._files')).toEqual([['0']]);
    expect(await files.session.rows(PENDING)).toEqual([]);
    expect(await files.session.notices(SEARCH)).toEqual([]);
  });
});

it('a document whose embedding failed for good is found by words, told of, and mended by the same bytes', async () => {
  model.failure = new Error('the model is broken');
  await files.upload('w', 'The whale sings.');
  await files.session.rows('SELECT 1');
  await files.until(STATES, ['error']);
  expect(await files.session.rows('SELECT state, rows, reason FROM quern.pending')).toEqual([
    ['error', '1', 'words find it; embedding failed: the model is broken'],
  ]);
  expect(await files.session.notices(SEARCH)).toEqual([
    'not everything is searched by meaning yet: ' +
      'dataset "notes": 1 document is found by words only as embedding failed (1 chunk)',
  ]);
  expect(await files.session.rows("SELECT length(quern.get_file('notes', 'w'))")).toEqual([['16']]);
  model.failure = null;
  await files.wait(await files.upload('w', 'The whale sings.'));
  expect(await files.session.rows(PENDING)).toEqual([]);
  expect(await files.session.rows('SELECT status, version FROM notes.documents')).toEqual([['ready', '1']]);
  expect(await files.session.rows('SELECT count(*) FROM notes._files')).toEqual([['1']]);
});

it('an index that is being built is told of, and the one that answers goes on', async () => {
  await files.session.rows("CREATE TABLE books (body text INDEX semantic_index(model => 'hash'))");
  await files.session.rows("INSERT INTO books (_id, body) VALUES ('1', 'a whale'), ('2', 'bread')");
  model.close();
  const other = await files.database.session();
  const set = other.rows("ALTER TABLE books ALTER COLUMN body SET EMBEDDING MODEL 'gated'");
  await model.asked;
  const search = "SELECT _id FROM books ORDER BY semantic_similarity(body, 'whale') DESC LIMIT 1";
  expect(await files.session.rows(search)).toEqual([['1']]);
  const [notice] = await files.session.notices(search);
  expect(notice).toMatch(
    /^not everything .*: index "\w+" of public.books is being embedded by "gated": 0 of about 2 rows/,
  );
  expect(
    await files.session.rows('SELECT schema, relation, "column", model, doc_id, state FROM quern.pending'),
  ).toEqual([['public', 'books', 'body', 'gated', null, 'embedding']]);
  expect(await files.session.notices('SELECT * FROM books')).toEqual([]);
  model.open();
  await set;
  expect(await files.session.rows(PENDING)).toEqual([]);
  expect(await files.session.notices(search)).toEqual([]);
});

describe('a file that is asked for', () => {
  it('behind many of another dataset gets the next turn', async () => {
    await files.session.rows("CREATE DATASET life WITH (embedding_model = 'gated')");
    model.close();
    for (const id of ['1', '2', '3', '4', '5', '6']) await files.upload(id, 'Bread rises.');
    await files.until("SELECT count(*) FROM quern.handles WHERE state = 'embedding'", ['2']);
    const waiting = await files.upload('w', 'The whale sings.', { dataset: 'life' });
    const queue =
      "SELECT dataset, position FROM quern.ingest_queue WHERE state = 'queued' ORDER BY position LIMIT 2";
    await files.until(queue, ['life|1', 'notes|2']);
    model.open();
    await files.wait(waiting);
    const begun = `SELECT count(*) FROM quern.handles h, quern.handles w
      WHERE w.handle = '${waiting}' AND h.begun_at < w.begun_at`;
    expect(await files.session.rows(begun)).toEqual([['2']]);
  });
});
