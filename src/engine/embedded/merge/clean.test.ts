/** VACUUM's part of the engine: heads with rows that are gone become segments; others are left alone. */
import { expect, test } from 'vitest';
import {
  BOOKS,
  begin,
  deleteIds,
  MASTER_KEY,
  makeBooks,
  titlesNow,
  upsert,
} from '../../../../sql-tests/fixtures/engine.ts';
import { MemoryStore } from '../../../storage/memory-store.ts';
import { Head } from '../head/head.ts';
import { openEmbeddedEngine } from '../open.ts';

test('rows that are gone leave a head; where none are nothing happens', async () => {
  const settings = { idleMs: 0 };
  const engine = await openEmbeddedEngine({ masterKey: MASTER_KEY, store: new MemoryStore(), settings });
  await makeBooks(engine);
  await upsert(engine, [
    { id: 'a', title: 'A' },
    { id: 'b', title: 'B' },
  ]);
  const shown = (): unknown => {
    using snapshot = engine.snapshot();
    return snapshot
      .parts(BOOKS, null)
      .map((part) => [
        (part as unknown as { run: { source: unknown } }).run.source instanceof Head ? 'head' : 'segment',
        part.rowCount,
      ]);
  };
  await engine.clean([BOOKS]);
  expect(shown()).toEqual([['head', 2]]);
  {
    await using transaction = begin(engine);
    await deleteIds(transaction, ['a']);
    await transaction.commit();
  }
  await engine.clean([BOOKS]);
  expect(shown()).toEqual([['segment', 1]]);
  await engine.clean([BOOKS]);
  expect([...(await titlesNow(engine)).keys()]).toEqual(['b']);
  await engine.close();
});
