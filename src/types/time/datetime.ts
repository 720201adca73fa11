/**
 * date, time, timestamp, timestamptz and timetz. Days and microseconds count from 2000-01-01; ±infinity is
 * the smallest and largest value of the range. `DateStyle` decides how dates look and how `1/8/1999` reads.
 */
import { UNIX_EPOCH_MICROS } from '../../epoch.ts';
import { SqlError } from '../../errors.ts';
import { expectBytes, int32Bytes, int64Bytes, viewOf } from '../column/bytes.ts';
import { daysFromCivil, MICROS_PER_DAY, MICROS_PER_SECOND, splitMicros } from './calendar.ts';
import { localToInstant, zoneOffset } from './zone.ts';
import { type DateTimeFields, invalidDateTime, parseDateTime } from './datetime-text.ts';
import { showDate, showMoment } from './date-style.ts';
import { compareBigints } from '../number/integer.ts';
import { OID } from '../oids.ts';
import type { FormatSettings, SqlType } from '../type.ts';
import { zoneName } from './zone-names.ts';

export const DATE_INFINITY = 2147483647;
export const DATE_MINUS_INFINITY = -2147483648;
export const TIMESTAMP_INFINITY = 2n ** 63n - 1n;
export const TIMESTAMP_MINUS_INFINITY = -(2n ** 63n);
/** 4713-11-24 BC and 294277-01-01: the first instant allowed and the first beyond. */
const TIMESTAMP_MIN = -211_813_488_000_000_000n;
const TIMESTAMP_END = 9_223_371_331_200_000_000n;
const DATE_MIN = -2_451_545;
const DATE_MAX = 2_145_031_948;
const PRECISION_MAX = 6;

const pad = (value: number | bigint, width = 2): string => String(value).padStart(width, '0');

export function isInfiniteTimestamp(micros: bigint): boolean {
  return micros === TIMESTAMP_INFINITY || micros === TIMESTAMP_MINUS_INFINITY;
}

/** `1999-01-08`, `0044-03-15 BC`, `infinity`. */
function formatDate(days: number, dateStyle: string): string {
  if (days === DATE_INFINITY) return 'infinity';
  if (days === DATE_MINUS_INFINITY) return '-infinity';
  return showDate(days, dateStyle);
}

/** `04:05:06.789`: fraction without trailing zeros. */
function formatTime(micros: bigint): string {
  const seconds = Number(micros / MICROS_PER_SECOND);
  const fraction = Number(micros % MICROS_PER_SECOND);
  const minutes = Math.floor(seconds / 60);
  const clock = `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}:${pad(seconds % 60)}`;
  return fraction === 0 ? clock : `${clock}.${pad(fraction, 6).replace(/0+$/, '')}`;
}

/** `+00`, `-03:30`, `+01:02:03`. @param seconds east of UTC. */
function formatOffset(seconds: number): string {
  const size = Math.abs(seconds);
  const minutes = Math.floor(size / 60) % 60;
  const rest = size % 60;
  const more = rest > 0 ? `:${pad(minutes)}:${pad(rest)}` : minutes > 0 ? `:${pad(minutes)}` : '';
  return `${seconds < 0 ? '-' : '+'}${pad(Math.floor(size / 3600))}${more}`;
}

function formatTimestamp(micros: bigint, dateStyle: string): string {
  if (micros === TIMESTAMP_INFINITY) return 'infinity';
  if (micros === TIMESTAMP_MINUS_INFINITY) return '-infinity';
  const { days, micros: time } = splitMicros(micros);
  return showMoment({ days, clock: formatTime(time) }, dateStyle, null);
}

function formatTimestamptz(micros: bigint, { timeZone, dateStyle }: FormatSettings): string {
  if (isInfiniteTimestamp(micros)) return formatTimestamp(micros, dateStyle);
  const offset = zoneOffset(timeZone, micros);
  const { days, micros: time } = splitMicros(micros + BigInt(offset) * MICROS_PER_SECOND);
  const name = dateStyle.startsWith('ISO') ? '' : zoneName(timeZone, micros);
  const zone = { offset: formatOffset(offset), name };
  return showMoment({ days, clock: formatTime(time) }, dateStyle, zone);
}

/** Local time in the session's zone of an instant; it may lie outside the range of timestamps. */
export function instantToLocal(zone: string, micros: bigint): bigint {
  if (isInfiniteTimestamp(micros)) return micros;
  return micros + BigInt(zoneOffset(zone, micros)) * MICROS_PER_SECOND;
}

/** The same as a timestamp. @throws SqlError 22008 */
export function instantToTimestamp(zone: string, micros: bigint): bigint {
  return isInfiniteTimestamp(micros) ? micros : checkTimestamp(instantToLocal(zone, micros));
}

/** @throws SqlError 22008 */
export function timestampToInstant(zone: string, local: bigint): bigint {
  return isInfiniteTimestamp(local) ? local : checkTimestamp(localToInstant(zone, local));
}

/** @throws SqlError 22008 outside 4713 BC to 294276 AD. */
export function checkTimestamp(micros: bigint, text?: string): bigint {
  if (micros >= TIMESTAMP_MIN && micros < TIMESTAMP_END) return micros;
  const shown = text === undefined ? '' : `: "${text}"`;
  throw new SqlError('datetime_field_overflow', `timestamp out of range${shown}`);
}

/** Rounds half away from zero to `precision` decimals of a second. */
function roundMicros(micros: bigint, precision: number): bigint {
  if (precision < 0 || precision >= PRECISION_MAX || isInfiniteTimestamp(micros)) return micros;
  const unit = 10n ** BigInt(PRECISION_MAX - precision);
  const half = micros < 0n ? -unit / 2n : unit / 2n;
  return ((micros + half) / unit) * unit;
}

/** Local midnight or time of `now`, `today` …; null when the text names a date of its own. */
function specialLocal(fields: DateTimeFields, settings: FormatSettings): bigint | null {
  const now = instantToLocal(settings.timeZone, settings.nowMicros);
  const today = splitMicros(now).days;
  const midnight = (days: number): bigint => BigInt(days) * MICROS_PER_DAY + (fields.time ?? 0n);
  switch (fields.special) {
    case 'now':
      return now;
    case 'today':
      return midnight(today);
    case 'tomorrow':
      return midnight(today + 1);
    case 'yesterday':
      return midnight(today - 1);
    case 'infinity':
      return TIMESTAMP_INFINITY;
    case '-infinity':
      return TIMESTAMP_MINUS_INFINITY;
    default:
      return null;
  }
}

/** @returns null when the text gives no date. */
function localOf(fields: DateTimeFields): bigint | null {
  if (fields.year === null || fields.month === null || fields.day === null) return null;
  const days = daysFromCivil(fields.year, fields.month, fields.day);
  return BigInt(days) * MICROS_PER_DAY + (fields.time ?? 0n);
}

/** @throws SqlError 22007, 22008. */
export function parseTimestamp(text: string, settings: FormatSettings): bigint {
  const fields = parseDateTime(text, 'timestamp', settings.dateStyle);
  if (fields.special === 'epoch') return -UNIX_EPOCH_MICROS;
  const special = specialLocal(fields, settings);
  if (special !== null) return special;
  const local = localOf(fields);
  if (local === null) throw invalidDateTime('timestamp', text);
  return checkTimestamp(local, text);
}

/** @throws SqlError 22007, 22008, 22023 for an unknown zone. */
function parseTimestamptz(text: string, settings: FormatSettings): bigint {
  const fields = parseDateTime(text, 'timestamp with time zone', settings.dateStyle);
  if (fields.special === 'epoch') return -UNIX_EPOCH_MICROS;
  if (fields.special === 'now') return settings.nowMicros;
  const local = specialLocal(fields, settings) ?? localOf(fields);
  if (local === null) throw invalidDateTime('timestamp with time zone', text);
  if (isInfiniteTimestamp(local)) return local;
  if (typeof fields.zone === 'number') {
    return checkTimestamp(local - BigInt(fields.zone) * MICROS_PER_SECOND, text);
  }
  return checkTimestamp(localToInstant(fields.zone ?? settings.timeZone, local), text);
}

/** @throws SqlError 22007, 22008. */
function parseDate(text: string, settings: FormatSettings): number {
  const fields = parseDateTime(text, 'date', settings.dateStyle);
  if (fields.special === 'infinity') return DATE_INFINITY;
  if (fields.special === '-infinity') return DATE_MINUS_INFINITY;
  if (fields.special === 'epoch') return splitMicros(-UNIX_EPOCH_MICROS).days;
  const local = specialLocal(fields, settings) ?? localOf(fields);
  if (local === null) throw invalidDateTime('date', text);
  const { days } = splitMicros(local);
  if (days < DATE_MIN || days > DATE_MAX) {
    throw new SqlError('datetime_field_overflow', `date out of range: "${text}"`);
  }
  return days;
}

/** @returns microseconds since midnight, 24:00:00 included. @throws SqlError 22007, 22008. */
function parseTime(text: string, settings: FormatSettings, type = 'time'): bigint {
  return readTime(text, settings, type).time;
}

function readTime(
  text: string,
  settings: FormatSettings,
  type: string,
): { time: bigint; fields: DateTimeFields } {
  const compact = /^\s*\d{4}(?:\d{2})?(?:\.\d*)?\s*(?:[+-]\d{1,2}(?::?\d{2})?)?\s*$/.test(text)
    ? `t${text.trim()}`
    : text;
  let fields: DateTimeFields;
  try {
    fields = parseDateTime(compact, type, settings.dateStyle);
  } catch (error) {
    if (error instanceof SqlError && compact !== text) throw invalidDateTime(type, text);
    throw error;
  }
  if (fields.special === 'now') {
    return { time: splitMicros(instantToLocal(settings.timeZone, settings.nowMicros)).micros, fields };
  }
  if (fields.time === null) throw invalidDateTime(type, text);
  return { time: fields.time, fields };
}

/** `(p)` of the time types. */
function precisionModifier(name: string): Pick<SqlType, 'packModifier' | 'showModifier'> {
  return {
    packModifier: ([precision, ...more]) => {
      if (precision === undefined || more.length > 0) {
        throw new SqlError('invalid_parameter_value', 'invalid type modifier');
      }
      if (precision < 0) {
        throw new SqlError('invalid_parameter_value', `${name}(${precision}) precision must not be negative`);
      }
      return Math.min(precision, PRECISION_MAX);
    },
    showModifier: (modifier) => (modifier < 0 ? '' : `(${modifier})`),
  };
}

const MICROS_CODEC = {
  typlen: 8,
  vector: 'int64',
  send: (datum) => int64Bytes(datum as bigint),
  receive: (bytes, modifier) => {
    expectBytes(bytes, 8);
    return roundMicros(viewOf(bytes).getBigInt64(0), modifier);
  },
  compare: (a, b) => compareBigints(a as bigint, b as bigint),
  hashKey: (datum) => datum as bigint,
  coerce: (datum, modifier) => roundMicros(datum as bigint, modifier),
} as const satisfies Partial<SqlType>;

export const DATE: SqlType = {
  oid: OID.date,
  name: 'date',
  displayName: 'date',
  arrayOid: 1182,
  category: 'D',
  typlen: 4,
  vector: 'int32',
  comparison: { samples: ['2024-01-01', '2024-01-02'], extremes: true },
  parse: (text, _modifier, settings) => parseDate(text, settings),
  format: (datum, { dateStyle }) => formatDate(datum as number, dateStyle),
  receive: (bytes) => {
    expectBytes(bytes, 4);
    return viewOf(bytes).getInt32(0);
  },
  send: (datum) => int32Bytes(datum as number),
  compare: (a, b) => (a as number) - (b as number),
  hashKey: (datum) => datum as number,
};

export const TIME: SqlType = {
  ...MICROS_CODEC,
  ...precisionModifier('TIME'),
  oid: OID.time,
  name: 'time',
  displayName: 'time without time zone',
  arrayOid: 1183,
  category: 'D',
  comparison: { samples: ['12:00:00', '13:00:00'], extremes: true },
  parse: (text, modifier, settings) => roundMicros(parseTime(text, settings), modifier),
  format: (datum) => formatTime(datum as bigint),
};

export const TIMESTAMP: SqlType = {
  ...MICROS_CODEC,
  ...precisionModifier('TIMESTAMP'),
  oid: OID.timestamp,
  name: 'timestamp',
  displayName: 'timestamp without time zone',
  arrayOid: 1115,
  category: 'D',
  comparison: { samples: ['2024-01-01 00:00:00', '2024-01-02 00:00:00'], extremes: true },
  parse: (text, modifier, settings) => roundMicros(parseTimestamp(text, settings), modifier),
  format: (datum, { dateStyle }) => formatTimestamp(datum as bigint, dateStyle),
};

export const TIMESTAMPTZ: SqlType = {
  ...MICROS_CODEC,
  ...precisionModifier('TIMESTAMP'),
  oid: OID.timestamptz,
  name: 'timestamptz',
  displayName: 'timestamp with time zone',
  arrayOid: 1185,
  category: 'D',
  preferred: true,
  comparison: { samples: ['2024-01-01 00:00:00+00', '2024-01-02 00:00:00+00'], extremes: true },
  parse: (text, modifier, settings) => roundMicros(parseTimestamptz(text, settings), modifier),
  format: (datum, settings) => formatTimestamptz(datum as bigint, settings),
};

/** A timetz datum is its text; this gives its parts. `zone`: seconds east of UTC. */
export function timetzParts(text: string): { time: bigint; zone: number } {
  const match = /^(\d+):(\d+):(\d+)(?:\.(\d+))?([+-])(\d+)(?::(\d+))?(?::(\d+))?$/.exec(text);
  if (match === null) throw invalidDateTime('time with time zone', text);
  const part = (i: number): number => Number(match[i] ?? 0);
  const micros = BigInt((match[4] ?? '').padEnd(6, '0'));
  const zone = part(6) * 3600 + part(7) * 60 + part(8);
  const seconds = BigInt(part(1) * 3600 + part(2) * 60 + part(3));
  return { time: seconds * MICROS_PER_SECOND + micros, zone: match[5] === '-' ? -zone : zone };
}

export function timetzDatum(time: bigint, zone: number): string {
  return formatTime(time) + formatOffset(zone);
}

function compareTimetz(a: string, b: string): number {
  const x = timetzParts(a);
  const y = timetzParts(b);
  const utc = (parts: typeof x): bigint => parts.time - BigInt(parts.zone) * MICROS_PER_SECOND;
  return compareBigints(utc(x), utc(y)) || y.zone - x.zone;
}

export const TIMETZ: SqlType = {
  ...precisionModifier('TIME'),
  oid: OID.timetz,
  name: 'timetz',
  displayName: 'time with time zone',
  arrayOid: 1270,
  category: 'D',
  typlen: 12,
  vector: 'text',
  comparison: { samples: ['12:00:00+00', '13:00:00+00'], extremes: true },
  parse: (text, modifier, settings) => {
    const { time, fields } = readTime(text, settings, 'time with time zone');
    const zone = fields.zone ?? settings.timeZone;
    const offset = typeof zone === 'number' ? zone : zoneOffset(zone, settings.nowMicros);
    return timetzDatum(roundMicros(time, modifier), offset);
  },
  format: (datum) => datum as string,
  receive: (bytes, modifier) => {
    expectBytes(bytes, 12);
    const view = viewOf(bytes);
    return timetzDatum(roundMicros(view.getBigInt64(0), modifier), -view.getInt32(8));
  },
  send: (datum) => {
    const { time, zone } = timetzParts(datum as string);
    const bytes = new Uint8Array(12);
    viewOf(bytes).setBigInt64(0, time);
    viewOf(bytes).setInt32(8, -zone);
    return bytes;
  },
  compare: (a, b) => compareTimetz(a as string, b as string),
  hashKey: (datum) => datum as string,
  coerce: (datum, modifier) => {
    const { time, zone } = timetzParts(datum as string);
    return timetzDatum(roundMicros(time, modifier), zone);
  },
};
