/**
 * COPY FROM STDIN: the client's bytes to batches of rows. An error says the line and, where it is about a
 * value, the column.
 * Source: PostgreSQL 18, src/backend/commands/copyfromparse.c.
 */
import { isUtf8 } from 'node:buffer';
import { type Notice, SqlError } from '../../errors.ts';
import { BATCH_ROWS_MAX, MESSAGE_BYTES_MAX } from '../../limits.ts';
import type { Account } from '../../execute/account.ts';
import type { Steps } from '../../execute/plan-rows.ts';
import type { OutputColumn } from '../../plan/plan.ts';
import { wait } from '../../task.ts';
import type { Datum } from '../../types/datum.ts';
import { findTypeByOid } from '../../types/registry.ts';
import type { FormatSettings, SqlType, TypeRef } from '../../types/type.ts';
import { takesLongToRead } from '../../types/weight.ts';
import type { Batch } from '../../types/column/vector.ts';
import { invalidUtf8 } from '../../types/text/utf8.ts';
import { type CopyColumn, copyColumn, revocableColumn } from './columns.ts';
import { CopyLines } from './lines.ts';
import { SkippedRows } from './skipped.ts';
import { type CopyFormat, includes } from './options.ts';

export interface CopySource {
  readonly relation: string;
  readonly columns: readonly OutputColumn[];
  readonly format: CopyFormat;
  readonly settings: FormatSettings;
  readonly notice: (notice: Notice) => void;
  /** Counts what was read and is not yet rows. */
  readonly openAccount: () => Account;
  /** Reads a value that takes long, where nobody waits for it. @throws SqlError of the type's input function. */
  readonly readLarge: (bytes: Uint8Array, type: TypeRef, isBinary: boolean) => Promise<Datum>;
}

/** Bytes gathered before rows are read from them: a client may send one row a message. */
const BLOCK_BYTES = 64 * 1024;
/** A batch is of so much at the most, or of one row. */
const BATCH_BYTES = 1024 * 1024;
/** While rows are read from them, bytes are there once in pieces, once together, and as values. */
const COPIES = 3;
const NEWLINE = 0x0a;
/** Longer values are cut in CONTEXT. */
const SHOWN_BYTES_MAX = 100;

/** @throws SqlError 22P04, 22021 and those of input functions, with `where` set as PostgreSQL sets it. */
export function* readCopy(chunks: AsyncIterable<Uint8Array>, source: CopySource): Steps {
  using account = source.openAccount();
  const reader = source.format.format === 'binary' ? new BinaryRows(source) : new LineRows(source);
  const next = chunks[Symbol.asyncIterator]();
  let gathered: Uint8Array[] = [];
  let size = 0;
  let wanted = BLOCK_BYTES;
  let taken = 0;
  try {
    for (;;) {
      const chunk = yield* wait(next.next());
      if (chunk.done === true) break;
      account.hold(COPIES * chunk.value.length);
      gathered.push(chunk.value);
      size += chunk.value.length;
      if (size < wanted) continue;
      const bytes = Buffer.concat(gathered, size);
      const used = yield* rowsOf(reader, bytes, false);
      taken += used;
      if (taken > BATCH_BYTES && reader.rows > 0) yield reader.take();
      if (taken > BATCH_BYTES) taken = 0;
      account.release(COPIES * used);
      const rest = bytes.subarray(used);
      if (rest.length > MESSAGE_BYTES_MAX) {
        throw new SqlError(
          'program_limit_exceeded',
          `a row of COPY has more than ${MESSAGE_BYTES_MAX} bytes`,
        );
      }
      gathered = rest.length === 0 ? [] : [rest];
      size = rest.length;
      wanted = Math.max(BLOCK_BYTES, size * 2);
    }
  } finally {
    yield* wait(next.return?.());
  }
  yield* rowsOf(reader, Buffer.concat(gathered, size), true);
  reader.end();
}

interface RowReader {
  readonly rows: number;
  /** Reads rows until the batch is full, one has large values, or bytes are wanting. @returns where it stopped. */
  read(bytes: Buffer, start: number, atEnd: boolean): number;
  /** Reads the large values of the last row; null where it has none. */
  readLarge(): Promise<void> | null;
  take(): Batch;
  /** Called once, after the last row. */
  end(): void;
}

/** @returns where it stopped. */
function* rowsOf(
  reader: RowReader,
  bytes: Buffer,
  atEnd: boolean,
): Generator<Batch | Promise<unknown>, number, unknown> {
  let at = 0;
  for (;;) {
    at = reader.read(bytes, at, atEnd);
    const reading = reader.readLarge();
    if (reading !== null) yield* wait(reading);
    const isFull = reader.rows === BATCH_ROWS_MAX;
    const goesOn = isFull || reading !== null;
    if (isFull || (atEnd && !goesOn && reader.rows > 0)) yield reader.take();
    if (!goesOn) return at;
  }
}

/** @param value its bytes. */
type Failed = (error: SqlError, value: Uint8Array) => void;

interface Field {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Values of one row that are read elsewhere, while no other row is read. */
class LargeFields {
  readonly #source: CopySource;
  readonly #isBinary: boolean;
  /** By column. */
  readonly #types: readonly (SqlType | undefined)[];
  #fields: { readonly read: () => Promise<void>; readonly failed: (error: SqlError) => void }[] = [];

  constructor(source: CopySource, isBinary: boolean) {
    this.#source = source;
    this.#types = source.columns.map(({ type }) => findTypeByOid(type.oid));
    this.#isBinary = isBinary;
  }

  get areThere(): boolean {
    return this.#fields.length > 0;
  }

  /** True when a value of so many bytes is one of them. */
  wants(at: number, size: number): boolean {
    return takesLongToRead(this.#types[at], size);
  }

  /** True when the value is one of them. @param failed called when it cannot be read; throws what ends the statement. */
  takes(column: CopyColumn, at: number, bytes: Buffer, failed: Failed): boolean {
    const type = this.#source.columns[at]?.type;
    if (type === undefined || !this.wants(at, bytes.length)) return false;
    const put = column.addLater?.();
    if (put === undefined) return false;
    // The bytes are written over by the next value.
    const copy = Uint8Array.from(bytes);
    const read = async (): Promise<void> => put(await this.#source.readLarge(copy, type, this.#isBinary));
    this.#fields.push({ read, failed: (error) => failed(error, copy) });
    return true;
  }

  /** The row that has them is left out. */
  drop(): void {
    this.#fields = [];
  }

  async readAll(): Promise<void> {
    for (const { read, failed } of this.#fields.splice(0)) {
      try {
        await read();
      } catch (error) {
        if (!(error instanceof SqlError)) throw error;
        failed(error);
        return;
      }
    }
  }
}

const isSound = (bytes: Buffer): boolean => isUtf8(bytes) && !bytes.includes(0);

/** Text and CSV. */
class LineRows implements RowReader {
  rows = 0;
  #source: CopySource;
  #lines: CopyLines;
  #columns: readonly CopyColumn[];
  readonly #large: LargeFields;
  /** Null where a value that cannot be read ends the statement. */
  #skipped: SkippedRows | null = null;
  #lineNumber = 0;
  #isHeader: boolean;
  #ended = false;
  /** Column of the value that is being read. */
  #field = 0;
  /** The block that was looked at last, and up to where it is UTF-8 without zeros. */
  #block: Buffer | null = null;
  #soundEnd = 0;

  constructor(source: CopySource) {
    const { columns, format, settings } = source;
    this.#source = source;
    this.#large = new LargeFields(source, false);
    this.#isHeader = format.header !== 'none';
    if (format.skipped === null) this.#columns = columns.map(({ type }) => copyColumn(type, settings));
    else {
      const revocable = columns.map(({ type }) => revocableColumn(type, settings));
      this.#skipped = new SkippedRows(format.skipped, revocable, source.notice);
      this.#columns = revocable;
    }
    this.#lines = new CopyLines(
      format,
      columns.map(({ name }) => ({
        forceNull: includes(format.forceNull, name),
        forceNotNull: includes(format.forceNotNull, name),
      })),
    );
  }

  read(bytes: Buffer, start: number, atEnd: boolean): number {
    if (bytes !== this.#block) this.#look(bytes, start, atEnd);
    let at = start;
    while (this.rows < BATCH_ROWS_MAX && at < bytes.length && !this.#large.areThere) {
      if (this.#ended) return bytes.length;
      const record = this.#find(bytes, at, atEnd);
      if (record === null) return at;
      const isLast = record.next === bytes.length;
      const isEndMark = this.#lines.isEndMark(bytes, at, record.end, isLast);
      if (isEndMark && isLast && !atEnd) return at;
      // Errors name the record's last line, as PostgreSQL's do.
      this.#lineNumber += 1 + this.#lines.innerLines;
      if (isEndMark) this.#ended = true;
      else if (this.#isHeader) this.#readHeader(bytes, at, record.end);
      else this.#readRow(bytes, at, record.end);
      at = record.next;
    }
    return at;
  }

  readLarge(): Promise<void> | null {
    return this.#large.areThere ? this.#large.readAll() : null;
  }

  take(): Batch {
    const length = this.rows;
    this.rows = 0;
    return { length, columns: this.#columns.map((column) => column.take(length)) };
  }

  end(): void {
    this.#skipped?.report();
  }

  /** Rows in a block that is sound need not be looked at one by one. */
  #look(bytes: Buffer, start: number, atEnd: boolean): void {
    this.#block = bytes;
    const end = atEnd ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1;
    const rows = bytes.subarray(start, end);
    this.#soundEnd = isSound(rows) ? end : 0;
  }

  #find(bytes: Buffer, at: number, atEnd: boolean): { end: number; next: number } | null {
    try {
      return this.#lines.find(bytes, at, atEnd);
    } catch (error) {
      this.#lineNumber++;
      throw this.#inLine(error, bytes.subarray(at));
    }
  }

  #readHeader(bytes: Buffer, start: number, end: number): void {
    this.#isHeader = false;
    const { format, columns } = this.#source;
    if (format.header !== 'match') return;
    const names: string[] = [];
    this.#lines.split(bytes, start, end, (from, a, b) => names.push(from.toString('utf8', a, b)));
    const bad = (message: string): unknown =>
      this.#inLine(new SqlError('bad_copy_file_format', message), bytes.subarray(start, end));
    if (names.length !== columns.length) {
      throw bad(`wrong number of fields in header line: got ${names.length}, expected ${columns.length}`);
    }
    for (const [i, { name }] of columns.entries()) {
      if (names[i] === name) continue;
      throw bad(`column name mismatch in header line field ${i + 1}: got "${names[i]}", expected "${name}"`);
    }
  }

  #readRow(bytes: Buffer, start: number, end: number): void {
    if (end > this.#soundEnd) {
      const line = bytes.subarray(start, end);
      if (!isSound(line)) throw this.#inLine(invalidUtf8(line), null);
    }
    this.#field = 0;
    const count = this.#split(bytes, start, end);
    const isEnough = count > this.#columns.length ? false : this.#skipped?.isSkipping;
    if (count !== this.#columns.length && !isEnough) {
      const name = this.#source.columns[count]?.name;
      const message =
        name === undefined ? 'extra data after last expected column' : `missing data for column "${name}"`;
      throw this.#inLine(new SqlError('bad_copy_file_format', message), bytes.subarray(start, end));
    }
    if (!this.#skipped?.endRow(this.rows)) this.rows++;
    else this.#large.drop();
  }

  #split(bytes: Buffer, start: number, end: number): number {
    try {
      return this.#lines.split(bytes, start, end, this.#take);
    } catch (error) {
      throw this.#inLine(error, null);
    }
  }

  #take = (bytes: Buffer, start: number, end: number, isNull: boolean): void => {
    const at = this.#field++;
    const column = this.#columns[at];
    if (column === undefined || this.#skipped?.isSkipping) return;
    try {
      if (isNull) column.addNull();
      else if (!this.#isLater(column, at, { bytes, start, end })) column.addText(bytes, start, end);
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      this.#refuse(error, at, { shown: shown(bytes.subarray(start, end)), isNull });
    }
  };

  #isLater(column: CopyColumn, at: number, { bytes, start, end }: Field): boolean {
    // Without a view, for all that are short.
    if (!this.#large.wants(at, end - start)) return false;
    return this.#large.takes(column, at, bytes.subarray(start, end), (error, copy) => {
      this.#refuse(error, at, { shown: shown(Buffer.from(copy.buffer)), isNull: false });
      // The row has been counted.
      if (this.#skipped?.endRow(this.rows - 1)) this.rows--;
    });
  }

  /** @throws SqlError where the row is not left out. */
  #refuse(error: SqlError, at: number, value: { readonly shown: string; readonly isNull: boolean }): void {
    const column = this.#source.columns[at]?.name ?? '';
    const line = this.#lineNumber;
    const where = `${this.#place()}, column ${column}: "${value.shown}"`;
    if (!this.#skipped) throw error.with({ where });
    this.#skipped.skip(error, { line, column, text: value.isNull ? null : value.shown, where });
  }

  #inLine(error: unknown, line: Buffer | null): unknown {
    if (!(error instanceof SqlError) || error.fields.where !== undefined) return error;
    return error.with({ where: line === null ? this.#place() : `${this.#place()}: "${shown(line)}"` });
  }

  #place(): string {
    return `COPY ${this.#source.relation}, line ${this.#lineNumber}`;
  }
}

function shown(bytes: Buffer): string {
  if (bytes.length <= SHOWN_BYTES_MAX) return bytes.toString('utf8');
  let end = SHOWN_BYTES_MAX;
  while (((bytes[end] as number) & 0xc0) === 0x80) end--;
  return `${bytes.toString('utf8', 0, end)}...`;
}

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const HEADER_BYTES = SIGNATURE.length + 8;

/** The binary format: a header, then rows of counted fields, then -1. */
class BinaryRows implements RowReader {
  rows = 0;
  #source: CopySource;
  #columns: readonly CopyColumn[];
  readonly #large: LargeFields;
  #isHeader = true;
  #ended = false;
  #rowNumber = 0;

  constructor(source: CopySource) {
    this.#source = source;
    this.#columns = source.columns.map(({ type }) => copyColumn(type, source.settings));
    this.#large = new LargeFields(source, true);
  }

  readLarge(): Promise<void> | null {
    return this.#large.areThere ? this.#large.readAll() : null;
  }

  read(bytes: Buffer, start: number, atEnd: boolean): number {
    let at = start;
    while (this.rows < BATCH_ROWS_MAX && !this.#large.areThere) {
      const next = this.#isHeader ? readHeader(bytes, at) : this.#readRow(bytes, at);
      if (next === null) {
        // As in PostgreSQL the closing -1 may be missing (pgx leaves it out), but no part of a row.
        const isCut = this.#isHeader || bytes.length - at >= 2;
        if (atEnd && !this.#ended && isCut) throw this.#cut();
        return at;
      }
      this.#isHeader = false;
      at = next;
    }
    return at;
  }

  take(): Batch {
    const length = this.rows;
    this.rows = 0;
    return { length, columns: this.#columns.map((column) => column.take(length)) };
  }

  /** Nothing is left out in the binary format. */
  end(): void {}

  /** @returns where the next row begins; null when bytes are wanting, or at the end. */
  #readRow(bytes: Buffer, start: number): number | null {
    if (this.#ended) {
      if (bytes.length === start) return null;
      throw bad('received copy data after EOF marker');
    }
    const end = rowEnd(bytes, start);
    if (end === null) return null;
    const count = bytes.readInt16BE(start);
    if (count === -1) {
      this.#ended = true;
      return start + 2;
    }
    this.#rowNumber++;
    if (count !== this.#columns.length) {
      const message = `row field count is ${count}, expected ${this.#columns.length}`;
      throw bad(message).with({ where: this.#place() });
    }
    let at = start + 2;
    for (const [i, column] of this.#columns.entries()) {
      const length = bytes.readInt32BE(at);
      at += 4;
      this.#readField(column, i, length < 0 ? null : bytes.subarray(at, at + length));
      at += Math.max(length, 0);
    }
    this.rows++;
    return end;
  }

  #readField(column: CopyColumn, i: number, bytes: Buffer | null): void {
    const failed = (error: SqlError): never => {
      throw error.with({ where: `${this.#place()}, column ${this.#source.columns[i]?.name}` });
    };
    try {
      if (bytes === null) column.addNull();
      else if (!this.#large.takes(column, i, bytes, failed)) column.addBinary(bytes);
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      failed(error);
    }
  }

  #cut(): SqlError {
    if (this.#isHeader) return bad('COPY file signature not recognized');
    return bad('unexpected EOF in COPY data').with({ where: this.#place() });
  }

  #place(): string {
    return `COPY ${this.#source.relation}, line ${this.#rowNumber}`;
  }
}

const bad = (message: string): SqlError => new SqlError('bad_copy_file_format', message);

function readHeader(bytes: Buffer, start: number): number | null {
  if (bytes.length - start < HEADER_BYTES) return null;
  const body = start + SIGNATURE.length;
  if (!bytes.subarray(start, body).equals(SIGNATURE)) throw bad('COPY file signature not recognized');
  const flags = bytes.readUInt32BE(body);
  if ((flags & 0xffff0000) !== 0) throw bad('unrecognized critical flags in COPY file header');
  const extension = bytes.readInt32BE(body + 4);
  if (extension < 0) throw bad('invalid COPY file header (missing length)');
  const end = body + 8 + extension;
  return end > bytes.length ? null : end;
}

/** The row's end when all of it is there. */
function rowEnd(bytes: Buffer, start: number): number | null {
  if (bytes.length - start < 2) return null;
  let at = start + 2;
  for (let i = bytes.readInt16BE(start); i > 0; i--) {
    if (bytes.length - at < 4) return null;
    const length = bytes.readInt32BE(at);
    if (length < -1) throw bad('invalid field size');
    at += 4 + Math.max(length, 0);
  }
  return at > bytes.length ? null : at;
}
