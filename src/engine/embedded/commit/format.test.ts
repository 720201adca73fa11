/** Data of older formats is read and written on as it is, until it has data keys; its number cannot be changed. */
import { expect, test } from 'vitest';
import { MASTER_KEY, makeBooks, NEVER, titlesNow, upsert } from '../../../../sql-tests/fixtures/engine.ts';
import { derivedContent, KeyRing } from '../../../storage/key-ring.ts';
import { MemoryStore } from '../../../storage/memory-store.ts';
import { openEmbeddedEngine } from '../open.ts';

const open = (store: MemoryStore, newFormat?: number) =>
  openEmbeddedEngine({
    store,
    masterKey: MASTER_KEY,
    settings: { idleMs: 0 },
    ...(newFormat !== undefined && { newFormat }),
  });

const FORMAT = Buffer.from('format');
const formatOf = (store: MemoryStore): string =>
  Buffer.from(store.get('meta', FORMAT) as Uint8Array).toString();
const put = (key: Uint8Array, text: string) =>
  ({ kind: 'put', space: 'meta', key, value: Buffer.from(text) }) as const;

test.each([5, 6, 7, 8])(
  'data of format %i is read and written as before, then given data keys',
  async (format) => {
    const store = new MemoryStore();
    const engine = await open(store, format);
    await makeBooks(engine);
    await upsert(engine, [{ id: 'a', title: 'first' }]);
    await upsert(engine, [{ id: 'a', title: 'before' }]);
    expect(formatOf(store)).toBe(String(format));
    expect(store.scanKeys('journal', {}).length > 0).toBe(format >= 7);
    await engine.close();

    const again = await open(store);
    expect(formatOf(store)).toBe(String(format));
    const content = derivedContent(MASTER_KEY);
    const { keyed } = again;
    await keyed.pin(1, 0);
    expect(formatOf(store)).toBe('9');
    await upsert(again, [{ id: 'b', title: 'after' }]);
    expect(store.scanKeys('journal', {}).length).toBeGreaterThan(0);
    await again.close();

    const ring = new KeyRing('a ring', { ...content, generation: 1, installation: keyed.installation });
    const keyedEngine = await openEmbeddedEngine({ store, masterKey: async () => ring });
    expect(Object.fromEntries(await titlesNow(keyedEngine))).toEqual({ a: 'before', b: 'after' });
    await keyedEngine.keyed.sealAnew(0, NEVER);
    await keyedEngine.close();
    await expect(open(store)).rejects.toThrow(/is missing/);
  },
);

test.each([
  [8, '7'],
  [7, '8'],
  [7, '9'],
])('data of format %i that is said to be of %s is told', async (format, said) => {
  const store = new MemoryStore();
  await (await open(store, format)).close();
  await store.write([put(FORMAT, said)]);
  const ring = new KeyRing('a ring', { ...derivedContent(MASTER_KEY), generation: 1 });
  const opened = openEmbeddedEngine({ store, masterKey: async () => ring });
  await expect(opened).rejects.toMatchObject({ condition: 'data_corrupted' });
});

test('a later format is refused, and nothing changed', async () => {
  const store = new MemoryStore();
  await (await open(store)).close();
  const before = store.image();
  await store.write([put(FORMAT, '10')]);
  await expect(open(store)).rejects.toThrow(/meta\/format/);
  await store.write([put(FORMAT, '7')]);
  expect(store.image()).toEqual(before);
});
