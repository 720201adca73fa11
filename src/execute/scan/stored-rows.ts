/** Rows by their numbers: reading old versions for UPDATE, DELETE and ON CONFLICT. */
import { findPosition } from '../../binary-search.ts';
import { AssertionError, assert } from '../../assert.ts';
import type { Part, RowAddress, Snapshot } from '../../engine/engine.ts';
import { type Task, wait } from '../../task.ts';
import type { TypeRef } from '../../types/type.ts';
import { concatVectors, type Vector, vectorOf } from '../../types/column/vector.ts';
import { kindOf } from '../expression/compiled.ts';

export interface RelationPart {
  readonly relation: number;
  readonly partition: string | null;
}

/** Where rows are in a snapshot, in the order of their numbers given. */
export function findRows(snapshot: Snapshot, of: RelationPart, rowNumbers: Float64Array): RowAddress[] {
  const parts = snapshot.parts(of.relation, of.partition, true);
  const found: RowAddress[] = [];
  for (const rowNumber of rowNumbers) {
    const next = followingRow(found[found.length - 1], rowNumber) ?? findRow(parts, rowNumber);
    if (next === null) {
      throw new AssertionError(`row ${rowNumber} of relation ${of.relation} is not in the snapshot`);
    }
    found.push(next);
  }
  return found;
}

/** The row behind another one, where that has the wanted number; rows mostly come in their order. */
function followingRow(before: RowAddress | undefined, rowNumber: number): RowAddress | null {
  if (before === undefined) return null;
  const { part } = before;
  const row = before.row + 1;
  return row < part.rowCount && part.rowNumbers[row] === rowNumber ? { part, row, rowNumber } : null;
}

function findRow(parts: readonly Part[], rowNumber: number): RowAddress | null {
  for (const part of parts) {
    const row = findPosition(part.rowNumbers, part.rowCount, rowNumber);
    if (row >= 0) return { part, row, rowNumber };
  }
  return null;
}

export interface StoredColumn {
  readonly attribute: number;
  readonly type: TypeRef;
}

/** Columns of rows at given addresses, in that order. */
export function* readAddresses(
  addresses: readonly RowAddress[],
  columns: readonly StoredColumn[],
): Task<readonly Vector[]> {
  if (addresses.length === 0) return columns.map((column) => vectorOf(kindOf(column.type), []));
  const attributes = columns.map((column) => column.attribute);
  const first = addresses[0] as RowAddress;
  if (addresses.every(({ part, row }, i) => part === first.part && row > (addresses[i - 1]?.row ?? -1))) {
    const rows = Uint32Array.from(addresses, ({ row }) => row);
    return yield* wait(first.part.readRows(attributes, rows));
  }
  const order = Uint32Array.from(addresses.keys());
  const target = new Uint32Array(addresses.length);
  const pieces: (readonly Vector[])[] = [];
  let filled = 0;
  for (const part of new Set(addresses.map((address) => address.part))) {
    const places = order
      .filter((place) => addresses[place]?.part === part)
      .sort((a, b) => rowAt(addresses, a) - rowAt(addresses, b));
    const rows = places.map((place) => rowAt(addresses, place));
    pieces.push(yield* wait(part.readRows(attributes, rows)));
    for (const place of places) target[place] = filled++;
  }
  assert(filled === addresses.length, 'every row is read');
  return columns.map((column, i) =>
    concatVectors(
      kindOf(column.type),
      pieces.map((piece) => piece[i] as Vector),
    ).take(target),
  );
}

const rowAt = (addresses: readonly RowAddress[], place: number): number => addresses[place]?.row ?? 0;
