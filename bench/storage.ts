/**
 * Cost of vouching for the set of entries: processor time of a commit of one row with and without the root
 * (the store does nothing here), and how quickly what is in use is copied.
 *
 *     ./scripts/bench storage
 */
import { derivedRing } from '../src/storage/key-ring.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Records } from '../src/engine/embedded/commit/records.ts';
import { StorageEntries, storageChanges } from '../src/engine/embedded/commit/storage-entries.ts';
import { openLmdbStore } from '../src/storage/lmdb-store.ts';
import { MemoryStore } from '../src/storage/memory-store.ts';
import type { Operation } from '../src/storage/store.ts';

const KEY = new Uint8Array(32).fill(7);
const ROUNDS = 25;
const COMMITS = 4000;
const TABLE = {
  slot: 1,
  relation: 16385,
  partition: null,
  storage: 2,
  exists: true,
  lsn: 100,
  nextRow: 1000,
};

class NoStore extends MemoryStore {
  override async write(): Promise<void> {}
}

/** Microseconds of processor time each, the least of the rounds. */
async function least(work: (i: number) => Promise<void>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let i = 0; i < COMMITS; i++) await work(i + round * COMMITS);
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / COMMITS);
  }
  return best;
}

async function commits(): Promise<void> {
  const image = new MemoryStore();
  await new Records(image, derivedRing(KEY)).begin(true);
  const store = new NoStore(image.image());
  const records = new Records(store, derivedRing(KEY));
  await records.begin(false);
  const entries = new StorageEntries();
  const rows = new Uint8Array(400);
  const without = await least(async (i) => {
    records.putChunk(2, i, rows);
    records.putTable({ ...TABLE, entries: entries.marksWith(undefined) });
    await store.write();
  });
  const withRoot = await least(async (i) => {
    const operations: Operation[] = [records.putChunk(2, i % 10_000, rows)];
    const changes = storageChanges(records.cipher, operations).get(2);
    operations.push(records.putTable({ ...TABLE, entries: entries.marksWith(changes) }));
    await records.root.commit(operations, 100);
    entries.apply(changes);
  });
  const more = (withRoot - without).toFixed(1);
  console.log(
    `a commit: sealed ${without.toFixed(1)} µs, with the root ${withRoot.toFixed(1)} µs: ${more} µs more`,
  );
}

async function compaction(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'quern-bench-'));
  const store = openLmdbStore(folder);
  const block = new Uint8Array(65_000).fill(1);
  const key = (i: number): Uint8Array => Uint8Array.of(i >> 8, i & 255);
  for (let i = 0; i < 4000; i += 100) {
    await store.write(
      Array.from({ length: 100 }, (_, j) => ({
        kind: 'put',
        space: 'blocks',
        key: key(i + j),
        value: block,
      })),
    );
  }
  const began = performance.now();
  await store.compact();
  const seconds = (performance.now() - began) / 1000;
  console.log(`compaction: ${((4000 * 65_000) / 1e6 / seconds).toFixed(0)} MB/s`);
  await store.close();
  rmSync(folder, { recursive: true, force: true });
}

await commits();
await compaction();
