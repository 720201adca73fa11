/**
 * Data keys are changed: all that is stored is sealed anew beside everything else, and what a destroyed key has sealed is
 * nowhere, whatever happens meanwhile and wherever it is cut off.
 */
import { expect, test } from 'vitest';
import { FaultyStore } from '../../../../sql-tests/fixtures/faulty-store.ts';
import {
  begin,
  books,
  deleteIds,
  makeBooks,
  NEVER,
  titlesNow,
  upsert,
  visibleTitles,
  withRelation,
} from '../../../../sql-tests/fixtures/engine.ts';
import { KeyRing, newContent, newKey, type RingContent } from '../../../storage/key-ring.ts';
import { MemoryStore } from '../../../storage/memory-store.ts';
import { epochOf } from '../../../storage/seal.ts';
import { type Space, SPACES, type Store } from '../../../storage/store.ts';
import type { EmbeddedEngine } from '../embedded-engine.ts';
import { openEmbeddedEngine } from '../open.ts';
import type { EngineSettings } from '../settings.ts';

const SETTINGS = { headRows: 40, mergeCount: 3, idleMs: 0 };
const OTHER = 16502;
const SEQUENCE = 16500;
const FORMAT = Buffer.from('format');

const openWith = (store: Store, ring: KeyRing, settings: Partial<EngineSettings> = SETTINGS) =>
  openEmbeddedEngine({ store, masterKey: async () => ring, settings, report: raise });
const raise = (error: unknown): void => {
  throw error;
};
const ringOf = (content: RingContent): KeyRing => new KeyRing('a ring', content);
const withNewKey = (content: RingContent, from: number): RingContent => ({
  ...content,
  generation: content.generation + 1,
  data: [...content.data, { from, key: newKey() }],
});
const withoutOld = (content: RingContent): RingContent => ({
  ...content,
  generation: content.generation + 1,
  data: content.data.slice(-1),
});

const listOf = (from: number, count: number, title: string) =>
  Array.from({ length: count }, (_, i) => ({
    id: `id${from + i}`,
    title: `${title} ${i}`,
    year: BigInt(i),
    emb: [1, i % 7, 0, 1],
  }));

/** Segments with rows that are gone, chunks, a journal, an analysis, a place of a sequence, an empty table. */
async function fill(engine: EmbeddedEngine): Promise<void> {
  await makeBooks(engine);
  {
    await using transaction = begin(engine);
    await transaction.changeCatalog((catalog) => {
      const sequence = { ...books, oid: SEQUENCE, name: 's', kind: 'sequence' as const, indexes: [] };
      return withRelation(withRelation(catalog, { ...books, oid: OTHER, name: 'other' }), sequence);
    }, NEVER);
    await transaction.commit();
  }
  await upsert(engine, listOf(0, 90, 'old'));
  await engine.flush();
  await upsert(engine, listOf(50, 70, 'second'));
  await engine.keepAnalysis(books.oid, { rows: 120, columns: new Map() } as never);
  await using transaction = begin(engine);
  await deleteIds(transaction, ['id1', 'id2', 'id60']);
  await transaction.commit();
  await upsert(engine, [{ id: 'last', title: 'journal' }]);
}

/** Places of what is sealed in an epoch before. */
function stale(store: Store, epoch: number): readonly string[] {
  return Object.keys(SPACES).flatMap((space) =>
    store
      .scan(space as Space, {})
      .filter(({ key, value }) => !FORMAT.equals(key) && epochOf(value) < epoch)
      .map(({ key }) => `${space}/${Buffer.from(key).toString('hex')}`),
  );
}

const sorted = (map: ReadonlyMap<string, unknown>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));

/** A new data key is begun and everything sealed anew. */
async function roll(engine: EmbeddedEngine, ring: KeyRing): Promise<number> {
  const { keyed } = engine;
  const from = keyed.epoch + 2;
  ring.use(withNewKey(ring.content, from));
  await keyed.pin(ring.content.generation, from);
  await keyed.sealAnew(from, NEVER);
  return from;
}

test('all that is stored is under the newest key, twice, and opens without the older ones', async () => {
  const store = new MemoryStore();
  const ring = ringOf(newContent());
  let engine = await openWith(store, ring);
  await fill(engine);
  const expected = sorted(await titlesNow(engine));
  for (let round = 0; round < 2; round++) {
    expect(stale(store, engine.keyed.epoch + 1).length).toBeGreaterThan(8);
    const from = await roll(engine, ring);
    expect(stale(store, from)).toEqual([]);
    ring.use(withoutOld(ring.content));
    await engine.keyed.pin(ring.content.generation, from);
    expect(sorted(await titlesNow(engine))).toEqual(expected);
    await upsert(engine, [{ id: 'last', title: 'journal' }]);
    await engine.close();
    engine = await openWith(store, ringOf(ring.content));
    expect(sorted(await titlesNow(engine))).toEqual(expected);
    await engine.close();
    engine = await openWith(store, ring);
  }
  await engine.close();
});

test('a crash at every point of every write loses nothing, and the rest is sealed after it', async () => {
  const made = new MemoryStore();
  const first = newContent();
  {
    const engine = await openWith(made, ringOf(first));
    await fill(engine);
    await engine.close();
  }
  const change = async (store: FaultyStore, ring: KeyRing): Promise<void> => {
    const engine = await openWith(store, ring);
    await roll(engine, ring);
    await engine.close();
  };
  const whole = new FaultyStore(made, null);
  await change(whole, ringOf(first));
  expect(whole.writes).toBeGreaterThan(3);
  const expected = await (async () => {
    const engine = await openWith(new MemoryStore(made.image()), ringOf(first));
    return sorted(await titlesNow(engine));
  })();
  for (let at = 0; at < whole.writes * 3; at++) {
    const store = new FaultyStore(made, { kind: 'crash', at });
    const ring = ringOf(first);
    const changed = change(store, ring);
    await Promise.race([changed, crashOf(store)]);
    const left = store.survivor();
    const again = ringOf(ring.content);
    const engine = await openWith(left, again);
    expect(sorted(await titlesNow(engine))).toEqual(expected);
    const { newest } = again;
    await engine.keyed.pin(again.content.generation, newest);
    await engine.keyed.sealAnew(newest, NEVER);
    expect(stale(left, newest)).toEqual([]);
    await engine.close();
  }
});

async function crashOf(store: FaultyStore): Promise<void> {
  while (!store.crashed) await new Promise((turn) => setTimeout(turn, 1));
}

test('writers, merges and readers of the past beside it', async () => {
  const store = new MemoryStore();
  const ring = ringOf(newContent());
  const engine = await openWith(store, ring);
  await fill(engine);
  const model = new Map(await titlesNow(engine));
  const before = sorted(model);
  const past = engine.snapshot();
  let isDone = false;
  const write = async (): Promise<void> => {
    for (let i = 0; !isDone || i < 30; i++) {
      const list = listOf((i * 13) % 200, 9, `while ${i}`);
      await upsert(engine, list);
      for (const { id, title } of list) model.set(id, title);
      if (i % 5 === 0) await engine.flush();
      await new Promise((turn) => setImmediate(turn));
    }
  };
  const writing = write();
  let from = 0;
  for (let round = 0; round < 3; round++) {
    from = await roll(engine, ring);
    ring.use(withoutOld(ring.content));
    await engine.keyed.pin(ring.content.generation, from);
  }
  isDone = true;
  await writing;
  expect(sorted(await titlesNow(engine))).toEqual(sorted(model));
  expect(sorted(await visibleTitles(past))).toEqual(before);
  past[Symbol.dispose]();
  await engine.flush();
  expect(stale(store, from)).toEqual([]);
  await engine.close();
  const again = await openWith(store, ringOf(ring.content));
  expect(sorted(await titlesNow(again))).toEqual(sorted(model));
  // What was removed meanwhile has not been written again.
  const segments = new Set([...again.segments(books.oid)].flatMap(({ segment }) => segment ?? []));
  await again.close();
  const stored = new Set(store.scanKeys('blocks', {}).map((key) => Buffer.from(key).readUInt32BE(0)));
  expect(stored).toEqual(segments);
});

test('what a commit that failed has left stays uncounted', async () => {
  const store = new FaultyStore(new MemoryStore(), null);
  const ring = ringOf(newContent());
  // Nothing is written but by commits.
  const staged = { headRows: 1000, idleMs: 0, stagedBytes: 1, journalCommits: 0 };
  const engine = await openWith(store, ring, staged);
  await fill(engine);
  await engine.flush();
  const expected = sorted(await titlesNow(engine));
  // Its rows are stored, and the record that counts them is not.
  store.setFault({ kind: 'error', at: store.writes + 1, count: 1, code: 'ENOSPC' });
  await expect(upsert(engine, [{ id: 'lost', title: 'never' }])).rejects.toMatchObject({ sqlstate: '53100' });
  const chunks = store.scanKeys('chunks', {}).length;
  await roll(engine, ring);
  expect(chunks - store.scanKeys('chunks', {}).length).toBe(1);
  const again = await openWith(store.survivor(), ringOf(ring.content));
  expect(sorted(await titlesNow(again))).toEqual(expected);
  await again.close();
  await upsert(engine, [{ id: 'after', title: 'it' }]);
  await engine.close();
  const last = await openWith(store.survivor(), ringOf(ring.content));
  expect((await titlesNow(last)).size).toBe(expected.length + 1);
  await last.close();
});
