/**
 * Keys that a transaction's new rows take. The claim is the name in the overlay's own table, which other
 * writers of the table look into; only when one of them has to wait does it become a lock (as PostgreSQL
 * moves fast-path locks into the shared table when somebody asks).
 *
 * To claim a key the lock of the row that has it is taken first, then the key's: an UPDATE holds its row
 * before it claims the key of the new version, and both ways would otherwise wait for each other.
 */
import { present } from '../../../assert.ts';
import type { SqlError } from '../../../errors.ts';
import type { NewRows } from '../../engine.ts';
import type { Datum } from '../../../types/datum.ts';
import type { Database } from '../database.ts';
import { keyNames } from './key-names.ts';
import { hasKey, type KeyTable } from './key-table.ts';
import { keyLock, type LockHolder, ROW_MODES } from '../locks/locks.ts';
import { NAME_WORDS } from '../../../storage/seal.ts';
import { OWN_ROWS, type Overlay } from '../transaction/overlay.ts';
import type { Run } from '../head/source.ts';
import { showsRow } from '../head/hidden-rows.ts';
import { readColumn } from '../head/part.ts';
import { findRow, findVisible, type Slot } from '../head/table.ts';
import { duplicateKey, type UniqueKey, uniqueKeys } from './unique-key.ts';
import type { TableLockMode } from '../../../catalog/lock-modes.ts';
import type { Catalog, Relation } from '../../../catalog/model.ts';
import { typeByOid } from '../../../types/registry.ts';
import { constantVector, type Vector } from '../../../types/column/vector.ts';

/** Rows between two turns of the event loop, where it is time for one. */
const STEP_ROWS = 256;

export interface Claimant {
  readonly database: Database;
  readonly holder: LockHolder;
  /** As the transaction has it. */
  readonly catalog: Catalog;
  readonly relation: Relation;
  readonly slot: Slot;
  readonly overlay: Overlay;
  readonly conflict: 'error' | 'replace';
  readonly signal: AbortSignal;
  /** Called with a committed row that has a claimed key; throws where it must not be replaced. */
  readonly requireSeen: (row: number) => void;
}

/** By the number of the row that a new one replaces: the new one's place among `rows`. */
export type Replaced = Map<number, number>;

/**
 * Claims the keys of rows that the overlay is to take next.
 * @throws SqlError 23505, and what waiting for a lock throws; nothing is claimed then.
 */
export async function claimKeys(claimant: Claimant, rows: NewRows): Promise<Replaced> {
  const { overlay, relation } = claimant;
  const replaced: Replaced = new Map();
  try {
    for (const key of uniqueKeys(relation)) {
      const columns = keyColumns(key, rows);
      if (columns !== null) await new IndexClaim(claimant, key, columns).claim(rows, replaced);
    }
  } catch (error) {
    overlay.withdrawKeys(overlay.rowCount);
    throw error;
  }
  return replaced;
}

/**
 * Looks again at the keys of the transaction's own rows that were doubtful when they came.
 * @throws as `claimKeys`.
 */
export async function checkDoubtful(
  claimant: Omit<Claimant, 'conflict' | 'requireSeen'>,
  key: UniqueKey,
  positions: Iterable<number>,
): Promise<void> {
  const asker: Claimant = { ...claimant, conflict: 'error', requireSeen: () => undefined };
  await new IndexClaim(asker, key, []).check(positions);
}

function ownKey(overlay: Overlay, { relation, index }: UniqueKey, position: number): Datum[] {
  const place = findRow(overlay.runs([], overlay.mark()), OWN_ROWS + position);
  const { run, position: row } = present(place, 'row of the transaction');
  return index.columns.map((attribute) => readColumn(run.source, relation, attribute, row, row + 1).get(0));
}

/** A column without values is NULL. Null where that means that no row has a key. */
function keyColumns({ index, types }: UniqueKey, rows: NewRows): readonly Vector[] | null {
  const columns: Vector[] = [];
  for (const [i, attribute] of index.columns.entries()) {
    const given = rows.columns.get(attribute);
    if (given === undefined && i >= (index.equalNulls ?? 0)) return null;
    columns.push(given ?? constantVector(typeByOid(types[i] ?? 0).vector, null, rows.length));
  }
  return columns;
}

/**
 * How the row that has a claimed key is locked: an INSERT only waits for its writers, and a replacement
 * keeps away those who refer to it where it may change another key of theirs.
 */
function rowMode({ conflict, relation }: Claimant): TableLockMode {
  if (conflict === 'error') return ROW_MODES.share;
  return ROW_MODES[uniqueKeys(relation).length > 1 ? 'update' : 'no key update'];
}

/** Claims of one batch in one index. */
class IndexClaim {
  readonly #claimant: Claimant;
  readonly #key: UniqueKey;
  readonly #columns: readonly Vector[];
  #names: Uint32Array = new Uint32Array(0);
  readonly #own: KeyTable;
  readonly #rowMode: TableLockMode;
  /** The committed runs of `#version` with their tables, newest first. */
  #places: { readonly run: Run; readonly table: KeyTable }[] = [];
  #version: Slot['newest'] | null = null;

  constructor(claimant: Claimant, key: UniqueKey, columns: readonly Vector[]) {
    this.#claimant = claimant;
    this.#key = key;
    this.#columns = columns;
    this.#own = claimant.overlay.keyTable(key.id);
    this.#rowMode = rowMode(claimant);
  }

  async claim(rows: NewRows, replaced: Replaced): Promise<void> {
    const { database, slot, overlay } = this.#claimant;
    const { pause, records } = database;
    for (const { source } of slot.newest.runs) await source.loadKeys(this.#key, records.names, pause);
    const { types, index } = this.#key;
    this.#names = this.#keptNames(rows) ?? keyNames(records.names, this.#columns, types, index.equalNulls);
    this.#own.pad(overlay.rowCount);
    const count = this.#names.length / NAME_WORDS;
    await this.#own.reserve(count, pause);
    for (let row = 0; row < count; row++) {
      const at = NAME_WORDS * row;
      if (index.deferrable) {
        if (this.#isDoubtful(at, rows.replaces?.[row] ?? -1)) this.#doubt(overlay.rowCount + row);
      } else if (hasKey(this.#names, at)) {
        const taken = this.#claimant.holder.count;
        let holder = this.#tryTake(at);
        // Several wake at once: only what is found in the turn that makes the claim counts.
        for (let attempt = 0; holder === null; attempt++) {
          await this.#wait(at, attempt, taken);
          holder = this.#tryTake(at);
        }
        this.#settle(row, holder, { replaced, isTold: rows.replaces !== undefined });
      }
      this.#own.push(this.#names, at);
      if (row % STEP_ROWS === STEP_ROWS - 1) await pause();
    }
  }

  // ───────────────────────────── deferrable keys ─────────────────────────────

  /**
   * True when another row may have the key. A new version of a row that has it is as doubtful as that: others who
   * came in between have seen it. Not so this transaction, whose statement has deleted that row before.
   */
  #isDoubtful(at: number, replaces: number): boolean {
    const { overlay } = this.#claimant;
    if (!hasKey(this.#names, at)) return false;
    if (this.#ownRow(at) >= 0) return true;
    if (this.#hasName(replaces, at)) {
      const doubtful = overlay.doubtful.get(this.#key.id);
      return replaces >= OWN_ROWS && doubtful?.has(replaces - OWN_ROWS) === true;
    }
    return this.#holder(at) >= 0 || this.#rival(at) !== null;
  }

  #hasName(number: number, at: number): boolean {
    if (number < 0) return false;
    const { slot, database } = this.#claimant;
    const place = number >= OWN_ROWS ? null : findVisible(slot.newest.runs, number);
    if (number < OWN_ROWS && place === null) return false;
    const table = place?.run.source.keys(this.#key, database.records.names) ?? this.#own;
    const from = NAME_WORDS * (place?.position ?? number - OWN_ROWS);
    const { names } = table;
    for (let word = 0; word < NAME_WORDS; word++) {
      if (names[from + word] !== this.#names[at + word]) return false;
    }
    return true;
  }

  #doubt(position: number): void {
    const { doubtful } = this.#claimant.overlay;
    const { id } = this.#key;
    const rows = doubtful.get(id) ?? new Set();
    doubtful.set(id, rows.add(position));
  }

  /** Claims the keys of own rows that are doubtful. @throws as `claimKeys`. */
  async check(positions: Iterable<number>): Promise<void> {
    const { database, slot, overlay } = this.#claimant;
    const { pause, records } = database;
    for (const { source } of slot.newest.runs) await source.loadKeys(this.#key, records.names, pause);
    this.#names = this.#own.names;
    let looked = 0;
    for (const position of positions) {
      if (++looked % STEP_ROWS === 0) await pause();
      if (overlay.deletedOwn.has(position)) continue;
      const at = NAME_WORDS * position;
      const taken = this.#claimant.holder.count;
      let holder = this.#tryTake(at);
      // The claim stands since the row came: who comes while others are waited for sees it.
      for (let attempt = 0; holder === null; attempt++) {
        await this.#wait(at, attempt, taken);
        holder = this.#tryTake(at);
      }
      if (holder < 0 && this.#ownRow(at, position) < 0) continue;
      throw duplicateKey(this.#claimant.catalog, this.#key, ownKey(overlay, this.#key, position));
    }
  }

  /** Names of new versions whose key is that of the row they replace; null when it may be another one. */
  #keptNames({ replaces, changed, length }: NewRows): Uint32Array | null {
    if (replaces === undefined || changed === undefined) return null;
    if (this.#key.index.columns.some((attribute) => changed.has(attribute))) return null;
    const { slot, database } = this.#claimant;
    const names = new Uint32Array(NAME_WORDS * length);
    for (let row = 0; row < length; row++) {
      const place = findVisible(slot.newest.runs, replaces[row] as number);
      if (place === null) return null;
      const { source } = place.run;
      const at = NAME_WORDS * place.position;
      const known = source.keys(this.#key, database.records.names).names;
      names.set(known.subarray(at, at + NAME_WORDS), NAME_WORDS * row);
    }
    return names;
  }

  /** Number of the committed row with that key which this transaction has not deleted; -1: none. */
  #holder(at: number): number {
    const { slot, overlay, database } = this.#claimant;
    const { newest } = slot;
    if (this.#version !== newest) {
      this.#version = newest;
      const runs = newest.exists && overlay.seesBase(overlay.mark()) ? newest.runs.toReversed() : [];
      this.#places = runs.map((run) => ({ run, table: run.source.keys(this.#key, database.records.names) }));
    }
    for (const { run, table } of this.#places) {
      for (let row = table.newest(this.#names, at); row >= 0; row = table.older(row)) {
        if (row >= run.rowCount || !showsRow(run, row)) continue;
        const number = run.source.rowNumbers[row] as number;
        return overlay.deletedBase.has(number) ? -1 : number;
      }
    }
    return -1;
  }

  #tryLock(row: number): boolean {
    const { database, holder, slot } = this.#claimant;
    return row < 0 || database.locks.tryAcquireRow(holder, { slot: slot.id, row }, this.#rowMode);
  }

  /** Another transaction that has claimed the key. */
  #rival(at: number): LockHolder | null {
    const { slot, overlay } = this.#claimant;
    if (slot.writers.size === 1) return null;
    for (const [other, holder] of slot.writers) {
      if (other === overlay) continue;
      const table = other.keys.get(this.#key.id);
      if (table !== undefined && table.newest(this.#names, at) >= 0) return holder;
    }
    return null;
  }

  /** The row that has the key, as `#holder`, locked now; null: another transaction is in the way. */
  #tryTake(at: number): number | null {
    const row = this.#holder(at);
    return this.#tryLock(row) && this.#rival(at) === null ? row : null;
  }

  /**
   * Waits for one thing that is in the way: the key's row, or another claim. Nothing that is taken here is held
   * while something else is waited for: many who want one key would be in each other's way.
   *
   * @param taken number of locks before this key's.
   */
  async #wait(at: number, attempt: number, taken: number): Promise<void> {
    const { database, holder, slot, signal } = this.#claimant;
    const { locks } = database;
    locks.releaseAsked(holder, taken);
    const row = this.#holder(at);
    if (!this.#tryLock(row)) {
      await locks.acquireRow(holder, { slot: slot.id, row }, this.#rowMode, signal);
      return;
    }
    const rival = this.#rival(at);
    locks.releaseAsked(holder, taken);
    if (rival === null) return;
    // The rival has had it from its claim on; a later attempt means that a savepoint has ended its lock,
    // and not its claim.
    const words = this.#names.subarray(at, at + NAME_WORDS).join();
    const name = keyLock(slot.id, `${this.#key.id}/${words}/${attempt}`);
    locks.tryGive(rival, name, 'exclusive');
    await locks.acquire(holder, name, 'exclusive', signal);
    locks.releaseAsked(holder, taken);
  }

  /** @param isTold the rows say which ones they replace, and this is none of them. */
  #settle(
    row: number,
    holder: number,
    { replaced, isTold }: { readonly replaced: Replaced; readonly isTold: boolean },
  ): void {
    const { conflict, requireSeen } = this.#claimant;
    const { index } = this.#key;
    const own = this.#ownRow(NAME_WORDS * row);
    const isHeld = holder >= 0 && !replaced.has(holder);
    const isOwn = own >= 0 && !replaced.has(own);
    if ((isHeld || isOwn) && !(conflict === 'replace' && index.primary)) {
      throw this.#duplicate(row);
    }
    if (holder >= 0) requireSeen(holder);
    if (isHeld && isTold) throw this.#duplicate(row);
    if (isHeld) replaced.set(holder, row);
    if (isOwn) replaced.set(own, row);
  }

  #duplicate(row: number): SqlError {
    const key = this.#columns.map((column) => column.get(row));
    return duplicateKey(this.#claimant.catalog, this.#key, key);
  }

  /** Number of this transaction's row with that key, of this batch or an earlier one; -1: no other one. */
  #ownRow(at: number, but = -1): number {
    const { overlay } = this.#claimant;
    for (
      let position = this.#own.newest(this.#names, at);
      position >= 0;
      position = this.#own.older(position)
    ) {
      if (position !== but && !overlay.deletedOwn.has(position)) return OWN_ROWS + position;
    }
    return -1;
  }
}
