/**
 * Indexes over rows that are there: built in the merge worker while queries are answered, given up when
 * canceled or out of disk, begun anew after a crash; and graphs that stay true under updates, deletes, merges
 * and restarts.
 */
import { seededRandom } from '../../seeded-random.ts';
import { afterAll, expect, test } from 'vitest';
import { applyEdit } from '../../catalog/edit.ts';
import { FaultyStore } from '../../storage/faulty-store.ts';
import { openLmdbStore } from '../../storage/lmdb-store.ts';
import { MemoryStore } from '../../storage/memory-store.ts';
import type { Store } from '../../storage/store.ts';
import { countBits } from '../../types/bitset.ts';
import { vectorOf } from '../../types/vector.ts';
import type { BuildRequest, Engine } from '../engine.ts';
import type { EmbeddedEngine } from './embedded-engine.ts';
import {
  BOOKS,
  BOOKS_KEY,
  begin,
  books,
  deleteIds,
  EMBEDDING_INDEX,
  MASTER_KEY,
  NEVER,
  TestFolders,
  withRelation,
} from './fixture.ts';
import { openEmbeddedEngine } from './open.ts';

const folders = new TestFolders();
afterAll(() => folders.remove());

const DIMENSION = 64;
const K = 10;
const EMB = 4;

const plain = {
  ...books,
  columns: books.columns.map((column) =>
    column.attribute === EMB ? { ...column, type: { ...column.type, modifier: DIMENSION } } : column,
  ),
  indexes: books.indexes.filter(({ kind }) => kind === 'btree'),
};
const embeddingIndex = { ...books.indexes.find(({ oid }) => oid === EMBEDDING_INDEX), oid: 0 } as const;

const open = (store: Store, rest = {}): Promise<EmbeddedEngine> =>
  openEmbeddedEngine({
    masterKey: MASTER_KEY,
    store,
    settings: { headRows: 2_000, idleMs: 0, graphBytesMin: 100_000, ...rest },
    report: () => {},
  });

function seeded(seed: number): () => number {
  const random = seededRandom(seed);
  return () => random() - 0.5;
}

/** Vectors around a hundred centres, as texts lie. */
function makeVectors(seed: number): () => Float32Array {
  const random = seeded(7);
  const centres = Array.from({ length: 100 }, () => Float32Array.from({ length: DIMENSION }, random));
  const draw = seeded(seed);
  return () => {
    const centre = centres[Math.floor((draw() + 0.5) * centres.length)] as Float32Array;
    return centre.map((x) => x + draw());
  };
}

async function put(engine: Engine, model: Map<string, Float32Array>, ids: readonly string[], seed: number) {
  const vector = makeVectors(seed);
  for (let from = 0; from < ids.length; from += 2_000) {
    const some = ids.slice(from, from + 2_000);
    const vectors = some.map(vector);
    await using transaction = begin(engine);
    const columns = new Map([
      [1, vectorOf('text', some)],
      [EMB, vectorOf('object', vectors)],
    ]);
    await transaction.insert(
      BOOKS,
      null,
      { length: some.length, columns, embeddings: new Map() },
      'replace',
      NEVER,
    );
    await transaction.commit();
    some.forEach((id, i) => {
      model.set(id, vectors[i] as Float32Array);
    });
  }
}

const idsFrom = (start: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `id${start + i}`);

async function makeTable(engine: Engine): Promise<void> {
  await using transaction = begin(engine);
  await transaction.changeCatalog((catalog) => withRelation(catalog, plain), NEVER);
  await transaction.commit();
}

/** @returns its OID. */
async function addIndex(engine: Engine): Promise<number> {
  await using transaction = begin(engine);
  await transaction.changeCatalog(
    (catalog) => applyEdit(catalog, { edit: 'add index', relation: BOOKS, index: embeddingIndex as never }),
    NEVER,
  );
  await transaction.commit();
  return indexOf(engine);
}

const indexOf = (engine: Engine): number =>
  engine
    .catalog()
    .relations.get(BOOKS)
    ?.indexes.find(({ kind }) => kind === 'vector')?.oid ?? 0;

const request = (rest: Partial<BuildRequest> = {}): BuildRequest => ({
  index: 0,
  command: 'CREATE INDEX',
  processId: 1,
  renews: false,
  stops: true,
  signal: NEVER,
  ...rest,
});

function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] as number, b[i] as number];
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return dot / Math.sqrt(aa * bb);
}

/** What the index finds against all vectors of the model, over a hundred queries; strategies met. */
async function recall(engine: Engine, model: ReadonlyMap<string, Float32Array>) {
  using snapshot = engine.snapshot();
  const strategies = new Set<string>();
  const draw = makeVectors(99);
  let found = 0;
  const queries = 60;
  for (let query = 0; query < queries; query++) {
    const wanted = draw();
    const arm = await snapshot.prepare(BOOKS, null, {
      kind: 'vector',
      index: indexOf(engine),
      query: wanted,
      value: 'metric',
    });
    const hits: { id: string; score: number }[] = [];
    for (const part of snapshot.parts(BOOKS, null)) {
      const { rows, scores, strategy } = await arm.search(part, K, null, NEVER);
      strategies.add(strategy);
      const [ids] = await part.read([1], 0, part.rowCount);
      rows.forEach((row, i) => {
        hits.push({ id: ids?.get(row) as string, score: scores[i] as number });
      });
    }
    hits.sort((a, b) => b.score - a.score);
    for (const { id } of hits) expect(model.has(id)).toBe(true);
    const exact = [...model].map(([id, vector]) => ({ id, score: cosine(vector, wanted) }));
    exact.sort((a, b) => b.score - a.score);
    const best = new Set(exact.slice(0, K).map(({ id }) => id));
    for (const { id } of hits.slice(0, K)) if (best.has(id)) found++;
  }
  return { recall: found / (K * queries), strategies: [...strategies] };
}

const segments = (engine: Engine): number => {
  using snapshot = engine.snapshot();
  return snapshot.parts(BOOKS, null).length;
};

test('an index over rows that are there: exact while it is built, then a graph in one segment', async () => {
  const engine = await open(new MemoryStore());
  const model = new Map<string, Float32Array>();
  await makeTable(engine);
  await put(engine, model, idsFrom(0, 8_500), 1);
  await addIndex(engine);
  const before = await recall(engine, model);
  expect(before.recall).toBe(1);
  const building = engine.buildIndexes(BOOKS, request({ index: indexOf(engine) }));
  await put(engine, model, idsFrom(8_500, 100), 2);
  expect((await recall(engine, model)).recall).toBeGreaterThan(0.95);
  await building;
  expect([...engine.indexBuilds()]).toEqual([]);
  const after = await recall(engine, model);
  expect(after.strategies).toContain('graph');
  expect(after.recall).toBeGreaterThanOrEqual(0.95);
  await engine.close();
}, 60_000);

test('a build shows how far it is, and can be canceled', async () => {
  const engine = await open(new MemoryStore());
  await makeTable(engine);
  await put(engine, new Map(), idsFrom(0, 6_000), 1);
  await engine.flush();
  const index = await addIndex(engine);
  const cancel = new AbortController();
  const building = engine.buildIndexes(BOOKS, request({ index, processId: 7, signal: cancel.signal }));
  const refused = expect(building).rejects.toThrow('canceled');
  while ([...engine.indexBuilds()][0]?.phase !== 'building graph')
    await new Promise((done) => setTimeout(done, 1));
  expect([...engine.indexBuilds()]).toMatchObject([
    { relation: BOOKS, index, processId: 7, command: 'CREATE INDEX', partitionsTotal: 1, partitionsDone: 0 },
  ]);
  cancel.abort(new Error('canceled'));
  await refused;
  await engine.buildIndexes(BOOKS, request());
  await engine.buildIndexes(BOOKS, request({ renews: true }));
  await engine.close();
}, 60_000);

test('out of disk or killed in the middle of a build, the old state stays', async () => {
  const store = new FaultyStore(new MemoryStore(), null);
  const engine = await open(store);
  const model = new Map<string, Float32Array>();
  await makeTable(engine);
  await put(engine, model, idsFrom(0, 6_000), 1);
  await engine.flush();
  await addIndex(engine);
  store.setFault({ kind: 'error', at: store.writes, count: 1, code: 'ENOSPC' });
  await expect(engine.buildIndexes(BOOKS, request())).rejects.toMatchObject({ sqlstate: '53100' });
  expect((await recall(engine, model)).recall).toBe(1);
  // Blocks are there, the segment is not yet: a start clears them away and builds anew.
  store.setFault({ kind: 'crash', at: 3 * (store.writes + 1) });
  void engine.buildIndexes(BOOKS, request());
  while (!store.crashed) await new Promise((done) => setTimeout(done, 1));
  const again = await open(store.survivor());
  await again.buildIndexes(BOOKS, request());
  expect(await recall(again, model)).toMatchObject({ strategies: ['graph'] });
  await again.flush();
  expect(segments(again)).toBe(1);
  await again.close();
}, 60_000);

test('recall stays after half of the rows were updated or deleted, merges, a restart and a kill', async () => {
  const folder = folders.make();
  let store = openLmdbStore(folder);
  let engine = await open(store, { headRows: 5_000 });
  const model = new Map<string, Float32Array>();
  await makeTable(engine);
  await addIndex(engine);
  await put(engine, model, idsFrom(0, 30_000), 1);
  await engine.flush();
  await put(engine, model, idsFrom(0, 7_500), 3);
  for (let from = 7_500; from < 15_000; from += 2_500) {
    const gone = idsFrom(from, 2_500);
    await using transaction = begin(engine);
    await deleteIds(transaction, gone);
    await transaction.commit();
    for (const id of gone) model.delete(id);
  }
  expect((await recall(engine, model)).recall).toBeGreaterThanOrEqual(0.95);
  await engine.flush();
  const merged = await recall(engine, model);
  expect(merged.recall).toBeGreaterThanOrEqual(0.95);
  expect(merged.strategies.join()).toContain('graph');
  expect(segments(engine)).toBeLessThanOrEqual(3);
  await engine.close();
  store = openLmdbStore(folder);
  engine = await open(store, { headRows: 5_000 });
  expect((await recall(engine, model)).recall).toBeGreaterThanOrEqual(0.95);
  using snapshot = engine.snapshot();
  const visible = snapshot.parts(BOOKS, null).map((part) => {
    return countBits(part.visible, part.rowCount);
  });
  expect(visible.reduce((sum, rows) => sum + rows, 0)).toBe(model.size);
  expect(snapshot.lookup(BOOKS, null, BOOKS_KEY, ['id8000'])).toBeNull();
  snapshot[Symbol.dispose]();
  await engine.close();
}, 180_000);
