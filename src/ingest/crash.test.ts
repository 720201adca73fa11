/**
 * The process is gone at every point of a job's commits: after a restart the document is ready, nothing is there
 * twice, and nothing is left over.
 */
import { expect, it } from 'vitest';
import { FaultyStore } from '../../sql-tests/fixtures/faulty-store.ts';
import { TestIngestion } from '../../sql-tests/fixtures/ingestion.ts';
import { MemoryStore } from '../storage/memory-store.ts';

const PARAGRAPHS = 3;
const textOf = (word: string): string =>
  Array.from({ length: PARAGRAPHS }, (_, i) => `${word} ${i} `.repeat(150)).join('\n\n');

const PICTURE =
  'SELECT (SELECT count(*) FROM notes.chunks), (SELECT count(DISTINCT ordinal) FROM notes.chunks), ' +
  '(SELECT count(*) FROM notes.chunks WHERE embedding(passage) IS NULL), (SELECT count(*) FROM notes._files), ' +
  '(SELECT count(*) FROM notes._files f JOIN notes.documents d ON d.file = f.file), (SELECT count(*) FROM quern.pending), ' +
  '(SELECT string_agg(DISTINCT state, $$,$$) FROM quern.handles)';

/** @returns a store in which a job waits. */
async function waiting(prepare: (files: TestIngestion) => Promise<unknown>): Promise<MemoryStore> {
  const store = new MemoryStore();
  await using files = await TestIngestion.open({ store });
  await files.session.rows("CREATE DATASET notes WITH (embedding_model = 'hash')");
  await prepare(files);
  await files.stop();
  await files.upload('w', textOf('whale'));
  return store;
}

/** Runs the job, until the store crashes where it does. @returns writes before the job began. */
async function crash(store: FaultyStore): Promise<number> {
  const opening = TestIngestion.open({ store });
  const done = "SELECT 1 FROM quern.handles HAVING count(*) = count(*) FILTER (WHERE state = 'ready')";
  const crashed = async (): Promise<null> => {
    while (!store.crashed) await new Promise((resolve) => setTimeout(resolve, 5));
    return null;
  };
  const files = await Promise.race([opening, crashed()]);
  const before = store.writes;
  await Promise.race([files?.until(done, ['1']), crashed()]);
  // A crashed store never answers: nothing of it can be closed.
  if (!store.crashed) await files?.[Symbol.asyncDispose]();
  return before;
}

/** @returns how many chunks there are. */
async function check(store: MemoryStore, version: string): Promise<string> {
  await using files = await TestIngestion.open({ store });
  await files.until('SELECT status, version FROM notes.documents', [`ready|${version}`]);
  await files.until("SELECT count(*) FROM quern.handles WHERE state <> 'ready'", ['0']);
  const [[chunks = '', ...rest] = []] = await files.session.rows(PICTURE);
  expect(rest).toEqual([chunks, '0', '1', '1', '0', 'ready']);
  expect(await files.session.rows("SELECT DISTINCT doc_id FROM search('whale', ARRAY['notes'])")).toEqual([
    ['w'],
  ]);
  return String(chunks);
}

it.each([
  ['a first version', async () => undefined, '1'],
  [
    'a later version',
    async (files: TestIngestion) => files.wait(await files.upload('w', textOf('bread'))),
    '2',
  ],
] as const)('%s', async (_, prepare, version) => {
  const start = await waiting(prepare);
  const counted = new FaultyStore(start, null);
  const before = (await crash(counted)) - 1;
  const chunks = await check(counted.survivor(), version);
  expect(counted.writes - before).toBeGreaterThan(4);
  // Each commit at one of its three points, in turn.
  for (let at = before * 3; at < counted.writes * 3; at += 7) {
    const store = new FaultyStore(start, { kind: 'crash', at });
    await crash(store);
    expect(await check(store.survivor(), version)).toBe(chunks);
  }
});
