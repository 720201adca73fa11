/**
 * Indexes over rows that are there: built in the merge worker while queries are answered, given up when
 * canceled or out of disk, begun anew after a crash.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { FaultyStore } from '../../../../sql-tests/fixtures/faulty-store.ts';
import { MemoryStore } from '../../../storage/memory-store.ts';
import type { Store } from '../../../storage/store.ts';
import type { BuildRequest } from '../../engine.ts';
import type { EmbeddedEngine } from '../embedded-engine.ts';
import { BOOKS, begin, deleteIds, NEVER } from '../../../../sql-tests/fixtures/engine.ts';
import {
  addIndex,
  namesOf,
  idsFrom,
  makeTable,
  openVectors,
  put,
  recall,
  type VectorModel,
  visibleNames,
} from '../../../../sql-tests/fixtures/vector-engine.ts';

const request = (rest: Partial<BuildRequest> = {}): BuildRequest => ({
  index: 0,
  command: 'CREATE INDEX',
  processId: 1,
  renews: false,
  stops: true,
  signal: NEVER,
  ...rest,
});

test('an index over rows that are there: exact while it is built, then a graph in one segment', async () => {
  const engine = await openVectors(new MemoryStore());
  const model: VectorModel = new Map();
  await makeTable(engine);
  await put(engine, model, idsFrom(0, 5_500), 1);
  const index = await addIndex(engine);
  const before = await recall(engine, model, 20);
  expect(before.recall).toBe(1);
  const building = engine.buildIndexes(BOOKS, request({ index }));
  await put(engine, model, idsFrom(5_500, 100), 2);
  expect((await recall(engine, model, 20)).recall).toBeGreaterThan(0.95);
  await building;
  expect([...engine.indexBuilds()]).toEqual([]);
  const after = await recall(engine, model, 20);
  expect(after.strategies).toContain('graph');
  expect(after.recall).toBeGreaterThanOrEqual(0.95);
  await engine.close();
});

test('a build shows how far it is, and can be canceled', async () => {
  const engine = await openVectors(new MemoryStore());
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
});

/** Segments that blocks in the store belong to and those that tables have: what is not in both is garbage. */
function storedSegments(store: Store): { blocks: number[]; segments: number[] } {
  const word = (key: Uint8Array, at: number): number => Buffer.from(key).readUInt32BE(at);
  const blocks = new Set(store.scanKeys('blocks', {}).map((key) => word(key, 0)));
  const segments = store.scanKeys('segments', {}).map((key) => word(key, 4));
  return { blocks: [...blocks].sort((a, b) => a - b), segments: segments.sort((a, b) => a - b) };
}

interface Work {
  readonly name: string;
  /** Makes what is there when the work begins. */
  prepare(engine: EmbeddedEngine, model: VectorModel): Promise<void>;
  run(engine: EmbeddedEngine): Promise<void>;
}

const WORKS: readonly Work[] = [
  {
    name: 'a build',
    async prepare(engine, model) {
      await put(engine, model, idsFrom(0, 1_500), 1);
      await engine.flush();
      await addIndex(engine);
    },
    run: (engine) => engine.buildIndexes(BOOKS, request()),
  },
  {
    name: 'a merge',
    async prepare(engine, model) {
      await addIndex(engine);
      await put(engine, model, idsFrom(0, 1_400), 1);
      await engine.flush();
      await put(engine, model, idsFrom(1_000, 700), 2);
      const gone = idsFrom(0, 200);
      await using transaction = begin(engine);
      await deleteIds(transaction, gone);
      await transaction.commit();
      for (const id of gone) model.delete(id);
    },
    run: (engine) => engine.flush(),
  },
];

describe.each(WORKS)('$name', ({ prepare, run }) => {
  const model: VectorModel = new Map();
  let base: MemoryStore;
  let writes = 0;

  /** Nothing happens by itself, so that the work is what the store sees. */
  const quiet = (store: Store): Promise<EmbeddedEngine> => openVectors(store, { graphBytesMin: 50_000 });

  const checkState = async (engine: EmbeddedEngine): Promise<void> => {
    expect(await visibleNames(engine)).toEqual(namesOf(model));
    const found = await recall(engine, model, 5);
    expect(found.recall).toBeGreaterThanOrEqual(0.95);
    expect(found.strangers).toEqual([]);
  };

  const checkStore = (store: Store): void => {
    const { blocks, segments } = storedSegments(store);
    expect(blocks).toEqual(segments);
  };

  beforeAll(async () => {
    const store = new FaultyStore(new MemoryStore(), null);
    const engine = await quiet(store);
    await makeTable(engine);
    await prepare(engine, model);
    base = store.survivor();
    await engine.close();
    const whole = new FaultyStore(base, null);
    const again = await quiet(whole);
    await run(again);
    await again.flush();
    writes = whole.writes;
    await again.close();
    expect(writes).toBeGreaterThan(2);
  });

  test('killed at any point leaves the old state, and the next start clears what is left', async () => {
    for (let write = 0; write < writes; write++) {
      // Readers saw the write, the disk did not: what lies between two writes on disk is met once so.
      const store = new FaultyStore(base, { kind: 'crash', at: 3 * write + 1 });
      const engine = await quiet(store);
      void run(engine);
      while (!store.crashed) await new Promise((done) => setTimeout(done, 1));
      const survivor = store.survivor();
      const again = await quiet(survivor);
      await checkState(again);
      await run(again);
      await again.flush();
      checkStore(survivor);
      await again.close();
    }
  });

  test('out of disk leaves the old state, and can be done again', async () => {
    for (let at = 0; at < writes; at += 3) {
      const store = new FaultyStore(base, {
        kind: 'error',
        at,
        count: Number.POSITIVE_INFINITY,
        code: 'ENOSPC',
      });
      const engine = await quiet(store);
      await run(engine).catch((error: unknown) => expect(error).toMatchObject({ sqlstate: '53100' }));
      await checkState(engine);
      // There is space again, before or after a restart.
      const later = at % 2 === 0 ? engine : await restarted(engine, store);
      store.setFault(null);
      await run(later);
      await later.flush();
      await checkState(later);
      await later.close();
      const last = await quiet(store);
      await last.flush();
      checkStore(store);
      await last.close();
    }
  });

  async function restarted(engine: EmbeddedEngine, store: FaultyStore): Promise<EmbeddedEngine> {
    await engine.close();
    return quiet(store);
  }
});
