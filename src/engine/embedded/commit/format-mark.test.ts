/** Data that an older server would misread is marked, so that it refuses it; the layout stays what it was. */
import { expect, test } from 'vitest';
import { begin, MASTER_KEY, makeBooks, titlesNow, upsert } from '../../../../sql-tests/fixtures/engine.ts';
import { MemoryStore } from '../../../storage/memory-store.ts';
import { openEmbeddedEngine } from '../open.ts';

const open = (store: MemoryStore, newFormat?: number) =>
  openEmbeddedEngine({
    store,
    masterKey: MASTER_KEY,
    settings: { idleMs: 0 },
    ...(newFormat !== undefined && { newFormat }),
  });

const NEVER = new AbortController().signal;
const ALL_SEE = {
  oid: 1,
  name: 'p',
  command: 'all',
  permissive: true,
  roles: [0],
  using: 'true',
  check: null,
} as const;

const FORMAT = Buffer.from('format');
const formatOf = (store: MemoryStore): string =>
  Buffer.from(store.get('meta', FORMAT) as Uint8Array).toString();

test.each([5, 6, 7])('data of format %i is marked once, and read as before', async (format) => {
  const store = new MemoryStore();
  const engine = await open(store, format);
  await makeBooks(engine);
  await upsert(engine, [{ id: 'a', title: 'before' }]);
  expect(formatOf(store)).toBe(String(format));
  await engine.markFormat8();
  await engine.markFormat8();
  expect(formatOf(store)).toBe('8');
  await upsert(engine, [{ id: 'b', title: 'after' }]);
  const journal = store.scanKeys('journal', {}).length;
  expect(journal > 0).toBe(format >= 7);
  await engine.close();

  const again = await open(store);
  expect(Object.fromEntries(await titlesNow(again))).toEqual({ a: 'before', b: 'after' });
  await upsert(again, [{ id: 'c', title: 'later' }]);
  await again.close();
  expect((await titlesNow(await open(store))).size).toBe(3);
});

test.each([
  ['policies', { policies: [ALL_SEE] }],
  ['row security that is on', { rowSecurity: 'enabled' as const }],
])('data with %s, and no roles, is marked', async (_, rules) => {
  const store = new MemoryStore();
  const engine = await open(store, 7);
  await makeBooks(engine);
  expect(formatOf(store)).toBe('7');
  await using transaction = begin(engine);
  await transaction.changeCatalog((catalog) => {
    const [[oid, books] = []] = catalog.relations;
    if (oid === undefined || books === undefined) throw new Error('no relation');
    return { ...catalog, relations: new Map(catalog.relations).set(oid, { ...books, ...rules }) };
  }, NEVER);
  await transaction.commit();
  expect(formatOf(store)).toBe('8');
  await engine.close();
});

test('a mark that is taken off is found', async () => {
  const store = new MemoryStore();
  const engine = await open(store);
  await engine.markFormat8();
  await engine.close();
  await store.write([{ kind: 'put', space: 'meta', key: FORMAT, value: Buffer.from('7') }]);
  await expect(open(store)).rejects.toMatchObject({ condition: 'data_corrupted' });
});
