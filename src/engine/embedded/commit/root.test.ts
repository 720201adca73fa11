/** Counts of the root: seals of a key, numbers in use; and what becomes of a write that nobody knows of. */
import { expect, test } from 'vitest';
import { derivedRing } from '../../../storage/key-ring.ts';
import { MemoryStore } from '../../../storage/memory-store.ts';
import { SEALS_A_KEY } from '../../../storage/seal.ts';
import type { Operation, Store } from '../../../storage/store.ts';
import { MASTER_KEY, makeBooks, titlesNow, upsert } from '../../../../sql-tests/fixtures/engine.ts';
import { openEmbeddedEngine } from '../open.ts';
import { numberKey, Records } from './records.ts';
import { ROOT_KEY } from './root.ts';

/** Without a journal: every commit writes the tables' records. */
const open = (store: Store) =>
  openEmbeddedEngine({
    store,
    masterKey: MASTER_KEY,
    settings: { idleMs: 0, stagedBytes: 1, journalCommits: 0 },
  });

async function recordsOf(store: Store): Promise<Records> {
  const records = new Records(store, derivedRing(MASTER_KEY));
  await records.begin(false);
  return records;
}

const epochOf = (value: Uint8Array | undefined): number => Buffer.from(value ?? []).readUInt32BE(0);

test('a data key that is worn gives way to the next, and all of it stays readable', async () => {
  const store = new MemoryStore();
  let engine = await open(store);
  await makeBooks(engine);
  await upsert(engine, [{ id: 'a', title: 'old key' }]);
  await engine.close();
  const records = await recordsOf(store);
  const worn = Buffer.from(JSON.stringify({ ...records.root.record, seals: SEALS_A_KEY }));
  await store.write([records.put('meta', ROOT_KEY, worn)]);

  engine = await open(store);
  await upsert(engine, [{ id: 'b', title: 'last of the old' }]);
  expect((await recordsOf(store)).root.record).toMatchObject({ epoch: 1 });
  await upsert(engine, [{ id: 'c', title: 'new key' }]);
  expect(store.scan('chunks', {}).map(({ value }) => epochOf(value))).toEqual([0, 0, 1]);
  expect(epochOf(store.get('meta', ROOT_KEY))).toBe(1);
  await engine.close();

  engine = await open(store);
  expect([...(await titlesNow(engine)).keys()]).toEqual(['a', 'b', 'c']);
  await engine.flush();
  expect(store.scan('blocks', {}).every(({ value }) => epochOf(value) === 1)).toBe(true);
  await engine.close();
});

test('seals are counted over restarts, ahead of what was used', async () => {
  const store = new MemoryStore();
  let used = 0;
  for (let start = 0; start < 3; start++) {
    const engine = await open(store);
    if (start === 0) await makeBooks(engine);
    await upsert(engine, [{ id: `id${start}` }]);
    const { seals } = (await recordsOf(store)).root.record;
    expect(seals).toBeGreaterThan(used + 3);
    used = seals;
    await engine.close();
  }
});

test('a number that was used, also by what a crash ended, never comes again', async () => {
  const store = new MemoryStore();
  const seen = new Set<number>();
  for (let start = 0; start < 3; start++) {
    const engine = await open(store);
    if (start === 0) await makeBooks(engine);
    // Stored ahead of a commit, as a storage of its own: the process ends before the commit.
    await upsert(engine, [{ id: 'a' }], `part ${start}`);
    const image = new MemoryStore(store.image());
    await engine.close();
    for (const { storage } of (await recordsOf(image)).tables()) seen.add(storage);
    expect(seen.size).toBe(start + 1);
    const { nextId } = (await recordsOf(image)).root.record;
    for (const number of seen) expect(number).toBeLessThan(nextId);
  }
});

/** Fails commits after it has written them, as a disk does whose last word is lost. */
class LyingStore extends MemoryStore {
  lies = false;

  override async write(operations: readonly Operation[]): Promise<void> {
    await super.write(operations);
    if (this.lies && operations.some(({ space }) => space === 'tables')) throw new Error('EIO');
  }
}

test('after a write of which nobody knows whether it is there, nothing more is written', async () => {
  const store = new LyingStore();
  const engine = await open(store);
  await makeBooks(engine);
  await upsert(engine, [{ id: 'a' }]);
  store.lies = true;
  await expect(upsert(engine, [{ id: 'b' }])).rejects.toThrow();
  store.lies = false;
  const image = store.image();
  await expect(upsert(engine, [{ id: 'c' }])).rejects.toMatchObject({ sqlstate: '58030' });
  expect(store.image()).toEqual(image);
  await engine.close();
  const again = await open(new MemoryStore(image));
  expect([...(await titlesNow(again)).keys()]).toContain('a');
  await upsert(again, [{ id: 'c' }]);
  await again.close();
});

test('a table without its relation is no garbage', async () => {
  const store = new MemoryStore();
  const engine = await open(store);
  await makeBooks(engine);
  await upsert(engine, [{ id: 'a' }]);
  await engine.close();
  await store.write([{ kind: 'remove', space: 'tables', key: numberKey(1) }]);
  const image = store.image();
  await expect(open(store)).rejects.toMatchObject({ sqlstate: 'XX001' });
  expect(store.image()).toEqual(image);
});
