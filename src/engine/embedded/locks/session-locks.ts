/** Advisory locks of a session, and what all sessions hold, for `pg_locks`. */
import type { LockFact } from '../../../catalog/system/context.ts';
import type { AdvisoryKey, LockRequest, SessionLocks } from '../../engine.ts';
import type { Database } from '../database.ts';
import type { HeldLock, LockHolder, LockLevel, LockName, LockTable } from './locks.ts';

type AdvisoryMode = 'share' | 'exclusive';

interface Counted {
  readonly name: LockName;
  readonly mode: AdvisoryMode;
  count: number;
}

export class EngineSessionLocks implements SessionLocks {
  readonly holder: LockHolder;
  readonly #locks: LockTable;
  /** Locks held for the session, by name and mode. */
  readonly #counted = new Map<string, Counted>();

  constructor(locks: LockTable, holder: LockHolder) {
    this.#locks = locks;
    this.holder = holder;
  }

  lock(
    key: AdvisoryKey,
    { mode, wait, signal }: LockRequest<AdvisoryMode>,
    until: LockLevel,
  ): Promise<boolean> | boolean {
    const name = nameOf(key);
    const had = this.#locks.tryAcquire(this.holder, name, mode, until);
    if (had) this.#count(name, mode, until);
    if (had || wait !== 'block') return had;
    return this.#locks.acquire(this.holder, name, mode, signal, until).then(() => {
      this.#count(name, mode, until);
      return true;
    });
  }

  unlock(key: AdvisoryKey, mode: AdvisoryMode): boolean {
    const name = nameOf(key);
    const counted = this.#counted.get(`${mode} ${name}`);
    if (counted === undefined) return false;
    counted.count--;
    if (counted.count > 0) return true;
    this.#counted.delete(`${mode} ${name}`);
    this.#locks.release(this.holder, name, mode);
    return true;
  }

  unlockAll(): void {
    for (const { name, mode } of this.#counted.values()) this.#locks.release(this.holder, name, mode);
    this.#counted.clear();
  }

  #count(name: LockName, mode: AdvisoryMode, until: LockLevel): void {
    if (until === 'transaction') return;
    const counted = this.#counted.get(`${mode} ${name}`);
    if (counted === undefined) this.#counted.set(`${mode} ${name}`, { name, mode, count: 1 });
    else counted.count++;
  }
}

const nameOf = ({ high, low, part }: AdvisoryKey): LockName => `advisory/${high}/${low}/${part}`;

export function* lockFacts(database: Database): Generator<LockFact> {
  const relations = new Map<number, number>();
  for (const { id, relation } of database.allSlots()) relations.set(id, relation);
  for (const held of database.locks.all()) {
    const { processId, mode, granted } = held;
    yield { on: subjectOf(held, relations), processId, mode, granted };
  }
}

/** @param relations by slot. */
function subjectOf({ name }: HeldLock, relations: ReadonlyMap<number, number>): LockFact['on'] {
  if (typeof name === 'number') return { kind: 'relation', relation: name };
  const [kind, first, second, third] = name.split('/');
  switch (kind) {
    case 'row':
      return { kind: 'tuple', relation: relations.get(Number(first)) ?? 0, row: Number(second) };
    case 'advisory':
      return {
        kind: 'advisory',
        key: { high: Number(first), low: Number(second), part: third === '1' ? 1 : 2 },
      };
    default:
      return { kind: 'object', relation: relations.get(Number(first)) ?? 0 };
  }
}
