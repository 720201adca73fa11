/** The engine over one data folder: what the interface promises, from the parts beside this file. */
import type { Catalog } from '../../catalog/model.ts';
import type { CacheFact, IndexBuildFact, LockFact, SegmentFact } from '../../catalog/system/context.ts';
import type { KeyedData } from '../../storage/data-keys.ts';
import type { GuardedData } from '../../storage/rollback-guard.ts';
import type { Sealer } from '../../storage/seal.ts';
import type { Pins } from '../../storage/sealed-file.ts';
import type {
  Analysis,
  BuildRequest,
  ChainEnd,
  Engine,
  MemoryPool,
  RelationStatistics,
  SessionLocks,
  Snapshot,
  TableSize,
  Transaction,
} from '../engine.ts';
import { encodeAnalysis } from './analyses.ts';
import { CHAIN_BEGIN } from './commit/chain.ts';
import type { CommitQueue } from './commit/commit-queue.ts';
import type { Database } from './database.ts';
import { LockHolder } from './locks/locks.ts';
import type { Maintenance } from './merge/maintenance.ts';
import { EngineSessionLocks, lockFacts } from './locks/session-locks.ts';
import { segmentFacts } from './segment/facts.ts';
import { EngineSnapshot } from './head/snapshot.ts';
import type { Stager } from './transaction/stager.ts';
import { EngineTransaction, type TransactionOptions } from './transaction/transaction.ts';

interface EngineParts {
  readonly database: Database;
  readonly queue: CommitQueue;
  readonly maintenance: Maintenance;
  readonly stager: Stager;
  /** Closes what is below: the store, the folder's lock. */
  readonly close: () => Promise<void>;
}

export class EmbeddedEngine implements Engine {
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  catalog(): Catalog {
    return this.#parts.database.catalog;
  }

  snapshot(): Snapshot {
    const { database } = this.#parts;
    return new EngineSnapshot(database, database.sequence, database.catalog);
  }

  begin(options: TransactionOptions): Transaction {
    return new EngineTransaction(this.#parts, options);
  }

  chainEnd(): ChainEnd {
    return this.#parts.database.records.root.record.chain ?? CHAIN_BEGIN;
  }

  sessionLocks({ processId, timeoutMs }: { processId: number; timeoutMs: () => number }): SessionLocks {
    return new EngineSessionLocks(this.#parts.database.locks, new LockHolder(processId, timeoutMs));
  }

  locks(): Iterable<LockFact> {
    return lockFacts(this.#parts.database);
  }

  blockers(processId: number): readonly number[] {
    return this.#parts.database.locks.blockers(processId);
  }

  lsn(relation: number, partition: string | null): string {
    return String(this.#parts.database.slot(relation, partition)?.newest.lsn ?? 0);
  }

  async waitForLsn(
    relation: number,
    partition: string | null,
    lsn: string,
    signal: AbortSignal,
  ): Promise<void> {
    const slot = this.#parts.database.openSlot(relation, partition);
    while (slot.newest.lsn < Number(lsn)) {
      signal.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        const abort = (): void => {
          slot.waiters.delete(wake);
          reject(signal.reason);
        };
        const wake = (): void => {
          signal.removeEventListener('abort', abort);
          resolve();
        };
        slot.waiters.add(wake);
        signal.addEventListener('abort', abort, { once: true });
      });
    }
  }

  async buildIndexes(relation: number, request: BuildRequest): Promise<void> {
    await this.#parts.maintenance.build(relation, request);
  }

  get statementMemory(): MemoryPool {
    return this.#parts.database.memory.statements;
  }

  memory(): { readonly limit: number; readonly caches: readonly CacheFact[] } {
    const { memory } = this.#parts.database;
    return { limit: memory.limit, caches: memory.figures() };
  }

  indexBuilds(): Iterable<IndexBuildFact> {
    return this.#parts.maintenance.builds();
  }

  segments(relation: number): Iterable<SegmentFact> {
    return segmentFacts(this.#parts.database, relation);
  }

  statistics(relation: number): RelationStatistics {
    const { database } = this.#parts;
    return { ...database.totals(relation), analysis: database.analyses.get(relation) };
  }

  size(relation: number, partition?: string | null): TableSize {
    const { database } = this.#parts;
    const one = partition === undefined ? null : database.slot(relation, partition);
    const slots = one === null ? database.slots(relation) : one === undefined ? [] : [one];
    let [rows, bytes, changed] = [0, 0, 0];
    for (const { newest } of slots) {
      if (!newest.exists) continue;
      rows += newest.rows;
      changed = Math.max(changed, newest.changedMs ?? 0);
      for (const { source } of newest.runs) bytes += source.bytes;
    }
    return { rows, bytes, changedMs: changed === 0 ? null : changed };
  }

  diskBytes(): number {
    return this.#parts.database.records.store.space().bytes;
  }

  async keepAnalysis(relation: number, analysis: Analysis): Promise<void> {
    const { database, queue } = this.#parts;
    await queue.submit({
      prepare: (round) => {
        if (!round.catalog.relations.has(relation)) return () => {};
        const before = round.analyses.get(relation) ?? database.analyses.get(relation);
        const kept = { ...analysis, columns: new Map([...(before?.columns ?? []), ...analysis.columns]) };
        round.analyses.set(relation, kept);
        round.operations.push(database.records.putAnalysis(relation, encodeAnalysis(kept)));
        return () => {
          // The same round may have dropped the relation.
          if (round.analyses.get(relation) === kept) database.analyses.set(relation, kept);
        };
      },
    });
  }

  /** Where the file of API keys has its marks: in the root. */
  get pins(): Pins {
    const { queue } = this.#parts;
    const { root } = this.#parts.database.records;
    return {
      get marks() {
        return root.record.keys;
      },
      get isSettled() {
        return root.record.initialised;
      },
      pin: (marks, isSettled) => queue.changeRoot({ keys: marks, initialised: isSettled }),
    };
  }

  /** Recorded once, by the start that makes the data. */
  get usualModel(): { readonly name: string | null; record(name: string): Promise<void> } {
    const { queue } = this.#parts;
    const { record } = this.#parts.database.records.root;
    return {
      name: record.usualModel ?? null,
      record: (usualModel) => queue.changeRoot({ usualModel }),
    };
  }

  /** The data that a rollback guard compares, as it is now. */
  get guarded(): GuardedData {
    const { queue } = this.#parts;
    const { root, store } = this.#parts.database.records;
    return {
      name: store.name,
      installation: root.record.installation,
      get sequence() {
        return root.record.sequence;
      },
      get mark() {
        return root.mark;
      },
      get isGuarded() {
        return root.record.guarded;
      },
      setGuarded: (guarded) => queue.changeRoot({ guarded }),
    };
  }

  /** The data that data keys are of. */
  get keyed(): KeyedData {
    const { database, queue, maintenance } = this.#parts;
    const { root } = database.records;
    return {
      installation: root.record.installation,
      get generation() {
        return root.record.ring ?? null;
      },
      get epoch() {
        return root.record.epoch;
      },
      pin: (generation, epoch) => queue.pinKeys(generation, epoch),
      sealAnew: (epoch, signal) => maintenance.sealAnew(epoch, signal),
    };
  }

  /** Seals a file that belongs to the data, with its data keys. */
  sealer(purpose: string): Sealer {
    return this.#parts.database.records.sealer(purpose);
  }

  async flush(): Promise<void> {
    await this.#parts.maintenance.flush();
  }

  async clean(relations: readonly number[]): Promise<void> {
    await this.#parts.maintenance.clean(relations);
  }

  async compact(): Promise<void> {
    await this.#parts.database.records.store.compact();
  }

  /** Acknowledged work is done, what is open is left; no error when called twice. */
  async close(): Promise<void> {
    const { queue, maintenance, close } = this.#parts;
    await queue.close();
    await maintenance.close();
    await close();
  }

  /** Snapshots and locks that are open, for tests that look for leaks. */
  get open(): { readonly snapshots: number; readonly locks: number } {
    const { database } = this.#parts;
    return { snapshots: database.snapshots, locks: database.locks.size };
  }
}
