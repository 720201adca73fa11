/**
 * Locks on names (rows, keys, tables, the catalog, advisory numbers) in PostgreSQL's eight modes, held to the
 * end of a transaction or, on request, of a session. Whoever waits is served in order; a wait that would
 * close a cycle ends the transaction that asks with 40P01. Rows use four of the modes, as PostgreSQL does
 * (heapam.c, tupleLockExtraInfo). Source of the table of conflicts: PostgreSQL 18, section 13.3.1.
 */
import type { RowLockMode, TableLockMode } from '../../../catalog/lock-modes.ts';
import { SqlError } from '../../../errors.ts';
import { CompactLocks, type RowName } from './compact-locks.ts';

/** Tables go by their OID, everything else by a text. */
export type LockName = string | number;
export type LockLevel = 'transaction' | 'session';

const MODES: readonly TableLockMode[] = [
  'access share',
  'row share',
  'row exclusive',
  'share update exclusive',
  'share',
  'share row exclusive',
  'exclusive',
  'access exclusive',
];

/** Which modes of others a mode does not go with, one digit each in the order of `MODES`. */
const CONFLICTS: readonly number[] = [
  '00000001',
  '00000011',
  '00001111',
  '00011111',
  '00110111',
  '00111111',
  '01111111',
  '11111111',
].map((digits) => Number.parseInt([...digits].reverse().join(''), 2));

export const ROW_MODES: Readonly<Record<RowLockMode, TableLockMode>> = {
  'key share': 'access share',
  share: 'row share',
  'no key update': 'exclusive',
  update: 'access exclusive',
};

const rowLock = ({ slot, row }: RowName): LockName => `row/${slot}/${row}`;
/** @param name index OID and hash of a unique key. */
export const keyLock = (slot: number, name: string): LockName => `key/${slot}/${name}`;

const NUMBERS = new Map(MODES.map((mode, number) => [mode, number]));
const numberOf = (mode: TableLockMode): number => NUMBERS.get(mode) as number;
const conflictsOf = (number: number): number => CONFLICTS[number] as number;

/** Bit sets of modes, by what ends them. */
interface Grant {
  readonly holder: LockHolder;
  transaction: number;
  session: number;
}

interface Waiter {
  readonly holder: LockHolder;
  readonly lock: Lock;
  /** A mode's number. */
  readonly mode: number;
  readonly level: LockLevel;
  readonly granted: () => void;
}

interface Lock {
  readonly name: LockName;
  /** Later versions of the row it was taken for. */
  aliases: LockName[] | null;
  readonly grants: Grant[];
  readonly waiters: Waiter[];
}

interface Taken {
  readonly lock: Lock;
  /** The mode as a bit. */
  readonly bit: number;
  /** Somebody gave it, who waits for the transaction: it did not ask. */
  readonly given: boolean;
}

/** Rows of a slot that were locked one after the other in one mode, as bits (`CompactLocks`). */
interface TakenRows {
  readonly slot: number;
  readonly mode: number;
  readonly rows: number[];
}

/** A session, as far as it holds locks; one that waits does nothing else meanwhile. */
export class LockHolder {
  readonly processId: number;
  /** The longest it waits for one lock, in milliseconds; 0: for ever. */
  readonly timeoutMs: () => number;
  /** Locks that its transaction has taken, oldest first. */
  readonly taken: (Taken | TakenRows)[] = [];
  /** Locks among them. */
  count = 0;
  waiting: Waiter | null = null;

  constructor(processId = 0, timeoutMs: () => number = () => 0) {
    this.processId = processId;
    this.timeoutMs = timeoutMs;
  }
}

/** One mode of one lock that a session has, or waits for. */
export interface HeldLock {
  readonly name: LockName;
  readonly processId: number;
  readonly mode: TableLockMode;
  readonly granted: boolean;
}

export class LockTable {
  readonly #locks = new Map<LockName, Lock>();
  readonly #compact = new CompactLocks<LockHolder>();
  readonly #singleLocks: number;

  /** @param singleLocks a holder of so many entries gets further row locks as bits. */
  constructor(singleLocks = 256) {
    this.#singleLocks = singleLocks;
  }

  /** Takes the lock when nobody is in the way. */
  tryAcquire(
    holder: LockHolder,
    name: LockName,
    mode: TableLockMode,
    level: LockLevel = 'transaction',
  ): boolean {
    const number = numberOf(mode);
    let lock = this.#locks.get(name);
    if (lock === undefined) {
      // A list that begins empty has room for seventeen once one is put in.
      lock = { name, aliases: null, grants: [{ holder, transaction: 0, session: 0 }], waiters: [] };
      this.#locks.set(name, lock);
    } else {
      const grant = grantOf(lock, holder);
      if (grant !== undefined && (grant[level] & (1 << number)) !== 0) return true;
      if (isHeldAgainst(lock, holder, number)) return false;
      if (grant === undefined && lock.waiters.some((waiter) => opposes(waiter.mode, number))) return false;
    }
    give(lock, holder, number, level);
    return true;
  }

  /** Gives the lock, where nobody is in the way, to a transaction that others are about to wait for. */
  tryGive(holder: LockHolder, name: LockName, mode: TableLockMode): void {
    const { length } = holder.taken;
    this.tryAcquire(holder, name, mode);
    const taken = holder.taken[length];
    if (taken !== undefined && 'lock' in taken) holder.taken[length] = { ...taken, given: true };
  }

  /** As `tryAcquire`. Whoever has the row as a bit gets a lock that others can see and wait for. */
  tryAcquireRow(holder: LockHolder, row: RowName, mode: TableLockMode): boolean {
    const name = rowLock(row);
    const isCompact =
      holder.taken.length >= this.#singleLocks &&
      !this.#locks.has(name) &&
      !this.#compact.isOfAnother(holder, row);
    if (isCompact) {
      takeRow(this.#compact, holder, row, numberOf(mode));
      return true;
    }
    for (const { holder: other, bits } of this.#compact.take(row)) this.#grant(name, other, bits);
    return this.tryAcquire(holder, name, mode);
  }

  /** As `acquire`. */
  async acquireRow(
    holder: LockHolder,
    row: RowName,
    mode: TableLockMode,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (this.tryAcquireRow(holder, row, mode)) return false;
    return this.acquire(holder, rowLock(row), mode, signal);
  }

  /** Grants a lock that a transaction has noted already. */
  #grant(name: LockName, holder: LockHolder, bits: number): void {
    const lock = this.#locks.get(name) ?? { name, aliases: null, grants: [], waiters: [] };
    this.#locks.set(name, lock);
    grantTo(lock, holder).transaction |= bits;
  }

  /** True when nobody has the lock or waits for it. */
  isFree(name: LockName): boolean {
    return !this.#locks.has(name);
  }

  /**
   * Takes the lock, behind those who wait for it already. Whoever has it in another mode goes before them:
   * they wait for it anyway.
   *
   * @returns true when it had to wait.
   * @throws SqlError 40P01, 55P03 after the holder's time; the signal's reason when it is aborted.
   */
  async acquire(
    holder: LockHolder,
    name: LockName,
    mode: TableLockMode,
    signal: AbortSignal,
    level: LockLevel = 'transaction',
  ): Promise<boolean> {
    if (this.tryAcquire(holder, name, mode, level)) return false;
    signal.throwIfAborted();
    const lock = this.#locks.get(name) as Lock;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { holder, lock, mode: numberOf(mode), level, granted: resolve };
    if (grantOf(lock, holder) === undefined) lock.waiters.push(waiter);
    else lock.waiters.unshift(waiter);
    holder.waiting = waiter;
    const abort = (): void => reject(signal.reason);
    const timeoutMs = holder.timeoutMs();
    const timer = timeoutMs > 0 ? setTimeout(() => reject(timedOut()), timeoutMs) : null;
    signal.addEventListener('abort', abort, { once: true });
    try {
      if (reaches(waiter, holder, new Set())) throw deadlock();
      await promise;
    } catch (error) {
      this.#leave(waiter);
      throw error;
    } finally {
      holder.waiting = null;
      signal.removeEventListener('abort', abort);
      if (timer !== null) clearTimeout(timer);
    }
    return true;
  }

  /** Ends what was taken for the session's lifetime. */
  release(holder: LockHolder, name: LockName, mode: TableLockMode): void {
    const lock = this.#locks.get(name);
    if (lock !== undefined) this.#take(lock, holder, 1 << numberOf(mode), 'session');
  }

  /** Ends what the holder's transaction has taken since its `count` was that. */
  releaseTo(holder: LockHolder, count: number): void {
    for (const { lock, bit } of this.#releaseRows(holder, count))
      this.#take(lock, holder, bit, 'transaction');
  }

  /** Ends the row locks among them. @returns the others, newest first; the holder has no note of them any more. */
  #releaseRows(holder: LockHolder, count: number): Taken[] {
    const { taken } = holder;
    const others: Taken[] = [];
    while (holder.count > count) {
      const last = taken[taken.length - 1] as Taken | TakenRows;
      holder.count--;
      if ('lock' in last) {
        others.push(last);
        taken.pop();
      } else {
        this.#releaseRow(holder, { slot: last.slot, row: last.rows.pop() as number }, last.mode);
        if (last.rows.length === 0) taken.pop();
      }
    }
    return others;
  }

  #releaseRow(holder: LockHolder, row: RowName, mode: number): void {
    if (this.#compact.remove(holder, row, mode)) return;
    const lock = this.#locks.get(rowLock(row));
    if (lock !== undefined) this.#take(lock, holder, 1 << mode, 'transaction');
  }

  /**
   * As `releaseTo`, but for what it was given meanwhile: two who wait for each other would wake each other for
   * ever, and no cycle would be seen.
   */
  releaseAsked(holder: LockHolder, count: number): void {
    const since = this.#releaseRows(holder, count).reverse();
    for (const taken of since) if (taken.given) note(holder, taken);
    for (const { lock, bit, given } of since) if (!given) this.#take(lock, holder, bit, 'transaction');
  }

  /** True when others than one transaction have, or want, a lock of the row. */
  isShared(row: RowName): boolean {
    if (this.#compact.has(row)) return false;
    const lock = this.#locks.get(rowLock(row));
    return lock !== undefined && (lock.grants.length >= 2 || lock.waiters.length > 0);
  }

  /** Locks of others on a version of a row are locks on the next version too. */
  carry(from: RowName, to: RowName): void {
    const lock = this.#locks.get(rowLock(from));
    if (lock === undefined || !this.isShared(from)) return;
    const name = rowLock(to);
    lock.aliases ??= [];
    lock.aliases.push(name);
    this.#locks.set(name, lock);
  }

  /** Locks held by anyone, for tests. */
  get size(): number {
    return this.#locks.size + this.#compact.size;
  }

  *all(): Generator<HeldLock> {
    for (const { holder, mode, ...row } of this.#compact.all()) {
      const held = MODES[mode] as TableLockMode;
      yield { name: rowLock(row), processId: holder.processId, mode: held, granted: true };
    }
    for (const [name, { grants, waiters, ...lock }] of this.#locks) {
      if (lock.name !== name) continue;
      for (const { holder, transaction, session } of grants) {
        for (const [number, mode] of MODES.entries()) {
          if (((transaction | session) & (1 << number)) === 0) continue;
          yield { name, processId: holder.processId, mode, granted: true };
        }
      }
      for (const { holder, mode } of waiters) {
        yield { name, processId: holder.processId, mode: MODES[mode] as TableLockMode, granted: false };
      }
    }
  }

  /** Process numbers that a session waits for. */
  blockers(processId: number): readonly number[] {
    for (const { waiters } of this.#locks.values()) {
      for (const waiter of waiters) {
        if (waiter.holder.processId !== processId) continue;
        return [...new Set(waitsFor(waiter))].map((holder) => holder.processId);
      }
    }
    return [];
  }

  /** Takes modes from a holder. */
  #take(lock: Lock, holder: LockHolder, bits: number, level: LockLevel): void {
    const grant = grantOf(lock, holder);
    if (grant === undefined) return;
    grant[level] &= ~bits;
    if (grant.transaction === 0 && grant.session === 0) lock.grants.splice(lock.grants.indexOf(grant), 1);
    this.#settle(lock);
  }

  /** Gives up waiting. What was granted meanwhile to a transaction goes with its end. */
  #leave(waiter: Waiter): void {
    const { lock, holder, mode, level } = waiter;
    const at = lock.waiters.indexOf(waiter);
    if (at >= 0) lock.waiters.splice(at, 1);
    else if (level === 'session') this.#take(lock, holder, 1 << mode, level);
    this.#settle(lock);
  }

  /** Serves who waits, in order, and forgets a lock that nobody has. */
  #settle(lock: Lock): void {
    let ahead = 0;
    for (let i = 0; i < lock.waiters.length; ) {
      const { holder, mode, level, granted } = lock.waiters[i] as Waiter;
      if ((ahead & (1 << mode)) !== 0 || isHeldAgainst(lock, holder, mode)) {
        ahead |= conflictsOf(mode);
        i++;
        continue;
      }
      lock.waiters.splice(i, 1);
      give(lock, holder, mode, level);
      holder.waiting = null;
      granted();
    }
    if (lock.grants.length > 0 || lock.waiters.length > 0) return;
    this.#locks.delete(lock.name);
    for (const alias of lock.aliases ?? []) this.#locks.delete(alias);
  }
}

const opposes = (mode: number, other: number): boolean => (conflictsOf(mode) & (1 << other)) !== 0;

function grantOf(lock: Lock, holder: LockHolder): Grant | undefined {
  for (const grant of lock.grants) if (grant.holder === holder) return grant;
  return undefined;
}

function isHeldAgainst(lock: Lock, holder: LockHolder, mode: number): boolean {
  for (const grant of lock.grants) if (grant.holder !== holder && isAgainst(grant, mode)) return true;
  return false;
}

const isAgainst = ({ transaction, session }: Grant, mode: number): boolean =>
  ((transaction | session) & conflictsOf(mode)) !== 0;

function give(lock: Lock, holder: LockHolder, mode: number, level: LockLevel): void {
  const bit = 1 << mode;
  grantTo(lock, holder)[level] |= bit;
  if (level === 'transaction') note(holder, { lock, bit, given: false });
}

function grantTo(lock: Lock, holder: LockHolder): Grant {
  const known = grantOf(lock, holder);
  if (known !== undefined) return known;
  const grant = { holder, transaction: 0, session: 0 };
  lock.grants.push(grant);
  return grant;
}

function note(holder: LockHolder, taken: Taken): void {
  holder.taken.push(taken);
  holder.count++;
}

function takeRow(locks: CompactLocks<LockHolder>, holder: LockHolder, name: RowName, mode: number): void {
  if (!locks.add(holder, name, mode)) return;
  const { slot, row } = name;
  const last = holder.taken[holder.taken.length - 1];
  if (last !== undefined && 'rows' in last && last.slot === slot && last.mode === mode) last.rows.push(row);
  else holder.taken.push({ slot, mode, rows: [row] });
  holder.count++;
}

/** Who must end, or give up, before the waiter is served. */
function* waitsFor(waiter: Waiter): Generator<LockHolder> {
  const { lock, holder, mode } = waiter;
  for (const grant of lock.grants) if (grant.holder !== holder && isAgainst(grant, mode)) yield grant.holder;
  for (const other of lock.waiters) {
    if (other === waiter) return;
    if (opposes(other.mode, mode)) yield other.holder;
  }
}

/** True when the waiter waits, in the end, for `wanted`. */
function reaches(waiter: Waiter, wanted: LockHolder, seen: Set<LockHolder>): boolean {
  for (const holder of waitsFor(waiter)) {
    if (holder === wanted) return true;
    if (seen.has(holder)) continue;
    seen.add(holder);
    if (holder.waiting !== null && reaches(holder.waiting, wanted, seen)) return true;
  }
  return false;
}

function deadlock(): SqlError {
  return new SqlError('deadlock_detected', 'deadlock detected', {
    detail: 'This transaction and others wait for rows that each other has locked.',
    hint: 'Run the transaction again.',
  });
}

const timedOut = (): SqlError =>
  new SqlError('lock_not_available', 'canceling statement due to lock timeout');
