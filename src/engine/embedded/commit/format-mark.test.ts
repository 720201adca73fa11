/** Data that an older server would misread is marked, so that it refuses it; the layout stays what it was. */
import { expect, test } from 'vitest';
import { MASTER_KEY, makeBooks, titlesNow, upsert } from '../../../../sql-tests/fixtures/engine.ts';
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

test('a mark that is taken off is found', async () => {
  const store = new MemoryStore();
  const engine = await open(store);
  await engine.markFormat8();
  await engine.close();
  await store.write([{ kind: 'put', space: 'meta', key: FORMAT, value: Buffer.from('7') }]);
  await expect(open(store)).rejects.toMatchObject({ condition: 'data_corrupted' });
});
