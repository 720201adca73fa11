/** The laws of `engine.ts` and what its interface promises, over both stores. */
import { afterAll, describe, expect, test } from 'vitest';
import { openLmdbStore } from '../storage/lmdb-store.ts';
import { MemoryStore } from '../storage/memory-store.ts';
import type { Store } from '../storage/store.ts';
import {
  BOOKS,
  BOOKS_KEY,
  begin,
  deleteIds,
  EMBEDDING_INDEX,
  MASTER_KEY,
  makeBooks,
  FOR_UPDATE,
  NEVER,
  rowsOf,
  TestFolders,
  TITLE_INDEX,
  titleOf,
  titlesNow,
  upsert,
  visibleTitles,
  withoutRelation,
} from '../../sql-tests/fixtures/engine.ts';
import { openEmbeddedEngine } from './embedded/open.ts';
import type { EmbeddedEngine } from './embedded/embedded-engine.ts';

const folders = new TestFolders();
afterAll(() => folders.remove());

const STORES: readonly { name: string; open: () => Store }[] = [
  { name: 'memory', open: () => new MemoryStore() },
  { name: 'lmdb', open: () => openLmdbStore(folders.make()) },
];

describe.each(STORES)('on $name', ({ open }) => {
  async function withBooks(work: (engine: EmbeddedEngine) => Promise<void>): Promise<void> {
    const engine = await openEmbeddedEngine({ masterKey: MASTER_KEY, store: open() });
    await makeBooks(engine);
    await work(engine);
    expect(engine.open).toEqual({ snapshots: 0, locks: 0 });
    await engine.close();
  }

  test('a segment keeps its rows by the values of a column', () =>
    withBooks(async (engine) => {
      const years = [1990n, null, 1851n, 2001n, 1990n, null, 1700n];
      await upsert(
        engine,
        years.map((year, i) => ({ id: `k${i}`, year })),
      );
      await engine.flush();
      using snapshot = engine.snapshot();
      const [part] = snapshot.parts(BOOKS, null);
      const order = await part?.order?.(3);
      expect(Array.from(order?.rows ?? [])).toEqual([6, 2, 0, 4, 3]);
      expect(Array.from(order?.nulls ?? [])).toEqual([1, 5]);
      expect([order?.place(1990, false), order?.place(1990, true), order?.place(9999, true)]).toEqual([
        2, 4, 5,
      ]);
      expect(order?.ties(3)).toEqual({ start: 2, end: 4 });
    }));

  test('a snapshot never changes, whatever is committed, flushed or merged', () =>
    withBooks(async (engine) => {
      await upsert(engine, [
        { id: 'a', title: 'one' },
        { id: 'b', title: 'two' },
      ]);
      {
        using old = engine.snapshot();
        await upsert(engine, [
          { id: 'a', title: 'changed' },
          { id: 'c', title: 'three' },
        ]);
        await using transaction = begin(engine);
        await deleteIds(transaction, ['b']);
        await transaction.commit();
        await engine.flush();
        expect(await visibleTitles(old)).toEqual(
          new Map([
            ['a', 'one'],
            ['b', 'two'],
          ]),
        );
        expect(await titleOf(old, 'a')).toBe('one');
        expect(await titleOf(old, 'b')).toBe('two');
        expect(await titleOf(old, 'c')).toBeUndefined();
      }
      expect(await titlesNow(engine)).toEqual(
        new Map([
          ['a', 'changed'],
          ['c', 'three'],
        ]),
      );
      using now = engine.snapshot();
      expect(await titleOf(now, 'a')).toBe('changed');
      expect(await titleOf(now, 'b')).toBeUndefined();
    }));

  test('a transaction sees its own writes, others do not before commit', () =>
    withBooks(async (engine) => {
      await upsert(engine, [{ id: 'a', title: 'one' }]);
      await using transaction = begin(engine);
      const before = transaction.snapshot();
      await transaction.insert(
        BOOKS,
        null,
        rowsOf([{ id: 'a', title: 'new' }, { id: 'b' }]),
        'replace',
        NEVER,
      );
      expect(await visibleTitles(before)).toEqual(new Map([['a', 'one']]));
      before[Symbol.dispose]();
      {
        using own = transaction.snapshot();
        expect(await visibleTitles(own)).toEqual(
          new Map([
            ['a', 'new'],
            ['b', null],
          ]),
        );
        expect(await titleOf(own, 'a')).toBe('new');
        expect(await titlesNow(engine)).toEqual(new Map([['a', 'one']]));
      }
      await deleteIds(transaction, ['b']);
      await transaction.commit();
      expect(await titlesNow(engine)).toEqual(new Map([['a', 'new']]));
    }));

  test('duplicate keys are 23505 with constraint and detail; a later row of one call wins a replace', () =>
    withBooks(async (engine) => {
      await upsert(engine, [
        { id: 'b1', title: 'x', isbn: '1' },
        { id: 'b1', title: 'y', isbn: '1' },
      ]);
      expect(await titlesNow(engine)).toEqual(new Map([['b1', 'y']]));
      await using transaction = begin(engine);
      await expect(
        transaction.insert(BOOKS, null, rowsOf([{ id: 'b1' }]), 'error', NEVER),
      ).rejects.toMatchObject({
        sqlstate: '23505',
        message: 'duplicate key value violates unique constraint "books_pkey"',
        fields: { detail: 'Key (_id)=(b1) already exists.' },
      });
      transaction.rollback();
      await expect(upsert(engine, [{ id: 'b2', isbn: '1' }])).rejects.toMatchObject({ sqlstate: '23505' });
    }));

  test('LSNs count the commits that wrote a collection or partition', () =>
    withBooks(async (engine) => {
      expect(engine.lsn(BOOKS, null)).toBe('0');
      expect(await upsert(engine, [{ id: 'a' }])).toEqual(new Map([[`${BOOKS}`, '1']]));
      expect(await upsert(engine, [{ id: 'a' }], 'acme')).toEqual(new Map([[`${BOOKS}$acme`, '1']]));
      const waiting = engine.waitForLsn(BOOKS, null, '2', NEVER);
      await upsert(engine, [{ id: 'b' }]);
      await waiting;
      expect(engine.lsn(BOOKS, null)).toBe('2');
      expect(engine.statistics(BOOKS).rows).toBe(3);
    }));

  test('partitions share nothing, can be dropped, and truncated', () =>
    withBooks(async (engine) => {
      await upsert(engine, [{ id: 'a', title: 'in acme' }], 'acme');
      await upsert(engine, [{ id: 'a', title: 'in books' }]);
      expect(await titlesNow(engine, 'acme')).toEqual(new Map([['a', 'in acme']]));
      await using transaction = begin(engine);
      transaction.dropPartition(BOOKS, 'acme');
      transaction.truncate(BOOKS, null);
      using own = transaction.snapshot();
      expect(own.partitions(BOOKS)).toEqual([]);
      own[Symbol.dispose]();
      using before = engine.snapshot();
      expect(before.partitions(BOOKS)).toEqual(['acme']);
      await transaction.commit();
      expect(await titleOf(before, 'a')).toBe('in books');
      before[Symbol.dispose]();
      using after = engine.snapshot();
      expect(after.partitions(BOOKS)).toEqual([]);
      expect(after.parts(BOOKS, null)).toEqual([]);
      after[Symbol.dispose]();
      await upsert(engine, [{ id: 'a', title: 'again' }], 'acme');
      expect(await titlesNow(engine, 'acme')).toEqual(new Map([['a', 'again']]));
    }));

  test('savepoints and rollback take back rows, deletes and catalog', () =>
    withBooks(async (engine) => {
      await upsert(engine, [{ id: 'a', title: 'one' }]);
      await using transaction = begin(engine);
      await transaction.insert(BOOKS, null, rowsOf([{ id: 'b' }]), 'error', NEVER);
      const mark = transaction.savepoint();
      await deleteIds(transaction, ['a', 'b']);
      await transaction.insert(BOOKS, null, rowsOf([{ id: 'c' }]), 'error', NEVER);
      await transaction.changeCatalog((catalog) => withoutRelation(catalog, BOOKS), NEVER);
      transaction.rollbackTo(mark);
      await transaction.insert(BOOKS, null, rowsOf([{ id: 'd' }]), 'error', NEVER);
      await transaction.commit();
      expect([...(await titlesNow(engine)).keys()]).toEqual(['a', 'b', 'd']);
      await using second = begin(engine);
      await second.changeCatalog((catalog) => withoutRelation(catalog, BOOKS), NEVER);
      second.rollback();
      expect(engine.catalog().relations.has(BOOKS)).toBe(true);
    }));

  test('repeatable read keeps one snapshot and refuses rows changed since', () =>
    withBooks(async (engine) => {
      await upsert(engine, [{ id: 'a', title: 'one' }]);
      await using transaction = begin(engine, 'repeatable read');
      transaction.snapshot()[Symbol.dispose]();
      await upsert(engine, [{ id: 'a', title: 'two' }]);
      {
        using snapshot = transaction.snapshot();
        expect(await titleOf(snapshot, 'a')).toBe('one');
        const row = snapshot.lookup(BOOKS, null, BOOKS_KEY, ['a'])?.rowNumber ?? -1;
        const locked = transaction.lock(BOOKS, null, Float64Array.of(row), FOR_UPDATE);
        await expect(locked).rejects.toMatchObject({ sqlstate: '40001' });
      }
      const write = transaction.insert(BOOKS, null, rowsOf([{ id: 'a' }]), 'replace', NEVER);
      await expect(write).rejects.toMatchObject({ sqlstate: '40001' });
      transaction.rollback();
    }));

  test('writers of one key wait for each other; a cycle is 40P01; a wait can be aborted', () =>
    withBooks(async (engine) => {
      await using first = begin(engine);
      await using second = begin(engine);
      await first.insert(BOOKS, null, rowsOf([{ id: 'a', title: 'first' }]), 'replace', NEVER);
      await second.insert(BOOKS, null, rowsOf([{ id: 'b' }]), 'replace', NEVER);
      const controller = new AbortController();
      const aborted = second.insert(BOOKS, null, rowsOf([{ id: 'a' }]), 'replace', controller.signal);
      controller.abort(new Error('cancelled'));
      await expect(aborted).rejects.toThrow('cancelled');
      const waiting = second.insert(BOOKS, null, rowsOf([{ id: 'a', title: 'second' }]), 'replace', NEVER);
      const cycle = first.insert(BOOKS, null, rowsOf([{ id: 'b' }]), 'replace', NEVER);
      await expect(cycle).rejects.toMatchObject({ sqlstate: '40P01' });
      await first.commit();
      await waiting;
      await second.commit();
      expect(await titlesNow(engine)).toEqual(
        new Map([
          ['b', null],
          ['a', 'second'],
        ]),
      );
    }));

  test('search gives visible rows allowed by the mask, in head, segment and own rows', () =>
    withBooks(async (engine) => {
      const list = Array.from({ length: 50 }, (_, i) => ({
        id: `k${i}`,
        title: i % 5 === 0 ? `whale number ${i}` : `other ${i}`,
        emb: [1, i / 50, 0, 0],
      }));
      await upsert(engine, list.slice(0, 30));
      await engine.flush();
      await upsert(engine, list.slice(30, 40));
      await using transaction = begin(engine);
      await deleteIds(transaction, ['k0', 'k35']);
      await transaction.insert(BOOKS, null, rowsOf(list.slice(40)), 'replace', NEVER);
      using snapshot = transaction.snapshot();
      const vector = await snapshot.prepare(BOOKS, null, {
        kind: 'vector',
        index: EMBEDDING_INDEX,
        query: Float32Array.of(1, 0, 0, 0),
        value: 'metric',
      });
      const keyword = await snapshot.prepare(BOOKS, null, {
        kind: 'keyword',
        indexes: [TITLE_INDEX],
        operator: 'match',
        query: 'whales',
        weight: 1,
        option: 0,
        b: 0.75,
        k1: 1.2,
      });
      const nearest: string[] = [];
      const matching: string[] = [];
      for (const part of snapshot.parts(BOOKS, null)) {
        const [ids] = await part.read([1], 0, part.rowCount);
        const near = await vector.search(part, 3, null, NEVER);
        for (const row of near.rows) nearest.push(String(ids?.get(row)));
        const match = await keyword.search(part, 100, null, NEVER);
        for (const row of match.rows) matching.push(String(ids?.get(row)));
      }
      expect(nearest).toEqual(['k1', 'k2', 'k3', 'k30', 'k31', 'k32', 'k40', 'k41', 'k42']);
      expect(matching.sort()).toEqual(['k10', 'k15', 'k20', 'k25', 'k30', 'k40', 'k45', 'k5']);
      snapshot[Symbol.dispose]();
      transaction.rollback();
    }));
});
