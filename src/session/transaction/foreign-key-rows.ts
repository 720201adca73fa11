/**
 * Keys of foreign keys in rows: those that new rows bring, found in what a statement wrote or read again by row
 * number, and those that are gone with the rows that had them.
 */
import { findPosition } from '../../binary-search.ts';
import { present } from '../../assert.ts';
import type { Column, ForeignKey, Index, Relation } from '../../catalog/model.ts';
import type { NewRows, Part, RowAddress, Snapshot, Transaction } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import { castById } from '../../functions/registry.ts';
import { resolveCast } from '../../functions/resolve.ts';
import type { Datum } from '../../types/datum.ts';
import { hasBit } from '../../types/column/bitset.ts';
import type { Vector } from '../../types/column/vector.ts';
import { columnOf, type Key, mixed, notPresent } from './foreign-key-errors.ts';
import type { RecordedWrite } from './recorded-writes.ts';

/** Gives others a turn when it is time; to be waited for where it is not null. @throws the signal's reason. */
export type Pause = () => Promise<void> | null;

/** Rows between two looks at the clock. */
const STEP_ROWS = 256;
/** Rows referred to that are looked up and locked at a time. */
const LOCKED_ROWS = 1_024;

/** Keys that are gone, with what became of them: null where the row was deleted. */
export interface GoneKey {
  readonly key: Key;
  readonly now: Key | null;
}

// ───────────────────────────── new rows ─────────────────────────────

type Inserted = Extract<RecordedWrite, { kind: 'insert' }>;

/** The rows that a statement brought which may have another key than before, or are to be looked at anyway. */
export function broughtRows(
  { child, constraint }: ForeignKey,
  writes: readonly RecordedWrite[],
  all: boolean,
): readonly Inserted[] {
  return writes.filter((write): write is Inserted => {
    if (write.kind !== 'insert' || write.relation !== child.oid) return false;
    const { changed } = write.rows;
    return all || !changed || constraint.columns.some((attribute) => changed.has(attribute));
  });
}

/** Their keys, each once where that is easily seen. @throws SqlError 23503 by MATCH FULL. */
export async function newKeys(
  key: ForeignKey,
  writes: readonly Inserted[],
  pause: Pause,
): Promise<readonly Key[]> {
  const keys = new DistinctKeys(key, pause);
  for (const { rows } of writes) {
    const columns = key.constraint.columns.map((attribute) => rows.columns.get(attribute));
    await keys.addRows(columns, rows.length);
  }
  return keys.all;
}

/** Keys of rows by their numbers, as far as the rows are still there. @throws SqlError 23503 by MATCH FULL. */
export async function storedKeys(
  key: ForeignKey,
  snapshot: Snapshot,
  { partition, numbers }: { readonly partition: string | null; readonly numbers: Float64Array },
  pause: Pause,
): Promise<readonly Key[]> {
  const keys = new DistinctKeys(key, pause);
  const parts = snapshot.parts(key.child.oid, partition, true);
  for (let start = 0; start < numbers.length; start += LOCKED_ROWS) {
    for (const part of parts) {
      const rows = visiblePositions(part, numbers.subarray(start, start + LOCKED_ROWS));
      if (rows.length === 0) continue;
      await keys.addRows(await part.readRows(key.constraint.columns, rows), rows.length);
    }
    await pause();
  }
  return keys.all;
}

function visiblePositions({ rowNumbers, rowCount, visible }: Part, numbers: Float64Array): Uint32Array {
  const rows: number[] = [];
  for (const number of numbers) {
    const row = findPosition(rowNumbers, rowCount, number);
    if (row >= 0 && (visible === null || hasBit(visible, row))) rows.push(row);
  }
  return Uint32Array.from(rows);
}

/** Keys to look for: those with a NULL refer to nothing, unless MATCH FULL forbids them. */
class DistinctKeys {
  readonly all: Key[] = [];
  readonly #key: ForeignKey;
  readonly #seen = new Set<string>();
  readonly #pause: Pause;

  constructor(key: ForeignKey, pause: Pause) {
    this.#key = key;
    this.#pause = pause;
  }

  async addRows(columns: readonly (Vector | undefined)[], count: number): Promise<void> {
    for (let row = 0; row < count; row++) {
      if (row % STEP_ROWS === 0) await this.#pause();
      this.#add(columns.map((column) => column?.get(row) ?? null));
    }
  }

  #add(values: Key): void {
    if (!values.includes(null)) {
      if (isNew(this.#seen, values)) this.all.push(values);
    } else if (this.#key.reference.full && values.some((value) => value !== null)) {
      throw mixed(this.#key);
    }
  }
}

/**
 * Rows referred to are there, and locked so that they stay until the transaction ends.
 * @throws SqlError 23503 naming the key that is not there; 40001.
 */
export async function lockReferenced(
  key: ForeignKey,
  keys: readonly Key[],
  { transaction, signal, pause }: Locking,
): Promise<void> {
  for (let start = 0; start < keys.length; start += LOCKED_ROWS) {
    let wanted = keys.slice(start, start + LOCKED_ROWS);
    while (wanted.length > 0) {
      await pause();
      using snapshot = transaction.snapshot();
      const find = finder(key, snapshot);
      const numbers = wanted.map((values) => {
        const found = find(values);
        if (found === null) throw notPresent(transaction.catalog(), key, values);
        return found.rowNumber;
      });
      const request = { mode: 'key share', wait: 'block', signal } as const;
      const newest = await transaction.lock(key.parent.oid, null, Float64Array.from(numbers), request);
      wanted = wanted.filter((_, i) => newest[i] !== numbers[i]);
    }
  }
}

interface Locking {
  readonly transaction: Transaction;
  readonly signal: AbortSignal;
  readonly pause: Pause;
}

function isNew(seen: Set<string>, values: Key): boolean {
  const text = values.map(String).join('\u0000');
  if (values.some((value) => typeof value === 'object') || seen.has(text)) return !seen.has(text);
  seen.add(text);
  return true;
}

/** Where the referenced relation has a row of this key, given in the foreign key's order and types. */
function finder(
  { child, constraint, reference, parent }: ForeignKey,
  snapshot: Snapshot,
): (key: Key) => RowAddress | null {
  const now = present(snapshot.catalog.relations.get(parent.oid), `relation ${parent.oid}`);
  const index = present(uniqueIndex(now, reference.columns), 'unique index of a foreign key');
  const order = index.columns.map((attribute) => reference.columns.indexOf(attribute));
  const converts = order.map((at) =>
    converter(columnOf(child, constraint.columns[at]), columnOf(parent, reference.columns[at])),
  );
  return (key) => {
    const values = converted(key, order, converts);
    return values === null ? null : snapshot.lookup(parent.oid, null, index.oid, values);
  };
}

/** Null when a value is outside what the referenced column can hold: there is no such row. */
function converted(
  key: Key,
  order: readonly number[],
  converts: readonly ((value: Datum) => Datum)[],
): Datum[] | null {
  try {
    return order.map((at, i) => present(converts[i], 'conversion')(key[at] as Datum));
  } catch (error) {
    if (error instanceof SqlError && error.condition === 'numeric_value_out_of_range') return null;
    throw error;
  }
}

const uniqueIndex = (relation: Relation, columns: readonly number[]): Index | undefined =>
  relation.indexes.find(
    (index) =>
      index.unique &&
      !index.deferrable &&
      index.columns.length === columns.length &&
      index.columns.every((attribute) => columns.includes(attribute)),
  );

function converter(from: Column, to: Column): (value: Datum) => Datum {
  if (from.type.oid === to.type.oid) return (value) => value;
  const method = resolveCast(from.type.oid, to.type.oid, 'assignment');
  if (method === null || method === 'none' || method === 'text') return (value) => value;
  const { evaluate } = castById(method);
  return (value) => (evaluate === undefined ? value : (evaluate(value as never) as Datum));
}

// ───────────────────────────── rows that are gone ─────────────────────────────

/** Keys of the referenced relation that the statement took away, each once. */
export async function goneKeys(
  key: ForeignKey,
  transaction: Transaction,
  writes: readonly RecordedWrite[],
  pause: Pause,
): Promise<readonly GoneKey[]> {
  const { parent, reference } = key;
  const gone: GoneKey[] = [];
  using snapshot = transaction.snapshot();
  const find = finder(ofParent(key), snapshot);
  const versions = await newVersions(parent, writes, pause);
  for (const write of writes) {
    if (write.kind !== 'delete' || write.relation !== parent.oid) continue;
    const old = await oldKeys(write, reference.columns);
    for (const [row, values] of old.entries()) {
      if (row % STEP_ROWS === 0) await pause();
      if (values === undefined || values.includes(null) || find(values) !== null) continue;
      const next = versions.get(write.rowNumbers[row] as number);
      const now = next
        ? reference.columns.map((attribute) => next.rows.columns.get(attribute)?.get(next.row) ?? null)
        : null;
      gone.push({ key: values, now });
    }
  }
  return gone;
}

/** Rows that the statement wrote in place of others, by their numbers. */
async function newVersions(
  { oid }: Relation,
  writes: readonly RecordedWrite[],
  pause: Pause,
): Promise<ReadonlyMap<number, { readonly rows: NewRows; readonly row: number }>> {
  const versions = new Map<number, { rows: NewRows; row: number }>();
  for (const write of writes) {
    if (write.kind !== 'insert' || write.relation !== oid) continue;
    await pause();
    const { rows } = write;
    rows.replaces?.forEach((old, row) => {
      versions.set(old, { rows, row });
    });
  }
  return versions;
}

/** Values of the rows before they were deleted, in their order; undefined where a row is not found. */
async function oldKeys(
  { before, relation, partition, rowNumbers }: Extract<RecordedWrite, { kind: 'delete' }>,
  attributes: readonly number[],
): Promise<readonly (Key | undefined)[]> {
  const keys = new Array<Key | undefined>(rowNumbers.length).fill(undefined);
  for (const part of before.parts(relation, partition, true)) {
    const found: { readonly place: number; readonly row: number }[] = [];
    for (const [place, number] of rowNumbers.entries()) {
      const row = findPosition(part.rowNumbers, part.rowCount, number);
      if (row >= 0) found.push({ place, row });
    }
    if (found.length === 0) continue;
    found.sort((a, b) => a.row - b.row);
    const rows = Uint32Array.from(found, ({ row }) => row);
    const columns = await part.readRows(attributes, rows);
    for (const [i, { place }] of found.entries()) keys[place] = columns.map((column) => column.get(i));
  }
  return keys;
}

/** Those keys that no row has now. */
export async function stillGone(
  key: ForeignKey,
  keys: readonly GoneKey[],
  snapshot: Snapshot,
  pause: Pause,
): Promise<readonly GoneKey[]> {
  const find = finder(ofParent(key), snapshot);
  const gone: GoneKey[] = [];
  for (const [i, one] of keys.entries()) {
    if (i % STEP_ROWS === 0) await pause();
    if (find(one.key) === null) gone.push(one);
  }
  return gone;
}

/** A key from the referenced rows to themselves. */
const ofParent = (key: ForeignKey): ForeignKey => ({
  ...key,
  child: key.parent,
  constraint: { ...key.constraint, columns: key.reference.columns },
});
