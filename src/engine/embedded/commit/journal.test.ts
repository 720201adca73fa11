/** The journal: what commits store of a few rows, what becomes of it, what a start finds. */
import { expect, test } from 'vitest';
import { MemoryStore } from '../../../storage/memory-store.ts';
import {
  BOOKS,
  begin,
  deleteIds,
  MASTER_KEY,
  makeBooks,
  titlesNow,
  upsert,
} from '../../../../sql-tests/fixtures/engine.ts';
import type { Space } from '../../../storage/store.ts';
import { openEmbeddedEngine } from '../open.ts';
import type { EngineSettings } from '../settings.ts';

const open = (store: MemoryStore, settings: Partial<EngineSettings> = {}, newFormat?: number) =>
  openEmbeddedEngine({
    store,
    masterKey: MASTER_KEY,
    settings: { idleMs: 0, ...settings },
    ...(newFormat !== undefined && { newFormat }),
  });

const count = (store: MemoryStore, space: Space): number => store.scanKeys(space, {}).length;

const book = (i: number) => ({ id: `id${i}`, title: `title ${i}` });

async function remove(engine: Awaited<ReturnType<typeof open>>, id: string): Promise<void> {
  await using transaction = begin(engine);
  await deleteIds(transaction, [id], null);
  await transaction.commit();
}

test('small commits are links, and a start finds them', async () => {
  const store = new MemoryStore();
  const engine = await open(store);
  await makeBooks(engine);
  for (let i = 0; i < 5; i++) await upsert(engine, [book(i)]);
  await upsert(engine, [{ ...book(1), title: 'another' }]);
  await remove(engine, 'id2');
  // The first made the table.
  expect([count(store, 'chunks'), count(store, 'deletes'), count(store, 'journal')]).toEqual([1, 0, 6]);
  const titles = await titlesNow(engine);
  expect(Object.fromEntries(titles)).toEqual({
    id0: 'title 0',
    id1: 'another',
    id3: 'title 3',
    id4: 'title 4',
  });
  await engine.close();

  const again = await open(store);
  expect(await titlesNow(again)).toEqual(titles);
  await upsert(again, [book(7)]);
  await again.close();
  expect((await titlesNow(await open(store))).size).toBe(5);
});

test('a full journal becomes records, its rows joined', async () => {
  const store = new MemoryStore();
  const engine = await open(store, { journalCommits: 10 });
  await makeBooks(engine);
  for (let i = 0; i < 11; i++) await upsert(engine, [book(i)]);
  expect([count(store, 'chunks'), count(store, 'journal')]).toEqual([1, 10]);
  await remove(engine, 'id4');
  expect([count(store, 'chunks'), count(store, 'deletes'), count(store, 'journal')]).toEqual([2, 1, 0]);
  await upsert(engine, [book(11)]);
  await engine.close();

  const again = await open(store);
  expect((await titlesNow(again)).size).toBe(11);
  await again.flush();
  expect([count(store, 'chunks'), count(store, 'journal')]).toEqual([0, 0]);
  expect((await titlesNow(again)).size).toBe(11);
  await again.close();
});

test('large commits, and those that change more than rows, write what the journal holds', async () => {
  const store = new MemoryStore();
  const engine = await open(store);
  await makeBooks(engine);
  for (let i = 0; i < 3; i++) await upsert(engine, [book(i)], 'acme');
  expect(count(store, 'journal')).toBe(2);
  await upsert(
    engine,
    Array.from({ length: 500 }, (_, i) => book(i)),
  );
  expect(count(store, 'journal')).toBe(0);
  for (let i = 0; i < 3; i++) await upsert(engine, [book(i)], 'acme');
  const image = new MemoryStore(store.image());
  await engine.close();
  const again = await open(image);
  expect((await titlesNow(again, 'acme')).size).toBe(3);
  expect((await titlesNow(again)).size).toBe(500);
  await again.close();
});

test('data of format 6 gets no journal', async () => {
  const store = new MemoryStore();
  await makeBooks(await open(store, {}, 6));
  const engine = await open(store);
  for (let i = 0; i < 3; i++) await upsert(engine, [book(i)]);
  expect([count(store, 'chunks'), count(store, 'journal')]).toEqual([3, 0]);
  await engine.close();
});

test('when a table was last written to is told by links and records, and is kept by merges and starts', async () => {
  const store = new MemoryStore();
  let nowMs = 0;
  const openAt = () =>
    openEmbeddedEngine({ store, masterKey: MASTER_KEY, settings: { idleMs: 0 }, nowMs: () => ++nowMs });
  const engine = await openAt();
  await makeBooks(engine);
  expect(engine.size(BOOKS).changedMs).toBeNull();
  await upsert(engine, [book(0)]);
  await upsert(engine, [book(1)], 'acme');
  const inAcme = engine.size(BOOKS, 'acme').changedMs as number;
  await remove(engine, 'id0');
  const last = engine.size(BOOKS).changedMs as number;
  expect(inAcme).toBeGreaterThan(0);
  expect(last).toBeGreaterThan(inAcme);
  await engine.close();

  const again = await openAt();
  expect([again.size(BOOKS).changedMs, again.size(BOOKS, 'acme').changedMs]).toEqual([last, inAcme]);
  await again.flush();
  await again.close();
  const merged = await openAt();
  expect([merged.size(BOOKS).changedMs, merged.size(BOOKS, 'acme').changedMs]).toEqual([last, inAcme]);
  await upsert(merged, [book(2)]);
  expect(merged.size(BOOKS).changedMs).toBeGreaterThan(last);
  await merged.close();
});
