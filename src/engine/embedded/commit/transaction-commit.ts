/** A transaction's overlays as part of a round of commits: lasting row numbers, deletes, LSNs. */
import { definitionOf } from '../../../catalog/sequences.ts';
import type { Catalog } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import { isChained } from '../../../catalog/private-relations.ts';
import type { Chain } from './chain.ts';
import type { RowBatch } from './chunk.ts';
import type { Round } from './commit-queue.ts';
import type { Database } from '../database.ts';
import { checkAdded } from '../keys/dimensions.ts';
import { OWN_ROWS, type Overlay } from '../transaction/overlay.ts';
import type { ReadSet } from '../transaction/read-set.ts';
import type { SlotDraft } from './slot-draft.ts';
import type { Replacements } from './successors.ts';
import { findVisible, type Slot } from '../head/table.ts';
import { requireUnchanged } from '../transaction/validation.ts';

/** Deleted rows between two turns of the event loop, where it is time for one. */
const STEP_ROWS = 1024;

export interface TransactionWrites {
  readonly overlays: ReadonlyMap<Slot, Overlay>;
  readonly changedCatalog: Catalog | null;
  /** Sequences whose place is to be stored, by OID. */
  readonly drawnSequences: ReadonlySet<number>;
  /** Reads that others must not have changed; null: they may. */
  readonly reads: ReadSet | null;
}

/** @returns called when the round is published: fills `lsns`. */
export async function commitTransaction(
  database: Database,
  writes: TransactionWrites,
  round: Round,
  lsns: Map<string, string>,
): Promise<() => void> {
  const catalog = writes.changedCatalog ?? round.catalog;
  const overlays = [...writes.overlays.values()].filter((overlay) => overlay.isNumbered);
  const kept = overlays.filter(({ slot }) => catalog.relations.has(slot.relation));
  for (const { slot } of overlays) {
    const dropped = !catalog.relations.has(slot.relation);
    if (dropped && writes.changedCatalog === null) {
      throw new SqlError('undefined_table', 'a table written by this transaction was dropped by another one');
    }
  }
  const { reads, changedCatalog } = writes;
  const changes = overlays.some((overlay) => !overlay.isEmpty);
  if (reads !== null && (changes || changedCatalog !== null)) {
    await requireUnchanged({ database, reads, round, changedCatalog });
  }
  for (const overlay of kept) {
    const relation = catalog.relations.get(overlay.slot.relation);
    if (relation !== undefined) checkAdded(relation, overlay, round.dimensions);
  }
  const forgotten = changedCatalog === null ? [] : changeCatalog(database, changedCatalog, round);
  for (const sequence of writes.drawnSequences) {
    if (!catalog.relations.has(sequence)) continue;
    const { last, called } = database.sequences.state(
      sequence,
      definitionOf(catalog.relations.get(sequence)),
    );
    round.sequences.set(sequence, [sequence, String(last), called]);
  }
  const written: { slot: Slot; lsn: number; replacements: Replacements }[] = [];
  for (const overlay of kept) {
    const { slot } = overlay;
    const draft = round.draft(slot);
    const lsn = draft.write();
    const relation = catalog.relations.get(slot.relation);
    const chain = relation !== undefined && isChained(relation) ? round.chain : null;
    const replacements = await putOverlay(overlay, draft, { pause: database.pause, chain });
    written.push({ slot, lsn, replacements });
  }
  return () => {
    for (const relation of forgotten) database.analyses.forget(relation);
    for (const { slot, lsn, replacements } of written) {
      const { relation, partition } = slot;
      lsns.set(partition === null ? `${relation}` : `${relation}$${partition}`, String(lsn));
      publishReplacements(database, slot, replacements);
    }
  };
}

/** @returns relations whose analyses are stored no more once the round is. */
function changeCatalog(database: Database, catalog: Catalog, round: Round): readonly number[] {
  const { records, analyses } = database;
  const gone = [...round.catalog.relations.values()].filter(({ oid }) => !catalog.relations.has(oid));
  const sequences = gone.filter(({ kind }) => kind === 'sequence');
  const analysed = gone.map(({ oid }) => oid).filter((oid) => round.analyses.has(oid) || analyses.get(oid));
  for (const { oid } of sequences) round.operations.push(records.removeSequence(oid));
  for (const oid of analysed) {
    round.analyses.delete(oid);
    round.operations.push(records.removeAnalysis(oid));
  }
  round.setCatalog(catalog);
  return analysed;
}

/** Who has locked an old version, or reads it, finds the new one. */
function publishReplacements(database: Database, { id }: Slot, replacements: Replacements): void {
  if (replacements.size === 0) return;
  const { locks } = database;
  for (const old of replacements.replaced()) {
    if (!locks.isShared({ slot: id, row: old })) continue;
    const next = replacements.next(old);
    if (next !== undefined) locks.carry({ slot: id, row: old }, { slot: id, row: next });
  }
  if (database.isReadInThePast) database.successors.add(database.sequence, id, replacements);
}

/** Committed rows with the lasting numbers of their new versions: worked out when somebody asks. */
class OverlayReplacements implements Replacements {
  readonly #replacedBy: ReadonlyMap<number, number>;
  readonly #rowOf: Float64Array;

  /** @param rowOf lasting numbers by the position of own rows; -1 where the row is not kept. */
  constructor({ replacedBy }: Overlay, rowOf: Float64Array) {
    this.#replacedBy = replacedBy;
    this.#rowOf = rowOf;
  }

  get size(): number {
    return this.#replacedBy.size;
  }

  *replaced(): Generator<number> {
    for (const old of this.#replacedBy.keys()) if (old < OWN_ROWS) yield old;
  }

  next(old: number): number | undefined {
    let own = this.#replacedBy.get(old);
    while (own !== undefined && (this.#rowOf[own] as number) < 0) own = this.#replacedBy.get(OWN_ROWS + own);
    return own === undefined ? undefined : this.#rowOf[own];
  }
}

interface Putting {
  /** Gives the event loop a turn when it is time. */
  readonly pause: () => Promise<void>;
  /** That the rows are entries of; null: of none. */
  readonly chain: Chain | null;
}

async function putOverlay(
  overlay: Overlay,
  draft: SlotDraft,
  { pause, chain }: Putting,
): Promise<Replacements> {
  const { newest } = overlay.slot;
  if (overlay.truncated !== Number.POSITIVE_INFINITY) {
    if (overlay.dropped) draft.drop();
    else draft.truncate();
  } else {
    let looked = 0;
    for (const row of overlay.deletedBase.keys()) {
      if (findVisible(newest.runs, row) !== null) draft.delete(row);
      if (++looked % STEP_ROWS === 0) await pause();
    }
  }
  const rowOf = new Float64Array(overlay.replacedBy.size > 0 ? overlay.rowCount : 0).fill(-1);
  for (const staged of overlay.stagedRows) {
    const { segment, start } = staged;
    if (!isAnyLeft(overlay, start, segment.rowCount)) continue;
    const first = draft.adopt(staged);
    for (let i = 0; i < segment.rowCount; i++) {
      if (i % STEP_ROWS === 0) await pause();
      if (overlay.deletedOwn.has(start + i)) draft.delete(first + i);
      else rowOf[start + i] = first + i;
    }
  }
  for (const { batch, start } of overlay.batches) {
    const rows = keptRows(overlay, start, batch.length);
    if (rows.length === 0) continue;
    const isWhole = rows.length === batch.length;
    const names = isWhole ? overlay.names(start, batch.length) : undefined;
    const kept = isWhole ? { ...batch, ...(names && { names }) } : takeRows(batch, rows);
    const first = draft.append(chain === null ? kept : chain.link(kept));
    for (let i = 0; i < rows.length; i++) rowOf[start + (rows[i] as number)] = first + i;
    await pause();
  }
  // The draft has them now, and lets go of them one by one.
  overlay.batches.length = 0;
  return new OverlayReplacements(overlay, rowOf);
}

function isAnyLeft({ deletedOwn }: Overlay, start: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (!deletedOwn.has(start + i)) return true;
  return false;
}

/** Rows of a batch that the transaction has not deleted again. */
function keptRows({ deletedOwn }: Overlay, start: number, length: number): Uint32Array {
  const rows = new Uint32Array(length);
  let count = 0;
  for (let i = 0; i < length; i++) if (!deletedOwn.has(start + i)) rows[count++] = i;
  return rows.subarray(0, count);
}

function takeRows(batch: RowBatch, rows: Uint32Array): RowBatch {
  const columns = new Map(
    [...batch.columns].map(([attribute, { type, vector }]) => [
      attribute,
      { type, vector: vector.take(rows) },
    ]),
  );
  const passages = new Map(
    [...batch.passages].map(([index, of]) => [index, Array.from(rows, (row) => of[row] ?? null)]),
  );
  return { length: rows.length, columns, passages };
}
