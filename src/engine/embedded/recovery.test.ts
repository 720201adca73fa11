/**
 * Durability: random operations against a plain model with restarts and flushes, a crash at every point of
 * every write, errors of the disk, and files that nobody without the key can read or change unnoticed.
 */
import { seededRandom } from '../../seeded-random.ts';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Fault, FaultyStore } from '../../../sql-tests/fixtures/faulty-store.ts';
import { openLmdbStore } from '../../storage/lmdb-store.ts';
import { dataFilePath, keyFilePath, loadMasterKey } from '../../storage/master-key.ts';
import { derivedRing } from '../../storage/key-ring.ts';
import { MemoryStore } from '../../storage/memory-store.ts';
import type { Store } from '../../storage/store.ts';
import { sliced } from '../../../sql-tests/slow-tests.ts';
import type { Engine } from '../engine.ts';
import { numberKey, Records } from './commit/records.ts';
import { StorageEntries } from './commit/storage-entries.ts';
import type { EmbeddedEngine } from './embedded-engine.ts';
import {
  BOOKS,
  BOOKS_KEY,
  type Book,
  begin,
  deleteIds,
  MASTER_KEY,
  makeBooks,
  NEVER,
  rowsOf,
  TestFolders,
  titleOf,
  titlesNow,
  upsert,
} from '../../../sql-tests/fixtures/engine.ts';
import { openEmbeddedEngine } from './open.ts';
import type { Manifest } from './segment/manifest.ts';
import type { EngineSettings } from './settings.ts';

const folders = new TestFolders();
afterAll(() => folders.remove());

type Model = ReadonlyMap<string, string>;
/** The same rounds every time. */
const seeded = (seed: number): ((below: number) => number) => {
  const random = seededRandom(seed);
  return (below) => Math.floor(random() * below);
};

interface Step {
  readonly commit: boolean;
  readonly deletes: readonly string[];
  readonly books: readonly (Book & { readonly title: string })[];
  readonly flush: boolean;
  readonly reopen: boolean;
}

function makeSteps(seed: number, count: number): readonly Step[] {
  const random = seeded(seed);
  return Array.from({ length: count }, (_, step) => ({
    commit: random(5) > 0,
    deletes: Array.from({ length: random(4) }, () => `id${random(40)}`),
    books: Array.from({ length: random(6) }, (__, i) => ({
      id: `id${random(40)}`,
      title: `title ${step} ${i}`,
      year: BigInt(step),
      emb: [1, random(10), 0, 1],
    })),
    flush: random(12) === 0,
    reopen: random(15) === 0,
  }));
}

function applyStep(model: Model, step: Step): Model {
  if (!step.commit) return model;
  const next = new Map(model);
  for (const id of step.deletes) next.delete(id);
  for (const book of step.books) next.set(book.id, book.title);
  return next;
}

async function runStep(engine: Engine, step: Step): Promise<void> {
  await using transaction = begin(engine);
  await deleteIds(transaction, step.deletes);
  await transaction.insert(BOOKS, null, rowsOf(step.books), 'replace', NEVER);
  if (step.commit) await transaction.commit();
  else transaction.rollback();
}

const sorted = (map: ReadonlyMap<string, unknown>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));

async function check(engine: Engine, model: Model): Promise<void> {
  expect(sorted(await titlesNow(engine))).toEqual(sorted(model));
  using snapshot = engine.snapshot();
  for (const [id, title] of model) expect(await titleOf(snapshot, id)).toBe(title);
  expect(engine.statistics(BOOKS).rows).toBe(model.size);
}

const SETTINGS = { headRows: 60, mergeCount: 3, idleMs: 0 };
/** Every commit stores its rows before the record that counts them, as large ones do. */
const STAGED = { ...SETTINGS, stagedBytes: 1, journalCommits: 0 };
/** Every third or so writes what the journal holds. */
const JOURNALED = { ...SETTINGS, stagedBytes: 1, journalCommits: 2 };
const openOn = (store: Store, settings: Partial<EngineSettings> = SETTINGS): Promise<EmbeddedEngine> =>
  openEmbeddedEngine({ masterKey: MASTER_KEY, store, settings });

describe.each([
  [1, SETTINGS],
  [2, SETTINGS],
  [3, STAGED],
  [4, JOURNALED],
])('random operations, seed %i', (seed, settings) => {
  test('agree with a map, over restarts, flushes and merges', async () => {
    const folder = folders.make();
    let engine = await openOn(openLmdbStore(folder), settings);
    await makeBooks(engine);
    let model: Model = new Map();
    for (const step of makeSteps(seed, 120)) {
      await runStep(engine, step);
      model = applyStep(model, step);
      if (step.flush) await engine.flush();
      if (step.reopen) {
        await engine.close();
        engine = await openOn(openLmdbStore(folder), settings);
      }
      if (step.flush || step.reopen) await check(engine, model);
    }
    await check(engine, model);
    expect(engine.open).toEqual({ snapshots: 0, locks: 0 });
    await engine.close();
  });
});

/** Runs steps until all are done or the store has crashed; what was acknowledged and what was on its way. */
async function runUntilCrash(
  store: FaultyStore,
  steps: readonly Step[],
  settings: Partial<EngineSettings>,
): Promise<{ acknowledged: Model; next: Model; made: boolean }> {
  let acknowledged: Model = new Map();
  let next: Model = new Map();
  let made = false;
  const work = async (): Promise<void> => {
    const engine = await openOn(store, settings);
    await makeBooks(engine);
    made = true;
    for (const step of steps) {
      next = applyStep(acknowledged, step);
      await runStep(engine, step);
      acknowledged = next;
      if (step.flush) await engine.flush();
    }
    await engine.close();
  };
  const ended = work();
  const crashed = (async () => {
    while (!store.crashed) await new Promise((turn) => setTimeout(turn, 1));
  })();
  await Promise.race([ended, crashed]);
  store.setFault({ kind: 'crash', at: -1 });
  return { acknowledged, next, made };
}

test.each([
  ['', SETTINGS, 12],
  [' of staged rows', STAGED, 5],
  [' of a journal', JOURNALED, 14],
])(
  'a crash at every point of every write%s keeps what was acknowledged, and nothing half',
  async (_, settings, count) => {
    const steps = makeSteps(9, count).map((step, i) => ({ ...step, flush: i % 6 === 3 }));
    const whole = new FaultyStore(new MemoryStore(), null);
    await runUntilCrash(whole, steps, settings);
    expect(whole.writes).toBeGreaterThan(15);
    const points = Array.from({ length: whole.writes * 3 }, (_, at) => at);
    for (const at of sliced(import.meta, points, 'points of a crash')) {
      const fault: Fault = { kind: 'crash', at };
      const store = new FaultyStore(new MemoryStore(), fault);
      const { acknowledged, next, made } = await runUntilCrash(store, steps, settings);
      const engine = await openOn(store.survivor(), settings);
      if (!engine.catalog().relations.has(BOOKS)) {
        expect(made).toBe(false);
        await engine.close();
        continue;
      }
      const found = sorted(await titlesNow(engine));
      expect([sorted(acknowledged), sorted(next)]).toContainEqual(found);
      await check(engine, new Map(found) as Model);
      await upsert(engine, [{ id: 'after', title: 'the crash' }]);
      await engine.close();
    }
  },
);

test.each(['ENOSPC', 'EIO'] as const)('%s fails the statement and loses nothing', async (code) => {
  const store = new FaultyStore(new MemoryStore(), null);
  const errors: unknown[] = [];
  const engine = await openEmbeddedEngine({
    masterKey: MASTER_KEY,
    store,
    settings: SETTINGS,
    report: (error) => errors.push(error),
  });
  await makeBooks(engine);
  await upsert(engine, [{ id: 'a', title: 'kept' }]);
  store.setFault({ kind: 'error', at: store.writes, count: 3, code });
  const sqlstate = code === 'ENOSPC' ? '53100' : '58030';
  await expect(upsert(engine, [{ id: 'a', title: 'lost' }, { id: 'b' }])).rejects.toMatchObject({ sqlstate });
  await expect(upsert(engine, [{ id: 'c' }])).rejects.toMatchObject({ sqlstate });
  await engine.flush();
  expect(errors).toHaveLength(1);
  await check(engine, new Map([['a', 'kept']]));
  await upsert(engine, [{ id: 'b', title: 'later' }]);
  await engine.flush();
  await check(
    engine,
    new Map([
      ['a', 'kept'],
      ['b', 'later'],
    ]),
  );
  await engine.close();
  const again = await openOn(store.survivor());
  await check(
    again,
    new Map([
      ['a', 'kept'],
      ['b', 'later'],
    ]),
  );
  await again.close();
});

const SECRETS = ['Zanzibar marmalade', 'quagmire-id-77'];

async function makeSecrets(folder: string): Promise<void> {
  const engine = await openEmbeddedEngine({ masterKey: MASTER_KEY, folder });
  await makeBooks(engine);
  const filler = 'Lorem ipsum dolor sit amet '.repeat(30);
  // Packed, the titles still are a block of many pages, of which the file has one copy.
  const own = (i: number): string => createHash('sha512').update(String(i)).digest('base64');
  const list = Array.from({ length: 300 }, (_, i) => ({ id: `row-${i}`, title: `${filler} ${own(i)} ${i}` }));
  await upsert(engine, [{ id: SECRETS[1] as string, title: SECRETS[0] as string }, ...list]);
  await engine.flush();
  await upsert(engine, [{ id: 'second', title: `${SECRETS[0]} in the head` }]);
  await engine.close();
}

describe('files', () => {
  test('hold no plaintext of texts, _ids or names', async () => {
    const folder = folders.make();
    await makeSecrets(folder);
    const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
    for (const needle of [...SECRETS, 'Lorem ipsum', 'second', 'books', 'title', 'zanzibar', 'marmalad']) {
      expect(files.some((bytes) => bytes.includes(needle))).toBe(false);
    }
  });

  test('a wrong key is a clear error and changes nothing', async () => {
    const folder = folders.make();
    await makeSecrets(folder);
    const before = readFileSync(dataFilePath(folder));
    const wrong = openEmbeddedEngine({ masterKey: new Uint8Array(32).fill(8), folder });
    await expect(wrong).rejects.toThrow(/encryption key does not fit/);
    expect(readFileSync(dataFilePath(folder)).equals(before)).toBe(true);
  });

  test('two engines cannot open one folder', async () => {
    const folder = folders.make();
    const first = await openEmbeddedEngine({ masterKey: MASTER_KEY, folder });
    const second = openEmbeddedEngine({ masterKey: MASTER_KEY, folder });
    await expect(second).rejects.toMatchObject({ sqlstate: 'F0001' });
    await first.close();
    await (await openEmbeddedEngine({ masterKey: MASTER_KEY, folder })).close();
  });

  test('a damaged block is named, and nothing else is lost', async () => {
    const folder = folders.make();
    await makeSecrets(folder);
    const at = await blockOf(folder, 'column/2/values');
    const bytes = readFileSync(dataFilePath(folder));
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    writeFileSync(dataFilePath(folder), bytes);
    const engine = await openEmbeddedEngine({ masterKey: MASTER_KEY, folder });
    const read = titlesNow(engine).then((titles) => titles.size);
    await expect(read).rejects.toMatchObject({ sqlstate: 'XX001' });
    await expect(read).rejects.toThrow(
      /block \d+ of section "column\/2\/values" of segment \d+ of data file/,
    );
    using snapshot = engine.snapshot();
    expect(snapshot.lookup(BOOKS, null, BOOKS_KEY, ['row-5'])).not.toBeNull();
    snapshot[Symbol.dispose]();
    await engine.close();
    expect(readFileSync(dataFilePath(folder)).equals(bytes)).toBe(true);
  });

  test.each(['end', 'header', 'whole'] as const)('a data file without its %s is named', async (missing) => {
    const folder = folders.make();
    await makeSecrets(folder);
    const path = dataFilePath(folder);
    const bytes = readFileSync(path);
    if (missing === 'end') truncateSync(path, 4096 * Math.floor(bytes.length / 8192));
    else if (missing === 'header') writeFileSync(path, bytes.fill(0, 0, 4096));
    else rmSync(path);
    const opened = openEmbeddedEngine({ masterKey: MASTER_KEY, folder });
    await expect(opened).rejects.toMatchObject({ sqlstate: 'XX001' });
    await expect(opened).rejects.toThrow(path);
  });

  test('a missing key file is not made anew for data that is there', async () => {
    const folder = folders.make();
    const made = loadMasterKey({ dataFolder: folder, configured: null });
    expect(loadMasterKey({ dataFolder: folder, configured: null }).bytes).toEqual(made.bytes);
    const engine = await openEmbeddedEngine({ masterKey: made.bytes, folder });
    made.settle();
    await engine.close();
    expect(() =>
      loadMasterKey({ dataFolder: folder, configured: { text: 'short', source: 'a test' } }),
    ).toThrow(/encryption key/);
    rmSync(keyFilePath(folder));
    expect(() => loadMasterKey({ dataFolder: folder, configured: null })).toThrow(/is missing/);
  });
});

/** Where the first block of a section of the only segment lies in the data file. */
async function blockOf(folder: string, section: string): Promise<number> {
  const store = openLmdbStore(folder);
  const records = new Records(store, derivedRing(MASTER_KEY));
  await records.begin(false);
  const manifests = records
    .tables()
    .flatMap(({ storage }) => records.manifests(storage, new StorageEntries())) as Manifest[];
  const { segment, sections } = manifests[0] as Manifest;
  const number = sections.findIndex(({ name }) => name === section);
  const block = store.get('blocks', numberKey(segment, number, 0)) as Uint8Array;
  await store.close();
  return readFileSync(dataFilePath(folder)).indexOf(block) + (block.length >> 1);
}
