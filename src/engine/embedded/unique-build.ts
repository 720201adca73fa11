/**
 * Keys of unique indexes that a transaction adds to tables with rows. Runs inside the round of commits, when
 * nobody else can add a row.
 */
import type { Catalog, Index, Relation } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import type { Operation } from '../../storage/store.ts';
import type { Datum } from '../../types/datum.ts';
import { bitPositions } from './bitset.ts';
import type { Database } from './database.ts';
import type { Overlay } from './overlay.ts';
import { readColumn } from './part.ts';
import type { Run } from './source.ts';
import type { Slot } from './table.ts';
import { describeKey, keyHash, keyTypes, uniqueIndexes } from './unique-key.ts';

interface CatalogChange {
  readonly overlays: ReadonlyMap<Slot, Overlay>;
  readonly changedCatalog: Catalog | null;
}

/** @throws SqlError unique_violation (23505) when two rows have one key. */
export async function buildUniqueKeys(
  database: Database,
  before: Catalog,
  { overlays, changedCatalog }: CatalogChange,
): Promise<readonly Operation[]> {
  const operations: Operation[] = [];
  for (const relation of changedCatalog?.relations.values() ?? []) {
    const known = new Set(before.relations.get(relation.oid)?.indexes.map((index) => index.oid));
    const added = uniqueIndexes(relation).filter((index) => !known.has(index.oid));
    if (added.length === 0) continue;
    for (const slot of database.slots(relation.oid)) {
      if (!slot.newest.exists) continue;
      const overlay = overlays.get(slot);
      for (const index of added) {
        operations.push(...(await slotKeys(database, { relation, index, slot, overlay })));
      }
    }
  }
  return operations;
}

async function slotKeys(
  database: Database,
  {
    relation,
    index,
    slot,
    overlay,
  }: { relation: Relation; index: Index; slot: Slot; overlay: Overlay | undefined },
): Promise<readonly Operation[]> {
  const { newest } = slot;
  const { records, pause } = database;
  if (overlay !== undefined && overlay.truncated !== Number.POSITIVE_INFINITY) return [];
  const types = keyTypes(relation, index);
  const seen = new Set(overlay?.keys.keys());
  const operations: Operation[] = [];
  for (const run of newest.runs) {
    await run.source.load(index.columns);
    for (const { key, rowNumber } of runKeys(relation, index, run)) {
      if (overlay?.deletedBase.has(rowNumber)) continue;
      const hash = keyHash(records.names, `${index.oid}`, key, types);
      if (hash === null) continue;
      if (seen.has(`${index.oid}/${hash}`)) throw notUnique(relation, index, key);
      seen.add(`${index.oid}/${hash}`);
      operations.push(records.putKeyRow(newest.storage.id, index.oid, hash, rowNumber));
      if ((operations.length & 255) === 0) await pause();
    }
  }
  return operations;
}

function* runKeys(
  relation: Relation,
  index: Index,
  run: Run,
): Generator<{ key: readonly Datum[]; rowNumber: number }> {
  const columns = index.columns.map((attribute) =>
    readColumn(run.source, relation, attribute, 0, run.rowCount),
  );
  for (const row of bitPositions(run.visible, run.rowCount)) {
    const key = columns.map((column) => column.get(row));
    yield { key, rowNumber: run.source.rowNumbers[row] as number };
  }
}

function notUnique(relation: Relation, index: Index, key: readonly Datum[]): SqlError {
  return new SqlError('unique_violation', `could not create unique index "${index.name}"`, {
    detail: `${describeKey(relation, index, key)} is duplicated.`,
    table: relation.name,
    constraint: index.name,
  });
}
