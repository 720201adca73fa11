/** Analyses of relations that go: kept where the drop cannot be stored, forgotten once it is, whoever asks meanwhile. */
import { expect, test } from 'vitest';
import {
  BOOKS,
  begin,
  books,
  MASTER_KEY,
  makeBooks,
  NEVER,
  titlesNow,
  upsert,
  withoutRelation,
  withRelation,
} from '../../../../sql-tests/fixtures/engine.ts';
import { FaultyStore } from '../../../../sql-tests/fixtures/faulty-store.ts';
import { MemoryStore } from '../../../storage/memory-store.ts';
import type { Operation } from '../../../storage/store.ts';
import type { Engine } from '../../engine.ts';
import { openEmbeddedEngine } from '../open.ts';

/** Calls `written` in the middle of each write, where others have their turn. */
class WatchedStore extends FaultyStore {
  written: () => void = () => {};

  override async write(operations: readonly Operation[]): Promise<void> {
    this.written();
    await super.write(operations);
    this.written();
  }
}

async function openAnalysed(store: FaultyStore): Promise<Engine> {
  const engine = await openEmbeddedEngine({ masterKey: MASTER_KEY, store });
  await makeBooks(engine);
  await upsert(engine, [{ id: 'a' }]);
  await engine.keepAnalysis(BOOKS, { rows: 1, written: 1, columns: new Map() });
  return engine;
}

async function dropBooks(engine: Engine): Promise<void> {
  await using transaction = begin(engine);
  await transaction.changeCatalog((catalog) => withoutRelation(catalog, BOOKS), NEVER);
  await transaction.commit();
}

test('whoever asks while the drop is written has it until then, and not after', async () => {
  const store = new WatchedStore(new MemoryStore(), null);
  const engine = await openAnalysed(store);
  const seen: (number | undefined)[] = [];
  store.written = () => seen.push(engine.statistics(BOOKS).analysis?.rows);
  await dropBooks(engine);
  expect(seen.slice(0, 2)).toEqual([1, 1]);
  expect(engine.statistics(BOOKS).analysis).toBeNull();
  await engine.close();
});

test('a drop that cannot be written leaves the analysis, also after a restart', async () => {
  const store = new FaultyStore(new MemoryStore(), null);
  const engine = await openAnalysed(store);
  store.setFault({ kind: 'error', at: store.writes, count: 1, code: 'EIO' });
  await expect(dropBooks(engine)).rejects.toMatchObject({ sqlstate: '58030' });
  expect(engine.statistics(BOOKS).analysis?.rows).toBe(1);
  await engine.close();
  const again = await openEmbeddedEngine({ masterKey: MASTER_KEY, store: store.survivor() });
  expect(again.statistics(BOOKS).analysis?.rows).toBe(1);
  await again.close();
});

test('an index that cannot take stored rows is reported, and the rows are there', async () => {
  const reported: unknown[] = [];
  const engine = await openEmbeddedEngine({
    masterKey: MASTER_KEY,
    store: new MemoryStore(),
    report: (error) => reported.push(error),
  });
  await makeBooks(engine);
  const indexes = books.indexes.map((index) =>
    index.kind === 'keyword' ? { ...index, options: { ...index.options, language: 'unknown' } } : index,
  );
  await using transaction = begin(engine);
  await transaction.changeCatalog((catalog) => withRelation(catalog, { ...books, indexes }), NEVER);
  await transaction.commit();
  await upsert(engine, [{ id: 'a', title: 'kept' }]);
  expect(reported).toHaveLength(1);
  expect([...(await titlesNow(engine))]).toEqual([['a', 'kept']]);
  await engine.close();
});
