/**
 * Unique indexes that a transaction adds to tables with rows, its own included: no two rows may have one key.
 * Runs with the statement that adds them, whose lock keeps other writers away until the transaction ends.
 */
import { type Catalog, columnByAttribute } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import { NAME_WORDS } from '../../../storage/seal.ts';
import { bitPositions } from '../../../types/column/bitset.ts';
import type { Database } from '../database.ts';
import { hasKey, KeyTable } from './key-table.ts';
import { OWN_ROWS, type Overlay } from '../transaction/overlay.ts';
import { readColumn } from '../head/part.ts';
import type { Run } from '../head/source.ts';
import type { Slot } from '../head/table.ts';
import { describeKey, type UniqueKey, uniqueKeys } from './unique-key.ts';

/** Rows looked at between two turns of the event loop, where it is time for one. */
const STEP_ROWS = 1024;

interface CatalogChange {
  readonly before: Catalog;
  readonly after: Catalog;
  readonly overlays: ReadonlyMap<Slot, Overlay>;
}

/**
 * The transaction's own rows claim their keys in the new indexes.
 * @returns the tables of claims it made. @throws SqlError unique_violation (23505) when two rows have one key.
 */
export async function claimAddedKeys(
  database: Database,
  { before, after, overlays }: CatalogChange,
): Promise<readonly { readonly overlay: Overlay; readonly id: string }[]> {
  const made: { overlay: Overlay; id: string }[] = [];
  for (const relation of after.relations.values()) {
    const old = before.relations.get(relation.oid);
    if (old === relation) continue;
    const known = new Set(old?.indexes.map((index) => index.oid));
    const added = uniqueKeys(relation).filter((key) => !known.has(key.index.oid) && !isFilledLater(key));
    if (added.length === 0) continue;
    for (const slot of database.slots(relation.oid)) {
      const overlay = overlays.get(slot);
      for (const key of added) {
        const claimed = await checkSlot(database, { catalog: after, key, slot, overlay });
        if (overlay === undefined) continue;
        overlay.keys.set(key.id, claimed);
        made.push({ overlay, id: key.id });
      }
    }
  }
  return made;
}

/** Its columns are hidden ones: every row is written anew for them, and claims its key then. */
const isFilledLater = ({ relation, index }: UniqueKey): boolean =>
  index.columns.some((attribute) => columnByAttribute(relation, attribute)?.hidden);

interface SlotCheck {
  readonly catalog: Catalog;
  readonly key: UniqueKey;
  readonly slot: Slot;
  readonly overlay: Overlay | undefined;
}

/** @returns the keys of the transaction's own rows. */
async function checkSlot(
  { records, pause }: Database,
  { catalog, key, slot, overlay }: SlotCheck,
): Promise<KeyTable> {
  const { exists, runs } = slot.newest;
  const base = exists ? runs : [];
  const claimed = new KeyTable();
  const all = overlay === undefined ? base : overlay.runs(base, overlay.mark());
  const areApart = await haveOwnKeys(all, key, pause);
  let seen = new KeyTable();
  for (const run of all) {
    await run.source.loadKeys(key, records.names, pause);
    const table = run.source.keys(key, records.names);
    const { names } = table;
    const firstRow = run.source.rowNumbers[0] ?? 0;
    const isOwn = firstRow >= OWN_ROWS;
    if (isOwn) claimed.pad(firstRow - OWN_ROWS);
    for (let row = 0; isOwn && row < run.rowCount; row++) claimed.push(names, NAME_WORDS * row);
    if (areApart && table.isUnique) continue;
    if (areApart) seen = new KeyTable();
    const rows = bitPositions(run.visible, run.rowCount);
    await seen.reserve(rows.length, pause);
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number;
      const at = NAME_WORDS * row;
      if (i % STEP_ROWS === 0) await pause();
      if (!hasKey(names, at)) continue;
      if (seen.newest(names, at) >= 0) throw notUnique(catalog, key, run, row);
      seen.push(names, at);
    }
  }
  return claimed;
}

/** True when no two runs can have one key: it is one integer, and those of one run are all less than the next one's. */
async function haveOwnKeys(
  runs: readonly Run[],
  { relation, index }: UniqueKey,
  pause: () => Promise<void>,
): Promise<boolean> {
  const [attribute] = index.columns;
  if (attribute === undefined || index.columns.length > 1) return false;
  let before = Number.NEGATIVE_INFINITY;
  for (const { source, rowCount } of runs) {
    let least = Number.POSITIVE_INFINITY;
    let most = before;
    for (let start = 0; start < rowCount; start += STEP_ROWS) {
      await source.load([attribute]);
      const column = readColumn(source, relation, attribute, start, Math.min(rowCount, start + STEP_ROWS));
      if (column.kind !== 'int32') return false;
      for (let row = 0; row < column.length; row++) {
        const value = column.values[row] as number;
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
      await pause();
    }
    if (least <= before) return false;
    before = most;
  }
  return true;
}

function notUnique(catalog: Catalog, { relation, index }: UniqueKey, run: Run, row: number): SqlError {
  const key = index.columns.map((attribute) =>
    readColumn(run.source, relation, attribute, row, row + 1).get(0),
  );
  return new SqlError('unique_violation', `could not create unique index "${index.name}"`, {
    detail: `${describeKey(catalog, { relation, index }, key)} is duplicated.`,
    table: relation.name,
    constraint: index.name,
  });
}
