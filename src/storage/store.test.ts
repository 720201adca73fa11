/** The laws of a store, for LMDB and its memory twin alike. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openLmdbStore } from './lmdb-store.ts';
import { MemoryStore } from './memory-store.ts';
import type { Operation, Store } from './store.ts';

const folders: string[] = [];
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const put = (key: Uint8Array, value: Uint8Array): Operation => ({ kind: 'put', space: 'chunks', key, value });

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quern-store-'));
  folders.push(folder);
  return folder;
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const STORES: readonly { name: string; open: () => Store }[] = [
  { name: 'memory', open: () => new MemoryStore() },
  { name: 'lmdb', open: () => openLmdbStore(newFolder()) },
];

describe.each(STORES)('$name store', ({ open }) => {
  test('gives back what was written, as a copy', async () => {
    const store = open();
    await store.write([put(bytes(1), bytes(10, 11)), put(bytes(2), bytes(20))]);
    const first = store.get('chunks', bytes(1));
    store.get('chunks', bytes(2));
    expect(first).toEqual(bytes(10, 11));
    expect(store.get('deletes', bytes(1))).toBeUndefined();
    await store.close();
  });

  test('scans in byte order within bounds and space', async () => {
    const store = open();
    const keys = [bytes(0, 255), bytes(1, 0), bytes(1, 200), bytes(1, 255, 1), bytes(2, 0)];
    await store.write(keys.toReversed().map((key) => put(key, key)));
    await store.write([{ kind: 'put', space: 'deletes', key: bytes(1), value: bytes(9) }]);
    expect(store.scan('chunks', {}).map((e) => [...e.key])).toEqual(keys.map((k) => [...k]));
    const part = store.scan('chunks', { from: bytes(1), to: bytes(2) });
    expect(part.map((e) => [...e.value])).toEqual(keys.slice(1, 4).map((k) => [...k]));
    expect(store.scanKeys('chunks', { from: bytes(1), limit: 1 })).toHaveLength(1);
    await store.close();
  });

  test('removes, replaces, and keeps the order of operations', async () => {
    const store = open();
    await store.write([put(bytes(1), bytes(1)), { kind: 'remove', space: 'chunks', key: bytes(1) }]);
    expect(store.get('chunks', bytes(1))).toBeUndefined();
    await store.write([put(bytes(1), bytes(1)), put(bytes(1), bytes(2))]);
    expect(store.get('chunks', bytes(1))).toEqual(bytes(2));
    await store.close();
  });

  test('many writes at once all arrive', async () => {
    const store = open();
    const writes = Array.from({ length: 200 }, (_, i) =>
      store.write([put(bytes(i >> 8, i & 255), bytes(i & 255))]),
    );
    await Promise.all(writes);
    expect(store.scanKeys('chunks', {})).toHaveLength(200);
    await store.close();
  });
});

test('lmdb keeps its data over a restart', async () => {
  const folder = newFolder();
  const first = openLmdbStore(folder);
  const large = new Uint8Array(300_000).fill(7);
  await first.write([put(bytes(5), large)]);
  await first.close();
  const second = openLmdbStore(folder);
  expect(second.get('chunks', bytes(5))).toEqual(large);
  await second.close();
});

describe('compaction', () => {
  const key = (n: number): Uint8Array => bytes(n >> 8, n & 255);
  const fill = async (store: Store, from: number, to: number): Promise<void> => {
    const puts = Array.from({ length: to - from }, (_, i) =>
      put(key(from + i), new Uint8Array(50_000).fill(from + i)),
    );
    await store.write(puts);
  };
  const drop = (store: Store, from: number, to: number): Promise<void> =>
    store.write(
      Array.from({ length: to - from }, (_, i) => ({ kind: 'remove', space: 'chunks', key: key(from + i) })),
    );
  const sizeOf = (folder: string): number => statSync(join(folder, 'data.mdb')).size;

  test('gives space back to the disk, while others read and write', async () => {
    const folder = newFolder();
    const store = openLmdbStore(folder);
    await fill(store, 0, 400);
    await drop(store, 10, 400);
    const before = sizeOf(folder);
    expect(store.space().free).toBeGreaterThan(before / 2);
    const done = store.compact();
    const written = fill(store, 1000, 1003);
    for (let turn = 0; turn < 20; turn++) {
      expect(store.get('chunks', key(3))?.[0]).toBe(3);
      await new Promise((resume) => setTimeout(resume, 1));
    }
    await Promise.all([done, written, store.compact()]);
    expect(sizeOf(folder)).toBeLessThan(before / 10);
    expect(statSync(join(folder, 'data.mdb')).mode & 0o777).toBe(0o600);
    expect(store.scanKeys('chunks', {})).toHaveLength(13);
    await drop(store, 0, 5);
    expect(store.scanKeys('chunks', {})).toHaveLength(8);
    await store.close();
    expect(readdirSync(folder).sort()).toEqual(['data.mdb', 'data.mdb-lock', 'data.mdb-size']);
    const again = openLmdbStore(folder, false);
    expect(again.scanKeys('chunks', {})).toHaveLength(8);
    await again.close();
  });

  test('that fails leaves all as it was', async () => {
    const folder = newFolder();
    const store = openLmdbStore(folder);
    await fill(store, 0, 100);
    mkdirSync(join(folder, 'data.mdb.new'));
    await expect(store.compact()).rejects.toMatchObject({ sqlstate: '58030' });
    await fill(store, 100, 110);
    expect(store.scanKeys('chunks', {})).toHaveLength(110);
    rmSync(join(folder, 'data.mdb.new'), { recursive: true });
    await store.compact();
    expect(store.scanKeys('chunks', {})).toHaveLength(110);
    await store.close();
  });

  test('that was interrupted is nothing to the next start', async () => {
    const folder = newFolder();
    const store = openLmdbStore(folder);
    await fill(store, 0, 10);
    await store.close();
    writeFileSync(join(folder, 'data.mdb.new'), 'half');
    writeFileSync(join(folder, 'data.mdb.new-lock'), '');
    const again = openLmdbStore(folder, false);
    expect(again.scanKeys('chunks', {})).toHaveLength(10);
    expect(readdirSync(folder)).not.toContain('data.mdb.new');
    await again.close();
  });
});
