/**
 * Unique indexes that a transaction adds to tables with rows: no two rows may have one key. Runs inside the
 * round of commits, when nobody else can add a row.
 */
import type { Catalog } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import { NAME_WORDS } from '../../storage/seal.ts';
import { bitPositions } from '../../types/bitset.ts';
import type { Database } from './database.ts';
import { hasKey, KeyTable } from './key-table.ts';
import type { Overlay } from './overlay.ts';
import { readColumn } from './part.ts';
import type { Run } from './source.ts';
import type { Slot } from './table.ts';
import { describeKey, type UniqueKey, uniqueKeys } from './unique-key.ts';

/** Rows looked at between two turns of the event loop, where it is time for one. */
const STEP_ROWS = 1024;

interface CatalogChange {
  readonly overlays: ReadonlyMap<Slot, Overlay>;
  readonly changedCatalog: Catalog | null;
}

/** @throws SqlError unique_violation (23505) when two rows have one key. */
export async function checkUniqueKeys(
  database: Database,
  before: Catalog,
  { overlays, changedCatalog }: CatalogChange,
): Promise<void> {
  for (const relation of changedCatalog?.relations.values() ?? []) {
    const known = new Set(before.relations.get(relation.oid)?.indexes.map((index) => index.oid));
    const added = uniqueKeys(relation).filter(({ index }) => !known.has(index.oid));
    if (added.length === 0) continue;
    for (const slot of database.slots(relation.oid)) {
      if (!slot.newest.exists) continue;
      for (const key of added) await checkSlot(database, { key, slot, overlay: overlays.get(slot) });
    }
  }
}

/** Rows that the transaction adds itself have claimed their keys already. */
async function checkSlot(
  { records, pause }: Database,
  { key, slot, overlay }: { key: UniqueKey; slot: Slot; overlay: Overlay | undefined },
): Promise<void> {
  if (overlay !== undefined && overlay.truncated !== Number.POSITIVE_INFINITY) return;
  const claimed = overlay?.keys.get(key.id);
  const seen = new KeyTable();
  for (const run of slot.newest.runs) {
    await run.source.loadKeys(key, records.names, pause);
    const { names } = run.source.keys(key, records.names);
    const rows = bitPositions(run.visible, run.rowCount);
    await seen.reserve(rows.length, pause);
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number;
      const at = NAME_WORDS * row;
      if (!hasKey(names, at) || overlay?.deletedBase.has(run.source.rowNumbers[row] as number)) continue;
      const isTaken =
        seen.newest(names, at) >= 0 || (claimed !== undefined && claimed.newest(names, at) >= 0);
      if (isTaken) throw notUnique(key, run, row);
      seen.push(names, at);
      if (i % STEP_ROWS === 0) await pause();
    }
  }
}

function notUnique({ relation, index }: UniqueKey, run: Run, row: number): SqlError {
  const key = index.columns.map((attribute) =>
    readColumn(run.source, relation, attribute, row, row + 1).get(0),
  );
  return new SqlError('unique_violation', `could not create unique index "${index.name}"`, {
    detail: `${describeKey(relation, index, key)} is duplicated.`,
    table: relation.name,
    constraint: index.name,
  });
}
