/**
 * COPY TO STDOUT: batches of rows to bytes, one piece a row, as clients expect that read row by row.
 * Source: PostgreSQL 18, src/backend/commands/copyto.c.
 */
import type { OutputColumn } from '../../plan/plan.ts';
import { ByteWriter } from '../../types/column/byte-writer.ts';
import { type ColumnEncoder, columnEncoder } from '../../types/column/encode.ts';
import { typeByOid } from '../../types/registry.ts';
import type { FormatSettings } from '../../types/type.ts';
import type { Batch, Vector } from '../../types/column/vector.ts';
import { type CopyFormat, includes } from './options.ts';

/** Bytes of several pieces: piece i ends at `ends[i]`. */
export interface CopyPieces {
  readonly bytes: Uint8Array;
  readonly ends: readonly number[];
}

export interface CopyTarget {
  readonly columns: readonly OutputColumn[];
  readonly format: CopyFormat;
  readonly settings: FormatSettings;
}

type WriteValue = (vector: Vector, row: number) => void;

const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const ESCAPES: Readonly<Record<number, number>> = { 8: 98, 12: 102, 10: 110, 13: 114, 9: 116, 11: 118 };

/** Writes what comes before, between and after the rows. */
export class CopyWriter {
  #target: CopyTarget;
  #out = new ByteWriter();
  #values: readonly WriteValue[];
  #pending: Uint8Array | null = null;

  constructor(target: CopyTarget) {
    this.#target = target;
    const { columns, format } = target;
    if (format.format === 'binary') this.#pending = SIGNATURE;
    this.#values = columns.map((column) => this.#writer(column));
  }

  /** The header line, if one is wanted. */
  begin(): CopyPieces | null {
    const { columns, format } = this.#target;
    if (format.header === 'none') return null;
    for (const [i, { name }] of columns.entries()) {
      if (i > 0) this.#out.writeByte(format.delimiter);
      if (format.format === 'csv') this.#writeCsv(Buffer.from(name), false);
      else this.#writeEscaped(Buffer.from(name));
    }
    this.#out.writeByte(NEWLINE);
    return this.#take([this.#out.size]);
  }

  rows(batch: Batch): CopyPieces {
    const ends: number[] = [];
    const isBinary = this.#target.format.format === 'binary';
    for (let row = 0; row < batch.length; row++) {
      if (isBinary) this.#writeBinary(batch, row);
      else this.#writeLine(batch, row);
      ends.push(this.#out.size);
    }
    return this.#take(ends);
  }

  /** End of the binary format. */
  end(): CopyPieces | null {
    if (this.#target.format.format !== 'binary') return null;
    this.#writePending();
    this.#out.writeInt16(-1);
    return this.#take([this.#out.size]);
  }

  /** The header of the binary format goes with the first row. */
  #writePending(): void {
    if (this.#pending !== null) this.#out.writeBytes(this.#pending);
    this.#pending = null;
  }

  #take(ends: readonly number[]): CopyPieces {
    const bytes = this.#out.finish().slice();
    this.#out.reset();
    return { bytes, ends };
  }

  #writeBinary({ columns }: Batch, row: number): void {
    this.#writePending();
    this.#out.writeInt16(this.#values.length);
    for (const [i, write] of this.#values.entries()) write(columns[i] as Vector, row);
  }

  #writeLine({ columns }: Batch, row: number): void {
    const { delimiter } = this.#target.format;
    for (const [i, write] of this.#values.entries()) {
      if (i > 0) this.#out.writeByte(delimiter);
      write(columns[i] as Vector, row);
    }
    this.#out.writeByte(NEWLINE);
  }

  #writer(column: OutputColumn): WriteValue {
    const { format, settings, columns } = this.#target;
    const type = typeByOid(column.type.oid);
    if (format.format === 'binary') {
      const encode: ColumnEncoder = columnEncoder(type, 'binary', settings);
      return (vector, row) => encode(vector, row, this.#out);
    }
    const nullBytes = Buffer.from(format.nullText);
    const force = includes(format.forceQuote, column.name);
    const isAlone = columns.length === 1;
    const write = (bytes: Uint8Array): void => {
      if (format.format === 'text') this.#writeEscaped(bytes);
      else this.#writeCsv(bytes, force || (isAlone && isEndMark(bytes)));
    };
    return (vector, row) => {
      if (vector.nulls !== null && vector.nulls[row] === 1) this.#out.writeBytes(nullBytes);
      else if (vector.kind === 'int32' && type.format(0, settings) === '0' && !force) {
        this.#out.writeAscii(String(vector.values[row]));
      } else if (vector.kind === 'text' && type.category === 'S') {
        const { bytes, offsets } = vector.utf8();
        write(bytes.subarray(offsets[row], offsets[row + 1]));
      } else write(Buffer.from(type.format(vector.get(row), settings)));
    };
  }

  #writeEscaped(bytes: Uint8Array): void {
    const { delimiter } = this.#target.format;
    let from = 0;
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] as number;
      if (byte > 13 && byte !== BACKSLASH && byte !== delimiter) continue;
      const letter = byte === delimiter ? byte : byte === BACKSLASH ? BACKSLASH : ESCAPES[byte];
      if (letter === undefined) continue;
      this.#out.writeBytes(bytes, from, i);
      this.#out.writeByte(BACKSLASH);
      this.#out.writeByte(byte === delimiter ? (ESCAPES[byte] ?? byte) : letter);
      from = i + 1;
    }
    this.#out.writeBytes(bytes, from, bytes.length);
  }

  #writeCsv(bytes: Uint8Array, force: boolean): void {
    const { quote, escapeByte } = this.#target.format;
    if (!force && !this.#needsQuotes(bytes)) {
      this.#out.writeBytes(bytes);
      return;
    }
    this.#out.writeByte(quote);
    for (const byte of bytes) {
      if (byte === quote || byte === escapeByte) this.#out.writeByte(escapeByte);
      this.#out.writeByte(byte);
    }
    this.#out.writeByte(quote);
  }

  #needsQuotes(bytes: Uint8Array): boolean {
    const { delimiter, quote, nullText } = this.#target.format;
    if (bytes.length === nullText.length && Buffer.from(bytes).toString('utf8') === nullText) return true;
    for (const byte of bytes) {
      if (byte === delimiter || byte === quote || byte === NEWLINE || byte === 13) return true;
    }
    return false;
  }
}

function isEndMark(bytes: Uint8Array): boolean {
  return bytes.length === 2 && bytes[0] === BACKSLASH && bytes[1] === 0x2e;
}
