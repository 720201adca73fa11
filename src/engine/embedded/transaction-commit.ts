/** A transaction's overlays as part of a round of commits: lasting row numbers, deletes, LSNs. */
import { definitionOf } from '../../catalog/sequences.ts';
import type { Catalog } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import type { RowBatch } from './chunk.ts';
import type { Round } from './commit-queue.ts';
import type { Database } from './database.ts';
import { rowLock } from './locks.ts';
import { OWN_ROWS, type Overlay } from './overlay.ts';
import type { SlotDraft } from './slot-draft.ts';
import type { Replacement } from './successors.ts';
import { findVisible, type Slot } from './table.ts';
import { checkUniqueKeys } from './unique-check.ts';

export interface TransactionWrites {
  readonly overlays: ReadonlyMap<Slot, Overlay>;
  readonly changedCatalog: Catalog | null;
  /** Sequences whose place is to be stored, by OID. */
  readonly drawnSequences: ReadonlySet<number>;
}

/** @returns called when the round is published: fills `lsns`. */
export async function commitTransaction(
  database: Database,
  writes: TransactionWrites,
  round: Round,
  lsns: Map<string, string>,
): Promise<() => void> {
  const catalog = writes.changedCatalog ?? round.catalog;
  const overlays = [...writes.overlays.values()].filter((overlay) => !overlay.isEmpty);
  const kept = overlays.filter(({ slot }) => catalog.relations.has(slot.relation));
  for (const { slot } of overlays) {
    const dropped = !catalog.relations.has(slot.relation);
    if (dropped && writes.changedCatalog === null) {
      throw new SqlError('undefined_table', 'a table written by this transaction was dropped by another one');
    }
  }
  if (writes.changedCatalog !== null) {
    await checkUniqueKeys(database, round.catalog, writes);
    for (const { oid, kind } of round.catalog.relations.values()) {
      if (kind === 'sequence' && !catalog.relations.has(oid)) {
        round.operations.push(database.records.removeSequence(oid));
      }
    }
    round.setCatalog(writes.changedCatalog);
  }
  for (const sequence of writes.drawnSequences) {
    if (!catalog.relations.has(sequence)) continue;
    const { last, called } = database.sequences.state(
      sequence,
      definitionOf(catalog.relations.get(sequence)),
    );
    round.operations.push(database.records.putSequence(sequence, last, called));
  }
  const written: { slot: Slot; lsn: number; replacements: readonly Replacement[] }[] = [];
  for (const overlay of kept) {
    const { slot } = overlay;
    const draft = round.draft(slot);
    draft.lsn++;
    const { lsn } = draft;
    written.push({ slot, lsn, replacements: putOverlay(overlay, draft) });
  }
  return () => {
    for (const { slot, lsn, replacements } of written) {
      const { relation, partition } = slot;
      lsns.set(partition === null ? `${relation}` : `${relation}$${partition}`, String(lsn));
      publishReplacements(database, slot, replacements);
    }
  };
}

/** Who has locked an old version, or reads it, finds the new one. */
function publishReplacements(database: Database, { id }: Slot, replacements: readonly Replacement[]): void {
  if (replacements.length === 0) return;
  for (const [old, next] of replacements) database.locks.carry(rowLock(id, old), rowLock(id, next));
  if (database.isReadInThePast) database.successors.add(database.sequence, id, replacements);
}

/** Committed rows with the lasting numbers of their new versions. */
function replacementsOf({ replacedBy }: Overlay, rowOf: Float64Array): readonly Replacement[] {
  const replacements: Replacement[] = [];
  for (const [old, next] of replacedBy) {
    if (old >= OWN_ROWS) continue;
    let own: number | undefined = next;
    while (own !== undefined && (rowOf[own - OWN_ROWS] as number) < 0) own = replacedBy.get(own);
    if (own !== undefined) replacements.push([old, rowOf[own - OWN_ROWS] as number]);
  }
  return replacements;
}

function putOverlay(overlay: Overlay, draft: SlotDraft): readonly Replacement[] {
  const { newest } = overlay.slot;
  if (overlay.truncated !== Number.POSITIVE_INFINITY) {
    if (overlay.dropped) draft.drop();
    else draft.truncate();
  } else {
    const there = [...overlay.deletedBase.keys()].filter((row) => findVisible(newest.runs, row) !== null);
    draft.delete(there);
  }
  const rowOf = new Float64Array(overlay.rowCount).fill(-1);
  for (const { batch, start } of overlay.batches) {
    const rows: number[] = [];
    for (let i = 0; i < batch.length; i++) if (!overlay.deletedOwn.has(start + i)) rows.push(i);
    if (rows.length === 0) continue;
    const first = draft.append(rows.length === batch.length ? batch : takeRows(batch, rows));
    rows.forEach((row, i) => {
      rowOf[start + row] = first + i;
    });
  }
  return replacementsOf(overlay, rowOf);
}

function takeRows(batch: RowBatch, rows: readonly number[]): RowBatch {
  const columns = new Map(
    [...batch.columns].map(([attribute, { type, vector }]) => [
      attribute,
      { type, vector: vector.take(rows) },
    ]),
  );
  const passages = new Map(
    [...batch.passages].map(([index, of]) => [index, rows.map((row) => of[row] ?? null)]),
  );
  return { length: rows.length, columns, passages };
}
