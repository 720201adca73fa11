/**
 * `quern.key_at`: the key that stands at a share of a relation's keys in their order, by the orders that the
 * engine keeps of each part: no row is read but those that are compared, some twenty for each part. Who looks
 * at a million rows jumps to the middle of them by it, and goes on from there by key. Rows that a role does
 * not see do not count.
 */
import { firstNot } from '../../binary-search.ts';
import { primaryKey } from '../../catalog/model.ts';
import type { Part, ValueOrder } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import { bitPositions, hasBit } from '../../types/column/bitset.ts';
import { compareBytes } from '../../types/column/bytes.ts';
import { type OrderKey, orderKey } from '../../types/column/order-key.ts';
import type { Datum } from '../../types/datum.ts';
import { typeByOid } from '../../types/registry.ts';
import { readRelation } from '../running/typed-text-services.ts';
import { shownSnapshot } from '../rights/shown-snapshot.ts';
import type { Statement } from '../running/statement.ts';

/** Visible rows of a part in the order of their keys. */
interface Sorted {
  readonly count: number;
  datumAt(place: number): Promise<Datum>;
  /** Rows whose key is below. */
  below(key: OrderKey): number;
}

/**
 * The text of the first column of a key. @param share 0 to 1.
 * @returns null for an empty relation, one without a primary key, or whose order the engine does not keep.
 * @throws SqlError 42P01, 42501, 22023.
 */
export async function keyAt(statement: Statement, name: string, share: number): Promise<string | null> {
  if (!(share >= 0 && share <= 1)) {
    throw new SqlError('invalid_parameter_value', `a share is between 0 and 1, and not ${share}`);
  }
  const { session } = statement;
  const { relation, partition } = relationNamed(statement, name);
  const attribute = primaryKey(relation)?.columns[0];
  const column = relation.columns.find((one) => one.attribute === attribute);
  if (attribute === undefined || column === undefined) return null;
  using snapshot = await shownSnapshot(statement, relation, partition);
  const parts: Sorted[] = [];
  for (const part of snapshot.parts(relation.oid, partition)) {
    const sorted = await sortedPart(part, attribute);
    if (sorted === null) return null;
    parts.push(sorted);
    await statement.slice.yieldToOthers();
  }
  const datum = await datumAt(parts, share);
  return datum === null ? null : typeByOid(column.type.oid).format(datum, session.formatSettings());
}

function relationNamed(statement: Statement, name: string) {
  using snapshot = statement.session.block.require().snapshot();
  const found = readRelation(statement.session, snapshot, name);
  if (found === null) throw new SqlError('undefined_table', `relation "${name}" does not exist`);
  return found;
}

/** Null where the engine keeps no order of such values. */
async function sortedPart(part: Part, attribute: number): Promise<Sorted | null> {
  const order = await part.order?.(attribute);
  return order == null ? sortedByHand(part, attribute) : sortedByOrder(part, attribute, order);
}

async function sortedByOrder(part: Part, attribute: number, order: ValueOrder): Promise<Sorted> {
  const { visible } = part;
  const rows = visible === null ? order.rows : order.rows.filter((row) => hasBit(visible, row));
  const before = visible === null ? null : visibleBefore(order.rows, visible);
  return {
    count: rows.length,
    async datumAt(place) {
      const [vector] = await part.readRows([attribute], rows.subarray(place, place + 1));
      return vector?.get(0) ?? null;
    },
    below(key) {
      const place = order.place(key, false);
      return before === null ? place : (before[place] ?? 0);
    },
  };
}

/** How many of the first so many rows are visible. */
function visibleBefore(rows: Uint32Array, visible: Uint32Array): Uint32Array {
  const before = new Uint32Array(rows.length + 1);
  for (const [place, row] of rows.entries()) {
    before[place + 1] = (before[place] ?? 0) + (hasBit(visible, row) ? 1 : 0);
  }
  return before;
}

/** Rows that came lately: the engine keeps no order of them, and they are few. */
async function sortedByHand(part: Part, attribute: number): Promise<Sorted | null> {
  const [vector] = await part.readRows([attribute], bitPositions(part.visible, part.rowCount));
  const keyed: { readonly key: OrderKey; readonly datum: Datum }[] = [];
  for (let row = 0; row < (vector?.length ?? 0); row++) {
    const datum = vector?.get(row) ?? null;
    const key = datum === null ? null : orderKey(datum);
    if (key === null) return null;
    keyed.push({ key, datum });
  }
  keyed.sort((a, b) => compareKeys(a.key, b.key));
  return {
    count: keyed.length,
    datumAt: async (place) => keyed[place]?.datum ?? null,
    below: (key) => firstNot(0, keyed.length, (place) => compareKeys(keyed[place]?.key ?? key, key) < 0),
  };
}

function compareKeys(a: OrderKey, b: OrderKey): number {
  if (typeof a !== 'number' && typeof b !== 'number') return compareBytes(a, b);
  return Number(a) - Number(b);
}

/**
 * Halves the part of which most is left, until its row is the one: keys of all parts below it are counted
 * each time.
 */
async function datumAt(parts: readonly Sorted[], share: number): Promise<Datum> {
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return null;
  const wanted = Math.min(total - 1, Math.floor(share * total));
  const from = parts.map(() => 0);
  const to = parts.map(({ count }) => count);
  const left = (i: number): number => (to[i] ?? 0) - (from[i] ?? 0);
  let best: Datum = null;
  for (;;) {
    const widest = parts.reduce((most, _, i) => (left(i) > left(most) ? i : most), 0);
    if (left(widest) <= 0) return best;
    const middle = (from[widest] ?? 0) + (left(widest) >> 1);
    const datum = (await parts[widest]?.datumAt(middle)) ?? null;
    const key = datum === null ? null : orderKey(datum);
    if (key === null) return best;
    const places = parts.map((part) => part.below(key));
    const isAtMost = places.reduce((sum, place) => sum + place, 0) <= wanted;
    if (isAtMost) best = datum;
    for (const [i, place] of places.entries()) {
      if (isAtMost) from[i] = Math.max(from[i] ?? 0, i === widest ? middle + 1 : place);
      else to[i] = Math.min(to[i] ?? 0, i === widest ? middle : place);
    }
  }
}
