/** Many transactions at once: no update is lost, no snapshot sees half of a commit, merges beside them. */
import { expect, test } from 'vitest';
import { SqlError } from '../../errors.ts';
import { MemoryStore } from '../../storage/memory-store.ts';
import type { Engine } from '../engine.ts';
import {
  BOOKS,
  BOOKS_KEY,
  begin,
  FOR_UPDATE,
  MASTER_KEY,
  makeBooks,
  NEVER,
  rowsOf,
  upsert,
  withoutRelation,
} from '../../../sql-tests/fixtures/engine.ts';
import { openEmbeddedEngine } from './open.ts';

const ACCOUNTS = 6;
const CLIENTS = 8;
const TRANSFERS = 25;
type Isolation = 'read committed' | 'repeatable read';

/** Moves 1 from one account to another; the sum over all stays. */
async function transfer(engine: Engine, from: string, to: string, isolation: Isolation): Promise<void> {
  await using transaction = begin(engine, isolation);
  for (const [id, change] of [
    [from, -1n],
    [to, 1n],
  ] as const) {
    for (let done = false; !done; ) {
      using snapshot = transaction.snapshot();
      const address = snapshot.lookup(BOOKS, null, BOOKS_KEY, [id]);
      if (address === null) throw new Error(`${id} is gone`);
      const row = Float64Array.of(address.rowNumber);
      const [there] = await transaction.lock(BOOKS, null, row, FOR_UPDATE);
      if (there !== address.rowNumber) continue;
      const [year] = await address.part.read([3], address.row, address.row + 1);
      transaction.delete(BOOKS, null, row);
      const next = rowsOf([{ id, title: 'account', year: (year?.get(0) as bigint) + change }]);
      await transaction.insert(BOOKS, null, next, 'error', NEVER);
      done = true;
    }
  }
  await transaction.commit();
}

async function sum(engine: Engine): Promise<{ rows: number; total: bigint }> {
  using snapshot = engine.snapshot();
  let total = 0n;
  let rows = 0;
  for (const part of snapshot.parts(BOOKS, null)) {
    const [years] = await part.read([3], 0, part.rowCount);
    for (let row = 0; row < part.rowCount; row++) {
      if (part.visible !== null && ((part.visible[row >>> 5] as number) & (1 << (row & 31))) === 0) continue;
      total += years?.get(row) as bigint;
      rows++;
    }
  }
  return { rows, total };
}

test.each(['read committed', 'repeatable read'] as const)('transfers under %s', async (isolation) => {
  const engine = await openEmbeddedEngine({
    masterKey: MASTER_KEY,
    store: new MemoryStore(),
    settings: { headRows: 50, mergeCount: 2, idleMs: 0 },
  });
  await makeBooks(engine);
  const accounts = Array.from({ length: ACCOUNTS }, (_, i) => ({ id: `a${i}`, year: 100n }));
  await upsert(engine, accounts);
  let running = true;
  const watcher = (async () => {
    while (running) {
      expect(await sum(engine)).toEqual({ rows: ACCOUNTS, total: 100n * BigInt(ACCOUNTS) });
      await new Promise((turn) => setTimeout(turn, 1));
    }
  })();
  const client = async (number: number): Promise<void> => {
    for (let i = 0; i < TRANSFERS; ) {
      const from = (number + i) % ACCOUNTS;
      const to = (number * 2 + i * 3 + 1) % ACCOUNTS;
      try {
        if (from !== to) await transfer(engine, `a${from}`, `a${to}`, isolation);
        i++;
      } catch (error) {
        expect(error).toBeInstanceOf(SqlError);
        expect(['40001', '40P01']).toContain((error as SqlError).sqlstate);
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  running = false;
  await watcher;
  expect(engine.open).toEqual({ snapshots: 0, locks: 0 });
  await engine.flush();
  expect(await sum(engine)).toEqual({ rows: ACCOUNTS, total: 100n * BigInt(ACCOUNTS) });
  await engine.close();
});

test('what two ANALYZE find of one relation at a time is kept of both', async () => {
  const store = new MemoryStore();
  const engine = await openEmbeddedEngine({ masterKey: MASTER_KEY, store });
  await makeBooks(engine);
  const column = {
    type: 25,
    nullFraction: 0,
    width: 1,
    distinct: 1,
    common: [],
    bounds: [],
    correlation: null,
  };
  const found = (attribute: number) => ({ rows: 0, written: 0, columns: new Map([[attribute, column]]) });
  await Promise.all([1, 2, 3].map((attribute) => engine.keepAnalysis(BOOKS, found(attribute))));
  const kept = (): readonly number[] => [...(engine.statistics(BOOKS).analysis?.columns.keys() ?? [])];
  expect(kept()).toEqual([1, 2, 3]);
  const drop = (async () => {
    await using transaction = begin(engine);
    await transaction.changeCatalog((catalog) => withoutRelation(catalog, BOOKS), NEVER);
    await transaction.commit();
  })();
  await Promise.all([engine.keepAnalysis(BOOKS, found(4)), drop]);
  expect(engine.statistics(BOOKS).analysis).toBeNull();
  await engine.close();
});
