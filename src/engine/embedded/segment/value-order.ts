/**
 * The rows of a segment's column by their values: what a btree index finds rows by. Four bytes a row, and eight
 * more for numbers that are not compared as they lie; made when a query first wants it, so that writes and merges
 * cost nothing more. Keys are doubles or UTF-8, which may be coarser than the values but never contradict
 * their order: whoever asks checks the rows.
 */
import { firstNot } from '../../../binary-search.ts';
import { assert } from '../../../assert.ts';
import { compareBytes } from '../../../types/column/bytes.ts';
import { OID } from '../../../types/oids.ts';
import { type OrderKey, orderKey } from '../../../types/column/order-key.ts';
import { typeByOid } from '../../../types/registry.ts';
import type { ValueOrder } from '../../engine.ts';
import { columnVector, type StoredColumn } from './column.ts';

/** Rows sorted, or looked at, between two turns of the event loop. */
const SORT_ROWS = 4_096;
const MERGE_ROWS = 64 * 1024;
/** Bytes of a text that fit a double exactly. */
const PREFIX_BYTES = 6;

const TEXTS: ReadonlySet<number> = new Set([OID.text, OID.varchar, OID.name, OID.uuid]);

/** Keys of the rows that are not NULL. */
interface Keys {
  compare(a: number, b: number): number;
  compareTo(row: number, key: OrderKey): number;
}

/** @returns null for types whose order keys do not tell. @param pause gives others a turn. */
export async function valueOrder(
  column: StoredColumn,
  pause: () => Promise<void>,
): Promise<SortedRows | null> {
  const kept = await numbersOf(column, pause);
  const isText = TEXTS.has(column.type);
  if (kept === null && !isText) return null;
  const rows: number[] | Uint32Array = new Uint32Array(column.rowCount);
  const nulls: number[] = [];
  let count = 0;
  for (let row = 0; row < column.rowCount; row++) {
    if (column.nulls?.[row] === 1) nulls.push(row);
    else rows[count++] = row;
  }
  const keys = kept === null ? textKeys(column) : numberKeys(kept);
  const compare = kept === null ? await prefixFirst(column, keys, pause) : keys.compare;
  const inOrder = await sorted(rows.subarray(0, count), compare, pause);
  return new SortedRows(inOrder, Uint32Array.from(nulls), { keys, keyBytes: keyBytes(column, kept) });
}

/** Bytes that keys keep in memory: of texts the column itself, which may have gone otherwise. */
function keyBytes({ values, offsets }: StoredColumn, kept: Numbers | null): number {
  if (kept === null) return values.byteLength + (offsets?.byteLength ?? 0);
  return kept instanceof Float64Array ? kept.byteLength : 0;
}

export class SortedRows implements ValueOrder {
  readonly rows: Uint32Array;
  readonly nulls: Uint32Array;
  readonly bytes: number;
  readonly #keys: Keys;

  constructor(
    rows: Uint32Array,
    nulls: Uint32Array,
    { keys, keyBytes }: { readonly keys: Keys; readonly keyBytes: number },
  ) {
    this.rows = rows;
    this.nulls = nulls;
    this.bytes = rows.byteLength + nulls.byteLength + keyBytes;
    this.#keys = keys;
  }

  place(key: OrderKey, after: boolean): number {
    return this.#firstNot((row) => {
      const order = this.#keys.compareTo(row, key);
      return after ? order <= 0 : order < 0;
    });
  }

  ties(place: number): { readonly start: number; readonly end: number } {
    const row = this.rows[place] as number;
    return {
      start: this.#firstNot((other) => this.#keys.compare(other, row) < 0),
      end: this.#firstNot((other) => this.#keys.compare(other, row) <= 0),
    };
  }

  /** The first place whose row, as all after it, is not before. */
  #firstNot(isBefore: (row: number) => boolean): number {
    return firstNot(0, this.rows.length, (place) => isBefore(this.rows[place] as number));
  }
}

type Numbers = Int32Array | Uint8Array | Float64Array;

const numberKeys = (numbers: Numbers): Keys => ({
  compare: (a, b) => difference(numbers[a] as number, numbers[b] as number),
  compareTo: (row, key) => difference(numbers[row] as number, key as number),
});

/** The order of two numbers, infinities among them. */
const difference = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);

/** A number a row; null where the values are no numbers. */
async function numbersOf(column: StoredColumn, pause: () => Promise<void>): Promise<Numbers | null> {
  const { vector } = typeByOid(column.type);
  if (vector === 'bool') return column.values;
  if (vector === 'int32')
    return (columnVector(column, 0, column.rowCount) as { values: Numbers } & object).values;
  if (vector !== 'int64' && vector !== 'float64' && column.type !== OID.numeric) return null;
  const numbers = new Float64Array(column.rowCount);
  for (let start = 0; start < column.rowCount; start += SORT_ROWS) {
    const end = Math.min(column.rowCount, start + SORT_ROWS);
    const values = columnVector(column, start, end);
    for (let row = start; row < end; row++) {
      const key = column.nulls?.[row] === 1 ? 0 : orderKey(values.get(row - start));
      assert(typeof key === 'number', 'numbers have keys that are numbers');
      numbers[row] = key;
    }
    await pause();
  }
  return numbers;
}

function textKeys({ values, offsets }: StoredColumn): Keys {
  const ends = offsets as Uint32Array;
  return {
    compare(a, b) {
      const [from, other] = [ends[a] as number, ends[b] as number];
      const [size, otherSize] = [(ends[a + 1] as number) - from, (ends[b + 1] as number) - other];
      for (let at = 0; at < size && at < otherSize; at++) {
        const order = (values[from + at] as number) - (values[other + at] as number);
        if (order !== 0) return order;
      }
      return size - otherSize;
    },
    compareTo: (row, key) =>
      compareBytes(values.subarray(ends[row] as number, ends[row + 1] as number), key as Uint8Array),
  };
}

/** Compares by a few bytes after those that all texts begin with, as one number, and only where they are equal by all. */
async function prefixFirst(
  { values, offsets, rowCount, nulls }: StoredColumn,
  keys: Keys,
  pause: () => Promise<void>,
): Promise<Keys['compare']> {
  const ends = offsets as Uint32Array;
  let first = -1;
  let shared = 0;
  for (let row = 0; row < rowCount; row++) {
    if (nulls?.[row] === 1) continue;
    const [start, end] = [ends[row] as number, ends[row + 1] as number];
    if (first < 0) {
      first = start;
      shared = end - start;
    }
    let same = 0;
    while (same < shared && same < end - start && values[start + same] === values[first + same]) same++;
    shared = same;
    if (row % MERGE_ROWS === 0) await pause();
  }
  const prefixes = new Float64Array(rowCount);
  for (let row = 0; row < rowCount; row++) {
    const start = (ends[row] as number) + shared;
    const end = ends[row + 1] as number;
    let prefix = 0;
    for (let at = start; at < start + PREFIX_BYTES; at++) {
      prefix = prefix * 256 + (at < end ? (values[at] as number) : 0);
    }
    prefixes[row] = prefix;
    if (row % MERGE_ROWS === 0) await pause();
  }
  return (a, b) => (prefixes[a] as number) - (prefixes[b] as number) || keys.compare(a, b);
}

/** Merge sort, bottom up: stable, and others have their turns. */
async function sorted(
  rows: Uint32Array,
  compare: Keys['compare'],
  pause: () => Promise<void>,
): Promise<Uint32Array> {
  for (let start = 0; start < rows.length; start += SORT_ROWS) {
    rows.subarray(start, start + SORT_ROWS).sort(compare);
    await pause();
  }
  let from: Uint32Array = rows;
  let into: Uint32Array = new Uint32Array(rows.length);
  for (let size = SORT_ROWS; size < rows.length; size *= 2) {
    for (let start = 0; start < rows.length; start += 2 * size) {
      const middle = Math.min(start + size, rows.length);
      const end = Math.min(start + 2 * size, rows.length);
      await merge({ from, into, start, middle, end }, compare, pause);
    }
    [from, into] = [into, from];
  }
  return from;
}

interface Runs {
  readonly from: Uint32Array;
  readonly into: Uint32Array;
  readonly start: number;
  readonly middle: number;
  readonly end: number;
}

async function merge(
  { from, into, start, middle, end }: Runs,
  compare: Keys['compare'],
  pause: () => Promise<void>,
): Promise<void> {
  let left = start;
  let right = middle;
  for (let at = start; at < end; at++) {
    const takesLeft =
      left < middle && (right >= end || compare(from[left] as number, from[right] as number) <= 0);
    into[at] = from[takesLeft ? left++ : right++] as number;
    if (at % MERGE_ROWS === 0) await pause();
  }
}
