/**
 * Cuts COPY's text and CSV streams into records and fields. A record is found first, over whole blocks of
 * bytes; its fields are then handed on without a string being made. Line ends are all of the kind that the
 * first one is.
 * Source: PostgreSQL 18, src/backend/commands/copyfromparse.c.
 */
import { isUtf8 } from 'node:buffer';
import { SqlError } from '../../errors.ts';
import { invalidUtf8 } from '../../types/text/utf8.ts';
import type { CopyFormat } from './options.ts';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const BACKSLASH = 0x5c;
const DOT = 0x2e;
const NONE = -1;

type LineEnd = 'newline' | 'return' | 'return newline';

/** Takes one field; `quoted` when any part of it stood in quotes. */
export type TakeField = (bytes: Buffer, start: number, end: number, isNull: boolean) => void;

/** One column's FORCE_NULL and FORCE_NOT_NULL. */
export interface FieldRule {
  readonly forceNull: boolean;
  readonly forceNotNull: boolean;
}

export class CopyLines {
  #format: CopyFormat;
  #rules: readonly FieldRule[];
  #nullBytes: Buffer;
  #lineEnd: LineEnd | null = null;
  #scratch = Buffer.allocUnsafe(1024);
  /** Newlines within the record that `find` found last: they count as lines. */
  innerLines = 0;

  constructor(format: CopyFormat, rules: readonly FieldRule[]) {
    this.#format = format;
    this.#rules = rules;
    this.#nullBytes = Buffer.from(format.nullText);
  }

  /**
   * The end of the record that begins at `start`, without its line end.
   * @param atEnd no more bytes will come. @returns null when more bytes are needed.
   * @throws SqlError 22P04 for a line end of another kind, or a quote that is not closed.
   */
  find(bytes: Buffer, start: number, atEnd: boolean): { end: number; next: number } | null {
    this.innerLines = 0;
    const end = this.#format.format === 'csv' ? this.#csvEnd(bytes, start, atEnd) : textEnd(bytes, start);
    if (end === NONE) return atEnd ? { end: bytes.length, next: bytes.length } : null;
    const isReturn = bytes[end] === RETURN;
    if (isReturn && end + 1 === bytes.length && !atEnd) return null;
    const kind = isReturn ? (bytes[end + 1] === NEWLINE ? 'return newline' : 'return') : 'newline';
    this.#lineEnd ??= kind;
    if (kind !== this.#lineEnd) throw this.#otherLineEnd(isReturn);
    return { end, next: end + (kind === 'return newline' ? 2 : 1) };
  }

  /**
   * `\.` alone on its line ends the data of the text format. In CSV it is data, but as the very last line
   * it is what psql before 18 sends at the end.
   */
  isEndMark(bytes: Buffer, start: number, end: number, isLast: boolean): boolean {
    const marked = end - start === 2 && bytes[start] === BACKSLASH && bytes[start + 1] === DOT;
    return marked && (isLast || this.#format.format === 'text');
  }

  /** @returns the number of fields. */
  split(bytes: Buffer, start: number, end: number, take: TakeField): number {
    return this.#format.format === 'csv'
      ? this.#splitCsv(bytes, start, end, take)
      : this.#splitText(bytes, start, end, take);
  }

  #splitText(bytes: Buffer, start: number, end: number, take: TakeField): number {
    const { delimiter } = this.#format;
    let count = 0;
    let from = start;
    let isEscaped = false;
    for (let i = start; i <= end; i++) {
      if (i === end || bytes[i] === delimiter) {
        if (!isEscaped) take(bytes, from, i, this.#isNull(bytes, from, i));
        else if (this.#isNull(bytes, from, i)) take(bytes, from, i, true);
        else take(this.#scratch, 0, this.#unescape(bytes, from, i), false);
        count++;
        from = i + 1;
        isEscaped = false;
      } else if (bytes[i] === BACKSLASH) {
        isEscaped = true;
        if (i + 1 < end) i++;
      }
    }
    return count;
  }

  #isNull(bytes: Buffer, start: number, end: number): boolean {
    const mark = this.#nullBytes;
    if (end - start !== mark.length) return false;
    for (let i = 0; i < mark.length; i++) if (bytes[start + i] !== mark[i]) return false;
    return true;
  }

  /** Into the scratch. @returns its size. */
  #unescape(bytes: Buffer, start: number, end: number): number {
    const to = this.#scratchOf(end - start);
    let size = 0;
    for (let i = start; i < end; i++) {
      const byte = bytes[i] as number;
      if (byte !== BACKSLASH || i + 1 === end) {
        to[size++] = byte;
        continue;
      }
      if (bytes[i + 1] === DOT) {
        throw new SqlError('bad_copy_file_format', 'end-of-copy marker is not alone on its line');
      }
      const [value, length] = escaped(bytes, i + 1, end);
      to[size++] = value;
      i += length;
    }
    const made = to.subarray(0, size);
    if (!isUtf8(made) || made.includes(0)) throw invalidUtf8(made);
    return size;
  }

  #splitCsv(bytes: Buffer, start: number, end: number, take: TakeField): number {
    const { delimiter, quote } = this.#format;
    let count = 0;
    let at = start;
    for (;;) {
      let i = at;
      while (i < end && bytes[i] !== delimiter && bytes[i] !== quote) i++;
      const rule = this.#rules[count];
      if (i === end || bytes[i] === delimiter) {
        take(bytes, at, i, rule?.forceNotNull !== true && this.#isNull(bytes, at, i));
      } else {
        const read = this.#unquote(bytes, at, end);
        i = read.next;
        const isNull = rule?.forceNull === true && this.#isNull(this.#scratch, 0, read.size);
        take(this.#scratch, 0, read.size, isNull);
      }
      count++;
      if (i >= end) return count;
      at = i + 1;
    }
  }

  /** A field with quotes, into the scratch; ends at a delimiter outside them. */
  #unquote(bytes: Buffer, start: number, end: number): { size: number; next: number } {
    const { delimiter, quote, escapeByte } = this.#format;
    const to = this.#scratchOf(end - start);
    let size = 0;
    let isQuoted = false;
    let i = start;
    for (; i < end; i++) {
      const byte = bytes[i] as number;
      const next = bytes[i + 1];
      if (isQuoted && byte === escapeByte && i + 1 < end && (next === quote || next === escapeByte)) {
        to[size++] = next;
        i++;
      } else if (byte === quote) isQuoted = !isQuoted;
      else if (byte === delimiter && !isQuoted) break;
      else to[size++] = byte;
    }
    return { size, next: i };
  }

  #csvEnd(bytes: Buffer, start: number, atEnd: boolean): number {
    const { quote, escapeByte } = this.#format;
    let isQuoted = false;
    for (let i = start; i < bytes.length; i++) {
      const byte = bytes[i] as number;
      if (isQuoted) {
        if (byte === escapeByte && escapeByte !== quote) i++;
        else if (byte === quote) isQuoted = false;
        else if (byte === NEWLINE) this.innerLines++;
      } else if (byte === quote) isQuoted = true;
      else if (byte === NEWLINE || byte === RETURN) return i;
    }
    if (isQuoted && atEnd) throw new SqlError('bad_copy_file_format', 'unterminated CSV quoted field');
    return NONE;
  }

  #otherLineEnd(isReturn: boolean): SqlError {
    const isCsv = this.#format.format === 'csv';
    const name = isReturn ? 'carriage return' : 'newline';
    const hint = isCsv
      ? `Use quoted CSV field to represent ${name}.`
      : `Use "${isReturn ? '\\r' : '\\n'}" to represent ${name}.`;
    return new SqlError('bad_copy_file_format', `${isCsv ? 'unquoted' : 'literal'} ${name} found in data`, {
      hint,
    });
  }

  #scratchOf(size: number): Buffer {
    if (this.#scratch.length < size) this.#scratch = Buffer.allocUnsafe(size * 2);
    return this.#scratch;
  }
}

/** A backslash before a line end makes it data. */
function textEnd(bytes: Buffer, start: number): number {
  for (let i = start; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === BACKSLASH) i++;
    else if (byte === NEWLINE || byte === RETURN) return i;
  }
  return NONE;
}

const LETTERS: Readonly<Record<string, number>> = { b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };
const isOctal = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x37;

/** Byte behind a backslash, and how many bytes it takes. */
function escaped(bytes: Buffer, at: number, end: number): [number, number] {
  const byte = bytes[at] as number;
  const letter = LETTERS[String.fromCharCode(byte)];
  if (letter !== undefined) return [letter, 1];
  if (isOctal(byte)) {
    let length = 1;
    while (length < 3 && at + length < end && isOctal(bytes[at + length])) length++;
    return [Number.parseInt(bytes.toString('latin1', at, at + length), 8) & 0xff, length];
  }
  const hexadecimal =
    byte === 0x78 ? /^[0-9a-f]{1,2}/i.exec(bytes.toString('latin1', at + 1, Math.min(at + 3, end))) : null;
  if (hexadecimal !== null) return [Number.parseInt(hexadecimal[0], 16), 1 + hexadecimal[0].length];
  return [byte, 1];
}
