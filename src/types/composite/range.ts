/**
 * Ranges: two bounds of a subtype, each inclusive, exclusive or absent, or empty. Those of integers and dates are
 * kept as `[a,b)`, so that equal ranges have equal bounds.
 * Source: rangetypes.c of PostgreSQL 18 (text, binary form, order).
 */
import { type Condition, SqlError } from '../../errors.ts';
import { expectBytesAtLeast, int32Bytes, viewOf } from '../column/bytes.ts';
import { DATE, DATE_INFINITY, DATE_MINUS_INFINITY, TIMESTAMP, TIMESTAMPTZ } from '../time/datetime.ts';
import type { Datum, RangeDatum } from '../datum.ts';
import { BIGINT, INTEGER } from '../number/integer.ts';
import { NUMERIC } from '../number/numeric-type.ts';
import { OID } from '../oids.ts';
import { parseRange, rangeText } from './range-text.ts';
import type { FormatSettings, SqlType } from '../type.ts';
import { invalidBinary } from '../type-errors.ts';

/** Parts of a kind of range. */
interface RangeKind {
  readonly subtype: SqlType;
  /** The value after one of a discrete subtype; the value itself where there is none, as after infinity. */
  readonly next?: (value: Datum) => Datum;
}

const INT4_MAX = 2_147_483_647;
const INT8_MAX = 9_223_372_036_854_775_807n;
const DATE_LAST = 2_145_031_948; // 5874897-12-31

function tooLarge(message: string, condition: Condition = 'numeric_value_out_of_range'): SqlError {
  return new SqlError(condition, message);
}

function nextInteger(value: Datum): Datum {
  if (value === INT4_MAX) throw tooLarge('integer out of range');
  return (value as number) + 1;
}

function nextBigint(value: Datum): Datum {
  if (value === INT8_MAX) throw tooLarge('bigint out of range');
  return (value as bigint) + 1n;
}

function nextDate(value: Datum): Datum {
  if (value === DATE_INFINITY || value === DATE_MINUS_INFINITY) return value;
  if (value === DATE_LAST) throw tooLarge('date out of range', 'datetime_field_overflow');
  return (value as number) + 1;
}

const KINDS: ReadonlyMap<number, RangeKind> = new Map([
  [OID.int4range, { subtype: INTEGER, next: nextInteger }],
  [OID.int8range, { subtype: BIGINT, next: nextBigint }],
  [OID.numrange, { subtype: NUMERIC }],
  [OID.daterange, { subtype: DATE, next: nextDate }],
  [OID.tsrange, { subtype: TIMESTAMP }],
  [OID.tstzrange, { subtype: TIMESTAMPTZ }],
]);

const kindOf = (type: number): RangeKind => KINDS.get(type) as RangeKind;

/** One end of a range; `value` is null where the range is unbounded. */
export interface Bound {
  readonly value: Datum;
  readonly inclusive: boolean;
  readonly side: 'lower' | 'upper';
}

export const lowerBound = ({ lower, lowerInclusive }: RangeDatum): Bound => {
  return { value: lower, inclusive: lowerInclusive, side: 'lower' };
};

export const upperBound = ({ upper, upperInclusive }: RangeDatum): Bound => {
  return { value: upper, inclusive: upperInclusive, side: 'upper' };
};

/** The order of two finite values of a range type's subtype. */
const compareValues = (type: number, a: Datum, b: Datum): number => kindOf(type).subtype.compare?.(a, b) ?? 0;

/** Where two bounds stand to each other: an exclusive lower one begins after its value, an upper one before. */
export function compareBounds(type: number, a: Bound, b: Bound): number {
  const sign = ({ side }: Bound): number => (side === 'lower' ? 1 : -1);
  if (a.value === null || b.value === null) {
    if (a.value === null && b.value === null) return Math.sign(sign(b) - sign(a));
    return a.value === null ? -sign(a) : sign(b);
  }
  const order = compareValues(type, a.value, b.value);
  if (order !== 0) return order;
  const offset = (bound: Bound): number => (bound.inclusive ? 0 : sign(bound));
  return Math.sign(offset(a) - offset(b));
}

/** `a` ends exactly where `b` begins. @param a an upper bound. @param b a lower one. */
export function meet(type: number, a: Bound, b: Bound): boolean {
  if (a.value === null || b.value === null) return false;
  return compareValues(type, a.value, b.value) === 0 && a.inclusive !== b.inclusive;
}

export function emptyRange(rangeType: number): RangeDatum {
  const none = { lower: null, upper: null, lowerInclusive: false, upperInclusive: false };
  return { datum: 'range', rangeType, isEmpty: true, ...none };
}

/** A range in its canonical form. @throws SqlError 22000 for bounds in the wrong order, 22003, 22008. */
export function makeRange(rangeType: number, lower: Bound, upper: Bound): RangeDatum {
  if (isNothing(rangeType, lower, upper)) return emptyRange(rangeType);
  const { next } = kindOf(rangeType);
  const [from, to] = next === undefined ? [lower, upper] : [stepped(lower, next), stepped(upper, next)];
  if (isNothing(rangeType, from, to)) return emptyRange(rangeType);
  return {
    datum: 'range',
    rangeType,
    isEmpty: false,
    lower: from.value,
    upper: to.value,
    lowerInclusive: from.inclusive && from.value !== null,
    upperInclusive: to.inclusive && to.value !== null,
  };
}

/** @throws SqlError 22000. */
function isNothing(type: number, lower: Bound, upper: Bound): boolean {
  if (lower.value === null || upper.value === null) return false;
  const order = compareValues(type, lower.value, upper.value);
  if (order > 0) {
    const message = 'range lower bound must be less than or equal to range upper bound';
    throw new SqlError('data_exception', message);
  }
  return order === 0 && !(lower.inclusive && upper.inclusive);
}

/** As an inclusive lower bound, an exclusive upper one. */
function stepped(bound: Bound, next: (value: Datum) => Datum): Bound {
  const isLower = bound.side === 'lower';
  if (bound.value === null || bound.inclusive === isLower) return bound;
  const value = next(bound.value);
  return value === bound.value ? bound : { ...bound, value, inclusive: isLower };
}

/** btree's order: an empty range first, then by lower and upper bound. */
export function compareRanges(a: RangeDatum, b: RangeDatum): number {
  if (a.isEmpty || b.isEmpty) return Number(b.isEmpty) - Number(a.isEmpty);
  const { rangeType } = a;
  return (
    compareBounds(rangeType, lowerBound(a), lowerBound(b)) ||
    compareBounds(rangeType, upperBound(a), upperBound(b))
  );
}

const FLAG = { empty: 1, lowerInclusive: 2, upperInclusive: 4, lowerInfinite: 8, upperInfinite: 16 } as const;

function flagsOf({ isEmpty, lower, upper, lowerInclusive, upperInclusive }: RangeDatum): number {
  if (isEmpty) return FLAG.empty;
  return (
    (lowerInclusive ? FLAG.lowerInclusive : 0) |
    (upperInclusive ? FLAG.upperInclusive : 0) |
    (lower === null ? FLAG.lowerInfinite : 0) |
    (upper === null ? FLAG.upperInfinite : 0)
  );
}

/** A byte of flags, then each bound there is with its length. */
function sendRange(range: RangeDatum, subtype: SqlType, settings?: FormatSettings): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(flagsOf(range))];
  for (const value of [range.lower, range.upper]) {
    if (value === null) continue;
    const bytes = subtype.send(value, settings);
    parts.push(int32Bytes(bytes.length), bytes);
  }
  return new Uint8Array(Buffer.concat(parts));
}

/** @throws SqlError 22P03. */
function receiveRange(bytes: Uint8Array, type: number, settings?: FormatSettings): RangeDatum {
  const { subtype } = kindOf(type);
  expectBytesAtLeast(bytes, 1);
  const flags = bytes[0] as number;
  const has = (flag: number): boolean => (flags & flag) !== 0;
  let at = 1;
  const read = (isInfinite: boolean): Datum => {
    if (isInfinite || has(FLAG.empty)) return null;
    expectBytesAtLeast(bytes, at + 4);
    const length = viewOf(bytes).getInt32(at);
    if (length < 0) throw invalidBinary();
    expectBytesAtLeast(bytes, at + 4 + length);
    at += 4 + length;
    return subtype.receive(bytes.subarray(at - length, at), -1, settings);
  };
  const [lower, upper] = [read(has(FLAG.lowerInfinite)), read(has(FLAG.upperInfinite))];
  if (at !== bytes.length) throw invalidBinary();
  if (has(FLAG.empty)) return emptyRange(type);
  return makeRange(
    type,
    { value: lower, inclusive: has(FLAG.lowerInclusive), side: 'lower' },
    { value: upper, inclusive: has(FLAG.upperInclusive), side: 'upper' },
  );
}

function readRange(text: string, type: number, settings: FormatSettings): RangeDatum {
  const parsed = parseRange(text);
  if (parsed === 'empty') return emptyRange(type);
  const { subtype } = kindOf(type);
  const boundOf = (value: string | null): Datum => {
    return value === null ? null : subtype.parse(value, -1, settings);
  };
  return makeRange(
    type,
    { value: boundOf(parsed.lower), inclusive: parsed.lowerInclusive, side: 'lower' },
    { value: boundOf(parsed.upper), inclusive: parsed.upperInclusive, side: 'upper' },
  );
}

function formatRange(range: RangeDatum, subtype: SqlType, settings: FormatSettings): string {
  if (range.isEmpty) return 'empty';
  const textOf = (value: Datum): string | null => (value === null ? null : subtype.format(value, settings));
  return rangeText({ ...range, lower: textOf(range.lower), upper: textOf(range.upper) });
}

function rangeKey(range: RangeDatum, subtype: SqlType): string {
  const keys = [range.lower, range.upper].map((value) => {
    return value === null ? '' : String(subtype.hashKey?.(value));
  });
  return [flagsOf(range), ...keys].join('|');
}

function rangeType(
  name: 'int4range' | 'int8range' | 'numrange' | 'daterange' | 'tsrange' | 'tstzrange',
): SqlType {
  const oid = OID[name];
  const { subtype } = kindOf(oid);
  return {
    oid,
    name,
    displayName: name,
    arrayOid: oid + 1,
    subtypeOid: subtype.oid,
    category: 'R',
    typlen: -1,
    vector: 'object',
    parse: (text, _modifier, settings) => readRange(text, oid, settings),
    format: (datum, settings) => formatRange(datum as RangeDatum, subtype, settings),
    receive: (bytes, _modifier, settings) => receiveRange(bytes, oid, settings),
    send: (datum, settings) => sendRange(datum as RangeDatum, subtype, settings),
    compare: (a, b) => compareRanges(a as RangeDatum, b as RangeDatum),
    hashKey: (datum) => rangeKey(datum as RangeDatum, subtype),
  };
}

export const RANGE_TYPES: readonly SqlType[] = [
  rangeType('int4range'),
  rangeType('numrange'),
  rangeType('tsrange'),
  rangeType('tstzrange'),
  rangeType('daterange'),
  rangeType('int8range'),
];
