/** Locks: modes, order, upgrade, what savepoints and sessions give back, cycles, time-outs. */
import { expect, test } from 'vitest';
import { NEVER } from '../../../../sql-tests/fixtures/engine.ts';
import { LockHolder, LockTable } from './locks.ts';

function holders(count: number): LockHolder[] {
  return Array.from({ length: count }, (_, i) => new LockHolder(i + 1));
}

/** Turns to `done` when the promise is resolved. */
function watch(promise: Promise<unknown>): { done: boolean } {
  const state = { done: false };
  promise.then(
    () => {
      state.done = true;
    },
    () => undefined,
  );
  return state;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('modes go together as in the table of PostgreSQL', () => {
  const [one, two] = holders(2) as [LockHolder, LockHolder];
  const together = [
    ['access share', 'exclusive', true],
    ['access share', 'access exclusive', false],
    ['row exclusive', 'row exclusive', true],
    ['row exclusive', 'share', false],
    ['share', 'share', true],
    ['share update exclusive', 'share update exclusive', false],
    ['share row exclusive', 'row share', true],
    ['exclusive', 'row share', false],
  ] as const;
  for (const [held, wanted, allowed] of together) {
    const locks = new LockTable();
    expect(locks.tryAcquire(one, 'a', held)).toBe(true);
    expect(locks.tryAcquire(two, 'a', wanted), `${wanted} beside ${held}`).toBe(allowed);
  }
});

test('waiters are served in order; one that has the lock already goes first', async () => {
  const locks = new LockTable();
  const [one, two, three] = holders(3) as [LockHolder, LockHolder, LockHolder];
  locks.tryAcquire(one, 'a', 'share');
  locks.tryAcquire(two, 'a', 'share');
  const writer = watch(locks.acquire(three, 'a', 'exclusive', NEVER));
  const upgrade = watch(locks.acquire(one, 'a', 'exclusive', NEVER));
  const [late] = holders(1) as [LockHolder];
  expect(locks.tryAcquire(late, 'a', 'share')).toBe(false);
  locks.releaseTo(two, 0);
  await turn();
  expect([writer.done, upgrade.done]).toEqual([false, true]);
  locks.releaseTo(one, 0);
  await turn();
  expect(writer.done).toBe(true);
  locks.releaseTo(three, 0);
  expect(locks.size).toBe(0);
});

test('a savepoint gives back what was taken since, modes too', () => {
  const locks = new LockTable();
  const [one, two] = holders(2) as [LockHolder, LockHolder];
  locks.tryAcquire(one, 'a', 'access share');
  const mark = one.count;
  locks.tryAcquire(one, 'a', 'access exclusive');
  locks.tryAcquire(one, 'b', 'exclusive');
  expect(locks.tryAcquire(two, 'a', 'access share')).toBe(false);
  locks.releaseTo(one, mark);
  expect(locks.tryAcquire(two, 'a', 'exclusive')).toBe(true);
  expect(locks.tryAcquire(two, 'a', 'access exclusive')).toBe(false);
  expect(locks.tryAcquire(two, 'b', 'exclusive')).toBe(true);
});

test('a cycle through shared holders is 40P01 for who closes it', async () => {
  const locks = new LockTable();
  const [one, two] = holders(2) as [LockHolder, LockHolder];
  for (const holder of [one, two]) locks.tryAcquire(holder, 'a', 'share');
  const waiting = watch(locks.acquire(one, 'a', 'exclusive', NEVER));
  await expect(locks.acquire(two, 'a', 'exclusive', NEVER)).rejects.toMatchObject({ sqlstate: '40P01' });
  locks.releaseTo(two, 0);
  await turn();
  expect(waiting.done).toBe(true);
});

test('who has been served is not taken for a waiter any more', async () => {
  const locks = new LockTable();
  const [one, two, three] = holders(3) as [LockHolder, LockHolder, LockHolder];
  locks.tryAcquire(one, 'a', 'exclusive');
  const second = locks.acquire(two, 'a', 'exclusive', NEVER);
  const third = locks.acquire(three, 'a', 'exclusive', NEVER);
  locks.releaseTo(one, 0);
  const again = locks.acquire(one, 'a', 'exclusive', NEVER);
  await second;
  locks.releaseTo(two, 0);
  await third;
  locks.releaseTo(three, 0);
  await again;
});

test('a wait ends with the holder’s time or the signal, and lets those behind it go on', async () => {
  const locks = new LockTable();
  const [one, two, three] = holders(3) as [LockHolder, LockHolder, LockHolder];
  locks.tryAcquire(one, 'a', 'share');
  const hasty = new LockHolder(9, () => 5);
  const behind = locks.acquire(hasty, 'a', 'exclusive', NEVER);
  const reader = watch(locks.acquire(two, 'a', 'share', NEVER));
  await expect(behind).rejects.toMatchObject({
    sqlstate: '55P03',
    message: 'canceling statement due to lock timeout',
  });
  await turn();
  expect(reader.done).toBe(true);
  const controller = new AbortController();
  const aborted = locks.acquire(three, 'a', 'exclusive', controller.signal);
  controller.abort(new Error('cancelled'));
  await expect(aborted).rejects.toThrow('cancelled');
});

const row = (number: number): { slot: number; row: number } => ({ slot: 1, row: number });

test('many row locks are bits, until another asks for one of the rows', async () => {
  const locks = new LockTable(0);
  const [one, two, three] = holders(3) as [LockHolder, LockHolder, LockHolder];
  for (let number = 0; number < 5_000; number++) locks.tryAcquireRow(one, row(number), 'exclusive');
  expect(one.taken.length).toBe(1);
  expect([...locks.all()].length).toBe(5_000);
  expect(locks.tryAcquireRow(two, row(7), 'access share')).toBe(true);
  expect(locks.isShared(row(7))).toBe(true);
  expect(locks.tryAcquireRow(two, row(7), 'row share')).toBe(false);
  expect(locks.tryAcquireRow(one, row(7), 'exclusive')).toBe(true);
  const mark = one.count;
  locks.tryAcquireRow(one, row(6_000), 'exclusive');
  locks.tryAcquireRow(one, row(7), 'access exclusive');
  const waits = watch(locks.acquireRow(three, row(6_000), 'exclusive', NEVER));
  locks.releaseTo(one, mark);
  await turn();
  expect(waits.done).toBe(true);
  expect(locks.tryAcquireRow(three, row(8), 'access share')).toBe(true);
  expect(locks.tryAcquireRow(three, row(9), 'access exclusive')).toBe(false);
  for (const holder of [one, two, three]) locks.releaseTo(holder, 0);
  expect(locks.size).toBe(0);
  expect(one.count + two.count + three.count).toBe(0);
});

test('bits and locks of one row go together whoever came first', () => {
  const locks = new LockTable(1);
  const [one, two, three] = holders(3) as [LockHolder, LockHolder, LockHolder];
  locks.tryAcquireRow(one, row(1), 'access share');
  locks.tryAcquireRow(two, row(2), 'access share');
  locks.tryAcquireRow(two, row(1), 'access share');
  expect(locks.tryAcquireRow(three, row(1), 'access exclusive')).toBe(false);
  locks.tryAcquireRow(two, row(3), 'access share');
  locks.releaseTo(two, 2);
  expect(locks.tryAcquireRow(three, row(3), 'access exclusive')).toBe(true);
  locks.releaseTo(one, 0);
  expect(locks.tryAcquireRow(three, row(1), 'access exclusive')).toBe(false);
  locks.releaseTo(two, 1);
  expect(locks.tryAcquireRow(three, row(1), 'access exclusive')).toBe(true);
  for (const holder of [two, three]) locks.releaseTo(holder, 0);
  expect(locks.size).toBe(0);
});

test('a row’s locks are locks on its next version; a session’s outlive its transactions', () => {
  const locks = new LockTable();
  const [one, two] = holders(2) as [LockHolder, LockHolder];
  locks.tryAcquireRow(one, row(1), 'access share');
  locks.tryAcquireRow(two, row(1), 'exclusive');
  locks.carry(row(1), row(2));
  locks.releaseTo(two, 0);
  expect(locks.tryAcquireRow(two, row(2), 'access exclusive')).toBe(false);
  locks.releaseTo(one, 0);
  expect(locks.size).toBe(0);
  locks.tryAcquire(one, 'advisory', 'exclusive', 'session');
  locks.releaseTo(one, 0);
  expect(locks.tryAcquire(two, 'advisory', 'exclusive')).toBe(false);
  locks.release(one, 'advisory', 'exclusive');
  expect(locks.tryAcquire(two, 'advisory', 'exclusive')).toBe(true);
});
