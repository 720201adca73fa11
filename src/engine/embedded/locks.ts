/**
 * Exclusive locks on names (keys, rows, the catalog), held to the end of a transaction. Waiters are served
 * in order. A wait that would close a cycle ends the transaction that asks with 40P01.
 */
import { SqlError } from '../../errors.ts';

/** Whoever holds locks: a transaction, by identity. */
export interface LockOwner {
  readonly held: Set<string>;
  /** The name it waits for; null when it runs. */
  waitsFor: string | null;
}

interface Waiter {
  readonly owner: LockOwner;
  readonly grant: () => void;
}

interface Lock {
  owner: LockOwner;
  readonly waiters: Waiter[];
}

export class LockTable {
  readonly #locks = new Map<string, Lock>();

  /** Takes the lock when it is free or already the owner's. */
  tryAcquire(owner: LockOwner, name: string): boolean {
    const lock = this.#locks.get(name);
    if (lock !== undefined) return lock.owner === owner;
    this.#locks.set(name, { owner, waiters: [] });
    owner.held.add(name);
    return true;
  }

  /**
   * @returns true when it had to wait.
   * @throws SqlError deadlock_detected (40P01); the signal's reason when it is aborted.
   */
  async acquire(owner: LockOwner, name: string, signal: AbortSignal): Promise<boolean> {
    if (this.tryAcquire(owner, name)) return false;
    signal.throwIfAborted();
    const lock = this.#locks.get(name) as Lock;
    this.#refuseCycle(owner, name);
    await new Promise<void>((grant, fail) => {
      const abort = (): void => {
        const at = lock.waiters.indexOf(waiter);
        if (at >= 0) lock.waiters.splice(at, 1);
        owner.waitsFor = null;
        fail(signal.reason);
      };
      const waiter: Waiter = {
        owner,
        grant: () => {
          signal.removeEventListener('abort', abort);
          owner.waitsFor = null;
          grant();
        },
      };
      owner.waitsFor = name;
      lock.waiters.push(waiter);
      signal.addEventListener('abort', abort, { once: true });
    });
    return true;
  }

  releaseAll(owner: LockOwner): void {
    for (const name of owner.held) {
      const lock = this.#locks.get(name);
      const next = lock?.waiters.shift();
      if (lock === undefined || next === undefined) {
        this.#locks.delete(name);
        continue;
      }
      lock.owner = next.owner;
      next.owner.held.add(name);
      next.grant();
    }
    owner.held.clear();
  }

  /** Locks held by anyone, for tests. */
  get size(): number {
    return this.#locks.size;
  }

  #refuseCycle(owner: LockOwner, name: string): void {
    let wanted: string | null = name;
    while (wanted !== null) {
      const holder: LockOwner | undefined = this.#locks.get(wanted)?.owner;
      if (holder === owner) {
        throw new SqlError('deadlock_detected', 'deadlock detected', {
          detail: 'This transaction and others wait for rows that each other has locked.',
          hint: 'Run the transaction again.',
        });
      }
      wanted = holder?.waitsFor ?? null;
    }
  }
}
