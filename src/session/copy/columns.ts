/**
 * Columns under construction while COPY reads rows: text is copied as bytes, numbers and dates in their plain
 * spelling are read from their digits, everything else goes through its type's input function.
 */
import { invalidUtf8 } from '../../types/text/utf8.ts';
import { isUtf8 } from 'node:buffer';
import { BATCH_ROWS_MAX } from '../../limits.ts';
import { daysFromCivil, daysInMonth } from '../../types/time/calendar.ts';
import type { Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import { MODIFIER_OFFSET } from '../../types/text/text.ts';
import type { FormatSettings, TypeRef } from '../../types/type.ts';
import {
  Float64Vector,
  Int32Vector,
  Int64Vector,
  TextVector,
  type Vector,
  vectorOf,
} from '../../types/column/vector.ts';

const BLANK = 0x20;

/** One column of the batch that is being read; `take` begins the next. */
export interface CopyColumn {
  /** The text of a value: UTF-8 at [start, end). @throws SqlError of the type's input function. */
  addText(bytes: Buffer, start: number, end: number): void;
  /** The binary form of a value. @throws SqlError 22P03 and its kin. */
  addBinary(bytes: Buffer): void;
  addNull(): void;
  /** NULL until the function that it gives is called, which is before `take`; absent where no value takes long. */
  addLater?(): (value: Datum) => void;
  /** The first `rows` values as a vector. */
  take(rows: number): Vector;
}

/** A column whose last values can be taken back, for rows that are left out. */
export interface RevocableColumn extends CopyColumn {
  /** Keeps the first `rows` values. */
  cut(rows: number): void;
}

export function revocableColumn(type: TypeRef, settings: FormatSettings): RevocableColumn {
  return new GeneralColumn(type, settings);
}

export function copyColumn(type: TypeRef, settings: FormatSettings): CopyColumn {
  const isPlainText = type.oid === OID.text || (type.oid === OID.varchar && type.modifier < 0);
  if (isPlainText) return new TextColumn();
  const general = new GeneralColumn(type, settings);
  const isLimited = type.oid === OID.varchar || type.oid === OID.bpchar;
  if (isLimited && type.modifier >= 0) return new LimitedColumn(general, type);
  if (type.oid === OID.int2) return new IntegerColumn(general, digits, { longest: 6, most: 0x7fff });
  if (type.oid === OID.int4) return new IntegerColumn(general, digits, { longest: 10, most: 0x7fffffff });
  if (type.oid === OID.date) return new IntegerColumn(general, civilDays, { longest: 10, most: 0x7fffffff });
  if (type.oid === OID.int8) return new BigintColumn(general, digits, 15);
  if (type.oid === OID.float8) return new FloatColumn(general);
  if (type.oid === OID.timestamptz && type.modifier < 0) return new BigintColumn(general, zonedMicros, 32);
  return general;
}

class GeneralColumn implements RevocableColumn {
  #type: TypeRef;
  #settings: FormatSettings;
  #values: Datum[] = [];

  constructor(type: TypeRef, settings: FormatSettings) {
    this.#type = type;
    this.#settings = settings;
  }

  parse(bytes: Buffer, start: number, end: number): Datum {
    const { oid, modifier } = this.#type;
    return typeByOid(oid).parse(bytes.toString('utf8', start, end), modifier, this.#settings);
  }

  receive(bytes: Buffer): Datum {
    return typeByOid(this.#type.oid).receive(bytes, this.#type.modifier, this.#settings);
  }

  addText(bytes: Buffer, start: number, end: number): void {
    this.#values.push(this.parse(bytes, start, end));
  }

  addBinary(bytes: Buffer): void {
    this.#values.push(this.receive(bytes));
  }

  addNull(): void {
    this.#values.push(null);
  }

  addLater(): (value: Datum) => void {
    const values = this.#values;
    const place = values.push(null) - 1;
    return (value) => {
      values[place] = value;
    };
  }

  cut(rows: number): void {
    this.#values.length = Math.min(this.#values.length, rows);
  }

  take(rows: number): Vector {
    const values = this.#values.slice(0, rows);
    this.#values = [];
    return vectorOf(typeByOid(this.#type.oid).vector, values);
  }
}

/** NULLs of the batch; made when the first one comes. */
class NullMarks {
  #marks: Uint8Array | null = null;

  add(row: number): void {
    this.#marks ??= new Uint8Array(BATCH_ROWS_MAX);
    this.#marks[row] = 1;
  }

  take(rows: number): Uint8Array | null {
    const marks = this.#marks?.subarray(0, rows) ?? null;
    this.#marks = null;
    return marks;
  }
}

class TextColumn implements CopyColumn {
  #bytes = new Uint8Array(16 * 1024);
  #size = 0;
  #offsets = new Uint32Array(BATCH_ROWS_MAX + 1);
  #rows = 0;
  #nulls = new NullMarks();

  addText(bytes: Buffer, start: number, end: number): void {
    const size = end - start;
    if (this.#size + size > this.#bytes.length) this.#grow(size);
    if (size > 24) this.#bytes.set(bytes.subarray(start, end), this.#size);
    else for (let i = 0; i < size; i++) this.#bytes[this.#size + i] = bytes[start + i] as number;
    this.#size += size;
    this.#offsets[++this.#rows] = this.#size;
  }

  addBinary(bytes: Buffer): void {
    if (!isUtf8(bytes) || bytes.includes(0)) throw invalidUtf8(bytes);
    this.addText(bytes, 0, bytes.length);
  }

  addNull(): void {
    this.#nulls.add(this.#rows);
    this.#offsets[++this.#rows] = this.#size;
  }

  /** Blanks behind the last value. */
  addBlanks(count: number): void {
    if (this.#size + count > this.#bytes.length) this.#grow(count);
    this.#bytes.fill(BLANK, this.#size, this.#size + count);
    this.#size += count;
    this.#offsets[this.#rows] = this.#size;
  }

  take(rows: number): Vector {
    const offsets = this.#offsets.slice(0, rows + 1);
    const bytes = this.#bytes.slice(0, this.#size);
    this.#size = 0;
    this.#rows = 0;
    return TextVector.fromBytes(bytes, offsets, this.#nulls.take(rows));
  }

  #grow(more: number): void {
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#size + more));
    grown.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = grown;
  }
}

/** `varchar(n)` and `char(n)`: what is short enough is copied, with blanks behind it. */
class LimitedColumn implements CopyColumn {
  #general: GeneralColumn;
  #text = new TextColumn();
  /** Characters at most. */
  #most: number;
  #pads: boolean;

  constructor(general: GeneralColumn, { oid, modifier }: TypeRef) {
    this.#general = general;
    this.#most = modifier - MODIFIER_OFFSET;
    this.#pads = oid === OID.bpchar;
  }

  addText(bytes: Buffer, start: number, end: number): void {
    const length = charactersOf(bytes, start, end);
    if (length > this.#most) this.#addDatum(this.#general.parse(bytes, start, end));
    else {
      this.#text.addText(bytes, start, end);
      if (this.#pads) this.#text.addBlanks(this.#most - length);
    }
  }

  addBinary(bytes: Buffer): void {
    this.#addDatum(this.#general.receive(bytes));
  }

  addNull(): void {
    this.#text.addNull();
  }

  take(rows: number): Vector {
    return this.#text.take(rows);
  }

  #addDatum(datum: Datum): void {
    const bytes = Buffer.from(datum as string);
    this.#text.addText(bytes, 0, bytes.length);
  }
}

/** Characters of UTF-8: bytes that begin one. */
function charactersOf(bytes: Buffer, start: number, end: number): number {
  let count = 0;
  for (let i = start; i < end; i++) if (((bytes[i] as number) & 0xc0) !== 0x80) count++;
  return count;
}

/** Reads a plain spelling to a safe integer; NaN for any other, which the type's input function reads. */
type ReadInteger = (bytes: Buffer, start: number, end: number) => number;

/** smallint and integer, and dates as days. */
class IntegerColumn implements CopyColumn {
  #general: GeneralColumn;
  #read: ReadInteger;
  /** Bytes that `read` can take. */
  #longest: number;
  #most: number;
  #values = new Int32Array(BATCH_ROWS_MAX);
  #rows = 0;
  #nulls = new NullMarks();

  constructor(general: GeneralColumn, read: ReadInteger, bounds: { longest: number; most: number }) {
    this.#general = general;
    this.#read = read;
    this.#longest = bounds.longest;
    this.#most = bounds.most;
  }

  addText(bytes: Buffer, start: number, end: number): void {
    const value = end - start > this.#longest ? Number.NaN : this.#read(bytes, start, end);
    const fits = value <= this.#most && value >= -this.#most;
    this.#values[this.#rows] = fits ? value : (this.#general.parse(bytes, start, end) as number);
    this.#rows++;
  }

  addBinary(bytes: Buffer): void {
    this.#values[this.#rows++] = this.#general.receive(bytes) as number;
  }

  addNull(): void {
    this.#nulls.add(this.#rows);
    this.#values[this.#rows++] = 0;
  }

  take(rows: number): Vector {
    const vector = new Int32Vector(this.#values.slice(0, rows), this.#nulls.take(rows));
    this.#rows = 0;
    return vector;
  }
}

/** bigint, and timestamps as microseconds. */
class BigintColumn implements CopyColumn {
  #general: GeneralColumn;
  #read: ReadInteger;
  #longest: number;
  #values = new BigInt64Array(BATCH_ROWS_MAX);
  #rows = 0;
  #nulls = new NullMarks();

  /** @param longest bytes that `read` can take. */
  constructor(general: GeneralColumn, read: ReadInteger, longest: number) {
    this.#general = general;
    this.#read = read;
    this.#longest = longest;
  }

  addText(bytes: Buffer, start: number, end: number): void {
    const value = end - start > this.#longest ? Number.NaN : this.#read(bytes, start, end);
    const read = Number.isNaN(value) ? (this.#general.parse(bytes, start, end) as bigint) : BigInt(value);
    this.#values[this.#rows++] = read;
  }

  addBinary(bytes: Buffer): void {
    this.#values[this.#rows++] = this.#general.receive(bytes) as bigint;
  }

  addNull(): void {
    this.#nulls.add(this.#rows);
    this.#values[this.#rows++] = 0n;
  }

  take(rows: number): Vector {
    const vector = new Int64Vector(this.#values.slice(0, rows), this.#nulls.take(rows));
    this.#rows = 0;
    return vector;
  }
}

class FloatColumn implements CopyColumn {
  #general: GeneralColumn;
  #values = new Float64Array(BATCH_ROWS_MAX);
  #rows = 0;
  #nulls = new NullMarks();

  constructor(general: GeneralColumn) {
    this.#general = general;
  }

  addText(bytes: Buffer, start: number, end: number): void {
    const value = decimal(bytes, start, end);
    this.#values[this.#rows] = Number.isNaN(value)
      ? (this.#general.parse(bytes, start, end) as number)
      : value;
    this.#rows++;
  }

  addBinary(bytes: Buffer): void {
    this.#values[this.#rows++] = this.#general.receive(bytes) as number;
  }

  addNull(): void {
    this.#nulls.add(this.#rows);
    this.#values[this.#rows++] = 0;
  }

  take(rows: number): Vector {
    const vector = new Float64Vector(this.#values.slice(0, rows), this.#nulls.take(rows));
    this.#rows = 0;
    return vector;
  }
}

const DECIMAL_DIGITS_MAX = 15;
const POWERS_OF_TEN = Float64Array.from({ length: DECIMAL_DIGITS_MAX + 1 }, (_, i) => 10 ** i);

/**
 * At most 15 digits with at most one point and a minus sign before, exact: digits and power of ten are whole
 * numbers below 2^53, so their quotient is rounded once (Clinger, "How to Read Floating Point Numbers
 * Accurately", 1990). NaN for any other spelling.
 */
function decimal(bytes: Buffer, start: number, end: number): number {
  const isNegative = bytes[start] === 0x2d;
  let value = 0;
  let digitCount = 0;
  let point = -1;
  for (let at = isNegative ? start + 1 : start; at < end; at++) {
    const digit = (bytes[at] as number) - 0x30;
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      digitCount++;
    } else if (digit === -2 && point < 0) point = at;
    else return Number.NaN;
  }
  if (digitCount === 0 || digitCount > DECIMAL_DIGITS_MAX) return Number.NaN;
  const quotient = point < 0 ? value : value / (POWERS_OF_TEN[end - point - 1] as number);
  return isNegative ? -quotient : quotient;
}

/** `YYYY-MM-DD` to days since 2000-01-01. */
function civilDays(bytes: Buffer, start: number, end: number): number {
  if (end - start !== 10 || bytes[start + 4] !== 0x2d || bytes[start + 7] !== 0x2d) return Number.NaN;
  const year = pair(bytes, start) * 100 + pair(bytes, start + 2);
  const [month, day] = [pair(bytes, start + 5), pair(bytes, start + 8)];
  const isDate = year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  return isDate ? daysFromCivil(year, month, day) : Number.NaN;
}

/** `YYYY-MM-DD HH:MM:SS[.ffffff]±HH` to microseconds since 2000-01-01 UTC, for years near enough to be exact. */
function zonedMicros(bytes: Buffer, start: number, end: number): number {
  const length = end - start;
  if (length < 22) return Number.NaN;
  const sign = bytes[end - 3];
  if (sign !== 0x2b && sign !== 0x2d) return Number.NaN;
  const zone = pair(bytes, end - 2);
  const year = pair(bytes, start) * 100 + pair(bytes, start + 2);
  const [month, day] = [pair(bytes, start + 5), pair(bytes, start + 8)];
  const [hour, minute, second] = [pair(bytes, start + 11), pair(bytes, start + 14), pair(bytes, start + 17)];
  const isDate = year >= 1800 && year <= 2200 && month >= 1 && month <= 12 && day >= 1;
  const isTime = hour < 24 && minute < 60 && second < 60 && zone <= 14;
  if (!isDate || day > daysInMonth(year, month) || !isTime || !hasMarks(bytes, start)) return Number.NaN;
  const fraction = fractionMicros(bytes, start + 19, end - 3);
  const days = daysFromCivil(year, month, day);
  const offset = (sign === 0x2d ? -zone : zone) * 3600;
  return (days * 86_400 + hour * 3600 + minute * 60 + second - offset) * 1_000_000 + fraction;
}

/** Two digits; NaN where there are none, which no comparison lets pass. */
function pair(bytes: Buffer, at: number): number {
  const tens = (bytes[at] as number) - 0x30;
  const ones = (bytes[at + 1] as number) - 0x30;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

function hasMarks(bytes: Buffer, start: number): boolean {
  return (
    bytes[start + 4] === 0x2d &&
    bytes[start + 7] === 0x2d &&
    bytes[start + 10] === 0x20 &&
    bytes[start + 13] === 0x3a &&
    bytes[start + 16] === 0x3a
  );
}

/** `.f` to `.ffffff`, or nothing; NaN for anything else. */
function fractionMicros(bytes: Buffer, start: number, end: number): number {
  if (start === end) return 0;
  const count = end - start - 1;
  if (bytes[start] !== 0x2e || count < 1 || count > 6 || bytes[start + 1] === 0x2d) return Number.NaN;
  return digits(bytes, start + 1, end) * 10 ** (6 - count);
}

/** A plain decimal integer; NaN for any other spelling, which the type's own input function reads. */
function digits(bytes: Buffer, start: number, end: number): number {
  const isNegative = bytes[start] === 0x2d;
  let at = isNegative ? start + 1 : start;
  if (at >= end) return Number.NaN;
  let value = 0;
  for (; at < end; at++) {
    const digit = (bytes[at] as number) - 0x30;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return isNegative && value !== 0 ? -value : value;
}
