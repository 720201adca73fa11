/**
 * Batches as bytes and back, for rows that leave memory for a while. Typed values are laid out as they are in memory, so
 * that columns of a batch that comes back are views of its bytes; bytes of another machine are not read.
 *
 * | part   | holds                                                                            |
 * |--------|----------------------------------------------------------------------------------|
 * | header | int32s: how many there are, rows, columns, then what each column says of itself  |
 * | pieces | values, nulls, offsets, one after the other, each at a multiple of 8             |
 */
import { DatumReader, DatumWriter } from './datum-codec.ts';
import { ObjectVector } from './object-vector.ts';
import {
  type Batch,
  BoolVector,
  Float64Vector,
  Int32Vector,
  Int64Vector,
  TextVector,
  type Vector,
} from './vector.ts';
import type { Nulls } from './vector-rows.ts';

/** A column begins with it: how its values are kept. */
const FORM = { bool: 0, int32: 1, int64: 2, float64: 3, text: 4, decimals: 5, datums: 6 } as const;

const KINDS = ['bool', 'int32', 'int64', 'float64'] as const;

export function encodeBatch({ length, columns }: Batch): Uint8Array {
  const writer = new PieceWriter(length, columns.length);
  for (const column of columns) writeColumn(column, writer);
  return writer.finish();
}

/** @param bytes of `encodeBatch`, at an address that is a multiple of 8; kept. */
export function decodeBatch(bytes: Uint8Array): Batch {
  const reader = new PieceReader(bytes);
  const columns: Vector[] = [];
  for (let i = 0; i < reader.columns; i++) columns.push(readColumn(reader));
  return { length: reader.rows, columns };
}

class PieceWriter {
  readonly #header: number[];
  readonly #pieces: Uint8Array[] = [];

  constructor(rows: number, columns: number) {
    this.#header = [0, rows, columns];
  }

  number(value: number): void {
    this.#header.push(value);
  }

  piece(values: ArrayBufferView): void {
    this.#header.push(values.byteLength);
    this.#pieces.push(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }

  finish(): Uint8Array {
    this.#header[0] = this.#header.length;
    const start = aligned(4 * this.#header.length);
    const size = this.#pieces.reduce((sum, piece) => sum + aligned(piece.length), start);
    const bytes = new Uint8Array(size);
    new Int32Array(bytes.buffer, 0, this.#header.length).set(this.#header);
    let at = start;
    for (const piece of this.#pieces) {
      bytes.set(piece, at);
      at += aligned(piece.length);
    }
    return bytes;
  }
}

class PieceReader {
  readonly #bytes: Uint8Array;
  readonly #header: Int32Array;
  #next = 3;
  #at: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    const [count = 0] = new Int32Array(bytes.buffer, bytes.byteOffset, 1);
    this.#header = new Int32Array(bytes.buffer, bytes.byteOffset, count);
    this.#at = aligned(4 * count);
  }

  get rows(): number {
    return this.#header[1] as number;
  }

  get columns(): number {
    return this.#header[2] as number;
  }

  number(): number {
    return this.#header[this.#next++] as number;
  }

  piece(): Uint8Array {
    const size = this.number();
    const piece = this.#bytes.subarray(this.#at, this.#at + size);
    this.#at += aligned(size);
    return piece;
  }
}

const aligned = (size: number): number => (size + 7) & ~7;

function writeColumn(column: Vector, writer: PieceWriter): void {
  const decimals = column.kind === 'object' ? column.decimals() : null;
  writer.number(
    column.kind === 'object' ? (decimals === null ? FORM.datums : FORM.decimals) : FORM[column.kind],
  );
  writer.number(column.nulls === null ? 0 : 1);
  if (column.nulls !== null) writer.piece(column.nulls);
  switch (column.kind) {
    case 'text':
      writeText(column, writer);
      break;
    case 'object':
      if (decimals === null) writer.piece(datumBytes(column));
      else {
        writer.number(decimals.scale);
        writer.piece(decimals.units);
      }
      break;
    default:
      writer.piece(column.values);
  }
}

function writeText(column: TextVector, writer: PieceWriter): void {
  const { bytes, offsets } = column.utf8();
  const first = offsets[0] as number;
  const own = offsets.subarray(0, column.length + 1);
  writer.piece(first === 0 ? own : own.map((offset) => offset - first));
  writer.piece(bytes.subarray(first, offsets[column.length]));
}

function datumBytes(column: ObjectVector): Uint8Array {
  const writer = new DatumWriter();
  for (let row = 0; row < column.length; row++) writer.write(column.get(row));
  return writer.finish();
}

function readColumn(reader: PieceReader): Vector {
  const form = reader.number();
  const nulls: Nulls = reader.number() === 0 ? null : reader.piece();
  switch (form) {
    case FORM.text: {
      const offsets = uint32s(reader.piece());
      return TextVector.fromBytes(reader.piece(), offsets, nulls);
    }
    case FORM.decimals: {
      const scale = reader.number();
      return ObjectVector.fromDecimals({ units: float64s(reader.piece()), scale }, nulls);
    }
    case FORM.datums: {
      const datums = new DatumReader(reader.piece());
      return new ObjectVector(
        Array.from({ length: reader.rows }, () => datums.read()),
        nulls,
      );
    }
    default:
      return typedVector(KINDS[form] ?? 'bool', reader.piece(), nulls);
  }
}

function typedVector(kind: (typeof KINDS)[number], piece: Uint8Array, nulls: Nulls): Vector {
  const { buffer, byteOffset, byteLength } = piece;
  switch (kind) {
    case 'bool':
      return new BoolVector(piece, nulls);
    case 'int32':
      return new Int32Vector(new Int32Array(buffer, byteOffset, byteLength / 4), nulls);
    case 'int64':
      return new Int64Vector(new BigInt64Array(buffer, byteOffset, byteLength / 8), nulls);
    case 'float64':
      return new Float64Vector(float64s(piece), nulls);
  }
}

const uint32s = ({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array =>
  new Uint32Array(buffer, byteOffset, byteLength / 4);

const float64s = ({ buffer, byteOffset, byteLength }: Uint8Array): Float64Array =>
  new Float64Array(buffer, byteOffset, byteLength / 8);
