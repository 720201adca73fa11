/**
 * Arrays of any element type. Text form: array-text.ts. Binary form (array_send): dimension count, a flag
 * for nulls, element OID, per dimension length and lower bound, then each element with its length.
 * Two arrays compare element by element, then by element count, then by dimensions.
 */
import { SqlError } from '../../errors.ts';
import { formatArray, parseArray } from './array-text.ts';
import { expectBytesAtLeast, int32At, viewOf } from '../column/bytes.ts';
import type { ArrayDatum, Datum } from '../datum.ts';
import type { FormatSettings, SqlType } from '../type.ts';
import { invalidBinary } from '../type-errors.ts';

const DIMENSIONS_COUNT_MAX = 6;
const NULL_LENGTH = -1;

/** A one-dimensional array from 1; no dimensions when there are no elements. @param elements kept. */
export function arrayDatum(elementType: number, elements: readonly Datum[]): ArrayDatum {
  const dimensions = elements.length === 0 ? [] : [{ length: elements.length, lowerBound: 1 }];
  return { datum: 'array', elementType, dimensions, elements };
}

/**
 * Arrays of one shape as one of one dimension more: array_agg, ARRAY(SELECT …). @param arrays at least one.
 * @throws SqlError 22004, 2202E as PostgreSQL's accumArrayResultArr.
 */
export function stackedArray(arrays: readonly (ArrayDatum | null)[]): ArrayDatum {
  const first = arrays[0] ?? null;
  const shape = JSON.stringify(first?.dimensions);
  const elements = arrays.flatMap((array) => {
    if (array === null) throw new SqlError('null_value_not_allowed', 'cannot accumulate null arrays');
    if (array.dimensions.length === 0) {
      throw new SqlError('array_subscript_error', 'cannot accumulate empty arrays');
    }
    if (JSON.stringify(array.dimensions) === shape) return array.elements;
    throw new SqlError('array_subscript_error', 'cannot accumulate arrays of different dimensionality');
  });
  const dimensions = [{ length: arrays.length, lowerBound: 1 }, ...(first?.dimensions ?? [])];
  return { datum: 'array', elementType: first?.elementType ?? 0, dimensions, elements };
}

/** The row of `element[]`. @param delimiter `,` for all of PostgreSQL's types but box. */
export function arrayTypeOf(element: SqlType): SqlType {
  const { compare, hashKey, coerce, packModifier, showModifier } = element;
  return {
    oid: element.arrayOid,
    name: `_${element.name}`,
    displayName: `${element.displayName}[]`,
    arrayOid: 0,
    elementOid: element.oid,
    category: 'A',
    typlen: -1,
    vector: 'object',
    parse: (text, modifier, settings) =>
      parseArray(text, element.oid, (item) => element.parse(item, modifier, settings)),
    format: (datum, settings) => formatArray(datum as ArrayDatum, (item) => element.format(item, settings)),
    receive: (bytes, modifier, settings) =>
      drained(receiveArray(bytes, element, (item) => element.receive(item, modifier, settings))),
    send: (datum, settings) => sendArray(datum as ArrayDatum, element, settings),
    ...(compare && { compare: (a, b) => compareArrays(a as ArrayDatum, b as ArrayDatum, compare) }),
    ...(hashKey && { hashKey: (datum) => hashArray(datum as ArrayDatum, hashKey) }),
    ...(packModifier && { packModifier }),
    ...(showModifier && { showModifier }),
    ...(coerce && {
      coerce: (datum: Datum, modifier: number, explicit: boolean): Datum => {
        const array = datum as ArrayDatum;
        const coerceItem = (item: Datum): Datum => (item === null ? null : coerce(item, modifier, explicit));
        return { ...array, elements: array.elements.map(coerceItem) };
      },
    }),
  };
}

type Dimensions = ArrayDatum['dimensions'];

/** Header before the elements of a binary array. @throws SqlError 22P03, 42804, 54000. */
function receiveShape(bytes: Uint8Array, element: SqlType): { dimensions: Dimensions; count: number } {
  expectBytesAtLeast(bytes, 12);
  const rank = int32At(bytes, 0);
  if (rank < 0 || rank > DIMENSIONS_COUNT_MAX) {
    throw new SqlError(
      'program_limit_exceeded',
      `number of array dimensions (${rank}) exceeds the maximum allowed (${DIMENSIONS_COUNT_MAX})`,
    );
  }
  const type = int32At(bytes, 8) >>> 0;
  if (type !== element.oid) {
    throw new SqlError(
      'datatype_mismatch',
      `binary data has array element type ${type} instead of expected ${element.oid}`,
    );
  }
  expectBytesAtLeast(bytes, 12 + rank * 8);
  const dimensions = Array.from({ length: rank }, (_, i) => ({
    length: int32At(bytes, 12 + i * 8),
    lowerBound: int32At(bytes, 16 + i * 8),
  }));
  const count = rank === 0 ? 0 : dimensions.reduce((product, { length }) => product * length, 1);
  if (dimensions.some(({ length }) => length < 0) || count > bytes.length / 4) throw invalidBinary();
  return { dimensions, count };
}

/** Elements between pauses. */
const ELEMENTS_A_PIECE = 64;

/** As a type's `receive`; yields now and then. */
export function* receiveArray(
  bytes: Uint8Array,
  element: SqlType,
  receive: (item: Uint8Array) => Datum,
): Generator<undefined, ArrayDatum> {
  const { dimensions, count } = receiveShape(bytes, element);
  const elements: Datum[] = [];
  let at = 12 + dimensions.length * 8;
  for (let i = 0; i < count; i++) {
    if (i % ELEMENTS_A_PIECE === ELEMENTS_A_PIECE - 1) yield;
    expectBytesAtLeast(bytes, at + 4);
    const length = int32At(bytes, at);
    at += 4;
    if (length === NULL_LENGTH) {
      elements.push(null);
      continue;
    }
    if (length < 0) throw invalidBinary();
    expectBytesAtLeast(bytes, at + length);
    elements.push(receive(bytes.subarray(at, at + length)));
    at += length;
  }
  if (at !== bytes.length) throw invalidBinary();
  return { datum: 'array', elementType: element.oid, dimensions: count === 0 ? [] : dimensions, elements };
}

/** Result of a generator of pieces. */
function drained<T>(pieces: Generator<undefined, T>): T {
  let step = pieces.next();
  while (step.done !== true) step = pieces.next();
  return step.value;
}

function sendArray(array: ArrayDatum, element: SqlType, settings?: FormatSettings): Uint8Array {
  const items = array.elements.map((item) => (item === null ? null : element.send(item, settings)));
  const header = 12 + array.dimensions.length * 8;
  const bytes = new Uint8Array(items.reduce((size, item) => size + 4 + (item?.length ?? 0), header));
  const view = viewOf(bytes);
  view.setInt32(0, array.dimensions.length);
  view.setInt32(4, items.includes(null) ? 1 : 0);
  view.setUint32(8, element.oid);
  array.dimensions.forEach(({ length, lowerBound }, i) => {
    view.setInt32(12 + i * 8, length);
    view.setInt32(16 + i * 8, lowerBound);
  });
  let at = header;
  for (const item of items) {
    view.setInt32(at, item === null ? NULL_LENGTH : item.length);
    at += 4;
    if (item === null) continue;
    bytes.set(item, at);
    at += item.length;
  }
  return bytes;
}

/** NULL elements equal each other and come after all others. */
function compareArrays(a: ArrayDatum, b: ArrayDatum, compare: NonNullable<SqlType['compare']>): number {
  const count = Math.min(a.elements.length, b.elements.length);
  for (let i = 0; i < count; i++) {
    const order = compareNullable(a.elements[i] as Datum, b.elements[i] as Datum, compare);
    if (order !== 0) return order;
  }
  if (a.elements.length !== b.elements.length) return a.elements.length - b.elements.length;
  return compareDimensions(a.dimensions, b.dimensions);
}

/** btree's order with NULLs last. */
export function compareNullable(a: Datum, b: Datum, compare: NonNullable<SqlType['compare']>): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return compare(a, b);
}

function compareDimensions(a: Dimensions, b: Dimensions): number {
  if (a.length !== b.length) return a.length - b.length;
  for (let i = 0; i < a.length; i++) {
    const length = (a[i]?.length ?? 0) - (b[i]?.length ?? 0);
    const bound = (a[i]?.lowerBound ?? 0) - (b[i]?.lowerBound ?? 0);
    if (length !== 0 || bound !== 0) return length || bound;
  }
  return 0;
}

function hashArray(array: ArrayDatum, hashKey: NonNullable<SqlType['hashKey']>): string {
  const shape = array.dimensions.map(({ length, lowerBound }) => `${lowerBound}:${length}`).join(',');
  return array.elements.reduce<string>((key, item) => {
    if (item === null) return `${key}|`;
    const text = String(hashKey(item));
    return `${key}|${text.length}:${text}`;
  }, shape);
}
