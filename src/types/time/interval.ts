/**
 * interval: months, days and microseconds apart. Reads and writes PostgreSQL's, ISO 8601's and SQL's spellings; a
 * fraction of a unit spills into smaller ones (0.5 months are 15 days). Source: DecodeInterval and
 * EncodeInterval of PostgreSQL 18.
 */
import { SqlError } from '../../errors.ts';
import { expectBytes, viewOf } from '../column/bytes.ts';
import { MICROS_PER_DAY } from './calendar.ts';
import { clockMicros, fractionMicros, invalidDateTime } from './datetime-text.ts';
import type { IntervalDatum } from '../datum.ts';
import { compareBigints } from '../number/integer.ts';
import { intervalModifier, lastUnit, restrictInterval } from './interval-modifier.ts';
import { OID } from '../oids.ts';
import { roundHalfEven } from '../number/round.ts';
import type { SqlType } from '../type.ts';

const MONTHS_MAX = 2147483647;
const MICROS_MAX = 2n ** 63n - 1n;
const DAYS_PER_MONTH = 30;

const INTERVAL_INFINITY: IntervalDatum = {
  datum: 'interval',
  months: MONTHS_MAX,
  days: MONTHS_MAX,
  micros: MICROS_MAX,
};
const INTERVAL_MINUS_INFINITY: IntervalDatum = {
  datum: 'interval',
  months: -MONTHS_MAX - 1,
  days: -MONTHS_MAX - 1,
  micros: -MICROS_MAX - 1n,
};

/** Worth of one unit: months, days or microseconds. */
type Unit = readonly ['months' | 'days' | 'micros', number];

const UNITS: ReadonlyMap<string, Unit> = new Map(
  (
    [
      [
        ['millennium', 'millennia', 'millenniums', 'mil', 'mils'],
        ['months', 12_000],
      ],
      [
        ['century', 'centuries', 'cent', 'c'],
        ['months', 1200],
      ],
      [
        ['decade', 'decades', 'dec', 'decs'],
        ['months', 120],
      ],
      [
        ['year', 'years', 'yr', 'yrs', 'y'],
        ['months', 12],
      ],
      [
        ['month', 'months', 'mon', 'mons'],
        ['months', 1],
      ],
      [
        ['week', 'weeks', 'w'],
        ['days', 7],
      ],
      [
        ['day', 'days', 'd'],
        ['days', 1],
      ],
      [
        ['hour', 'hours', 'hr', 'hrs', 'h'],
        ['micros', 3_600_000_000],
      ],
      [
        ['minute', 'minutes', 'min', 'mins', 'm'],
        ['micros', 60_000_000],
      ],
      [
        ['second', 'seconds', 'sec', 'secs', 's'],
        ['micros', 1_000_000],
      ],
      [
        ['millisecond', 'milliseconds', 'msec', 'msecs', 'ms'],
        ['micros', 1000],
      ],
      [
        ['microsecond', 'microseconds', 'usec', 'usecs', 'us'],
        ['micros', 1],
      ],
    ] as readonly (readonly [readonly string[], Unit])[]
  ).flatMap(([names, unit]) => names.map((name) => [name, unit] as const)),
);

/** Adds up fields; whole parts exactly, fractions into the next smaller unit. */
class IntervalBuilder {
  months = 0;
  days = 0;
  micros = 0n;
  readonly #seen = new Set<string>();

  /** False when the unit came before. */
  once(name: string): boolean {
    const isNew = !this.#seen.has(name);
    this.#seen.add(name);
    return isNew;
  }

  /** @param whole digits with a sign. @param fraction decimals without the point. */
  add(whole: string, fraction: string, [field, size]: Unit): void {
    const negative = whole.startsWith('-');
    const count = BigInt(/\d/.test(whole) ? whole.replace('+', '') : '0');
    const part = Number(`0.${fraction || '0'}`) * (negative ? -1 : 1);
    if (field === 'micros') {
      const exact = BigInt(size) * count;
      const rest = size === 1_000_000 ? signed(fractionMicros(fraction), negative) : rounded(part * size);
      this.micros += exact + rest;
    } else if (field === 'days') {
      this.days += Number(count) * size;
      this.#addDays(part * size);
    } else {
      this.months += Number(count) * size;
      // A fraction of a year is rounded to months; one of a month spills into days.
      this.#addMonths(size > 1 ? roundHalfEven(part * size) : part);
    }
  }

  #addMonths(months: number): void {
    const exact = Math.round(months * 1e9) / 1e9;
    this.months += Math.trunc(exact);
    this.#addDays((exact - Math.trunc(exact)) * DAYS_PER_MONTH);
  }

  #addDays(days: number): void {
    const exact = Math.round(days * 1e12) / 1e12;
    this.days += Math.trunc(exact);
    this.micros += rounded((exact - Math.trunc(exact)) * Number(MICROS_PER_DAY));
  }

  negate(): void {
    this.months = -this.months || 0;
    this.days = -this.days || 0;
    this.micros = -this.micros;
  }

  finish(text: string): IntervalDatum {
    const { months, days, micros } = this;
    const fits = (value: number): boolean => value <= MONTHS_MAX && value >= -MONTHS_MAX - 1;
    if (!fits(months)) throw new SqlError('datetime_field_overflow', 'interval out of range');
    if (fits(days) && micros <= MICROS_MAX && micros >= -MICROS_MAX - 1n)
      return { datum: 'interval', months, days, micros };
    throw new SqlError('interval_field_overflow', `interval field value out of range: "${text}"`);
  }
}

const signed = (value: bigint, negative: boolean): bigint => (negative ? -value : value);
const rounded = (value: number): bigint => BigInt(roundHalfEven(value));

/**
 * @param lastUnit unit of a last number without one: `day` in `interval '3' day`.
 * @throws SqlError 22007, 22015.
 */
function parseInterval(text: string, lastUnit = 's'): IntervalDatum {
  const lower = text.trim().toLowerCase();
  if (/^\+?infinity$/.test(lower)) return INTERVAL_INFINITY;
  if (lower === '-infinity') return INTERVAL_MINUS_INFINITY;
  const builder = new IntervalBuilder();
  const read = /^p[^\s]/.test(lower) ? readIso(lower, builder) : readFields(lower, builder, lastUnit);
  if (!read) throw invalidDateTime('interval', text);
  return builder.finish(text);
}

const CLOCK = /^([+-]?)(\d+):(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?(?=$|\s|[a-z])/;
const SHORT_CLOCK = /^([+-]?)(\d+):(\d{1,2})\.(\d+)(?=$|\s)/;
const YEAR_MONTH = /^([+-]?)(\d+)-(\d{1,2})(?=$|\s)/;
const QUANTITY = /^([+-]?\d*)(?:\.(\d*))?\s*([a-z]*)/;

/** `1 year 2 mons -3 days 04:05:06`, `@ 1 day ago`, `1-2 3 4:05:06`. */
function readFields(text: string, builder: IntervalBuilder, lastUnit: string): boolean {
  let rest = text.replace(/^@\s*/, '');
  let ago = false;
  let count = 0;
  while (rest !== '') {
    const length =
      readClock(rest, builder) || readYearMonth(rest, builder) || readQuantity(rest, builder, lastUnit);
    if (length > 0) count++;
    else if (rest === 'ago' && count > 0) ago = true;
    else return false;
    rest = rest.slice(length || rest.length).replace(/^[\s,]+/, '');
  }
  if (ago) builder.negate();
  return count > 0;
}

function readClock(rest: string, builder: IntervalBuilder): number {
  const short = SHORT_CLOCK.exec(rest);
  if (short !== null) {
    const [all, sign = '', minute, second, fraction = ''] = short;
    const micros = clockMicros(0, Number(minute), Number(second), fraction);
    if (micros === null) return 0;
    builder.micros += signed(micros, sign === '-');
    return all.length;
  }
  const match = CLOCK.exec(rest);
  if (match === null) return 0;
  const [all, sign = '', hour = '0', minute, second = '0', fraction = ''] = match;
  const micros = clockMicros(0, Number(minute), Number(second), fraction);
  if (micros === null) {
    throw new SqlError('interval_field_overflow', `interval field value out of range: "${rest}"`);
  }
  builder.micros += signed(BigInt(hour) * 3_600_000_000n + micros, sign === '-');
  return all.length;
}

function readYearMonth(rest: string, builder: IntervalBuilder): number {
  const match = YEAR_MONTH.exec(rest);
  if (match === null) return 0;
  const months = Number(match[2]) * 12 + Number(match[3]);
  builder.months += match[1] === '-' ? -months : months;
  return match[0].length;
}

function readQuantity(rest: string, builder: IntervalBuilder, lastUnit: string): number {
  const match = QUANTITY.exec(rest);
  if (match === null || !/\d/.test(match[0])) return 0;
  const [all, whole = '', fraction = '', name = ''] = match;
  const next = rest.slice(all.length).trimStart();
  // A number right before a clock time or hours counts days: `1 04:05:06`, `1 2` day to hour.
  const hours = lastUnit === 'h' ? /^[+-]?\d+(:|$|\s*h)/ : /^[+-]?\d+(:|\s*h)/;
  const bare = hours.test(next) ? 'd' : lastUnit;
  const unit = UNITS.get(name === '' || name === 'ago' ? bare : name);
  if (unit === undefined || !builder.once(unit.join())) return 0;
  builder.add(whole, fraction, unit);
  return name === 'ago' ? all.length - 3 : all.length;
}

const ISO_ITEM = /^([+-]?\d*)(?:[.,](\d+))?([ymwdhs])/;
const ISO_ALTERNATIVE = /^(\d{4})-(\d{2})-(\d{2})(?:t(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?)?$/;

/** `P1Y2M3DT4H5M6S` and `P0001-02-03T04:05:06`. */
function readIso(text: string, builder: IntervalBuilder): boolean {
  let rest = text.slice(1);
  const alternative = ISO_ALTERNATIVE.exec(rest);
  if (alternative !== null) {
    const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = ''] = alternative;
    builder.months = Number(year) * 12 + Number(month);
    builder.days = Number(day);
    const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second);
    builder.micros = BigInt(seconds) * 1_000_000n + fractionMicros(fraction);
    return true;
  }
  let inTime = false;
  while (rest !== '') {
    if (rest.startsWith('t') && !inTime) {
      inTime = true;
      rest = rest.slice(1);
      continue;
    }
    const match = ISO_ITEM.exec(rest);
    const unit = UNITS.get(match?.[3] === 'm' && !inTime ? 'mon' : (match?.[3] ?? ''));
    if (match === null || unit === undefined || (unit[0] === 'micros') !== inTime) return false;
    builder.add(match[1] ?? '', match[2] ?? '', unit);
    rest = rest.slice(match[0].length);
  }
  return true;
}

const pad = (value: bigint): string => String(value).padStart(2, '0');

interface Parts {
  readonly years: number;
  readonly months: number;
  readonly days: number;
  readonly negative: boolean;
  /** Hours in the size of the time part. */
  readonly hours: bigint;
  readonly minutes: bigint;
  readonly seconds: bigint;
  /** `.5` or nothing. */
  readonly fraction: string;
}

function partsOf({ months, days, micros }: IntervalDatum): Parts {
  const size = micros < 0n ? -micros : micros;
  const rest = String(size % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return {
    years: Math.trunc(months / 12),
    months: months % 12,
    days,
    negative: micros < 0n,
    hours: size / 3_600_000_000n,
    minutes: (size / 60_000_000n) % 60n,
    seconds: (size / 1_000_000n) % 60n,
    fraction: rest === '' ? '' : `.${rest}`,
  };
}

/** @param style `intervalstyle`: postgres, postgres_verbose, iso_8601 or sql_standard. */
function formatInterval(value: IntervalDatum, style: string): string {
  if (compareInterval(value, INTERVAL_INFINITY) === 0) return 'infinity';
  if (compareInterval(value, INTERVAL_MINUS_INFINITY) === 0) return '-infinity';
  const parts = partsOf(value);
  if (style === 'iso_8601') return formatIso(parts);
  if (style === 'sql_standard') return formatStandard(value, parts);
  return style === 'postgres_verbose' ? formatVerbose(parts) : formatPostgres(parts);
}

/** `1 year 2 mons -3 days +04:05:06`: a sign is shown after a negative part. */
function formatPostgres(parts: Parts): string {
  const shown: string[] = [];
  let afterNegative = false;
  for (const [count, unit] of [
    [parts.years, 'year'],
    [parts.months, 'mon'],
    [parts.days, 'day'],
  ] as const) {
    if (count === 0) continue;
    shown.push(`${afterNegative && count > 0 ? '+' : ''}${count} ${unit}${count === 1 ? '' : 's'}`);
    afterNegative = count < 0;
  }
  const { hours, minutes, seconds, fraction } = parts;
  const hasTime = hours !== 0n || minutes !== 0n || seconds !== 0n || fraction !== '';
  if (hasTime || shown.length === 0) {
    const sign = parts.negative ? '-' : afterNegative ? '+' : '';
    shown.push(`${sign}${pad(hours)}:${pad(minutes)}:${pad(seconds)}${fraction}`);
  }
  return shown.join(' ');
}

function formatIso(parts: Parts): string {
  const sign = parts.negative ? '-' : '';
  const item = (count: number, unit: string): string => (count === 0 ? '' : `${count}${unit}`);
  const clock = (count: bigint, unit: string): string => (count === 0n ? '' : `${sign}${count}${unit}`);
  const seconds =
    parts.fraction === '' ? clock(parts.seconds, 'S') : `${sign}${parts.seconds}${parts.fraction}S`;
  const date = item(parts.years, 'Y') + item(parts.months, 'M') + item(parts.days, 'D');
  const time = clock(parts.hours, 'H') + clock(parts.minutes, 'M') + seconds;
  if (date === '' && time === '') return 'PT0S';
  return `P${date}${time === '' ? '' : `T${time}`}`;
}

/** `1-2`, `3 4:05:06`; signs everywhere where there are two kinds of parts or of signs: `+1-2 +3 +4:05:06`. */
function formatStandard({ months, days, micros }: IntervalDatum, parts: Parts): string {
  const values = [months, days, Number(micros)];
  const negative = values.some((value) => value < 0);
  if (values.every((value) => value === 0)) return '0';
  const mixed =
    (negative && values.some((value) => value > 0)) || (months !== 0 && (days !== 0 || micros !== 0n));
  const { hours, minutes, seconds, fraction } = parts;
  const clock = `${hours}:${pad(minutes)}:${pad(seconds)}${fraction}`;
  const years = `${Math.abs(parts.years)}-${Math.abs(parts.months)}`;
  const size = Math.abs(days);
  const sign = (value: number): string => (value < 0 ? '-' : '+');
  if (mixed) return `${sign(months)}${years} ${sign(days)}${size} ${sign(Number(micros))}${clock}`;
  const whole = months !== 0 ? years : days !== 0 ? `${size} ${clock}` : clock;
  return `${negative ? '-' : ''}${whole}`;
}

/** `@ 1 year 2 mons 3 days 4 hours 5 mins 6 secs ago`: counted from the first part's sign. */
function formatVerbose(parts: Parts): string {
  const sign = parts.negative ? -1 : 1;
  const counts: readonly (readonly [number, string, string])[] = [
    [parts.years, 'year', ''],
    [parts.months, 'mon', ''],
    [parts.days, 'day', ''],
    [sign * Number(parts.hours), 'hour', ''],
    [sign * Number(parts.minutes), 'min', ''],
    [sign * Number(parts.seconds), 'sec', parts.fraction],
  ];
  const shown = counts.filter(([count, , fraction]) => count !== 0 || fraction !== '');
  if (shown.length === 0) return '@ 0';
  const [first] = shown;
  const before = first !== undefined && (first[0] < 0 || (first[0] === 0 && sign < 0));
  const words = shown.map(([count, unit, fraction]) => {
    const value = before ? -count : count;
    return `${value || 0}${fraction} ${unit}${value === 1 && fraction === '' ? '' : 's'}`;
  });
  return `@ ${words.join(' ')}${before ? ' ago' : ''}`;
}

/** As one number of microseconds, a month as 30 days: what the order of intervals goes by. */
function intervalSpan({ months, days, micros }: IntervalDatum): bigint {
  return (BigInt(months) * BigInt(DAYS_PER_MONTH) + BigInt(days)) * MICROS_PER_DAY + micros;
}

function compareInterval(a: IntervalDatum, b: IntervalDatum): number {
  return compareBigints(intervalSpan(a), intervalSpan(b));
}

/** One sign before all of it, no other one: SQL's standard means every part. */
const LEADING_MINUS = /^\s*-(?!.*[\s:][+-])/;

function readInterval(text: string, modifier: number, style: string): IntervalDatum {
  const unit = lastUnit(modifier);
  if (style !== 'sql_standard' || !LEADING_MINUS.test(text)) return parseInterval(text, unit);
  const { months, days, micros } = parseInterval(text.replace('-', ''), unit);
  return { datum: 'interval', months: -months || 0, days: -days || 0, micros: -micros };
}

export const INTERVAL: SqlType = {
  ...intervalModifier,
  oid: OID.interval,
  name: 'interval',
  displayName: 'interval',
  arrayOid: 1187,
  category: 'T',
  preferred: true,
  typlen: 16,
  vector: 'object',
  comparison: { samples: ['1 day', '2 days'], extremes: true },
  parse: (text, modifier, { intervalStyle }) =>
    restrictInterval(readInterval(text, modifier, intervalStyle), modifier),
  format: (datum, settings) => formatInterval(datum as IntervalDatum, settings.intervalStyle),
  receive: (bytes, modifier) => {
    expectBytes(bytes, 16);
    const view = viewOf(bytes);
    const value: IntervalDatum = {
      datum: 'interval',
      months: view.getInt32(12),
      days: view.getInt32(8),
      micros: view.getBigInt64(0),
    };
    return restrictInterval(value, modifier);
  },
  send: (datum) => {
    const { months, days, micros } = datum as IntervalDatum;
    const bytes = new Uint8Array(16);
    const view = viewOf(bytes);
    view.setBigInt64(0, micros);
    view.setInt32(8, days);
    view.setInt32(12, months);
    return bytes;
  },
  compare: (a, b) => compareInterval(a as IntervalDatum, b as IntervalDatum),
  hashKey: (datum) => intervalSpan(datum as IntervalDatum),
  coerce: (datum, modifier) => restrictInterval(datum as IntervalDatum, modifier),
};
