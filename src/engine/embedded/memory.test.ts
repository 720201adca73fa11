/** Segments under a memory that holds next to nothing: what goes comes back, and the answers stay. */
import { expect, test } from 'vitest';
import { MemoryStore } from '../../storage/memory-store.ts';
import type { Engine } from '../engine.ts';
import {
  BOOKS,
  EMBEDDING_INDEX,
  MASTER_KEY,
  makeBooks,
  NEVER,
  titleOf,
  TITLE_INDEX,
  upsert,
  visibleTitles,
} from '../../../sql-tests/fixtures/engine.ts';
import { openEmbeddedEngine } from './open.ts';

const ROWS = 1000;

async function filled(memoryBytes: number) {
  const settings = { memoryBytes, idleMs: 0, mergeCount: 3, headRows: 200 };
  const engine = await openEmbeddedEngine({ masterKey: MASTER_KEY, store: new MemoryStore(), settings });
  await makeBooks(engine);
  for (let from = 0; from < ROWS; from += 100) {
    const list = Array.from({ length: 100 }, (_, i) => {
      const n = from + i;
      const emb = n % 11 === 0 ? null : [Math.sin(n), Math.cos(n), Math.sin(3 * n), 1];
      return { id: `k${n}`, title: `word${n % 40} number ${n}`, year: BigInt(n), emb, isbn: `i${n}` };
    });
    await upsert(engine, list);
  }
  await engine.flush();
  return engine;
}

/** Everything a reader can ask for. */
async function answers(engine: Engine): Promise<unknown[]> {
  using snapshot = engine.snapshot();
  const vector = await snapshot.prepare(BOOKS, null, {
    kind: 'vector',
    index: EMBEDDING_INDEX,
    query: Float32Array.of(0.3, 0.9, -0.5, 1),
    value: '<=>',
  });
  const keyword = await snapshot.prepare(BOOKS, null, {
    kind: 'keyword',
    indexes: [TITLE_INDEX],
    operator: 'match',
    query: 'word7',
    weight: 1,
    option: 0,
    b: 0.75,
    k1: 1.2,
  });
  const found: unknown[] = [[...(await visibleTitles(snapshot))]];
  for (const part of snapshot.parts(BOOKS, null)) {
    const near = await vector.search(part, 10, null, NEVER);
    const match = await keyword.search(part, 10, null, NEVER);
    const [embeddings, years] = await part.read([4, 3], 0, part.rowCount);
    found.push([...near.rows], [...near.scores], [...match.rows]);
    for (const row of [0, 11, 12, part.rowCount - 1]) found.push(embeddings?.get(row), years?.get(row));
  }
  for (const n of [0, 700, 1234, ROWS - 1]) found.push(await titleOf(snapshot, `k${n}`));
  return found;
}

test('a memory that is too small gives the same answers', async () => {
  await using large = await closing(await filled(1024 ** 3));
  await using small = await closing(await filled(64 * 1024));
  const expected = await answers(large.engine);
  for (let round = 0; round < 3; round++) expect(await answers(small.engine)).toEqual(expected);
  const evictions = (engine: Engine) =>
    engine.memory().caches.reduce((sum, cache) => sum + cache.evictions, 0);
  expect(evictions(large.engine)).toBe(0);
  expect(evictions(small.engine)).toBeGreaterThan(10);
});

async function closing(engine: Engine & { close(): Promise<void> }) {
  return { engine, [Symbol.asyncDispose]: () => engine.close() };
}

test('writers wait until segments are made of heads that take too much', async () => {
  const settings = { memoryBytes: 512 * 1024, idleMs: 0, headRows: 1_000_000 };
  const engine = await openEmbeddedEngine({ masterKey: MASTER_KEY, store: new MemoryStore(), settings });
  await makeBooks(engine);
  for (let batch = 0; batch < 12; batch++) {
    const list = Array.from({ length: 300 }, (_, i) => ({ id: `k${batch}/${i}`, title: 'x'.repeat(300) }));
    await upsert(engine, list);
  }
  const head = engine.memory().caches.find(({ kind }) => kind === 'head');
  expect(head?.bytes).toBeLessThan(512 * 1024);
  using snapshot = engine.snapshot();
  expect((await visibleTitles(snapshot)).size).toBe(12 * 300);
  snapshot[Symbol.dispose]();
  await engine.close();
});
