/**
 * One SQL value outside a column vector. The SQL type is never in the datum: it is known from the plan.
 *
 * | SQL types                                             | datum                                        |
 * |-------------------------------------------------------|----------------------------------------------|
 * | boolean                                               | boolean                                      |
 * | smallint, integer, real, double precision, oid, date  | number (date: days since 2000-01-01)         |
 * | bigint, timestamp, timestamptz, time                  | bigint (µs since 2000-01-01, or midnight)    |
 * | text, varchar, char, name, json, jsonb, uuid, unknown | string (jsonb: PostgreSQL's canonical text)  |
 * | bytea, BINARY_VECTOR                                  | Uint8Array                                   |
 * | vector, halfvec                                       | Float32Array                                 |
 * | everything else                                       | an immutable object declared with its type   |
 *
 * SQL NULL is `null`. A date or timestamp of ±infinity is the smallest or largest value of its range.
 */
export type Datum = null | boolean | number | bigint | string | Uint8Array | Float32Array | ObjectDatum;

/** A value with fields of its own; `datum` tells which, so that one `typeof` check is enough. */
export type ObjectDatum =
  | ArrayDatum
  | RecordDatum
  | IntervalDatum
  | NumericDatum
  | SparseDatum
  | MatrixDatum
  | BitsDatum
  | RangeDatum;

/** An array of any SQL type, row-major. An empty array has no dimensions. */
export interface ArrayDatum {
  readonly datum: 'array';
  readonly elementType: number;
  readonly dimensions: readonly { readonly length: number; readonly lowerBound: number }[];
  readonly elements: readonly Datum[];
}

/** A row value: `(1, 'a')`. */
export interface RecordDatum {
  readonly datum: 'record';
  readonly types: readonly number[];
  readonly names?: readonly string[];
  readonly fields: readonly Datum[];
}

export interface IntervalDatum {
  readonly datum: 'interval';
  readonly months: number;
  readonly days: number;
  readonly micros: bigint;
}

/** Exact decimal: `digits` × 10^-scale, or one of the special values. `scale` is what PostgreSQL displays. */
export interface NumericDatum {
  readonly datum: 'numeric';
  readonly digits: bigint;
  readonly scale: number;
  readonly special?: 'NaN' | 'Infinity' | '-Infinity';
}

/** Indices are 0-based, ascending and unique. `dimension` is 0 where the type fixes none. */
export interface SparseDatum {
  readonly datum: 'sparse';
  readonly dimension: number;
  readonly indices: Uint32Array;
  readonly values: Float32Array;
}

/** `rows` vectors of `dimension` floats, row by row. */
export interface MatrixDatum {
  readonly datum: 'matrix';
  readonly rows: number;
  readonly dimension: number;
  readonly values: Float32Array;
}

/** PostgreSQL's bit string: `length` bits, the first in the top bit of the first byte. */
export interface BitsDatum {
  readonly datum: 'bits';
  readonly length: number;
  readonly bytes: Uint8Array;
}

/** A range; a bound that is null is none. Without values when it is empty. Made by `composite/range.ts` only. */
export interface RangeDatum {
  readonly datum: 'range';
  /** OID of its type, which says the values' type. */
  readonly rangeType: number;
  readonly isEmpty: boolean;
  readonly lower: Datum;
  readonly upper: Datum;
  readonly lowerInclusive: boolean;
  readonly upperInclusive: boolean;
}
