/**
 * Backward validation, which makes transactions SERIALIZABLE. A transaction that writes commits only where nothing that it
 * has read was changed by others since its snapshot, be they serializable or not; then its place in a serial
 * order is its commit. One that writes nothing has read what some commits in a row have made, and its place is
 * after the last of them. Rounds of commits take transactions one by one, so that one is held against what those
 * before it in the same round write, which nobody can see yet.
 *
 * Kung and Robinson, "On Optimistic Methods for Concurrency Control", 1981, with the versions themselves as the
 * record of what was written.
 */
import type { Catalog, Relation } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { Vector } from '../../../types/column/vector.ts';
import { mayBeWithin } from '../../../types/column/key-bounds.ts';
import type { ColumnBounds } from '../../engine.ts';
import type { Round } from '../commit/commit-queue.ts';
import type { Database } from '../database.ts';
import type { MissedKey, ReadSet, SlotReads } from './read-set.ts';
import { type ChangedRows, SlotChanges } from './slot-changes.ts';
import { versionAt } from '../head/table.ts';
import { findKey } from '../keys/key-rows.ts';

/** Rows looked at between two turns of the event loop, where it is time for one. */
const STEP_ROWS = 1_024;
/** Where each is held against all scans. */
const STEP_CHANGED_ROWS = 32;

/** State that reads are held against. */
export interface Validated {
  readonly database: Database;
  readonly reads: ReadSet;
  /** Null: what is published by now. */
  readonly round: Round | null;
  /** The catalog as the transaction itself has changed it. */
  readonly changedCatalog: Catalog | null;
}

/** @throws SqlError 40001 where others have changed something that was read. */
export async function requireUnchanged(validated: Validated): Promise<void> {
  if (!(await isChanged(validated))) return;
  throw new SqlError(
    'serialization_failure',
    'could not serialize access due to read/write dependencies among transactions',
    { hint: 'The transaction might succeed if retried.' },
  );
}

/** True when others have committed a change of something that was read. */
async function isChanged(validated: Validated): Promise<boolean> {
  const { database, reads, round, changedCatalog } = validated;
  const catalog = (round ?? database).catalog;
  if (reads.wholeCatalog && catalog !== reads.catalog) return true;
  for (const relation of reads.listed) if (arePartitionsChanged(validated, relation)) return true;
  for (const [oid, slots] of reads.relations) {
    const relation = reads.catalog.relations.get(oid);
    if (catalog.relations.get(oid) !== relation) return true;
    // The transaction has made it itself.
    if (relation === undefined) continue;
    // Bounds and keys are of the columns as the transaction has made them.
    const isOwn = changedCatalog !== null && changedCatalog.relations.get(oid) !== relation;
    for (const [partition, read] of slots) {
      const changes = changesOf(validated, oid, partition);
      if (changes === null || !(changes.areThere || changes.ofExistence)) continue;
      if (isOwn || (await isSlotChanged(database, { read, changes, relation }))) return true;
    }
  }
  return false;
}

/** Null where there is no such table, and never was. */
function changesOf(
  { database, reads, round }: Validated,
  relation: number,
  partition: string | null,
): SlotChanges | null {
  const slot = database.slot(relation, partition);
  if (slot === undefined) return null;
  return new SlotChanges(database, slot, {
    draft: round?.drafted(slot),
    since: versionAt(slot, reads.sequence),
  });
}

function arePartitionsChanged(validated: Validated, relation: number): boolean {
  for (const { partition } of validated.database.slots(relation)) {
    if (partition !== null && changesOf(validated, relation, partition)?.ofExistence === true) return true;
  }
  return false;
}

interface ReadSlot {
  readonly read: SlotReads;
  readonly changes: SlotChanges;
  readonly relation: Relation;
}

async function isSlotChanged(database: Database, { read, changes, relation }: ReadSlot): Promise<boolean> {
  if (read.everything || changes.isEmptied) return true;
  if (read.existence && changes.ofExistence) return true;
  let looked = 0;
  for (const row of read.rows) {
    if (changes.isGone(row)) return true;
    if (++looked % STEP_ROWS === 0) await database.pause();
  }
  if (read.missed.size > 0 && (await isFound(database, read.missed.values(), changes))) return true;
  if (read.scans.length === 0) return false;
  const rows = await changes.rows(relation);
  return rows === null || (await isAnyWithin(rows, read.scans, database.pause));
}

/** True when there is a row by now for a key that had none. */
async function isFound(
  { records, pause }: Database,
  missed: Iterable<MissedKey>,
  changes: SlotChanges,
): Promise<boolean> {
  const runs = changes.grownRuns;
  const cipher = records.names;
  const loaded = new Set<string>();
  let looked = 0;
  for (const { key, name } of missed) {
    if (!loaded.has(key.id)) for (const { source } of runs) await source.loadKeys(key, cipher, pause);
    loaded.add(key.id);
    if (++looked % STEP_ROWS === 0) await pause();
    const place = findKey(runs, key, { cipher, names: name, at: 0 });
    if (place !== null && !changes.isDeletedInRound(place.run, place.position)) return true;
  }
  return false;
}

/** True when one of the rows is one that a scan looked for. */
async function isAnyWithin(
  changed: readonly ChangedRows[],
  scans: readonly (readonly ColumnBounds[])[],
  pause: () => Promise<void>,
): Promise<boolean> {
  const attributes = [...new Set(scans.flatMap((bounds) => bounds.map(({ attribute }) => attribute)))];
  for (const { part, rows } of changed) {
    const vectors = await part.readRows(attributes, Uint32Array.from(rows));
    const columns = new Map(attributes.map((attribute, i) => [attribute, vectors[i] as Vector]));
    for (let row = 0; row < rows.length; row++) {
      if (row % STEP_CHANGED_ROWS === 0) await pause();
      const isWithin = ({ attribute, ...bounds }: ColumnBounds): boolean =>
        mayBeWithin(bounds, columns.get(attribute)?.get(row) ?? null);
      if (scans.some((bounds) => bounds.every(isWithin))) return true;
    }
  }
  return false;
}
