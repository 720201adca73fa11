/** ALTER DATASET … SET EMBEDDING MODEL, beside readers, uploads, cancelling and restarts. */
import { FREELY } from '../../sql-tests/fixtures/sender.ts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatedModel, inferenceWith } from '../../sql-tests/fixtures/gated-model.ts';
import { TestIngestion } from '../../sql-tests/fixtures/ingestion.ts';
import { MemoryStore } from '../storage/memory-store.ts';
import type { TestSession } from '../../sql-tests/fixtures/database.ts';
import { HASH_MODEL } from '../inference/hash-model.ts';

/** The hash model's vectors, each number twice. */
class WideModel extends GatedModel {
  override readonly name = 'wide';
  override readonly fingerprint = 'wide';
  override readonly dimension = 2 * HASH_MODEL.dimension;
  override embedQuery = async (text: string, signal: AbortSignal): Promise<Float32Array> =>
    twice(await HASH_MODEL.embedQuery(text, signal, FREELY));

  override async embedDocuments(texts: readonly string[], signal: AbortSignal) {
    const made = await super.embedDocuments(texts, signal);
    return made.map((text) => {
      const size = HASH_MODEL.dimension;
      const rows = Array.from({ length: text.count }, (_, i) =>
        twice(text.vectors.slice(i * size, (i + 1) * size)),
      );
      return { ...text, vectors: Float32Array.from(rows.flatMap((row) => [...row])) };
    });
  }
}

const twice = (vector: Float32Array): Float32Array =>
  Float32Array.from([...vector, ...vector], (x) => x / Math.SQRT2);

let wide: WideModel;
let store: MemoryStore;
let files: TestIngestion;
let other: TestSession;

const SET = "ALTER DATASET notes SET EMBEDDING MODEL 'wide'";
const SEARCH = "SELECT doc_id FROM search('whale', ARRAY['notes']) ORDER BY 1";
const MODEL = 'SELECT embedding_model FROM quern.datasets';
const UNEMBEDDED = 'SELECT count(*) FROM notes.chunks WHERE embedding(passage) IS NULL';

async function open(): Promise<void> {
  wide = new WideModel();
  files = await TestIngestion.open({ store, inference: await inferenceWith(wide) });
  other = await files.database.session();
}

beforeEach(async () => {
  store = new MemoryStore();
  await open();
  await files.session.rows("CREATE DATASET notes WITH (embedding_model = 'hash')");
  await files.wait(await files.upload('w', 'The whale sings.'));
});

afterEach(async () => {
  wide.open();
  await files[Symbol.asyncDispose]();
});

it('changes the model beside readers, who are told, and beside an upload', async () => {
  wide.close();
  const set = other.rows(SET);
  await wide.asked;
  expect(await files.session.rows(MODEL)).toEqual([['hash']]);
  expect(await files.session.rows(SEARCH)).toEqual([['w']]);
  const [notice] = await files.session.notices("SELECT doc_id FROM hybrid('notes.chunks', 'whale')");
  expect(notice).toContain('of notes.chunks is being embedded by "wide"');
  expect(await files.session.rows('SELECT relation, model, doc_id, state FROM quern.pending')).toEqual([
    ['chunks', 'wide', null, 'embedding'],
  ]);
  const handle = await files.upload('v', 'A whale dives.');
  await files.until("SELECT state FROM quern.handles WHERE doc_id = 'v'", ['embedding']);
  wide.open();
  await set;
  await files.wait(handle);
  expect(await files.session.rows(MODEL)).toEqual([['wide']]);
  expect(await files.session.rows(SEARCH)).toEqual([['v'], ['w']]);
  expect(await files.session.rows(UNEMBEDDED)).toEqual([['0']]);
  expect(
    await files.session.rows('SELECT DISTINCT vector_dims(embedding(passage)) FROM notes.chunks'),
  ).toEqual([[String(2 * HASH_MODEL.dimension)]]);
  expect(await files.session.rows('SELECT count(*) FROM quern.pending')).toEqual([['0']]);
});

it('that is cancelled leaves what was, or goes on, and never mixes', async () => {
  wide.close();
  const [[pid] = []] = await other.rows('SELECT pg_backend_pid()');
  const set = other.error(SET);
  await wide.asked;
  await files.session.rows(`SELECT pg_cancel_backend(${pid})`);
  expect((await set).sqlstate).toBe('57014');
  expect(await files.session.rows(MODEL)).toEqual([['hash']]);
  expect(await files.session.rows(SEARCH)).toEqual([['w']]);
  wide.open();
  await files.until('SELECT count(*) FROM quern.pending', ['0']);
  await files.session.rows(SET);
  expect(await files.session.rows(MODEL)).toEqual([['wide']]);
  expect(await files.session.rows(SEARCH)).toEqual([['w']]);
});

it('begins when a transaction block commits, in the background', async () => {
  await files.session.rows(`BEGIN; ${SET}`);
  expect(wide.embedded).toBe(0);
  await files.session.rows('COMMIT');
  await files.until(MODEL, ['wide']);
  expect(await files.session.rows(SEARCH)).toEqual([['w']]);
  await files.session.rows("BEGIN; ALTER DATASET notes SET EMBEDDING MODEL 'hash'; ROLLBACK");
  expect(await files.session.rows(MODEL)).toEqual([['wide']]);
});

it('goes on after a restart', async () => {
  wide.close();
  const set = other.rows(SET).catch(() => undefined);
  await wide.asked;
  await files[Symbol.asyncDispose]();
  await set;
  await open();
  await files.until(MODEL, ['wide']);
  expect(await files.session.rows(SEARCH)).toEqual([['w']]);
});

it.each([
  ["ALTER DATASET notes SET EMBEDDING MODEL 'nope'", '42704', 'embedding model "nope" does not exist'],
  ["ALTER DATASET nope SET EMBEDDING MODEL 'wide'", '42704', 'dataset "nope" does not exist'],
  ["CREATE DATASET more WITH (embedding_model = 'nope')", '42704', 'embedding model "nope" does not exist'],
])('%s is refused', async (text, code, message) => {
  const error = await files.session.error(text);
  expect([error.sqlstate, error.message]).toEqual([code, message]);
  expect(await files.session.rows(MODEL)).toEqual([['hash']]);
});
