/**
 * A transaction: writes are kept in overlays until `commit` hands them to the commit queue. Keys and rows it
 * touches are locked to its end, so that at commit nothing can be in the way any more.
 *
 * To claim a key the lock of the row that has it is taken first, then the key's: an UPDATE holds its row
 * before it claims the key of the new version, and both ways would otherwise wait for each other.
 */
import { assert, present } from '../../assert.ts';
import type { Catalog, Index, Relation } from '../../catalog/model.ts';
import { columnByAttribute } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import type { Datum } from '../../types/datum.ts';
import type { NewRows, SequenceState, Transaction } from '../engine.ts';
import type { RowBatch } from './chunk.ts';
import type { CommitQueue, Round } from './commit-queue.ts';
import type { Database } from './database.ts';
import type { LockOwner } from './locks.ts';
import { Overlay, OWN_ROWS } from './overlay.ts';
import { EngineSnapshot, type OwnWrites } from './snapshot.ts';
import { findVisible, type Slot } from './table.ts';
import { commitTransaction, type TransactionWrites } from './transaction-commit.ts';
import { checkDimensions } from './dimensions.ts';
import { duplicateKey, keyHash, keyTypes, uniqueIndexes } from './unique-key.ts';

export interface TransactionOptions {
  readonly isolation: 'read committed' | 'repeatable read';
  readonly readOnly: boolean;
}

/** Keys an insert has claimed so far, to be put into the overlay when all of them are. */
interface Claims {
  readonly taken: Map<string, number>;
  /** Rows that the new ones replace. */
  readonly replaced: Set<number>;
}

interface Target {
  readonly relation: Relation;
  readonly slot: Slot;
  readonly overlay: Overlay;
  readonly signal: AbortSignal;
  readonly conflict: 'error' | 'replace';
}

export class EngineTransaction implements Transaction, TransactionWrites {
  readonly overlays = new Map<Slot, Overlay>();
  changedCatalog: Catalog | null = null;
  readonly drawnSequences = new Set<number>();
  readonly #database: Database;
  readonly #queue: CommitQueue;
  readonly #options: TransactionOptions;
  readonly #owner: LockOwner = { held: new Set(), waitsFor: null };
  /** How to take back each step, newest last; savepoints are lengths of it. */
  readonly #undo: (() => void)[] = [];
  /** Under repeatable read: what the first statement saw. */
  #fixed: EngineSnapshot | null = null;
  #ended = false;

  constructor(database: Database, queue: CommitQueue, options: TransactionOptions) {
    this.#database = database;
    this.#queue = queue;
    this.#options = options;
  }

  snapshot(): EngineSnapshot {
    assert(!this.#ended, 'the transaction has ended');
    const database = this.#database;
    if (this.#options.isolation === 'repeatable read') {
      this.#fixed ??= new EngineSnapshot(database, database.sequence, database.catalog);
    }
    const sequence = this.#fixed?.sequence ?? database.sequence;
    return new EngineSnapshot(database, sequence, this.catalog(), this.#ownWrites());
  }

  catalog(): Catalog {
    return this.changedCatalog ?? this.#fixed?.catalog ?? this.#database.catalog;
  }

  async insert(
    relation: number,
    partition: string | null,
    rows: NewRows,
    conflict: 'error' | 'replace',
    signal: AbortSignal,
  ): Promise<Float64Array> {
    const target = { ...this.#write(relation, partition), signal, conflict };
    checkDimensions(target.relation, rows, target.slot.newest.runs);
    const claims: Claims = { taken: new Map(), replaced: new Set() };
    for (const index of uniqueIndexes(target.relation)) {
      const types = keyTypes(target.relation, index);
      const columns = index.columns.map((attribute) => rows.columns.get(attribute));
      for (let row = 0; row < rows.length; row++) {
        const key = columns.map((column) => column?.get(row) ?? null);
        const hash = keyHash(this.#database.records.names, `${index.oid}`, key, types);
        if (hash === null) continue;
        const waiting = this.#claim(target, { index, key, hash, row }, claims);
        if (waiting !== null) await waiting;
        if ((row & 31) === 31) await this.#database.pause();
      }
    }
    return this.#apply(target, rows, claims);
  }

  async lock(
    relation: number,
    partition: string | null,
    rowNumbers: Float64Array,
    signal: AbortSignal,
  ): Promise<boolean[]> {
    const { slot, overlay } = this.#write(relation, partition);
    const there: boolean[] = [];
    for (const row of rowNumbers) {
      if (row < OWN_ROWS) {
        const name = rowLock(slot, row);
        if (!this.#database.locks.tryAcquire(this.#owner, name)) {
          await this.#database.locks.acquire(this.#owner, name, signal);
        }
      }
      there.push(this.#isThere(slot, overlay, row));
    }
    return there;
  }

  delete(relation: number, partition: string | null, rowNumbers: Float64Array): void {
    const { overlay } = this.#write(relation, partition);
    const done = overlay.delete(rowNumbers);
    this.#undo.push(() => overlay.undelete(done));
  }

  truncate(relation: number, partition: string | null): void {
    const { overlay } = this.#write(relation, partition);
    const before = overlay.truncated;
    overlay.clock++;
    overlay.truncated = Math.min(before, overlay.clock);
    const own = Array.from({ length: overlay.rowCount }, (_, position) => OWN_ROWS + position);
    const done = overlay.delete(own);
    this.#undo.push(() => {
      overlay.truncated = before;
      overlay.undelete(done);
    });
  }

  dropPartition(relation: number, partition: string): void {
    this.truncate(relation, partition);
    const { overlay } = this.#write(relation, partition);
    const before = overlay.dropped;
    overlay.dropped = true;
    this.#undo.push(() => {
      overlay.dropped = before;
    });
  }

  async changeCatalog(change: (catalog: Catalog) => Catalog, signal: AbortSignal): Promise<void> {
    this.#mayWrite();
    await this.#database.locks.acquire(this.#owner, 'catalog', signal);
    const before = this.changedCatalog;
    this.changedCatalog = change(before ?? this.#database.catalog);
    this.#undo.push(() => {
      this.changedCatalog = before;
    });
  }

  nextValue(sequence: number): bigint {
    this.#mayWrite();
    this.drawnSequences.add(sequence);
    return this.#database.sequences.next(sequence);
  }

  setValue(sequence: number, state: SequenceState): void {
    this.#mayWrite();
    this.drawnSequences.add(sequence);
    this.#database.sequences.set(sequence, state);
  }

  sequenceState(sequence: number): SequenceState {
    return this.#database.sequences.state(sequence);
  }

  savepoint(): number {
    return this.#undo.length;
  }

  rollbackTo(savepoint: number): void {
    while (this.#undo.length > savepoint) this.#undo.pop()?.();
  }

  async commit(): Promise<ReadonlyMap<string, string>> {
    assert(!this.#ended, 'the transaction has ended');
    try {
      const written = [...this.overlays.values()].some((overlay) => !overlay.isEmpty);
      if (!written && this.changedCatalog === null && this.drawnSequences.size === 0) return new Map();
      const lsns = new Map<string, string>();
      const prepare = (round: Round) => commitTransaction(this.#database, this, round, lsns);
      await this.#queue.submit({ prepare });
      return lsns;
    } finally {
      this.#end();
    }
  }

  rollback(): void {
    if (!this.#ended) this.#end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.rollback();
  }

  #end(): void {
    this.#ended = true;
    this.#fixed?.[Symbol.dispose]();
    for (const overlay of this.overlays.values()) overlay.release();
    for (const sequence of this.drawnSequences) {
      if (!this.#database.catalog.relations.has(sequence)) this.#database.sequences.forget(sequence);
    }
    this.#database.locks.releaseAll(this.#owner);
  }

  #mayWrite(): void {
    assert(!this.#ended, 'the transaction has ended');
    if (!this.#options.readOnly) return;
    throw new SqlError('read_only_sql_transaction', 'cannot write in a read-only transaction');
  }

  #write(relation: number, partition: string | null): { relation: Relation; slot: Slot; overlay: Overlay } {
    this.#mayWrite();
    const described = present(this.catalog().relations.get(relation), `relation ${relation}`);
    const slot = this.#database.openSlot(relation, partition);
    let overlay = this.overlays.get(slot);
    if (overlay === undefined) {
      overlay = new Overlay(slot);
      this.overlays.set(slot, overlay);
    }
    return { relation: described, slot, overlay };
  }

  #ownWrites(): OwnWrites {
    const marks = new Map([...this.overlays.values()].map((overlay) => [overlay, overlay.mark()]));
    const exists = new Map<Overlay, boolean>();
    for (const overlay of marks.keys()) {
      const added = overlay.rowCount > 0 && overlay.deletedOwn.size < overlay.rowCount;
      if (added) exists.set(overlay, true);
      else if (overlay.dropped) exists.set(overlay, false);
    }
    const database = this.#database;
    return {
      overlay(relation, partition) {
        const slot = database.slot(relation, partition);
        for (const [overlay, mark] of marks) if (overlay.slot === slot) return { overlay, mark };
        return undefined;
      },
      *partitions(relation) {
        for (const [{ slot }, there] of exists) {
          if (slot.relation === relation && slot.partition !== null) {
            yield { name: slot.partition, exists: there };
          }
        }
      },
    };
  }

  /** Null when the key was claimed without waiting. */
  #claim(
    target: Target,
    claim: { index: Index; key: readonly Datum[]; hash: string; row: number },
    claims: Claims,
  ): Promise<void> | null {
    const { slot, overlay } = target;
    const name = `${claim.index.oid}/${claim.hash}`;
    const locks = this.#database.locks;
    const holder = this.#holder(slot, overlay, claim);
    const free =
      (holder < 0 || locks.tryAcquire(this.#owner, rowLock(slot, holder))) &&
      locks.tryAcquire(this.#owner, keyLock(slot, name));
    if (!free) return this.#waitAndClaim(target, claim, claims);
    this.#settleClaim(target, claim, claims, holder);
    return null;
  }

  async #waitAndClaim(
    target: Target,
    claim: { index: Index; key: readonly Datum[]; hash: string; row: number },
    claims: Claims,
  ): Promise<void> {
    const { slot, overlay, signal } = target;
    const locks = this.#database.locks;
    let holder = this.#holder(slot, overlay, claim);
    for (;;) {
      if (holder >= 0) await locks.acquire(this.#owner, rowLock(slot, holder), signal);
      await locks.acquire(this.#owner, keyLock(slot, `${claim.index.oid}/${claim.hash}`), signal);
      const now = this.#holder(slot, overlay, claim);
      if (now < 0 || now === holder) break;
      holder = now;
    }
    this.#settleClaim(target, claim, claims, this.#holder(slot, overlay, claim));
  }

  /** The newest committed row with that key which this transaction has not deleted; -1: none. */
  #holder(slot: Slot, overlay: Overlay, { index, hash }: { index: Index; hash: string }): number {
    const { newest } = slot;
    if (!newest.exists || !overlay.seesBase(overlay.mark())) return -1;
    const row = this.#database.records.keyRow(newest.storage.id, index.oid, hash);
    if (row < 0 || overlay.deletedBase.has(row)) return -1;
    return findVisible(newest.runs, row) === null ? -1 : row;
  }

  #settleClaim(
    target: Target,
    claim: { index: Index; key: readonly Datum[]; hash: string; row: number },
    claims: Claims,
    holder: number,
  ): void {
    const { relation, slot, overlay } = target;
    const name = `${claim.index.oid}/${claim.hash}`;
    const earlier = claims.taken.get(name);
    const own = overlay.ownRow(name, overlay.mark());
    const holders = [holder, own < 0 ? -1 : OWN_ROWS + own, earlier === undefined ? -1 : OWN_ROWS + earlier];
    const others = holders.filter((row) => row >= 0 && !claims.replaced.has(row));
    if (others.length > 0 && !(target.conflict === 'replace' && claim.index.primary)) {
      throw duplicateKey(relation, claim.index, claim.key);
    }
    if (holder >= 0 && this.#fixed !== null) this.#requireSeen(slot, holder);
    for (const row of others) claims.replaced.add(row);
    claims.taken.set(name, overlay.rowCount + claim.row);
  }

  /** Under repeatable read, a row that a later transaction wrote cannot be replaced. */
  #requireSeen(slot: Slot, row: number): void {
    const sequence = this.#fixed?.sequence ?? 0;
    const version = this.#database.version(slot.relation, slot.partition, sequence);
    if (version === null || findVisible(version.runs, row) === null) throw couldNotSerialize();
  }

  #isThere(slot: Slot, overlay: Overlay, row: number): boolean {
    const mark = overlay.mark();
    if (row >= OWN_ROWS) return overlay.seesOwn(row - OWN_ROWS, mark);
    if (!overlay.seesBaseRow(row, mark)) return false;
    const there = slot.newest.exists && findVisible(slot.newest.runs, row) !== null;
    if (!there && this.#options.isolation === 'repeatable read') throw couldNotSerialize();
    return there;
  }

  #apply({ relation, overlay }: Target, rows: NewRows, claims: Claims): Float64Array {
    const start = overlay.rowCount;
    overlay.add(batchOf(relation, rows));
    for (const [name, position] of claims.taken) overlay.takeKey(name, position);
    const replaced = overlay.delete(claims.replaced);
    const numbers = Float64Array.from({ length: rows.length }, (_, row) => OWN_ROWS + start + row);
    this.#undo.push(() => {
      overlay.undelete(replaced);
      overlay.delete(numbers);
    });
    return numbers;
  }
}

function batchOf(relation: Relation, rows: NewRows): RowBatch {
  const columns = new Map(
    [...rows.columns].map(([attribute, vector]) => {
      const column = present(columnByAttribute(relation, attribute), `column ${attribute}`);
      return [attribute, { type: column.type.oid, vector }] as const;
    }),
  );
  return { length: rows.length, columns, passages: rows.embeddings };
}

function couldNotSerialize(): SqlError {
  return new SqlError('serialization_failure', 'could not serialize access due to concurrent update', {
    hint: 'Run the transaction again.',
  });
}

const rowLock = (slot: Slot, row: number): string => `row/${slot.id}/${row}`;
const keyLock = (slot: Slot, name: string): string => `key/${slot.id}/${name}`;
