/** Statistics of themselves: when relations have changed enough, and that they outlive the process. */
import { expect, test } from 'vitest';
import { BOOKS, makeBooks, MASTER_KEY, upsert } from '../../../sql-tests/fixtures/engine.ts';
import { openEmbeddedEngine } from '../../engine/embedded/open.ts';
import { MemoryStore } from '../../storage/memory-store.ts';
import { AutoAnalyze } from './analyze.ts';

const failing = (error: unknown): never => {
  throw error;
};

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ id: `b${from + i}`, title: `title ${(from + i) % 3}` }));

test('a relation is analyzed after enough changes, and what was found is there after a restart', async () => {
  const store = new MemoryStore();
  let engine = await openEmbeddedEngine({ store, masterKey: MASTER_KEY });
  await makeBooks(engine);
  const auto = new AutoAnalyze(engine, { now: () => performance.now(), report: failing });
  await upsert(engine, numbered(0, 20));
  await auto.round();
  expect(engine.statistics(BOOKS).analysis).toBe(null);

  await upsert(engine, numbered(20, 300));
  await auto.round();
  const first = engine.statistics(BOOKS).analysis;
  expect(first?.columns.get(1)?.distinct).toBe(-1);
  expect(first?.columns.get(2)).toMatchObject({ nullFraction: 0, distinct: 3 });

  await upsert(engine, numbered(300, 320));
  await auto.round();
  expect(engine.statistics(BOOKS).analysis).toBe(first);
  await auto[Symbol.asyncDispose]();
  await engine.close();

  engine = await openEmbeddedEngine({ store, masterKey: MASTER_KEY });
  expect(engine.statistics(BOOKS).analysis).toEqual(first);
  await engine.close();
});
