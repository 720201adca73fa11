/** The rows that one operator holds at once, counted to its statement's account until it ends. */
import type { Datum } from '../types/datum.ts';
import type { Batch, Vector } from '../types/column/vector.ts';
import type { Account } from './account.ts';

/** A datum with what it refers to, roughly. */
const OBJECT_BYTES = 64;
/** A string beside its characters. */
const STRING_BYTES = 32;
/** A place in an array. */
const PLACE_BYTES = 8;
/** Elements of a longer one that are looked at. */
const MEASURED_COUNT = 64;

export class HeldRows implements Disposable {
  readonly #account: Account;
  #bytes = 0;

  constructor(account: Account) {
    this.#account = account;
  }

  /**
   * @param copies as many times are they held at the most: a sort gathers them, then puts them together.
   * @throws SqlError 53200 when these are too many.
   */
  add(batch: Batch, copies = 1): void {
    this.addBytes(copies * bytesOf(batch));
  }

  /** @throws SqlError 53200 when these are too many. */
  addBytes(bytes: number): void {
    this.#account.hold(bytes);
    this.#bytes += bytes;
  }

  /** Rows that are held no longer. */
  clear(): void {
    this.#account.release(this.#bytes);
    this.#bytes = 0;
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}

export function bytesOf({ columns }: Batch): number {
  let bytes = 0;
  for (const column of columns) bytes += columnBytes(column);
  return bytes;
}

function columnBytes(column: Vector): number {
  switch (column.kind) {
    case 'bool':
    case 'int32':
    case 'int64':
    case 'float64':
      return column.values.byteLength;
    case 'text':
      return STRING_BYTES * column.length + column.weight;
    case 'object':
      return column.isDecimal ? 8 * column.length : objectBytes(column.values);
  }
}

function objectBytes(values: readonly Datum[]): number {
  let bytes = 0;
  for (const value of values) bytes += datumBytes(value);
  return bytes;
}

/** Of an array from its length and some of its elements, so that asking is cheap. */
export function datumBytes(datum: Datum): number {
  if (typeof datum === 'string') return STRING_BYTES + datum.length;
  if (typeof datum !== 'object' || datum === null) return 16;
  if (ArrayBuffer.isView(datum)) return OBJECT_BYTES + datum.byteLength;
  switch (datum.datum) {
    case 'array':
      return OBJECT_BYTES + listBytes(datum.elements);
    case 'record':
      return OBJECT_BYTES + listBytes(datum.fields);
    case 'matrix':
    case 'sparse':
      return OBJECT_BYTES + 2 * datum.values.byteLength;
    default:
      return 2 * OBJECT_BYTES;
  }
}

function listBytes(values: readonly Datum[]): number {
  const step = Math.max(1, Math.floor(values.length / MEASURED_COUNT));
  let [bytes, count] = [0, 0];
  for (let i = 0; i < values.length; i += step) {
    bytes += datumBytes(values[i] as Datum);
    count++;
  }
  return count === 0 ? 0 : values.length * (PLACE_BYTES + bytes / count);
}
