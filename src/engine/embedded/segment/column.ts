/**
 * Columns as bytes in shared memory: the one form in which the head grows, segments are stored, and the merge
 * worker reads and writes. A column is its values, offsets where they vary in length, and null bytes:
 *
 * | vector kind            | values                                   | offsets             |
 * |------------------------|------------------------------------------|---------------------|
 * | bool int32 int64 float64 | the typed array, little-endian          | none                |
 * | text                   | UTF-8                                    | rowCount + 1 uint32 |
 * | object                 | the type's binary format (`SqlType.send`) | rowCount + 1 uint32 |
 * | dense vectors          | float32, little-endian: a search structure reads them as they are |
 *
 * Values of vectors and matrices stay on disk (`isPaged`) and are read in ranges.
 */
import { assert } from '../../../assert.ts';
import type { PagedBytes } from '../../../index/structure.ts';
import type { Datum } from '../../../types/datum.ts';
import { DENSE_VECTOR_TYPES } from '../../../types/vector/dense-vector.ts';
import { MATRIX_TYPES } from '../../../types/vector/matrix.ts';
import { type Decimals, ObjectVector } from '../../../types/column/object-vector.ts';
import { OID } from '../../../types/oids.ts';
import { typeByOid } from '../../../types/registry.ts';
import { receiveDecimals } from '../../../types/number/numeric-type.ts';
import type { SqlType } from '../../../types/type.ts';
import {
  BoolVector,
  constantVector,
  Float64Vector,
  Int32Vector,
  Int64Vector,
  type TextDictionary,
  TextVector,
  type Vector,
  type VectorKind,
  vectorOf,
} from '../../../types/column/vector.ts';

/** All bytes of one column for `rowCount` rows; the arrays lie in shared memory and are not written again. */
export interface StoredColumn {
  readonly type: number;
  readonly rowCount: number;
  readonly values: Uint8Array;
  readonly offsets: Uint32Array | null;
  readonly nulls: Uint8Array | null;
  /** Where the values are on disk; `values` is empty then. */
  readonly pages?: PagedBytes;
  /** The values of text that has few distinct ones. */
  readonly dictionary?: TextDictionary;
  /** Numerics that doubles can carry. */
  readonly decimals?: Decimals;
}

const DENSE_TYPES: ReadonlySet<number> = new Set(DENSE_VECTOR_TYPES.map(({ oid }) => oid));
const PAGED_TYPES: ReadonlySet<number> = new Set([...DENSE_TYPES, ...MATRIX_TYPES.map(({ oid }) => oid)]);

/** Values are float32 one after another. */
export function isDense(type: number): boolean {
  return DENSE_TYPES.has(type);
}

/** Values of a segment's column of this type are not brought into memory. */
export function isPaged(type: number): boolean {
  return PAGED_TYPES.has(type);
}

/** Bytes a value of fixed length takes; 0 for those with offsets. */
function valueBytes(kind: VectorKind): number {
  switch (kind) {
    case 'bool':
      return 1;
    case 'int32':
      return 4;
    case 'int64':
    case 'float64':
      return 8;
    case 'text':
    case 'object':
      return 0;
  }
}

export function sharedBytes(size: number): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer(size));
}

/** Rows [start, end) as a vector; fixed-length values and text share the column's memory. */
export function columnVector(column: StoredColumn, start: number, end: number): Vector {
  const type = typeByOid(column.type);
  const nulls = column.nulls === null ? null : column.nulls.subarray(start, end);
  const { buffer, byteOffset } = column.values;
  const at = byteOffset + start * valueBytes(type.vector);
  switch (type.vector) {
    case 'bool':
      return new BoolVector(column.values.subarray(start, end), nulls);
    case 'int32':
      return new Int32Vector(new Int32Array(buffer, at, end - start), nulls);
    case 'int64':
      return new Int64Vector(new BigInt64Array(buffer, at, end - start), nulls);
    case 'float64':
      return new Float64Vector(new Float64Array(buffer, at, end - start), nulls);
    case 'text':
      return TextVector.fromBytes(
        column.values,
        offsetsOf(column).subarray(start, end + 1),
        nulls,
        column.dictionary
          ? { codes: column.dictionary.codes.subarray(start, end), words: column.dictionary.words }
          : null,
      );
    case 'object':
      return receiveVector(column, type, start, end);
  }
}

function offsetsOf(column: StoredColumn): Uint32Array {
  assert(column.offsets !== null, 'a column of variable length has offsets');
  return column.offsets;
}

/** Some rows as a vector; of values that have to be received, only those. @param rows ascending. */
export function vectorOfRows(column: StoredColumn, rows: Uint32Array): Vector {
  const type = typeByOid(column.type);
  if (type.vector !== 'object' || column.decimals !== undefined) {
    return columnVector(column, 0, column.rowCount).take(rows);
  }
  const values = Array.from(rows, (row) =>
    column.nulls?.[row] === 1 ? null : receiveValue(type, valueBytesOf(column, row, row + 1)),
  );
  return vectorOf('object', values);
}

function receiveVector(column: StoredColumn, type: SqlType, start: number, end: number): Vector {
  const offsets = offsetsOf(column);
  const nulls = column.nulls === null ? null : column.nulls.subarray(start, end);
  if (column.type === OID.numeric) {
    const decimals = decimalRows(column, start, end);
    if (decimals !== null) return ObjectVector.fromDecimals(decimals, nulls);
  }
  const values = new Array<Datum>(end - start);
  const bytes = valueBytesOf(column, start, end);
  const origin = offsets[start] as number;
  for (let row = start; row < end; row++) {
    const empty = column.nulls !== null && column.nulls[row] === 1;
    const own = bytes.subarray((offsets[row] as number) - origin, (offsets[row + 1] as number) - origin);
    values[row - start] = empty ? null : receiveValue(type, own);
  }
  return new ObjectVector(values, nulls);
}

function receiveValue(type: SqlType, bytes: Uint8Array): Datum {
  // Receivers read with DataView and TextDecoder, which want memory that is not shared.
  // A copy: what a Buffer calls slice is a view.
  const own = new Uint8Array(bytes);
  return isDense(type.oid) ? new Float32Array(own.buffer) : type.receive(own, -1);
}

/** The bytes of rows [start, end) of a column with offsets; a copy where they are on disk. */
export function valueBytesOf(column: StoredColumn, start: number, end: number, once = false): Uint8Array {
  const offsets = offsetsOf(column);
  const [from, to] = [offsets[start] as number, offsets[end] as number];
  if (column.pages === undefined) return column.values.subarray(from, to);
  const bytes = new Uint8Array(to - from);
  column.pages.read(from, bytes, once);
  return bytes;
}

function decimalRows(column: StoredColumn, start: number, end: number): Decimals | null {
  const { decimals } = column;
  if (decimals === undefined) return columnDecimals(column, start, end);
  return { units: decimals.units.subarray(start, end), scale: decimals.scale };
}

/** Rows [start, end) of a column of numerics as doubles; null where they have too many digits. */
export function columnDecimals(column: StoredColumn, start: number, end: number): Decimals | null {
  const nulls = column.nulls === null ? null : column.nulls.subarray(start, end);
  return receiveDecimals(column.values, offsetsOf(column).subarray(start, end + 1), nulls);
}

/** A vector of NULLs, for columns a part does not have. */
export function nullVector(type: number, length: number): Vector {
  return constantVector(typeByOid(type).vector, null, length);
}

/** Bytes of a vector's rows: values, and the size of each where they vary. */
interface Piece {
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array | null;
}

function pieceOf(vector: Vector, type: SqlType): Piece {
  switch (vector.kind) {
    case 'bool':
      return { bytes: vector.values, offsets: null };
    case 'int32':
    case 'int64':
    case 'float64': {
      const { buffer, byteOffset, byteLength } = vector.values;
      return { bytes: new Uint8Array(buffer, byteOffset, byteLength), offsets: null };
    }
    case 'text': {
      const { bytes, offsets } = vector.utf8();
      return { bytes, offsets: offsets.subarray(0, vector.length + 1) };
    }
    case 'object':
      return sendPiece(vector, type);
  }
}

/** A commit asks for the bytes of its rows twice, for the store and for the head: those of large values are kept. */
const KEPT_PIECE_BYTES_MIN = 64 * 1024;
const PIECES = new WeakMap<ObjectVector, Piece>();

function sendPiece(vector: ObjectVector, type: SqlType): Piece {
  const kept = PIECES.get(vector);
  if (kept !== undefined) return kept;
  const piece = sentPiece(vector, type);
  if (piece.bytes.length >= KEPT_PIECE_BYTES_MIN) PIECES.set(vector, piece);
  return piece;
}

function sentPiece(vector: ObjectVector, type: SqlType): Piece {
  const sent = vector.values.map((_, row) => {
    const datum = vector.get(row);
    if (datum === null) return null;
    if (!(datum instanceof Float32Array)) return type.send(datum);
    return new Uint8Array(datum.buffer, datum.byteOffset, datum.byteLength);
  });
  const offsets = new Uint32Array(sent.length + 1);
  sent.forEach((bytes, row) => {
    offsets[row + 1] = (offsets[row] as number) + (bytes?.length ?? 0);
  });
  const bytes = new Uint8Array(offsets[sent.length] as number);
  sent.forEach((part, row) => {
    if (part !== null) bytes.set(part, offsets[row] as number);
  });
  return { bytes, offsets };
}

/** A vector's rows as a column of their own, in the vector's memory. */
export function storedVector(vector: Vector, oid: number): StoredColumn {
  const type = typeByOid(oid);
  assert(vector.kind === type.vector, `a ${vector.kind} vector is no ${type.name}`);
  const { length } = vector;
  const { bytes, offsets } = pieceOf(vector, type);
  const first = offsets?.[0] ?? 0;
  return {
    type: oid,
    rowCount: length,
    values: offsets === null ? bytes : bytes.subarray(first, offsets[length]),
    offsets: first === 0 ? offsets : (offsets?.map((offset) => offset - first) ?? null),
    nulls: vector.nulls?.subarray(0, length) ?? null,
  };
}

/**
 * The same vectors of numbers side by side in one memory: a million small ones, each with memory of its own,
 * leave the process's heap in pieces when they go.
 */
export function packVectors(vector: ObjectVector): ObjectVector {
  const values = vector.values.map((_, row) => vector.get(row));
  let size = 0;
  for (const value of values) if (value instanceof Float32Array) size += value.length;
  const floats = new Float32Array(size);
  let at = 0;
  const packed = values.map((value) => {
    if (!(value instanceof Float32Array)) return value;
    floats.set(value, at);
    at += value.length;
    return floats.subarray(at - value.length, at);
  });
  return new ObjectVector(packed, vector.nulls);
}

/**
 * A column that grows at its end. What was there stays where it is or is copied to larger memory, so a
 * `StoredColumn` taken earlier stays true.
 */
export class GrowableColumn {
  readonly type: number;
  readonly #sqlType: SqlType;
  #rowCount = 0;
  #size = 0;
  #values: Uint8Array;
  #offsets: Uint32Array | null;
  #nulls: Uint8Array | null = null;

  constructor(type: number) {
    this.type = type;
    this.#sqlType = typeByOid(type);
    this.#values = sharedBytes(1024);
    this.#offsets = valueBytes(this.#sqlType.vector) === 0 ? sharedWords(256) : null;
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  /** Memory in use. */
  get bytes(): number {
    return this.#size + (this.#offsets === null ? 0 : 4 * this.#rowCount) + (this.#nulls?.length ?? 0);
  }

  append(vector: Vector): void {
    assert(vector.kind === this.#sqlType.vector, `a ${vector.kind} vector is no ${this.#sqlType.name}`);
    const piece = pieceOf(vector, this.#sqlType);
    if (piece.offsets === null) this.#appendBytes(piece.bytes);
    else this.#appendVariable(piece.bytes, piece.offsets, vector.length);
    this.#appendNulls(vector.nulls, vector.length);
    this.#rowCount += vector.length;
  }

  appendNulls(count: number): void {
    if (count > 0) this.append(nullVector(this.type, count));
  }

  /** The rows so far. */
  stored(): StoredColumn {
    return {
      type: this.type,
      rowCount: this.#rowCount,
      values: this.#values.subarray(0, this.#size),
      offsets: this.#offsets === null ? null : this.#offsets.subarray(0, this.#rowCount + 1),
      nulls: this.#nulls === null ? null : this.#nulls.subarray(0, this.#rowCount),
    };
  }

  #appendBytes(bytes: Uint8Array): void {
    if (this.#size + bytes.length > this.#values.length) {
      this.#values = grownBytes(this.#values, this.#size, this.#size + bytes.length);
    }
    this.#values.set(bytes, this.#size);
    this.#size += bytes.length;
  }

  #appendVariable(bytes: Uint8Array, from: Uint32Array, count: number): void {
    const first = from[0] as number;
    let offsets = this.#offsets as Uint32Array;
    if (this.#rowCount + count + 1 > offsets.length) {
      offsets = sharedWords(Math.max(2 * offsets.length, this.#rowCount + count + 1));
      offsets.set((this.#offsets as Uint32Array).subarray(0, this.#rowCount + 1));
      this.#offsets = offsets;
    }
    const shift = this.#size - first;
    for (let i = 1; i <= count; i++) offsets[this.#rowCount + i] = (from[i] as number) + shift;
    this.#appendBytes(bytes.subarray(first, from[count]));
  }

  #appendNulls(nulls: Uint8Array | null, count: number): void {
    const after = this.#rowCount + count;
    if (nulls === null && this.#nulls === null) return;
    if (this.#nulls === null) this.#nulls = sharedBytes(Math.max(1024, 2 * after));
    else if (this.#nulls.length < after) this.#nulls = grownBytes(this.#nulls, this.#rowCount, after);
    if (nulls !== null) this.#nulls.set(nulls, this.#rowCount);
  }
}

function sharedWords(count: number): Uint32Array {
  return new Uint32Array(new SharedArrayBuffer(4 * count));
}

function grownBytes(from: Uint8Array, used: number, wanted: number): Uint8Array {
  const grown = sharedBytes(Math.max(2 * from.length, wanted));
  grown.set(from.subarray(0, used));
  return grown;
}
