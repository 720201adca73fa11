/**
 * Weights of values: about the bytes they take, which is also about the work of going through them once. Cheap
 * to ask for: long arrays are counted once, and exact decimals by comparing, without a look at their digits.
 */
import { SqlError } from '../errors.ts';
import { VALUE_BYTES_MAX } from '../limits.ts';
import type { ArrayDatum, Datum, NumericDatum, ObjectDatum } from './datum.ts';
import { OID } from './oids.ts';
import type { SqlType } from './type.ts';
import type { Vector } from './column/vector.ts';

/** A place in an array or a record, with the header of what stands in it. */
const PLACE_BYTES = 24;
const SMALL_BYTES = 16;

/** Fewer elements are counted each time. */
const COUNTED_ONCE_FROM = 64;
const ARRAY_WEIGHTS = new WeakMap<readonly Datum[], number>();

/** Above so many bits decimals count for so much: multiplying and dividing takes longer than their length says. */
const DECIMAL_STEPS = [1_024, 8_192, 65_536, 262_144].map((bits) => 1n << BigInt(bits));
const DECIMAL_WEIGHTS = [128, 1_024, 16_384, 131_072, 2 * 1024 * 1024];
const WORD = 1n << 63n;

export function weightOf(datum: Datum): number {
  if (typeof datum === 'string') return datum.length;
  if (typeof datum !== 'object' || datum === null) return SMALL_BYTES;
  return ArrayBuffer.isView(datum) ? datum.byteLength : objectWeight(datum);
}

function objectWeight(datum: ObjectDatum): number {
  switch (datum.datum) {
    case 'array':
      return arrayWeight(datum);
    case 'record':
      return SMALL_BYTES + sumOf(datum.fields);
    case 'numeric':
      return numericWeight(datum);
    case 'range':
      return SMALL_BYTES + weightOf(datum.lower) + weightOf(datum.upper);
    case 'matrix':
      return SMALL_BYTES + datum.values.byteLength;
    case 'sparse':
      return SMALL_BYTES + datum.values.byteLength + datum.indices.byteLength;
    case 'bits':
      return SMALL_BYTES + datum.bytes.byteLength;
    case 'interval':
      return SMALL_BYTES;
  }
}

function arrayWeight({ elements }: ArrayDatum): number {
  if (elements.length < COUNTED_ONCE_FROM) return SMALL_BYTES + sumOf(elements);
  let weight = ARRAY_WEIGHTS.get(elements);
  if (weight === undefined) {
    weight = SMALL_BYTES + sumOf(elements);
    ARRAY_WEIGHTS.set(elements, weight);
  }
  return weight;
}

function sumOf(values: readonly Datum[]): number {
  let weight = PLACE_BYTES * values.length;
  for (const value of values) {
    if (typeof value === 'string') weight += value.length;
    else if (typeof value === 'object' && value !== null) weight += weightOf(value);
  }
  return weight;
}

function numericWeight({ digits }: NumericDatum): number {
  if (digits < WORD && digits > -WORD) return SMALL_BYTES;
  const step = DECIMAL_STEPS.findIndex((bound) => digits < bound && digits > -bound);
  return DECIMAL_WEIGHTS[step < 0 ? DECIMAL_STEPS.length : step] as number;
}

/** The weight of all rows together, where one of them may be large: texts and objects. */
export function vectorWeight(vector: Vector): number {
  if (vector.kind === 'text') return vector.weight;
  if (vector.kind !== 'object' || vector.isDecimal) return 0;
  let weight = 0;
  for (const value of vector.values) weight += weightOf(value);
  return weight;
}

/** Beyond this a value is not read or written where others wait, if that is done by the character. */
export const READ_INLINE_BYTES_MAX = 128 * 1024;
/** They are taken as they are. */
const TEXTS: ReadonlySet<number> = new Set([OID.text, OID.varchar, OID.bpchar, OID.name, OID.unknown]);

/** Documents, arrays, text search vectors. */
export const takesLongToRead = (type: SqlType | undefined, bytes: number): boolean =>
  bytes > READ_INLINE_BYTES_MAX &&
  type !== undefined &&
  (type.elementOid !== undefined || (type.vector === 'text' && !TEXTS.has(type.oid)));

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2)} MB`;

function valueTooLarge(bytes: number): SqlError {
  return new SqlError('program_limit_exceeded', `a value of ${megabytes(bytes)} is too large`, {
    detail: `A value may have ${megabytes(VALUE_BYTES_MAX)}; an element of an array counts ${PLACE_BYTES} bytes more.`,
    hint: 'Work on smaller values, in several rows.',
  });
}

/** @param bytes of a value that is about to be made. @throws SqlError 54000. */
export function checkValueBytes(bytes: number): void {
  if (bytes > VALUE_BYTES_MAX) throw valueTooLarge(bytes);
}
