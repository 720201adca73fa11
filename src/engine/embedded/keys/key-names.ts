/**
 * Names of keys: 128 bits that equal keys share and no others do, so that a table of names answers for the
 * keys themselves. A key's message is its length in bytes, then its parts, each of fixed width or with its
 * own length before it.
 */
import { NAME_WORDS, type NameCipher } from '../../../storage/seal.ts';
import type { Datum } from '../../../types/datum.ts';
import { OID } from '../../../types/oids.ts';
import { typeByOid } from '../../../types/registry.ts';
import { copyBytes } from '../../../types/text/utf8.ts';
import { type Vector, vectorOf } from '../../../types/column/vector.ts';

const BLOCK_BYTES = 4 * NAME_WORDS;
/** So much of what long keys have taken is kept for the next ones. */
const KEPT_BYTES_MAX = 128 * 1024;
/** Their texts are equal where their bytes are. */
const PLAIN_TEXTS: ReadonlySet<number> = new Set([OID.text, OID.varchar, OID.name]);
/** Size of a whole number's message: the size and the number. */
const NUMBER_BYTES = 2 * Uint32Array.BYTES_PER_ELEMENT;
const ENCODER = new TextEncoder();

/**
 * Names of the rows' keys, NAME_WORDS words a row; zeros where a part is NULL, which equals nothing.
 * @param columns the key's parts, of equal length. @param types their types' OIDs.
 * @param equalNulls parts from the first in which NULL is a value like others.
 */
export function keyNames(
  cipher: NameCipher,
  columns: readonly Vector[],
  types: readonly number[],
  equalNulls = 0,
): Uint32Array {
  const [only] = columns;
  if (only?.kind === 'int32' && columns.length === 1 && only.nulls === null && equalNulls === 0)
    return wholeNumbers(cipher, only);
  const messages = messagesFor(cipher);
  const length = only?.length ?? 0;
  const writers = columns.map((column, i) => {
    const write = partWriter(messages, column, types[i] ?? 0);
    return i < equalNulls ? nullableWriter(messages, column, write) : write;
  });
  const strict = columns.slice(equalNulls);
  const starts = new Uint32Array(length + 1);
  for (let row = 0; row < length; row++) {
    if (!strict.some(({ nulls }) => nulls !== null && nulls[row] === 1)) {
      messages.begin();
      for (const write of writers) write(row);
      messages.end();
    }
    starts[row + 1] = messages.blocks;
  }
  return cipher.names(messages.words(), starts);
}

/** Names of keys of one integer that are as others make them: each message is one block, its size and the number. */
function wholeNumbers(cipher: NameCipher, { values }: Extract<Vector, { kind: 'int32' }>): Uint32Array {
  if (values.length === 1) return cipher.shortName(NUMBER_BYTES, values[0] as number);
  const words = new Uint32Array(NAME_WORDS * values.length);
  for (let row = 0; row < values.length; row++) {
    words[NAME_WORDS * row] = NUMBER_BYTES;
    words[NAME_WORDS * row + 1] = values[row] as number;
  }
  return cipher.blockNames(words);
}

/** The name of one key; null when a part of it is NULL that equals nothing. */
export function keyName(
  cipher: NameCipher,
  key: readonly Datum[],
  types: readonly number[],
  equalNulls = 0,
): Uint32Array | null {
  const [only] = key;
  const isNumber = key.length === 1 && typeof only === 'number' && equalNulls === 0;
  if (isNumber && typeByOid(types[0] ?? 0).vector === 'int32') return cipher.shortName(NUMBER_BYTES, only);
  if (key.slice(equalNulls).includes(null)) return null;
  const columns = key.map((datum, i) => vectorOf(typeByOid(types[i] ?? 0).vector, [datum]));
  return keyNames(cipher, columns, types, equalNulls);
}

/** Memory for messages, one a cipher: names are made of them before anyone else has a turn. */
const MESSAGES = new WeakMap<NameCipher, Messages>();

function messagesFor(cipher: NameCipher): Messages {
  let messages = MESSAGES.get(cipher);
  if (messages === undefined || messages.capacity > KEPT_BYTES_MAX) {
    messages = new Messages();
    MESSAGES.set(cipher, messages);
  }
  messages.clear();
  return messages;
}

/** Messages one after the other, each padded to whole blocks. */
class Messages {
  #bytes = new Uint8Array(64 * BLOCK_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #start = 0;
  #size = 0;

  get blocks(): number {
    return this.#size / BLOCK_BYTES;
  }

  get capacity(): number {
    return this.#bytes.length;
  }

  clear(): void {
    this.#size = 0;
  }

  words(): Uint32Array {
    return new Uint32Array(this.#bytes.buffer, 0, this.#size / 4);
  }

  begin(): void {
    this.#start = this.#size;
    this.int32(0);
  }

  end(): void {
    this.#view.setUint32(this.#start, this.#size - this.#start, true);
    const end = Math.ceil(this.#size / BLOCK_BYTES) * BLOCK_BYTES;
    this.#reserve(end - this.#size);
    this.#bytes.fill(0, this.#size, end);
    this.#size = end;
  }

  int32(value: number): void {
    this.#reserve(4);
    this.#view.setInt32(this.#size, value, true);
    this.#size += 4;
  }

  int64(value: bigint): void {
    this.#reserve(8);
    this.#view.setBigInt64(this.#size, value, true);
    this.#size += 8;
  }

  float64(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#size, value === 0 ? 0 : value, true);
    if (Number.isNaN(value)) this.#view.setBigUint64(this.#size, 0x7ff8000000000000n, true);
    this.#size += 8;
  }

  bytes(from: Uint8Array, start: number, end: number): void {
    this.int32(end - start);
    this.#reserve(end - start);
    copyBytes(from, start, end, this.#bytes, this.#size);
    this.#size += end - start;
  }

  #reserve(size: number): void {
    if (this.#size + size <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#size + size + BLOCK_BYTES));
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

/** A value with a mark before it; NULL is the mark alone. */
function nullableWriter(
  messages: Messages,
  { nulls }: Vector,
  write: (row: number) => void,
): (row: number) => void {
  return (row) => {
    const isNull = nulls !== null && nulls[row] === 1;
    messages.int32(isNull ? 0 : 1);
    if (!isNull) write(row);
  };
}

/** Writes a column's value of a row. */
function partWriter(messages: Messages, column: Vector, oid: number): (row: number) => void {
  const type = typeByOid(oid);
  if (column.kind === 'bool' || column.kind === 'int32') {
    return (row) => messages.int32(column.values[row] as number);
  }
  if (column.kind === 'int64') return (row) => messages.int64(column.values[row] as bigint);
  if (column.kind === 'float64') return (row) => messages.float64(column.values[row] as number);
  if (column.kind === 'text' && PLAIN_TEXTS.has(oid)) {
    const { bytes, offsets } = column.utf8();
    return (row) => messages.bytes(bytes, offsets[row] as number, offsets[row + 1] as number);
  }
  return (row) => {
    const datum = column.get(row) as Exclude<Datum, null>;
    const equal = type.hashKey?.(datum);
    const bytes = equal === undefined ? type.send(datum) : ENCODER.encode(`${typeof equal}${equal}`);
    messages.bytes(bytes, 0, bytes.length);
  };
}
