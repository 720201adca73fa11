/**
 * Tables over time. A slot is a collection or one of its partitions; each commit that touches it adds an
 * immutable version. A snapshot reads the newest version that is not newer than itself; versions that no
 * snapshot can reach are cut off.
 */
import { findPosition, firstNot } from '../../../binary-search.ts';
import type { LockHolder } from '../locks/locks.ts';
import type { KeyTable } from '../keys/key-table.ts';
import { DELETE_PAGE_ROWS } from '../commit/records.ts';
import { showsRow } from './hidden-rows.ts';
import type { Run } from './source.ts';
import { StorageEntries } from '../commit/storage-entries.ts';

/** A table's rows since it was made or truncated; keys in the store begin with its number. */
export interface Storage {
  readonly id: number;
  /** Deleted rows by page of DELETE_PAGE_ROWS row numbers, as stored; pages are replaced, not changed. */
  readonly deletes: Map<number, Uint8Array>;
  /** Stored entries of it. */
  readonly entries: StorageEntries;
}

export const newStorage = (id: number): Storage => ({
  id,
  deletes: new Map(),
  entries: new StorageEntries(),
});

export interface TableVersion {
  readonly sequence: number;
  previous: TableVersion | null;
  /** False before the first write and after a drop. */
  readonly exists: boolean;
  readonly storage: Storage;
  /** Segments, then heads; row numbers ascend through all of them. */
  readonly runs: readonly Run[];
  readonly lsn: number;
  readonly nextRow: number;
  /** When it came into being, in Unix milliseconds; undefined: of before that was kept. */
  readonly createdMs?: number | undefined;
  /** When it was last written to, merges apart; undefined likewise. */
  readonly changedMs?: number | undefined;
  /** Visible ones. */
  readonly rows: number;
}

export interface Slot {
  readonly id: number;
  readonly relation: number;
  readonly partition: string | null;
  newest: TableVersion;
  readonly waiters: Set<() => void>;
  /** Transactions that write to it and have not ended. */
  readonly writers: Map<SlotWriter, LockHolder>;
}

/** A transaction's writes to a slot, as far as others look at them before it ends. */
export interface SlotWriter {
  /** Keys that it has claimed, by unique key (`UniqueKey.id`). */
  readonly keys: ReadonlyMap<string, KeyTable>;
}

export function versionAt(slot: Slot, sequence: number): TableVersion | null {
  let version: TableVersion | null = slot.newest;
  while (version !== null && version.sequence > sequence) version = version.previous;
  return version;
}

/** Forgets versions that a snapshot at `oldest` or later cannot reach. */
export function cutVersions(slot: Slot, oldest: number): void {
  const reachable = versionAt(slot, oldest);
  if (reachable !== null) reachable.previous = null;
}

interface RowPlace {
  readonly run: Run;
  readonly position: number;
}

/** Where a row lies, visible or not; null when no run has it. */
export function findRow(runs: readonly Run[], rowNumber: number): RowPlace | null {
  // Only the newest head can be without rows.
  const endsBefore = (place: number): boolean => {
    const { rowCount, source } = runs[place] as Run;
    return rowCount > 0 && (source.rowNumbers[rowCount - 1] as number) < rowNumber;
  };
  const run = runs[firstNot(0, runs.length, endsBefore)];
  if (run === undefined) return null;
  const position = findPosition(run.source.rowNumbers, run.rowCount, rowNumber);
  return position < 0 ? null : { run, position };
}

/** The place of a row that is there and visible; null otherwise. */
export function findVisible(runs: readonly Run[], rowNumber: number): RowPlace | null {
  const place = findRow(runs, rowNumber);
  return place !== null && showsRow(place.run, place.position) ? place : null;
}

/** Notes a row as deleted in pages that may be changed. */
export function markDeleted(pages: Map<number, Uint8Array>, rowNumber: number): void {
  const page = Math.floor(rowNumber / DELETE_PAGE_ROWS);
  const bits = pages.get(page) ?? new Uint8Array(DELETE_PAGE_ROWS / 8);
  pages.set(page, bits);
  const at = rowNumber % DELETE_PAGE_ROWS;
  bits[at >> 3] = (bits[at >> 3] as number) | (1 << (at & 7));
}

export function isDeleted(storage: Pick<Storage, 'deletes'>, rowNumber: number): boolean {
  const page = storage.deletes.get(Math.floor(rowNumber / DELETE_PAGE_ROWS));
  if (page === undefined) return false;
  const at = rowNumber % DELETE_PAGE_ROWS;
  return ((page[at >> 3] as number) & (1 << (at & 7))) !== 0;
}
