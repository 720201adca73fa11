/**
 * SQL types: one `SqlType` row per type, all rows in `registry.ts`. Codecs follow PostgreSQL's
 * text and binary formats (src/backend/utils/adt of PostgreSQL 18).
 */
import type { Datum } from './datum.ts';
import type { VectorKind } from './column/vector.ts';

/** A type with its modifier: `varchar(40)`, `numeric(10,2)`, `vector(384)`. -1 is "none". */
export interface TypeRef {
  readonly oid: number;
  readonly modifier: number;
}

/** Session settings that decide how values are read and written as text. */
export interface FormatSettings {
  /** IANA name or a POSIX offset, as `SHOW timezone` gives it. */
  readonly timeZone: string;
  readonly dateStyle: string;
  readonly intervalStyle: string;
  readonly byteaOutput: string;
  readonly extraFloatDigits: number;
  /** Microseconds since 2000-01-01 UTC at the start of the transaction: 'now', 'today'. */
  readonly nowMicros: bigint;
  /** Names of catalog objects for `regclass` and its kin; the names are quoted where they need it. */
  readonly objects: ObjectNames;
}

export type ObjectKind =
  | 'regclass'
  | 'regtype'
  | 'regproc'
  | 'regprocedure'
  | 'regnamespace'
  | 'regrole'
  | 'regconfig'
  | 'regcollation'
  | 'regoper'
  | 'regoperator'
  | 'regdictionary';

export interface ObjectNames {
  /** Null: no such object (the number is shown then). */
  name(kind: ObjectKind, oid: number): string | null;
  /** Null: no such object (42P01, 42704 … by kind). */
  oid(kind: ObjectKind, name: string): number | null;
  /** Values of an enum; nothing for an OID that is none. */
  enumValues(type: number): EnumValues;
}

/** An enum's values, ascending, with their labels (`composite/enum.ts`). */
export interface EnumValues {
  readonly labels: ReadonlyMap<number, string>;
  readonly orders: ReadonlyMap<string, number>;
}

/** PostgreSQL's pg_type.typcategory. */
export type TypeCategory =
  | 'A'
  | 'B'
  | 'C'
  | 'D'
  | 'E'
  | 'G'
  | 'I'
  | 'N'
  | 'P'
  | 'R'
  | 'S'
  | 'T'
  | 'U'
  | 'V'
  | 'X'
  | 'Z';

/** Comparison of a type that has `compare`: operators `=` to `>=` are made for it. */
export interface Comparison {
  /** Two values as text, the smaller first: the functions' examples, which run as tests. */
  readonly samples: readonly [string, string];
  /** True when min and max take it. */
  readonly extremes: boolean;
}

export interface SqlType {
  readonly oid: number;
  /** `pg_type.typname`: int4, text, timestamptz. */
  readonly name: string;
  /** The name SQL shows and accepts (`format_type`): integer, character varying. */
  readonly displayName: string;
  /** Other names the grammar or users write: `int`, `f32_vector`. Lower case. */
  readonly aliases?: readonly string[];
  /** OID of `name[]`; 0 when there is none. */
  readonly arrayOid: number;
  /** For array types: the element's OID. */
  readonly elementOid?: number;
  /** For range types: OID of the type of its bounds. */
  readonly subtypeOid?: number;
  readonly category: TypeCategory;
  readonly preferred?: boolean;
  /** pg_type.typlen: bytes of the binary form when fixed, -1 when variable, -2 for cstring. */
  readonly typlen: number;
  readonly vector: VectorKind;
  /** Pseudo-types (any, anyelement, record, void) hold no column. */
  readonly pseudo?: boolean;

  /** Text input. @throws SqlError 22P02 and its kin, message as PostgreSQL words it. */
  parse(text: string, modifier: number, settings: FormatSettings): Datum;
  /** Text output; `datum` is never null. */
  format(datum: Datum, settings: FormatSettings): string;
  /**
   * Binary input. @throws SqlError 22P03. @param bytes not kept.
   * @param settings the client's; left out for what `send` wrote to disk.
   */
  receive(bytes: Uint8Array, modifier: number, settings?: FormatSettings): Datum;
  /**
   * Binary output; `datum` is never null. @param settings the client's; left out where a row is stored on
   * disk, in a form that nothing which can be renamed is part of.
   */
  send(datum: Datum, settings?: FormatSettings): Uint8Array;
  /** Total order of btree: negative, 0, positive. Absent: the type has no order (json, point). */
  compare?(a: Datum, b: Datum): number;
  /** Functions that are made for it; absent for a type that is compared as another one, as varchar is as text. */
  readonly comparison?: Comparison;
  /** A primitive that is equal exactly when `compare` gives 0, for hash joins, DISTINCT and GROUP BY. */
  hashKey?(datum: Datum): string | number | bigint | boolean;
  /** `(10,2)` as integers to a modifier. @throws SqlError 22023 when out of range. */
  packModifier?(values: readonly number[]): number;
  /** The modifier as SQL shows it after the name: `(10,2)`, `(384)`; '' for -1. */
  showModifier?(modifier: number): string;
  /** Applies a modifier: length checks, rounding, padding. `explicit` casts cut where implicit ones raise. */
  coerce?(datum: Datum, modifier: number, explicit: boolean): Datum;
}
