/**
 * Rows of a transaction that are written ahead of its commit: it reads them as if they were in memory, nobody
 * else does, and what is rolled back, or never commits, leaves nothing behind.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { seededRandom } from '../../../seeded-random.ts';
import { MemoryStore } from '../../../storage/memory-store.ts';
import { sliced } from '../../../../sql-tests/slow-tests.ts';
import type { Store } from '../../../storage/store.ts';
import type { Engine, Snapshot, Transaction } from '../../engine.ts';
import type { EmbeddedEngine } from '../embedded-engine.ts';
import {
  BOOKS,
  begin,
  deleteIds,
  MASTER_KEY,
  makeBooks,
  NEVER,
  rowsOf,
  TestFolders,
  TITLE_INDEX,
  titleOf,
  titlesNow,
  visibleTitles,
} from '../../../../sql-tests/fixtures/engine.ts';
import { openEmbeddedEngine } from '../open.ts';
import type { EngineSettings } from '../settings.ts';

const folders = new TestFolders();
afterAll(() => folders.remove());

const SMALL: Partial<EngineSettings> = { ownBytes: 4_000, headRows: 16, mergeCount: 3, idleMs: 0 };

const open = (store: Store, settings: Partial<EngineSettings> = SMALL): Promise<EmbeddedEngine> =>
  openEmbeddedEngine({ masterKey: MASTER_KEY, store, settings });

type Model = Map<string, string>;

const bookOf = (id: string, title: string) => ({
  id,
  title,
  year: BigInt(title.length),
  emb: [1, title.length, 0, 1],
  isbn: `isbn ${id}`,
});

async function insert(transaction: Transaction, model: Model, ids: readonly string[], title: string) {
  const list = ids.map((id) => bookOf(id, `${title} ${id}`));
  await transaction.insert(BOOKS, null, rowsOf(list), 'replace', NEVER);
  for (const book of list) model.set(book.id, book.title);
}

const idsOf = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `id${from + i}`);

/** Hits of a search for a word of titles. */
async function found(snapshot: Snapshot, query: string): Promise<number> {
  const options = { operator: 'match', weight: 1, option: 0, b: 0.75, k1: 1.2 } as const;
  const arm = await snapshot.prepare(BOOKS, null, {
    kind: 'keyword',
    indexes: [TITLE_INDEX],
    query,
    ...options,
  });
  let count = 0;
  for (const part of snapshot.parts(BOOKS, null)) {
    count += (await arm.search(part, 1_000, null, NEVER)).rows.length;
  }
  return count;
}

async function expectModel(snapshot: Snapshot, model: Model): Promise<void> {
  expect(new Map([...(await visibleTitles(snapshot))].sort())).toEqual(new Map([...model].sort()));
  for (const id of ['id1', 'id17', 'id50', 'id399']) {
    expect(await titleOf(snapshot, id)).toBe(model.get(id));
  }
}

const segmentsOf = (store: Store): number => store.scanKeys('segments', {}).length;
const blocksOf = (store: Store): number => store.scanKeys('blocks', {}).length;
const stagedBytes = (engine: Engine): number =>
  engine.memory().caches.find(({ kind }) => kind === 'transaction')?.bytes ?? -1;

describe('one transaction', () => {
  test('finds an older version again when the newer one is rolled back after both were staged', async () => {
    const store = new MemoryStore();
    let engine = await open(store);
    await makeBooks(engine);
    const model: Model = new Map();
    const transaction = begin(engine);
    // So few that both versions are of one segment.
    await insert(transaction, model, idsOf(15, 5), 'first');
    const savepoint = transaction.savepoint();
    const before = new Map(model);
    await insert(transaction, model, idsOf(15, 5), 'second');
    for (let from = 60; from < 260; from += 20) await insert(transaction, model, idsOf(from, 20), 'third');
    expect(blocksOf(store)).toBeGreaterThan(0);
    transaction.rollbackTo(savepoint);
    using own = transaction.snapshot();
    await expectModel(own, before);
    await transaction.commit();
    await engine.close();
    engine = await open(store);
    using read = engine.snapshot();
    await expectModel(read, before);
    const other = begin(engine);
    await expect(
      other.insert(BOOKS, null, rowsOf([bookOf('id17', 'twice')]), 'error', NEVER),
    ).rejects.toMatchObject({ condition: 'unique_violation' });
    other.rollback();
    await engine.close();
  });

  test('reads what it has staged, and its commit shows it to others, before and after a restart', async () => {
    const store = new MemoryStore();
    let engine = await open(store);
    await makeBooks(engine);
    const model: Model = new Map();
    const transaction = begin(engine);
    for (let from = 0; from < 400; from += 20) await insert(transaction, model, idsOf(from, 20), 'first');
    expect(blocksOf(store)).toBeGreaterThan(0);
    expect(stagedBytes(engine)).toBeLessThan(40_000);
    // Staged rows are replaced and deleted.
    await insert(transaction, model, idsOf(10, 30), 'second');
    await deleteIds(transaction, idsOf(45, 10));
    for (const id of idsOf(45, 10)) model.delete(id);
    using own = transaction.snapshot();
    await expectModel(own, model);
    expect(await found(own, 'second')).toBe(30);
    expect(await titlesNow(engine)).toEqual(new Map());
    await expect(
      transaction.insert(BOOKS, null, rowsOf([bookOf('id5', 'twice')]), 'error', NEVER),
    ).rejects.toMatchObject({ condition: 'unique_violation' });
    await transaction.commit();
    expect(stagedBytes(engine)).toBe(0);
    {
      using after = engine.snapshot();
      await expectModel(after, model);
      expect(await found(after, 'second')).toBe(30);
    }
    expect(engine.statistics(BOOKS).rows).toBe(model.size);
    await engine.close();
    engine = await open(store);
    using read = engine.snapshot();
    await expectModel(read, model);
    expect(engine.statistics(BOOKS).rows).toBe(model.size);
    await engine.flush();
    using merged = engine.snapshot();
    await expectModel(merged, model);
    await engine.close();
  });

  test('that is rolled back leaves no block', async () => {
    const store = new MemoryStore();
    const engine = await open(store);
    await makeBooks(engine);
    const transaction = begin(engine);
    await insert(transaction, new Map(), idsOf(0, 200), 'gone');
    await insert(transaction, new Map(), idsOf(200, 200), 'gone');
    expect(blocksOf(store)).toBeGreaterThan(0);
    transaction.rollback();
    await engine.flush();
    expect([blocksOf(store), segmentsOf(store), stagedBytes(engine)]).toEqual([0, 0, 0]);
    await engine.close();
  });

  test('that a crash ended leaves no block after the next start', async () => {
    const store = new MemoryStore();
    const crashed = await open(store);
    await makeBooks(crashed);
    await insert(begin(crashed), new Map(), idsOf(0, 400), 'gone');
    expect(blocksOf(store)).toBeGreaterThan(0);
    const engine = await open(store);
    await engine.flush();
    expect([blocksOf(store), segmentsOf(store)]).toEqual([0, 0]);
    expect(await titlesNow(engine)).toEqual(new Map());
    await engine.close();
  });

  test('that wants more keys than there is memory for ends with 53200 and gives it back', async () => {
    const engine = await open(new MemoryStore(), { ...SMALL, memoryBytes: 1_000_000 });
    await makeBooks(engine);
    const transaction = begin(engine);
    const wide = Array.from({ length: 30_000 }, (_, i) => bookOf(`id${i}`, 'x'));
    const fill = async () => {
      for (let i = 0; i < 100; i++) {
        const rows = rowsOf(
          wide.map((book) => ({ ...book, id: `${i}/${book.id}`, isbn: `${i}/${book.id}` })),
        );
        await transaction.insert(BOOKS, null, rows, 'error', NEVER);
      }
    };
    await expect(fill()).rejects.toMatchObject({ condition: 'out_of_memory' });
    transaction.rollback();
    expect(stagedBytes(engine)).toBe(0);
    expect(await titlesNow(engine)).toEqual(new Map());
    await engine.close();
  });
});

/** Steps of one transaction against a plain map, with savepoints. */
async function randomTransaction(engine: Engine, committed: Model, seed: number): Promise<Model> {
  const random = seededRandom(seed);
  const below = (count: number): number => Math.floor(random() * count);
  const transaction = begin(engine, below(2) === 0 ? 'repeatable read' : 'read committed');
  let model = new Map(committed);
  const savepoints: { savepoint: number; model: Model }[] = [];
  for (let step = 0; step < 30; step++) {
    const kind = below(10);
    if (kind < 5) await insert(transaction, model, idsOf(below(380), 1 + below(20)), `t${seed}.${step}`);
    else if (kind === 5) {
      const ids = idsOf(below(390), 10);
      await deleteIds(transaction, ids);
      for (const id of ids) model.delete(id);
    } else if (kind === 6) savepoints.push({ savepoint: transaction.savepoint(), model: new Map(model) });
    else if (kind === 7 && savepoints.length > 0) {
      const at = below(savepoints.length);
      const target = savepoints[at] as (typeof savepoints)[number];
      savepoints.length = at + 1;
      transaction.rollbackTo(target.savepoint);
      model = new Map(target.model);
    } else if (kind === 8 && below(4) === 0) {
      transaction.truncate(BOOKS, null);
      model.clear();
    }
    using snapshot = transaction.snapshot();
    await expectModel(snapshot, model);
  }
  if (below(4) === 0) {
    transaction.rollback();
    return committed;
  }
  await transaction.commit();
  return model;
}

test.each(sliced(import.meta, [1, 3, 6]))(
  'transactions of random steps, staged, against a map: %i',
  async (seed) => {
    const store = new MemoryStore();
    let engine = await open(store, { ...SMALL, ownBytes: 200 * seed });
    await makeBooks(engine);
    let model: Model = new Map();
    for (let i = 0; i < 8; i++) {
      model = await randomTransaction(engine, model, 100 * seed + i);
      {
        using snapshot = engine.snapshot();
        await expectModel(snapshot, model);
        expect(engine.statistics(BOOKS).rows).toBe(model.size);
      }
      if (i % 4 === 1) await engine.flush();
      if (i % 4 === 3) {
        await engine.close();
        engine = await open(store, { ...SMALL, ownBytes: 200 * seed });
      }
    }
    await engine.flush();
    await engine.close();
  },
);
