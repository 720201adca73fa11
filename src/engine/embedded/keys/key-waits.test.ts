/** One key and several who wait for it: whoever wakes looks again, and one row has the key in the end. */
import { expect, test } from 'vitest';
import { SqlError } from '../../../errors.ts';
import { MemoryStore } from '../../../storage/memory-store.ts';
import type { Engine, Transaction } from '../../engine.ts';
import {
  BOOKS,
  type Book,
  begin,
  MASTER_KEY,
  makeBooks,
  NEVER,
  rowsOf,
  titlesNow,
} from '../../../../sql-tests/fixtures/engine.ts';
import { openEmbeddedEngine } from '../open.ts';

type Conflict = 'error' | 'replace';

/** A transaction that writes one row and does not end by itself. */
class Writer {
  readonly transaction: Transaction;
  outcome: 'waits' | 'wrote' | 'refused' = 'waits';
  readonly done: Promise<void>;

  constructor(engine: Engine, book: Book, conflict: Conflict) {
    this.transaction = begin(engine);
    const insert = this.transaction.insert(BOOKS, null, rowsOf([book]), conflict, NEVER);
    this.done = insert.then(
      () => {
        this.outcome = 'wrote';
      },
      (error: unknown) => {
        expect(error).toBeInstanceOf(SqlError);
        expect((error as SqlError).sqlstate).toBe('23505');
        this.outcome = 'refused';
        this.transaction.rollback();
      },
    );
  }
}

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

async function withEngine(work: (engine: Engine) => Promise<void>): Promise<void> {
  const engine = await openEmbeddedEngine({ masterKey: MASTER_KEY, store: new MemoryStore() });
  await makeBooks(engine);
  await work(engine);
  expect(engine.open).toEqual({ snapshots: 0, locks: 0 });
  await engine.close();
}

const sameId = (number: number): Book => ({ id: 'k', title: `${number}` });
const sameIsbn = (number: number): Book => ({ id: `b${number}`, title: `${number}`, isbn: 'k' });

const KEYS = [
  { name: 'INSERT of one primary key', book: sameId, conflict: 'error' },
  { name: 'upsert of one _id', book: sameId, conflict: 'replace' },
  { name: 'INSERT of one unique key', book: sameIsbn, conflict: 'error' },
  { name: 'upsert with one unique key', book: sameIsbn, conflict: 'replace' },
] as const;

/** Ends the writers that have written until none waits. @returns those that committed. */
async function endAll(writers: readonly Writer[]): Promise<number> {
  let committed = 0;
  const open = new Set(writers);
  while (open.size > 0) {
    await turn();
    const ready = [...open].filter(({ outcome }) => outcome !== 'waits');
    expect(ready.filter(({ outcome }) => outcome === 'wrote').length).toBeLessThanOrEqual(1);
    expect(ready.length).toBeGreaterThan(0);
    for (const writer of ready) {
      open.delete(writer);
      if (writer.outcome !== 'wrote') continue;
      await writer.transaction.commit();
      committed++;
    }
  }
  return committed;
}

test.each(KEYS)('$name: B and C wait for A, which rolls back, D waits, B rolls back', ({ book, conflict }) =>
  withEngine(async (engine) => {
    const [a, b, c] = [0, 1, 2].map((number) => new Writer(engine, book(number), conflict));
    if (a === undefined || b === undefined || c === undefined) throw new Error('three writers');
    await turn();
    expect([a.outcome, b.outcome, c.outcome]).toEqual(['wrote', 'waits', 'waits']);
    a.transaction.rollback();
    await turn();
    expect([b.outcome, c.outcome]).toEqual(['wrote', 'waits']);
    const d = new Writer(engine, book(3), conflict);
    await turn();
    b.transaction.rollback();
    await turn();
    const committed = await endAll([c, d]);
    expect(committed).toBe(conflict === 'replace' && book === sameId ? 2 : 1);
    expect((await titlesNow(engine)).size).toBe(1);
  }),
);

test.each(KEYS)('$name: twenty wait for one that rolls back to a savepoint', ({ book, conflict }) =>
  withEngine(async (engine) => {
    const first = begin(engine);
    const savepoint = first.savepoint();
    await first.insert(BOOKS, null, rowsOf([book(0)]), conflict, NEVER);
    const writers = Array.from({ length: 20 }, (_, i) => new Writer(engine, book(i + 1), conflict));
    await turn();
    first.rollbackTo(savepoint);
    await endAll(writers);
    first.rollback();
    expect((await titlesNow(engine)).size).toBe(1);
  }),
);

test.each(KEYS)('$name: the row that has it is deleted while others wait', ({ book, conflict }) =>
  withEngine(async (engine) => {
    const made = new Writer(engine, book(0), conflict);
    await made.done;
    await made.transaction.commit();
    const deleter = begin(engine);
    {
      using snapshot = deleter.snapshot();
      const numbers = Float64Array.of(snapshot.parts(BOOKS, null)[0]?.rowNumbers[0] ?? -1);
      await deleter.lock(BOOKS, null, numbers, { mode: 'update', wait: 'block', signal: NEVER });
      deleter.delete(BOOKS, null, numbers);
    }
    const writers = Array.from({ length: 5 }, (_, i) => new Writer(engine, book(i + 1), conflict));
    await turn();
    await deleter.commit();
    await endAll(writers);
    expect((await titlesNow(engine)).size).toBe(1);
  }),
);

test('two who wait for each other’s keys, woken by a third, are told so, and not for ever', () =>
  withEngine(async (engine) => {
    const [third, one, other] = [begin(engine), begin(engine), begin(engine)];
    const insert = (transaction: Transaction, ids: readonly string[]): Promise<unknown> =>
      transaction.insert(BOOKS, null, rowsOf(ids.map((id) => ({ id }))), 'error', NEVER);
    await insert(third, ['x']);
    await insert(other, ['b']);
    const waiting = [insert(one, ['x', 'b']), insert(other, ['x'])];
    await turn();
    third.rollback();
    await expect(Promise.all(waiting)).rejects.toMatchObject({ sqlstate: '40P01' });
    for (const transaction of [one, other]) transaction.rollback();
    await Promise.allSettled(waiting);
  }));
