/**
 * Sparse vectors in pgvector's formats: text `{1:1.5,3:2}/5` with indices from 1 (from 0 in the datum and in
 * binary form). `sparsevec` fixes a dimension; F32_ and U8_SPARSE_VECTOR may leave it out.
 */
import { SqlError } from '../../errors.ts';
import { expectBytes, expectBytesAtLeast, viewOf } from '../column/bytes.ts';
import { checkDimension, checkElement, vectorTypeBase } from './dense-vector.ts';
import type { SparseDatum } from '../datum.ts';
import { ELEMENT_FORMATS, type ElementKind } from './element-format.ts';
import type { SqlType } from '../type.ts';
import { invalidBinary, invalidText } from '../type-errors.ts';

/** pgvector's bounds; a type without a dimension has indices below 2^32 - 1. */
const SPARSE_DIMENSION_MAX = 1_000_000_000;
const INDEX_MAX = 0xffff_fffe;
const NON_ZERO_COUNT_MAX = 16_000;
const HEADER_BYTES = 12;
const SHAPE = /^\s*\{\s*([^{}]*?)\s*\}\s*(.*)$/s;
const ITEM = /^\s*([+-]?\d+)\s*:\s*(\S+)\s*$/;

interface SparseKind {
  readonly name: 'sparsevec' | 'f32_sparse_vector' | 'u8_sparse_vector';
  readonly element: ElementKind;
  readonly dimensionNeeded: boolean;
}

function checkShape(kind: SparseKind, dimension: number): void {
  if (dimension < 1 && kind.dimensionNeeded) {
    throw new SqlError('data_exception', `${kind.name} must have at least 1 dimension`);
  }
  if (dimension > SPARSE_DIMENSION_MAX) {
    throw new SqlError(
      'program_limit_exceeded',
      `${kind.name} cannot have more than ${SPARSE_DIMENSION_MAX} dimensions`,
    );
  }
}

/**
 * Sorted, without zeros, checked.
 * @param dimension 0 for none. @param pairs 0-based index and value, in any order; not kept.
 * @throws SqlError 22000, 54000.
 */
export function sparseDatum(
  dimension: number,
  pairs: readonly (readonly [index: number, value: number])[],
  name = 'sparsevec',
): SparseDatum {
  if (pairs.length > NON_ZERO_COUNT_MAX) {
    throw new SqlError(
      'program_limit_exceeded',
      `${name} cannot have more than ${NON_ZERO_COUNT_MAX} non-zero elements`,
    );
  }
  const bound = dimension === 0 ? INDEX_MAX : dimension;
  for (const [index] of pairs) {
    if (index < 0 || index >= bound) throw new SqlError('data_exception', `${name} index out of bounds`);
  }
  const sorted = [...pairs].sort(([a], [b]) => a - b);
  if (sorted.some(([index], i) => index === sorted[i + 1]?.[0])) {
    throw new SqlError('data_exception', `${name} indices must not contain duplicates`);
  }
  const kept = sorted.filter(([, value]) => value !== 0);
  return {
    datum: 'sparse',
    dimension,
    indices: Uint32Array.from(kept, ([index]) => index),
    values: Float32Array.from(kept, ([, value]) => value),
  };
}

/** JSON as documents have it, with indices from 0: `{"indices": [0, 7], "values": [1, 0.5]}`, or `{"0": 1, "7": 0.5}`. */
const JSON_SHAPE = /^\s*\{\s*"/;
const INDEX = /^\d{1,10}$/;

function parseSparseJson(text: string, kind: SparseKind): SparseDatum {
  const refuse = (detail: string): SqlError => invalidText(kind.name, text, { detail });
  const read = objectOf(text);
  if (read === null) throw refuse('It is no JSON object.');
  const isListed = Array.isArray(read.indices) && Array.isArray(read.values);
  const indices: readonly unknown[] = isListed ? (read.indices as unknown[]) : Object.keys(read).map(Number);
  const values: readonly unknown[] = isListed ? (read.values as unknown[]) : Object.values(read);
  if (isListed ? Object.keys(read).length > 2 : !Object.keys(read).every((key) => INDEX.test(key))) {
    throw refuse('Members are "indices" and "values", or indices from 0.');
  }
  if (indices.length !== values.length) throw refuse('There are not as many "values" as "indices".');
  const { parse } = ELEMENT_FORMATS[kind.element];
  const pairs = indices.map((index, i) => {
    const value = values[i];
    if (!Number.isSafeInteger(index) || typeof value !== 'number') {
      throw refuse('Indices are whole numbers and values are numbers.');
    }
    return [index as number, parse(String(value), kind.name, text)] as const;
  });
  return sparseDatum(0, pairs, kind.name);
}

function objectOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' ? (read as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

function parseSparse(text: string, kind: SparseKind): SparseDatum {
  const { name } = kind;
  if (!kind.dimensionNeeded && JSON_SHAPE.test(text)) return parseSparseJson(text, kind);
  if (!text.trimStart().startsWith('{')) {
    throw invalidText(name, text, { detail: 'Vector contents must start with "{".' });
  }
  const shape = SHAPE.exec(text);
  if (shape === null) throw invalidText(name, text);
  const dimension = parseDimension(text, shape[2] as string, kind);
  const items = shape[1] === '' ? [] : (shape[1] as string).split(',');
  const format = ELEMENT_FORMATS[kind.element];
  const pairs = items.map((item) => {
    const match = ITEM.exec(item);
    if (match === null) throw invalidText(name, text);
    return [Number(match[1]) - 1, format.parse(match[2] as string, name, text)] as const;
  });
  return sparseDatum(dimension, pairs, name);
}

/** @param rest what stands after the closing brace: `/5`. */
function parseDimension(text: string, rest: string, kind: SparseKind): number {
  if (rest === '') {
    if (!kind.dimensionNeeded) return 0;
    throw invalidText(kind.name, text, { detail: 'Unexpected end of input.' });
  }
  const match = /^\/\s*([+-]?\d+)\s*(.*)$/s.exec(rest);
  if (match === null) throw invalidText(kind.name, text);
  if (match[2] !== '') throw invalidText(kind.name, text, { detail: 'Junk after closing.' });
  const dimension = Number(match[1]);
  checkShape(kind, dimension);
  return dimension;
}

function formatSparse({ dimension, indices, values }: SparseDatum, kind: SparseKind): string {
  const format = ELEMENT_FORMATS[kind.element];
  const items = Array.from(indices, (index, i) => `${index + 1}:${format.format(values[i] as number)}`);
  const suffix = dimension === 0 && !kind.dimensionNeeded ? '' : `/${dimension}`;
  return `{${items.join(',')}}${suffix}`;
}

function sendSparse({ dimension, indices, values }: SparseDatum, kind: SparseKind): Uint8Array {
  const format = ELEMENT_FORMATS[kind.element];
  const valuesAt = HEADER_BYTES + indices.length * 4;
  const bytes = new Uint8Array(valuesAt + values.length * format.bytes);
  const view = viewOf(bytes);
  view.setInt32(0, dimension);
  view.setInt32(4, indices.length);
  for (let i = 0; i < indices.length; i++) {
    view.setUint32(HEADER_BYTES + i * 4, indices[i] as number);
    format.write(view, valuesAt + i * format.bytes, values[i] as number);
  }
  return bytes;
}

function receiveSparse(bytes: Uint8Array, kind: SparseKind): SparseDatum {
  expectBytesAtLeast(bytes, HEADER_BYTES);
  const format = ELEMENT_FORMATS[kind.element];
  const view = viewOf(bytes);
  const dimension = view.getInt32(0);
  const count = view.getInt32(4);
  checkShape(kind, dimension);
  if (count < 0 || view.getInt32(8) !== 0) throw invalidBinary();
  expectBytes(bytes, HEADER_BYTES + count * (4 + format.bytes));
  const valuesAt = HEADER_BYTES + count * 4;
  const pairs = Array.from({ length: count }, (_, i) => {
    const value = checkElement(format.read(view, valuesAt + i * format.bytes), kind.name);
    return [view.getUint32(HEADER_BYTES + i * 4), value] as const;
  });
  return sparseDatum(dimension, pairs, kind.name);
}

/** The order of the dense vectors they stand for, then by dimension. */
function compareSparse(a: SparseDatum, b: SparseDatum): number {
  const count = Math.min(a.indices.length, b.indices.length);
  for (let i = 0; i < count; i++) {
    const x = a.values[i] as number;
    const y = b.values[i] as number;
    const [p, q] = [a.indices[i] as number, b.indices[i] as number];
    // At the lower index the other vector has a zero.
    if (p < q) return x < 0 ? -1 : 1;
    if (p > q) return y < 0 ? 1 : -1;
    if (x !== y) return x < y ? -1 : 1;
  }
  if (a.indices.length > count) return (a.values[count] as number) < 0 ? -1 : 1;
  if (b.indices.length > count) return (b.values[count] as number) < 0 ? 1 : -1;
  return a.dimension - b.dimension;
}

function sparseType(kind: SparseKind): SqlType {
  const { name } = kind;
  const checked = (datum: SparseDatum, modifier: number): SparseDatum => {
    checkDimension(datum.dimension, modifier);
    return datum;
  };
  return {
    ...vectorTypeBase(name, SPARSE_DIMENSION_MAX),
    ...(name === 'sparsevec' && { comparison: { samples: ['{1:1}/2', '{1:2}/2'], extremes: false } }),
    parse: (text, modifier) => checked(parseSparse(text, kind), modifier),
    format: (datum) => formatSparse(datum as SparseDatum, kind),
    receive: (bytes, modifier) => checked(receiveSparse(bytes, kind), modifier),
    send: (datum) => sendSparse(datum as SparseDatum, kind),
    compare: (a, b) => compareSparse(a as SparseDatum, b as SparseDatum),
    hashKey: (datum) => formatSparse(datum as SparseDatum, { ...kind, dimensionNeeded: true }),
    coerce: (datum, modifier) => checked(datum as SparseDatum, modifier),
  };
}

export const SPARSE_VECTOR_TYPES: readonly SqlType[] = [
  sparseType({ name: 'sparsevec', element: 'f32', dimensionNeeded: true }),
  sparseType({ name: 'f32_sparse_vector', element: 'f32', dimensionNeeded: false }),
  sparseType({ name: 'u8_sparse_vector', element: 'u8', dimensionNeeded: false }),
];
