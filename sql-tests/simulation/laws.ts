/** The engine's laws, asked of snapshots while others work, and of everything in the end. */
import type { Engine, RowAddress, Snapshot } from '../../src/engine/engine.ts';
import { OWN_ROWS } from '../../src/engine/embedded/transaction/overlay.ts';
import { hasBit } from '../../src/types/column/bitset.ts';
import { type Model, placeOf, requireExpected, Violation } from './model.ts';
import {
  ALL_ATTRIBUTES,
  hasTurnIndex,
  IDS,
  ITEMS,
  ITEMS_KEY,
  PARTITIONS,
  type Partition,
  type Row,
  rowAt,
  TAG_KEY,
  TAGS,
  TURN_KEY,
  TURNS,
} from './schema.ts';

export interface Found {
  readonly row: Row;
  readonly rowNumber: number;
}

/**
 * Rows that a scan finds, by place.
 * @param committed without own rows, and not as something that the transaction reads.
 * @throws Violation when a key is there twice.
 */
export async function scan(
  snapshot: Snapshot,
  where: string,
  committed = false,
): Promise<ReadonlyMap<string, Found>> {
  const found = new Map<string, Found>();
  for (const partition of PARTITIONS) {
    for (const part of snapshot.parts(ITEMS, partition, committed)) {
      const columns = await part.read(ALL_ATTRIBUTES, 0, part.rowCount);
      for (let i = 0; i < part.rowCount; i++) {
        if (part.visible !== null && !hasBit(part.visible, i)) continue;
        if (committed && (part.rowNumbers[i] as number) >= OWN_ROWS) continue;
        const row = rowAt(columns, i);
        const place = placeOf(partition, row.id);
        if (found.has(place)) throw new Violation(`${where}: ${place} is there twice`);
        found.set(place, { row, rowNumber: part.rowNumbers[i] as number });
      }
    }
  }
  return found;
}

export const rowsOf = (found: ReadonlyMap<string, Found>): ReadonlyMap<string, Row> =>
  new Map([...found].map(([place, { row }]) => [place, row]));

/** Keys lead to the rows that a scan finds, and to no others. */
export function requireLookups(snapshot: Snapshot, found: ReadonlyMap<string, Found>, where: string): void {
  for (const partition of PARTITIONS) {
    for (const id of IDS) {
      const address = snapshot.lookup(ITEMS, partition, ITEMS_KEY, [id]);
      requireSame(address, found.get(placeOf(partition, id)), `${where}: ${placeOf(partition, id)}`);
    }
    for (const tag of TAGS) {
      const rows = [...found].filter(
        ([place, { row }]) => place === placeOf(partition, row.id) && row.tag === tag,
      );
      if (rows.length > 1) throw new Violation(`${where}: tag ${tag} is there twice`);
      const address = snapshot.lookup(ITEMS, partition, TAG_KEY, [tag]);
      requireSame(address, rows[0]?.[1], `${where}: tag ${tag} of partition ${partition}`);
    }
    if (hasTurnIndex(snapshot.catalog)) requireTurns(snapshot, found, { partition, where });
  }
}

/** Rows of the transaction's own may share a turn: all of them are found by it. */
function requireTurns(
  snapshot: Snapshot,
  found: ReadonlyMap<string, Found>,
  { partition, where }: { readonly partition: Partition; readonly where: string },
): void {
  for (const turn of TURNS) {
    const scanned = [...found]
      .filter(([place, { row }]) => place === placeOf(partition, row.id) && row.turn === turn)
      .map(([, { rowNumber }]) => rowNumber)
      .sort((a, b) => a - b);
    if (scanned.filter((number) => number < OWN_ROWS).length > 1) {
      throw new Violation(`${where}: turn ${turn} is there twice`);
    }
    const named = snapshot.lookupAll(ITEMS, partition, TURN_KEY, [turn]).map(({ rowNumber }) => rowNumber);
    if (named.join() === scanned.join()) continue;
    throw new Violation(`${where}: turn ${turn} led to rows ${named.join()}, scanned ${scanned.join()}`);
  }
}

function requireSame(address: RowAddress | null, found: Found | undefined, where: string): void {
  if (address?.rowNumber === found?.rowNumber) return;
  throw new Violation(`${where}: looked up ${address?.rowNumber}, scanned ${found?.rowNumber}`);
}

/** All that holds of a snapshot which nobody's own writes are in. */
export async function requireLaws(
  engine: Engine,
  model: Model,
  where: string,
  wait: () => Promise<void> = async () => {},
): Promise<void> {
  using snapshot = engine.snapshot();
  const expectation = model.expect();
  const { rows } = engine.statistics(ITEMS);
  const size = engine.size(ITEMS).rows;
  await wait();
  const found = await scan(snapshot, where);
  requireExpected(rowsOf(found), expectation, where);
  if (rows !== found.size || size !== found.size) {
    throw new Violation(`${where}: ${found.size} rows, counted as ${rows} and ${size}`);
  }
  requireLookups(snapshot, found, where);
  await wait();
  await requireUnchanged(snapshot, found, where);
}

/** A snapshot shows what it showed. */
async function requireUnchanged(
  snapshot: Snapshot,
  before: ReadonlyMap<string, Found>,
  where: string,
): Promise<void> {
  const now = await scan(snapshot, where);
  const text = (found: ReadonlyMap<string, Found>): string => JSON.stringify([...found]);
  if (text(now) !== text(before)) {
    throw new Violation(`${where}: the snapshot has changed from ${text(before)} to ${text(now)}`);
  }
  requireLookups(snapshot, now, where);
}

/** LSNs of one collection's commits: each one once, without gaps. */
export function requireLsns(lsns: readonly number[], newest: number, where: string): void {
  const sorted = lsns.toSorted((a, b) => a - b);
  if (sorted.some((lsn, i) => lsn !== i + 1) || newest !== sorted.length) {
    throw new Violation(`${where}: LSNs ${sorted.join()}, the newest ${newest}`);
  }
}
