/** Derived columns and filters count inside the memory budget, and go when there is no room for them. */
import { expect, test } from 'vitest';
import { BOOKS, MASTER_KEY, makeBooks, upsert } from '../../../sql-tests/fixtures/engine.ts';
import { MemoryStore } from '../../storage/memory-store.ts';
import { present } from '../../assert.ts';
import type { Part } from '../engine.ts';
import { openEmbeddedEngine } from './open.ts';

const ROWS = 3_000;
const LIMIT = 4 * 1024 * 1024;

async function openWithSegment() {
  const settings = { headRows: ROWS, idleMs: 0, memoryBytes: LIMIT };
  const engine = await openEmbeddedEngine({ masterKey: MASTER_KEY, store: new MemoryStore(), settings });
  await makeBooks(engine);
  await upsert(
    engine,
    Array.from({ length: ROWS }, (_, i) => ({ id: `id${i}`, title: `title ${i}`, year: BigInt(i % 97) })),
  );
  await engine.flush();
  return engine;
}

type Opened = Awaited<ReturnType<typeof openWithSegment>>;

const held = (engine: Opened, kind: string) =>
  present(
    engine.memory().caches.find((cache) => cache.kind === kind),
    kind,
  );

test('bounds and orders of columns, which are made once', async () => {
  const engine = await openWithSegment();
  using snapshot = engine.snapshot();
  const [part] = snapshot.parts(BOOKS, null) as [Part];
  expect(held(engine, 'order').bytes).toBe(0);
  const order = await part.order?.(3);
  expect(held(engine, 'order').bytes).toBeGreaterThanOrEqual(ROWS * 12);
  expect(await part.order?.(3)).toBe(order);
  const before = held(engine, 'order').bytes;
  await part.zones?.(3);
  expect(held(engine, 'order').bytes).toBeGreaterThan(before);
  expect(held(engine, 'order')).toMatchObject({ entries: 2, misses: 2 });
  await engine.close();
});

test('masks of filters, the oldest of which go', async () => {
  const engine = await openWithSegment();
  using snapshot = engine.snapshot();
  const [part] = snapshot.parts(BOOKS, null) as [Part];
  const keys = Array.from({ length: 1_000 }, (_, i) => `filter ${i}`);
  for (const key of keys) part.masks.set(key, { bits: new Uint32Array(ROWS / 32), count: 0 });
  const { bytes, entries, evictions } = held(engine, 'mask');
  expect(bytes).toBeLessThanOrEqual(LIMIT / 32);
  expect(entries + evictions).toBe(1_000);
  expect(part.masks.get(present(keys[0], 'key'))).toBeUndefined();
  expect(part.masks.get(present(keys[999], 'key'))).toBeDefined();
  await engine.close();
});
