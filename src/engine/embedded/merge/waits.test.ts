/** Background work whose rows go while it waits ends without a word of damage. */
import { expect, test } from 'vitest';
import { MemoryStore } from '../../../storage/memory-store.ts';
import type { EmbeddedEngine } from '../embedded-engine.ts';
import {
  BOOKS,
  begin,
  MASTER_KEY,
  makeBooks,
  titlesNow,
  upsert,
} from '../../../../sql-tests/fixtures/engine.ts';
import type { MergeJob, MergeResult } from './job.ts';
import { mergeRows } from './rows.ts';
import type { MergeRunner } from './merger.ts';
import { openEmbeddedEngine } from '../open.ts';

/** Merges in this thread, from the moment on that it is let. */
class HeldMerger implements MergeRunner {
  let: Promise<void> = Promise.resolve();
  readonly began: number[] = [];

  async run(job: MergeJob): Promise<MergeResult> {
    this.began.push(job.parts.length);
    await this.let;
    return mergeRows(job);
  }

  stop(): void {}

  async close(): Promise<void> {}
}

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

async function truncate(engine: EmbeddedEngine): Promise<void> {
  await using transaction = begin(engine);
  transaction.truncate(BOOKS, null);
  await transaction.commit();
}

const some = (from: number): { id: string; emb: number[] }[] =>
  Array.from({ length: 4 }, (_, i) => ({ id: `b${from + i}`, emb: [from + i, 1, 2, 3] }));

test('a merge of rows that a TRUNCATE took away meanwhile is no damage', async () => {
  const merger = new HeldMerger();
  const reported: unknown[] = [];
  const engine = await openEmbeddedEngine({
    masterKey: MASTER_KEY,
    store: new MemoryStore(),
    settings: { headRows: 4, mergeCount: 2, idleMs: 0 },
    report: (error) => reported.push(error),
    merger,
  });
  await makeBooks(engine);
  await upsert(engine, some(0));
  await engine.flush();
  const held = Promise.withResolvers<void>();
  merger.let = held.promise;
  const before = merger.began.length;
  const { signal } = new AbortController();
  const request = { index: 0, command: 'REINDEX', processId: 1, renews: true, stops: false, signal };
  const built = engine.buildIndexes(BOOKS, request);
  while (merger.began.length === before) await turn();
  await truncate(engine);
  for (let i = 0; i < 10; i++) await turn();
  held.resolve();
  await built;
  expect(reported).toEqual([]);
  await upsert(engine, some(4));
  expect((await titlesNow(engine)).size).toBe(4);
  await engine.close();
});

test('structures of segments that go while a start warms them are no damage', async () => {
  const store = new MemoryStore();
  const settings = { headRows: 4, mergeCount: 2, idleMs: 0 };
  const first = await openEmbeddedEngine({ masterKey: MASTER_KEY, store, settings });
  await makeBooks(first);
  await upsert(first, some(0));
  await first.flush();
  await first.close();
  const reported: unknown[] = [];
  const waiting: (() => void)[] = [];
  let holds = true;
  const second = await openEmbeddedEngine({
    masterKey: MASTER_KEY,
    store,
    settings,
    report: (error) => reported.push(error),
    pause: () => (holds ? new Promise((done) => waiting.push(done)) : Promise.resolve()),
  });
  for (let i = 0; i < 10; i++) await turn();
  expect(waiting.length).toBeGreaterThan(0);
  holds = false;
  await truncate(second);
  for (let i = 0; i < 10; i++) await turn();
  for (const go of waiting.splice(0)) go();
  await second.close();
  expect(reported).toEqual([]);
});
