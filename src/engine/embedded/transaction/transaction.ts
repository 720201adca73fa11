/**
 * A transaction: writes are kept in overlays until `commit` hands them to the commit queue. Keys and rows it
 * touches are locked to its end, so that at commit nothing can be in the way any more.
 */
import { assert, present } from '../../../assert.ts';
import type { RowLockMode, TableLockMode } from '../../../catalog/lock-modes.ts';
import type { Catalog, Relation, SequenceDefinition } from '../../../catalog/model.ts';
import { columnByAttribute } from '../../../catalog/model.ts';
import { definitionOf, type SequenceState } from '../../../catalog/sequences.ts';
import { SqlError } from '../../../errors.ts';
import type { Isolation, LockRequest, NewRows, Transaction } from '../../engine.ts';
import type { RowBatch } from '../commit/chunk.ts';
import { isDense, packVectors } from '../segment/column.ts';
import type { CommitQueue, Round } from '../commit/commit-queue.ts';
import type { Database } from '../database.ts';
import { checkDoubtful, type Claimant, claimKeys, type Replaced } from '../keys/key-claims.ts';
import { LockHolder, ROW_MODES } from '../locks/locks.ts';
import { Overlay, OWN_ROWS } from './overlay.ts';
import { ReadSet } from './read-set.ts';
import type { EngineSessionLocks } from '../locks/session-locks.ts';
import { EngineSnapshot, type OwnWrites } from '../head/snapshot.ts';
import type { Stager } from './stager.ts';
import { findVisible, type Slot } from '../head/table.ts';
import { commitTransaction, type TransactionWrites } from '../commit/transaction-commit.ts';
import { checkDimensions } from '../keys/dimensions.ts';
import { requireUnchanged } from './validation.ts';
import { claimAddedKeys } from '../keys/unique-check.ts';
import { uniqueKeys } from '../keys/unique-key.ts';

export interface TransactionOptions {
  readonly isolation: Isolation;
  readonly readOnly: boolean;
  readonly session?: EngineSessionLocks;
}

/** Parts of the engine that a transaction works with. */
interface TransactionParts {
  readonly database: Database;
  readonly queue: CommitQueue;
  readonly stager: Stager;
}

/** State to go back to. */
interface Savepoint {
  readonly steps: number;
  readonly locks: number;
  /** Own rows; none of overlays that came later. */
  readonly rows: ReadonlyMap<Overlay, number>;
}

export class EngineTransaction implements Transaction, TransactionWrites {
  readonly overlays = new Map<Slot, Overlay>();
  changedCatalog: Catalog | null = null;
  readonly drawnSequences = new Set<number>();
  reads: ReadSet | null = null;
  readonly #database: Database;
  readonly #queue: CommitQueue;
  readonly #stager: Stager;
  readonly #options: TransactionOptions;
  readonly #holder: LockHolder;
  /** How to take back each step, newest last. */
  readonly #undo: (() => void)[] = [];
  /** A step since the last savepoint gives the catalog of then back. */
  #catalogUndone = false;
  readonly #savepoints: Savepoint[] = [];
  /** But under read committed: what the first statement saw. */
  #fixed: EngineSnapshot | null = null;
  #ended = false;

  constructor({ database, queue, stager }: TransactionParts, options: TransactionOptions) {
    this.#database = database;
    this.#queue = queue;
    this.#stager = stager;
    this.#options = options;
    this.#holder = options.session?.holder ?? new LockHolder();
  }

  snapshot(newest = false): EngineSnapshot {
    assert(!this.#ended, 'the transaction has ended');
    const database = this.#database;
    if (newest) return new EngineSnapshot(database, database.sequence, this.catalog(), this.#ownWrites(null));
    if (this.#options.isolation !== 'read committed') this.#fix();
    const sequence = this.#fixed?.sequence ?? database.sequence;
    const isAlone = this.overlays.size === 0 && this.reads === null;
    const own = isAlone ? undefined : this.#ownWrites(this.reads);
    return new EngineSnapshot(database, sequence, this.catalog(), own);
  }

  #fix(): void {
    const { isolation, readOnly } = this.#options;
    this.#fixed ??= new EngineSnapshot(this.#database, this.#database.sequence, this.#database.catalog);
    if (isolation === 'serializable' && !readOnly) this.reads ??= new ReadSet(this.#fixed);
  }

  /** The newest, whatever the isolation level: a unique index of another transaction holds for all that is written. */
  catalog(): Catalog {
    return this.changedCatalog ?? this.#database.catalog;
  }

  async insert(
    relation: number,
    partition: string | null,
    rows: NewRows,
    conflict: 'error' | 'replace',
    signal: AbortSignal,
  ): Promise<Float64Array> {
    const target: Claimant = {
      ...this.#write(relation, partition),
      database: this.#database,
      catalog: this.catalog(),
      holder: this.#holder,
      signal,
      conflict,
      requireSeen: (row) => {
        if (this.#fixed !== null) this.#requireSeen(target.slot, row);
      },
    };
    // Segments whose keys are being read stay, though a merge has replaced them.
    using _read = new EngineSnapshot(this.#database, this.#database.sequence, this.catalog());
    checkDimensions(target.relation, rows, target.slot.newest.runs);
    const waiting = this.#database.memory.room(rows.length, signal);
    if (waiting !== undefined) await waiting;
    try {
      const replaced = await claimKeys(target, rows);
      const numbers = this.#apply(target, rows, replaced);
      await this.#makeRoom(target.overlay, signal);
      return numbers;
    } catch (error) {
      await this.#preferRetry(error);
      throw error;
    }
  }

  /** Who looked for a key before taking it is told to begin anew, not that the key is there after all. */
  async #preferRetry(error: unknown): Promise<void> {
    const { reads, changedCatalog } = this;
    if (reads === null || !(error instanceof SqlError) || error.condition !== 'unique_violation') return;
    await requireUnchanged({ database: this.#database, reads, round: null, changedCatalog });
  }

  async lock(
    relation: number,
    partition: string | null,
    rowNumbers: Float64Array,
    { mode, wait, signal }: LockRequest<RowLockMode>,
  ): Promise<Float64Array> {
    const { relation: locked, slot, overlay } = this.#write(relation, partition);
    const { locks } = this.#database;
    const newest = new Float64Array(rowNumbers.length).fill(-1);
    for (const [i, row] of rowNumbers.entries()) {
      // Others may have locked the committed row in a mode that let the first change of it pass.
      const committed = overlay.committedRow(row);
      const name = { slot: slot.id, row: committed };
      if (committed >= 0 && !locks.tryAcquireRow(this.#holder, name, ROW_MODES[mode])) {
        if (wait === 'skip locked') continue;
        if (wait === 'nowait') throw notAvailable('row in relation', locked);
        await locks.acquireRow(this.#holder, name, ROW_MODES[mode], signal);
      }
      newest[i] = this.#newest(slot, overlay, row);
    }
    return newest;
  }

  lockTable(
    relation: number,
    { mode, wait, signal, passes }: LockRequest<TableLockMode> & { readonly passes?: boolean },
  ): Promise<void> | null {
    const { locks } = this.#database;
    if (passes === true && locks.isFree(relation)) return null;
    if (locks.tryAcquire(this.#holder, relation, mode)) return null;
    if (wait !== 'block') {
      throw notAvailable('relation', present(this.catalog().relations.get(relation), `relation ${relation}`));
    }
    return locks.acquire(this.#holder, relation, mode, signal).then(() => undefined);
  }

  checkKeys(due: (index: number) => boolean, signal: AbortSignal): Promise<void> | null {
    for (const { doubtful } of this.overlays.values()) {
      for (const rows of doubtful.values()) if (rows.size > 0) return this.#checkDoubtful(due, signal);
    }
    return null;
  }

  async #checkDoubtful(due: (index: number) => boolean, signal: AbortSignal): Promise<void> {
    const common = { database: this.#database, catalog: this.catalog(), holder: this.#holder, signal };
    using _read = new EngineSnapshot(this.#database, this.#database.sequence, this.catalog());
    for (const [slot, overlay] of this.overlays) {
      const relation = this.catalog().relations.get(slot.relation);
      for (const key of relation === undefined ? [] : uniqueKeys(relation)) {
        const rows = overlay.doubtful.get(key.id);
        if (rows === undefined || rows.size === 0 || !due(key.index.oid)) continue;
        await checkDoubtful({ ...common, relation: key.relation, slot, overlay }, key, rows);
        overlay.doubtful.set(key.id, new Set());
        this.#undo.push(() => overlay.doubtful.set(key.id, rows));
      }
    }
  }

  hasDoubtfulKeys(relation: number): boolean {
    for (const [slot, { doubtful }] of this.overlays) {
      if (slot.relation !== relation) continue;
      for (const rows of doubtful.values()) if (rows.size > 0) return true;
    }
    return false;
  }

  lockCatalog(signal: AbortSignal): Promise<void> | null {
    this.#mayWrite();
    const { locks } = this.#database;
    if (locks.tryAcquire(this.#holder, 'catalog', 'exclusive')) return null;
    return locks.acquire(this.#holder, 'catalog', 'exclusive', signal).then(() => undefined);
  }

  touch(relation: number, partition: string | null): void {
    this.#write(relation, partition).overlay.touched = true;
  }

  delete(relation: number, partition: string | null, rowNumbers: Float64Array): void {
    const { overlay } = this.#write(relation, partition);
    const done = overlay.delete(rowNumbers);
    this.#undo.push(() => overlay.undelete(done));
    this.#measure(overlay);
  }

  truncate(relation: number, partition: string | null): void {
    const { overlay } = this.#write(relation, partition);
    const before = overlay.truncated;
    overlay.clock++;
    overlay.truncated = Math.min(before, overlay.clock);
    const refill = overlay.deletedOwn.empty(overlay.rowCount, overlay.clock);
    this.#undo.push(() => {
      overlay.truncated = before;
      refill();
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
    await this.lockCatalog(signal);
    const kept = this.changedCatalog;
    const before = kept ?? this.#database.catalog;
    const after = change(before);
    this.changedCatalog = after;
    // Each version of thousands of definitions in a block would be kept to its end.
    if (!this.#catalogUndone) {
      this.#catalogUndone = true;
      this.#undo.push(() => {
        this.changedCatalog = kept;
      });
    }
    // Segments whose keys are being read stay, though a merge has replaced them.
    using _read = new EngineSnapshot(this.#database, this.#database.sequence, after);
    const made = await claimAddedKeys(this.#database, { before, after, overlays: this.overlays });
    if (made.length === 0) return;
    this.#undo.push(() => {
      for (const { overlay, id } of made) overlay.keys.delete(id);
    });
  }

  nextValue(sequence: number): bigint | null {
    this.#mayWrite();
    this.drawnSequences.add(sequence);
    return this.#database.sequences.next(sequence, this.#definition(sequence));
  }

  setValue(sequence: number, state: SequenceState): void {
    this.#mayWrite();
    this.drawnSequences.add(sequence);
    this.#database.sequences.set(sequence, state);
  }

  sequenceState(sequence: number): SequenceState {
    return this.#database.sequences.state(sequence, this.#definition(sequence));
  }

  #definition(sequence: number): SequenceDefinition {
    return definitionOf(this.catalog().relations.get(sequence));
  }

  savepoint(): number {
    const rows = new Map(Array.from(this.overlays.values(), (overlay) => [overlay, overlay.rowCount]));
    this.#catalogUndone = false;
    return this.#savepoints.push({ steps: this.#undo.length, locks: this.#holder.count, rows }) - 1;
  }

  rollbackTo(savepoint: number): void {
    const { steps, locks, rows } = present(this.#savepoints[savepoint], 'savepoint');
    this.#savepoints.length = savepoint + 1;
    this.#catalogUndone = false;
    // All at once: batch by batch, each key would be taken out of its table.
    for (const overlay of this.overlays.values()) overlay.withdrawKeys(rows.get(overlay) ?? 0);
    while (this.#undo.length > steps) this.#undo.pop()?.();
    for (const overlay of this.overlays.values()) this.#database.memory.own.measure(overlay);
    this.#database.locks.releaseTo(this.#holder, locks);
  }

  get hasWritten(): boolean {
    if (this.changedCatalog !== null || this.drawnSequences.size > 0) return true;
    return [...this.overlays.values()].some((overlay) => overlay.isNumbered);
  }

  commit(): ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>> {
    assert(!this.#ended, 'the transaction has ended');
    if (this.hasWritten) return this.#commit();
    this.#end();
    return new Map();
  }

  async #commit(): Promise<ReadonlyMap<string, string>> {
    try {
      const checking = this.checkKeys(() => true, new AbortController().signal);
      if (checking !== null) await checking;
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
    for (const [slot, overlay] of this.overlays) {
      slot.writers.delete(overlay);
      this.#stager.end(overlay);
    }
    for (const sequence of this.drawnSequences) {
      if (!this.#database.catalog.relations.has(sequence)) this.#database.sequences.forget(sequence);
    }
    this.#database.locks.releaseTo(this.#holder, 0);
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
      overlay = new Overlay(slot, this.#database.settings);
      this.overlays.set(slot, overlay);
      slot.writers.set(overlay, this.#holder);
    }
    return { relation: described, slot, overlay };
  }

  /** @param reads takes what is read; null: nothing is remembered. */
  #ownWrites(reads: ReadSet | null): OwnWrites {
    const marks = new Map([...this.overlays.values()].map((overlay) => [overlay, overlay.mark()]));
    const exists = new Map<Overlay, boolean>();
    for (const overlay of marks.keys()) {
      if (overlay.hasRows) exists.set(overlay, true);
      else if (overlay.dropped) exists.set(overlay, false);
    }
    const database = this.#database;
    return {
      reads,
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

  /** Under repeatable read, a row that a later transaction wrote cannot be replaced. */
  #requireSeen(slot: Slot, row: number): void {
    const sequence = this.#fixed?.sequence ?? 0;
    const version = this.#database.version(slot.relation, slot.partition, sequence);
    if (version === null || findVisible(version.runs, row) === null) throw couldNotSerialize();
  }

  /** The row itself where it is still there, else its newest version, else -1. */
  #newest(slot: Slot, overlay: Overlay, row: number): number {
    const mark = overlay.mark();
    if (row >= OWN_ROWS) return overlay.seesOwn(row - OWN_ROWS, mark) ? row : -1;
    if (!overlay.seesBaseRow(row, mark)) return -1;
    const isThere = (number: number): boolean =>
      slot.newest.exists && findVisible(slot.newest.runs, number) !== null;
    if (isThere(row)) return row;
    const next = this.#database.successors.newest(slot.id, row);
    if (this.#options.isolation !== 'read committed') throw couldNotSerialize();
    return next !== row && overlay.seesBaseRow(next, mark) && isThere(next) ? next : -1;
  }

  #apply({ relation, overlay }: Claimant, rows: NewRows, replaced: Replaced): Float64Array {
    const start = overlay.rowCount;
    overlay.add(batchOf(relation, rows));
    const deleted = overlay.delete(replaced.keys());
    const numbers = new Float64Array(rows.length);
    for (let row = 0; row < rows.length; row++) numbers[row] = OWN_ROWS + start + row;
    for (const [old, row] of replaced) overlay.replace(old, start + row);
    const { replaces = [] } = rows;
    replaces.forEach((old, row) => {
      if (old >= 0) overlay.replace(old, start + row);
    });
    // Not `rows`: kept to the end of the transaction, they would be in memory twice.
    const { length } = rows;
    this.#undo.push(() => {
      overlay.undelete(deleted);
      this.#stager.discard(overlay.withdraw(start, length));
      for (const old of [...replaced.keys(), ...replaces]) overlay.unreplace(old);
    });
    return numbers;
  }

  /** The newest step: a call that throws has written nothing. */
  #takeBack(overlay: Overlay): void {
    this.#undo.pop()?.();
    this.#database.memory.own.measure(overlay);
  }

  /** Past a share of the memory own rows are written ahead. */
  async #makeRoom(overlay: Overlay, signal: AbortSignal): Promise<void> {
    const { own } = this.#database.memory;
    own.measure(overlay);
    if (!own.isLarge) return;
    const relationOf = ({ slot }: Overlay): Relation | undefined =>
      this.catalog().relations.get(slot.relation);
    try {
      await this.#stager.stage(new Set(this.overlays.values()), relationOf, signal);
      own.requireRoom();
    } catch (error) {
      this.#takeBack(overlay);
      throw error;
    }
  }

  /** @throws SqlError 53200 when transactions hold more than they may. */
  #measure(overlay: Overlay): void {
    const { own } = this.#database.memory;
    own.measure(overlay);
    try {
      own.requireRoom();
    } catch (error) {
      this.#takeBack(overlay);
      throw error;
    }
  }
}

function batchOf(relation: Relation, rows: NewRows): RowBatch {
  const columns = new Map(
    [...rows.columns].map(([attribute, vector]) => {
      const { oid } = present(columnByAttribute(relation, attribute), `column ${attribute}`).type;
      const packs = isDense(oid) && vector.kind === 'object' && vector.length > 1;
      return [attribute, { type: oid, vector: packs ? packVectors(vector) : vector }] as const;
    }),
  );
  return { length: rows.length, columns, passages: rows.embeddings };
}

function couldNotSerialize(): SqlError {
  return new SqlError('serialization_failure', 'could not serialize access due to concurrent update', {
    hint: 'Run the transaction again.',
  });
}

const notAvailable = (what: string, { name }: Relation): SqlError =>
  new SqlError('lock_not_available', `could not obtain lock on ${what} "${name}"`);
