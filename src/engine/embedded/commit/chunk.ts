/**
 * Chunks: a batch of rows as one byte string, as a commit stores it. A JSON header gives the columns and
 * passages with their sizes; their bytes follow, each beginning at a multiple of 8.
 */
import { joinNumbers } from '../../../types/column/numbers.ts';
import type { Passages } from '../../../index/request.ts';
import { concatVectors, type Vector } from '../../../types/column/vector.ts';
import { columnVector, type StoredColumn, storedVector } from '../segment/column.ts';

/** Rows on their way into the head: like `NewRows`, with the type each vector was made for. */
export interface RowBatch {
  readonly length: number;
  readonly columns: ReadonlyMap<number, { readonly type: number; readonly vector: Vector }>;
  /** By index OID. */
  readonly passages: ReadonlyMap<number, readonly (Passages | null)[]>;
  /** Names of the rows' keys (`keys/key-names.ts`) by `UniqueKey.id`, where they are known; not stored. */
  readonly names?: ReadonlyMap<string, Uint32Array>;
}

/** True when rows of both can be one batch. */
export function haveOneShape(a: RowBatch, b: RowBatch): boolean {
  if (a.columns.size !== b.columns.size || a.passages.size !== b.passages.size) return false;
  for (const [attribute, { type }] of a.columns) if (b.columns.get(attribute)?.type !== type) return false;
  for (const index of a.passages.keys()) if (!b.passages.has(index)) return false;
  return true;
}

/** The rows of batches of one shape, in that order. */
export function joinBatches(batches: readonly RowBatch[]): RowBatch {
  const [first] = batches;
  if (first === undefined || batches.length === 1) return first ?? NO_ROWS;
  const columns = new Map<number, { type: number; vector: Vector }>();
  for (const [attribute, { type, vector }] of first.columns) {
    const parts = batches.map((batch) => batch.columns.get(attribute)?.vector ?? vector);
    columns.set(attribute, { type, vector: concatVectors(vector.kind, parts) });
  }
  const passages = new Map<number, (Passages | null)[]>();
  for (const index of first.passages.keys()) {
    passages.set(
      index,
      batches.flatMap((batch) => batch.passages.get(index) ?? []),
    );
  }
  const length = batches.reduce((sum, batch) => sum + batch.length, 0);
  return { length, columns, passages, ...joinNames(batches) };
}

const NO_ROWS: RowBatch = { length: 0, columns: new Map(), passages: new Map() };

/** Names of the keys that all of them bring names of. */
function joinNames(batches: readonly RowBatch[]): Pick<RowBatch, 'names'> {
  const names = new Map<string, Uint32Array>();
  for (const id of batches[0]?.names?.keys() ?? []) {
    const parts = batches.flatMap((batch) => batch.names?.get(id) ?? []);
    if (parts.length < batches.length) continue;
    names.set(id, joinNumbers(parts));
  }
  return { names };
}

interface Header {
  readonly length: number;
  readonly columns: readonly {
    readonly attribute: number;
    readonly type: number;
    readonly values: number;
    readonly offsets: boolean;
    readonly nulls: boolean;
  }[];
  /** `counts` has -1 for a NULL text. */
  readonly passages: readonly {
    readonly index: number;
    readonly counts: readonly number[];
    readonly floats: number;
  }[];
}

const aligned = (size: number): number => (size + 7) & ~7;

export function encodeChunk(batch: RowBatch): Uint8Array {
  const parts: Uint8Array[] = [];
  const columns = [...batch.columns].map(([attribute, { type, vector }]) => {
    const stored = storedVector(vector, type);
    parts.push(stored.values);
    if (stored.offsets !== null) parts.push(bytesOf(stored.offsets));
    if (stored.nulls !== null) parts.push(stored.nulls);
    return {
      attribute,
      type,
      values: stored.values.length,
      offsets: stored.offsets !== null,
      nulls: stored.nulls !== null,
    };
  });
  const passages = [...batch.passages].map(([index, rows]) => {
    let floats = 0;
    for (const row of rows) {
      if (row === null) continue;
      floats += row.vectors.length;
      parts.push(bytesOf(row.vectors), bytesOf(row.spans));
    }
    return { index, counts: rows.map((row) => row?.count ?? -1), floats };
  });
  const header: Header = { length: batch.length, columns, passages };
  return joinParts(header, parts);
}

/** A header as JSON, and byte strings behind it that begin at multiples of 8. */
export function joinParts(described: unknown, parts: readonly Uint8Array[]): Uint8Array {
  const header = Buffer.from(JSON.stringify(described), 'utf8');
  let size = aligned(4 + header.length);
  for (const part of parts) size += aligned(part.length);
  const whole = new Uint8Array(size);
  new DataView(whole.buffer).setUint32(0, header.length, true);
  whole.set(header, 4);
  let at = aligned(4 + header.length);
  for (const part of parts) {
    whole.set(part, at);
    at += aligned(part.length);
  }
  return whole;
}

/** @returns the header, and what gives the parts one by one: views of `bytes`, or of a copy. */
export function partsOf<T>(bytes: Uint8Array): { header: T; take: (size: number) => Uint8Array } {
  const whole = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
  const headerSize = new DataView(whole.buffer, whole.byteOffset).getUint32(0, true);
  const header = JSON.parse(Buffer.from(whole.subarray(4, 4 + headerSize)).toString('utf8')) as T;
  let at = aligned(4 + headerSize);
  const take = (size: number): Uint8Array => {
    const part = whole.subarray(at, at + size);
    at += aligned(size);
    return part;
  };
  return { header, take };
}

export function decodeChunk(bytes: Uint8Array): RowBatch {
  const { header, take } = partsOf<Header>(bytes);
  const columns = new Map<number, { type: number; vector: Vector }>();
  for (const { attribute, type, values, offsets, nulls } of header.columns) {
    const column: StoredColumn = {
      type,
      rowCount: header.length,
      values: take(values),
      offsets: offsets ? wordsOf(take(4 * (header.length + 1))) : null,
      nulls: nulls ? take(header.length) : null,
    };
    columns.set(attribute, { type, vector: columnVector(column, 0, header.length) });
  }
  const passages = new Map<number, readonly (Passages | null)[]>();
  for (const { index, counts, floats } of header.passages) {
    const total = counts.reduce((sum, count) => sum + Math.max(count, 0), 0);
    const dimension = total === 0 ? 0 : floats / total;
    passages.set(
      index,
      counts.map((count) => (count < 0 ? null : takePassages(count, dimension, take))),
    );
  }
  return { length: header.length, columns, passages };
}

function takePassages(count: number, dimension: number, take: (size: number) => Uint8Array): Passages {
  const vectors = take(4 * count * dimension);
  const spans = take(8 * count);
  return {
    count,
    vectors: new Float32Array(vectors.buffer, vectors.byteOffset, count * dimension),
    spans: wordsOf(spans),
  };
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
}

function bytesOf(array: Uint32Array | Float32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
