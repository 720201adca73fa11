/**
 * Column vectors: the values of one column for a run of rows, in the layout that fits its type.
 *
 * | kind   | values                       | SQL types                                       |
 * |--------|------------------------------|-------------------------------------------------|
 * | bool   | Uint8Array of 0 and 1        | boolean                                         |
 * | int32  | Int32Array                   | smallint, integer, date                         |
 * | int64  | BigInt64Array                | bigint, timestamp, timestamptz, time            |
 * | float64| Float64Array                 | real, double precision, oid, row numbers        |
 * | text   | UTF-8 with offsets, or strings (converted on demand) | text and its kin, json, jsonb |
 * | object | Datum[], or doubles of a scale | numeric, and everything else: `object-vector.ts` |
 *
 * `nulls` has one byte a row, 1 for NULL, and is null when no row is; the value under a NULL is undefined.
 * Vectors are immutable once they leave their builder; slices share memory with their source. The typed ones
 * are a class each, alike as they are: so each has its own hidden class and loops over one stay monomorphic.
 */
import type { Datum } from '../datum.ts';
import { concatDecimals, constantObjects, ObjectVector } from './object-vector.ts';
import { copyBytes, decodeUtf8 } from '../text/utf8.ts';
import { type Nulls, sliceNulls, takeNulls, takeValues } from './vector-rows.ts';

export type VectorKind = Vector['kind'];
export type Vector = BoolVector | Int32Vector | Int64Vector | Float64Vector | TextVector | ObjectVector;

/** Row-aligned columns; `length` is kept apart because a batch may have rows and no columns. */
export interface Batch {
  readonly length: number;
  readonly columns: readonly Vector[];
}

export class BoolVector {
  readonly kind = 'bool';
  readonly values: Uint8Array;
  readonly nulls: Nulls;
  constructor(values: Uint8Array, nulls: Nulls = null) {
    this.values = values;
    this.nulls = nulls;
  }
  get length(): number {
    return this.values.length;
  }
  get(row: number): boolean | null {
    return this.nulls !== null && this.nulls[row] === 1 ? null : this.values[row] === 1;
  }
  slice(start: number, end: number): BoolVector {
    return new BoolVector(this.values.subarray(start, end), sliceNulls(this.nulls, start, end));
  }
  take(rows: ArrayLike<number>): BoolVector {
    return new BoolVector(
      takeValues(this.values, new Uint8Array(rows.length), rows),
      takeNulls(this.nulls, rows),
    );
  }
}

export class Int32Vector {
  readonly kind = 'int32';
  readonly values: Int32Array;
  readonly nulls: Nulls;
  constructor(values: Int32Array, nulls: Nulls = null) {
    this.values = values;
    this.nulls = nulls;
  }
  get length(): number {
    return this.values.length;
  }
  get(row: number): number | null {
    return this.nulls !== null && this.nulls[row] === 1 ? null : (this.values[row] as number);
  }
  slice(start: number, end: number): Int32Vector {
    return new Int32Vector(this.values.subarray(start, end), sliceNulls(this.nulls, start, end));
  }
  take(rows: ArrayLike<number>): Int32Vector {
    return new Int32Vector(
      takeValues(this.values, new Int32Array(rows.length), rows),
      takeNulls(this.nulls, rows),
    );
  }
}

export class Int64Vector {
  readonly kind = 'int64';
  readonly values: BigInt64Array;
  readonly nulls: Nulls;
  constructor(values: BigInt64Array, nulls: Nulls = null) {
    this.values = values;
    this.nulls = nulls;
  }
  get length(): number {
    return this.values.length;
  }
  get(row: number): bigint | null {
    return this.nulls !== null && this.nulls[row] === 1 ? null : (this.values[row] as bigint);
  }
  slice(start: number, end: number): Int64Vector {
    return new Int64Vector(this.values.subarray(start, end), sliceNulls(this.nulls, start, end));
  }
  take(rows: ArrayLike<number>): Int64Vector {
    const values = new BigInt64Array(rows.length);
    for (let i = 0; i < rows.length; i++) values[i] = this.values[rows[i] as number] as bigint;
    return new Int64Vector(values, takeNulls(this.nulls, rows));
  }
}

export class Float64Vector {
  readonly kind = 'float64';
  readonly values: Float64Array;
  readonly nulls: Nulls;
  constructor(values: Float64Array, nulls: Nulls = null) {
    this.values = values;
    this.nulls = nulls;
  }
  get length(): number {
    return this.values.length;
  }
  get(row: number): number | null {
    return this.nulls !== null && this.nulls[row] === 1 ? null : (this.values[row] as number);
  }
  slice(start: number, end: number): Float64Vector {
    return new Float64Vector(this.values.subarray(start, end), sliceNulls(this.nulls, start, end));
  }
  take(rows: ArrayLike<number>): Float64Vector {
    return new Float64Vector(
      takeValues(this.values, new Float64Array(rows.length), rows),
      takeNulls(this.nulls, rows),
    );
  }
}

const ENCODER = new TextEncoder();

/** Distinct texts and, for each row, which one it is; rows under a NULL have any code. */
export interface TextDictionary {
  readonly codes: Uint16Array;
  readonly words: TextVector;
}

/**
 * Text as UTF-8 (row i is `bytes[offsets[i] .. offsets[i+1])`) or as strings, whichever it was made from;
 * the other form is made when first asked for, a string at a time. With a dictionary, rows that are taken
 * carry codes alone until their bytes are asked for.
 */
export class TextVector {
  readonly kind = 'text';
  readonly length: number;
  readonly nulls: Nulls;
  #bytes: Uint8Array | null;
  #offsets: Uint32Array | null;
  #strings: (string | undefined)[] | null;
  /** Null where the texts are not known to repeat. */
  readonly dictionary: TextDictionary | null;

  private constructor(
    length: number,
    nulls: Nulls,
    bytes: Uint8Array | null,
    offsets: Uint32Array | null,
    strings: (string | undefined)[] | null,
    dictionary: TextDictionary | null = null,
  ) {
    this.dictionary = dictionary;
    this.length = length;
    this.nulls = nulls;
    this.#bytes = bytes;
    this.#offsets = offsets;
    this.#strings = strings;
  }

  /** @param offsets `length + 1` ascending offsets into `bytes`; the first need not be 0. */
  static fromBytes(
    bytes: Uint8Array,
    offsets: Uint32Array,
    nulls: Nulls = null,
    dictionary: TextDictionary | null = null,
  ): TextVector {
    return new TextVector(offsets.length - 1, nulls, bytes, offsets, null, dictionary);
  }

  static fromCodes(dictionary: TextDictionary, nulls: Nulls = null): TextVector {
    return new TextVector(dictionary.codes.length, nulls, null, null, null, dictionary);
  }

  /** @param strings kept, not copied; entries under a NULL may hold anything. */
  static fromStrings(strings: string[], nulls: Nulls = null): TextVector {
    return new TextVector(strings.length, nulls, null, null, strings);
  }

  get(row: number): string | null {
    if (this.nulls !== null && this.nulls[row] === 1) return null;
    if (this.dictionary !== null) return this.dictionary.words.get(this.dictionary.codes[row] as number);
    const known = this.#strings?.[row];
    if (known !== undefined) return known;
    if (this.#bytes === null || this.#offsets === null) return '';
    const text = decodeUtf8(this.#bytes, this.#offsets[row] as number, this.#offsets[row + 1] as number);
    this.#strings ??= [];
    this.#strings[row] = text;
    return text;
  }

  /** About the bytes of all texts; of words of a dictionary those of their codes. */
  get weight(): number {
    if (this.dictionary !== null) return 2 * this.length;
    const offsets = this.#offsets;
    if (offsets !== null) return (offsets[this.length] as number) - (offsets[0] as number);
    let weight = 0;
    for (const text of this.#strings ?? []) weight += text?.length ?? 0;
    return weight;
  }

  /** All rows where nobody has wanted their bytes yet; null otherwise. Entries under a NULL may hold anything. */
  get onlyStrings(): readonly (string | undefined)[] | null {
    return this.#bytes === null && this.dictionary === null ? this.#strings : null;
  }

  /** UTF-8 and offsets of all rows, for writers and hashes; encodes once when made from strings. */
  utf8(): { bytes: Uint8Array; offsets: Uint32Array } {
    if (this.#bytes === null || this.#offsets === null) {
      if (this.dictionary !== null) this.#spell(this.dictionary);
      else this.#encode();
    }
    return { bytes: this.#bytes as Uint8Array, offsets: this.#offsets as Uint32Array };
  }

  slice(start: number, end: number): TextVector {
    const nulls = sliceNulls(this.nulls, start, end);
    const dictionary = this.dictionary && {
      codes: this.dictionary.codes.subarray(start, end),
      words: this.dictionary.words,
    };
    if (this.#bytes !== null && this.#offsets !== null) {
      const offsets = this.#offsets.subarray(start, end + 1);
      return new TextVector(end - start, nulls, this.#bytes, offsets, null, dictionary);
    }
    if (dictionary !== null) return new TextVector(end - start, nulls, null, null, null, dictionary);
    return new TextVector(end - start, nulls, null, null, (this.#strings ?? []).slice(start, end));
  }

  take(rows: ArrayLike<number>): TextVector {
    const nulls = takeNulls(this.nulls, rows);
    if (this.dictionary !== null) {
      const codes = takeValues(this.dictionary.codes, new Uint16Array(rows.length), rows);
      const { words } = this.dictionary;
      return new TextVector(rows.length, nulls, null, null, null, { codes, words });
    }
    if (this.#bytes !== null && this.#offsets !== null) {
      return this.#takeBytes(this.#bytes, this.#offsets, rows, nulls);
    }
    const strings = new Array<string | undefined>(rows.length);
    for (let i = 0; i < rows.length; i++) strings[i] = this.#strings?.[rows[i] as number];
    return new TextVector(rows.length, nulls, null, null, strings);
  }

  #takeBytes(bytes: Uint8Array, from: Uint32Array, rows: ArrayLike<number>, nulls: Nulls): TextVector {
    const offsets = new Uint32Array(rows.length + 1);
    let size = 0;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number;
      size += (from[row + 1] as number) - (from[row] as number);
      offsets[i + 1] = size;
    }
    const taken = new Uint8Array(size);
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number;
      copyBytes(bytes, from[row] as number, from[row + 1] as number, taken, offsets[i] as number);
    }
    return new TextVector(rows.length, nulls, taken, offsets, null);
  }

  /** The bytes of codes. */
  #spell({ codes, words }: TextDictionary): void {
    if (this.length === 0 || words.length === 0) {
      this.#bytes = new Uint8Array(0);
      this.#offsets = new Uint32Array(this.length + 1);
      return;
    }
    const { bytes, offsets } = words.utf8();
    const spelled = this.#takeBytes(bytes, offsets, codes, this.nulls).utf8();
    this.#bytes = spelled.bytes;
    this.#offsets = spelled.offsets;
  }

  #encode(): void {
    const strings = this.#strings ?? [];
    const offsets = new Uint32Array(this.length + 1);
    let capacity = 0;
    for (let i = 0; i < this.length; i++) capacity += (strings[i]?.length ?? 0) * 3;
    const bytes = new Uint8Array(capacity);
    let size = 0;
    for (let i = 0; i < this.length; i++) {
      if (this.nulls === null || this.nulls[i] === 0) {
        size += ENCODER.encodeInto(strings[i] ?? '', bytes.subarray(size)).written;
      }
      offsets[i + 1] = size;
    }
    this.#bytes = bytes.subarray(0, size);
    this.#offsets = offsets;
  }
}

/** A vector of `datums`, which must fit `kind`. */
export function vectorOf(kind: VectorKind, datums: readonly Datum[]): Vector {
  const length = datums.length;
  let nulls: Nulls = null;
  for (let i = 0; i < length; i++) {
    if (datums[i] !== null) continue;
    nulls ??= new Uint8Array(length);
    nulls[i] = 1;
  }
  switch (kind) {
    case 'bool':
      return new BoolVector(
        Uint8Array.from(datums, (d) => (d === true ? 1 : 0)),
        nulls,
      );
    case 'int32':
      return new Int32Vector(Int32Array.from(datums as number[]), nulls);
    case 'int64':
      return new Int64Vector(
        BigInt64Array.from(datums, (d) => (d ?? 0n) as bigint),
        nulls,
      );
    case 'float64':
      return new Float64Vector(Float64Array.from(datums as number[]), nulls);
    case 'text':
      return TextVector.fromStrings(
        nulls === null ? (datums as string[]) : datums.map((d) => (d ?? '') as string),
        nulls,
      );
    case 'object':
      return new ObjectVector(datums, nulls);
  }
}

/** The same datum in every row. */
export function constantVector(kind: VectorKind, datum: Datum, length: number): Vector {
  if (kind === 'object') return constantObjects(datum, length);
  return vectorOf(kind, new Array<Datum>(length).fill(datum));
}

/** The rows of several vectors of one kind, one after the other. */
export function concatVectors(kind: VectorKind, parts: readonly Vector[]): Vector {
  if (parts.length === 1) return parts[0] as Vector;
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (kind === 'text') return concatText(parts as readonly TextVector[], length);
  const nulls = concatNulls(parts, length);
  if (kind === 'object') return concatObjects(parts as readonly ObjectVector[], length, nulls);
  return concatTyped(kind, parts, length, nulls);
}

function concatObjects(parts: readonly ObjectVector[], length: number, nulls: Nulls): ObjectVector {
  const decimals = concatDecimals(parts, length);
  if (decimals !== null) return ObjectVector.fromDecimals(decimals, nulls);
  return new ObjectVector(
    parts.flatMap((part) => part.values as Datum[]),
    nulls,
  );
}

function concatTyped(
  kind: 'bool' | 'int32' | 'int64' | 'float64',
  parts: readonly Vector[],
  length: number,
  nulls: Nulls,
): Vector {
  const fill = <T extends { set(from: ArrayLike<never>, at: number): void }>(values: T): T => {
    let at = 0;
    for (const part of parts) {
      values.set((part as unknown as { values: ArrayLike<never> }).values, at);
      at += part.length;
    }
    return values;
  };
  switch (kind) {
    case 'bool':
      return new BoolVector(fill(new Uint8Array(length)), nulls);
    case 'int32':
      return new Int32Vector(fill(new Int32Array(length)), nulls);
    case 'int64':
      return new Int64Vector(fill(new BigInt64Array(length)), nulls);
    case 'float64':
      return new Float64Vector(fill(new Float64Array(length)), nulls);
  }
}

function concatNulls(parts: readonly Vector[], length: number): Nulls {
  if (parts.every((part) => part.nulls === null)) return null;
  const nulls = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    if (part.nulls !== null) nulls.set(part.nulls, at);
    at += part.length;
  }
  return nulls;
}

/** Null where bytes are there: encoding many large texts in one go is long, and may never be wanted. */
function concatStrings(parts: readonly TextVector[], length: number): string[] | null {
  const strings = new Array<string>(length);
  let at = 0;
  for (const part of parts) {
    const own = part.onlyStrings;
    if (own === null) return null;
    for (let i = 0; i < part.length; i++) strings[at++] = own[i] ?? '';
  }
  return strings;
}

function concatText(parts: readonly TextVector[], length: number): TextVector {
  const words = commonWords(parts);
  if (words !== null) return concatCodes(parts, words, length);
  const strings = concatStrings(parts, length);
  if (strings !== null) return TextVector.fromStrings(strings, concatNulls(parts, length));
  const offsets = new Uint32Array(length + 1);
  let size = 0;
  let row = 0;
  for (const part of parts) {
    const from = part.utf8().offsets;
    for (let i = 0; i < part.length; i++) {
      size += (from[i + 1] as number) - (from[i] as number);
      offsets[++row] = size;
    }
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    const { bytes: source, offsets: from } = part.utf8();
    const run = source.subarray(from[0], from[part.length]);
    bytes.set(run, at);
    at += run.length;
  }
  return TextVector.fromBytes(bytes, offsets, concatNulls(parts, length));
}

/** One list of words for all parts, and what each part's codes become; null when a part has no dictionary. */
function commonWords(parts: readonly TextVector[]): CommonWords | null {
  const numbers = new Map<string, number>();
  const codes = new Map<TextVector, Uint16Array>();
  for (const { dictionary } of parts) {
    if (dictionary === null) return null;
    const { words } = dictionary;
    if (codes.has(words)) continue;
    const own = new Uint16Array(words.length);
    for (let i = 0; i < words.length; i++) {
      const word = words.get(i) as string;
      const number = numbers.get(word) ?? numbers.size;
      if (number === numbers.size) numbers.set(word, number);
      own[i] = number;
    }
    codes.set(words, own);
    if (numbers.size > CODES_MAX) return null;
  }
  const [only] = codes.keys();
  const words = codes.size === 1 && only !== undefined ? only : TextVector.fromStrings([...numbers.keys()]);
  return { words, codes };
}

interface CommonWords {
  readonly words: TextVector;
  readonly codes: ReadonlyMap<TextVector, Uint16Array>;
}

const CODES_MAX = 65_536;

function concatCodes(
  parts: readonly TextVector[],
  { words, codes }: CommonWords,
  length: number,
): TextVector {
  const all = new Uint16Array(length);
  let at = 0;
  for (const { dictionary } of parts) {
    if (dictionary === null) continue;
    const own = codes.get(dictionary.words);
    for (let row = 0; row < dictionary.codes.length; row++) {
      const code = dictionary.codes[row] as number;
      all[at++] = codes.size === 1 || own === undefined ? code : (own[code] as number);
    }
  }
  return TextVector.fromCodes({ codes: all, words }, concatNulls(parts, length));
}
