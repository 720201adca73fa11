/** Fields of moments: extract, date_trunc and the differences of age. Source: PostgreSQL 18, section 9.9. */
import { UNIX_EPOCH_MICROS } from '../../epoch.ts';
import { SqlError } from '../../errors.ts';
import {
  civilFromDays,
  dayOfWeek,
  daysFromCivil,
  daysInMonth,
  MICROS_PER_DAY,
  splitMicros,
} from '../../types/time/calendar.ts';
import type { IntervalDatum, NumericDatum } from '../../types/datum.ts';
import { addNumeric, divideNumeric, numericOf } from '../../types/number/numeric.ts';

const MICROS_PER_HOUR = 3_600_000_000n;
const MICROS_PER_MINUTE = 60_000_000n;
/** Julian day of 2000-01-01. */
const JULIAN_2000 = 2_451_545;

const ALIASES: Readonly<Record<string, string>> = {
  years: 'year',
  y: 'year',
  months: 'month',
  mon: 'month',
  weeks: 'week',
  days: 'day',
  d: 'day',
  hours: 'hour',
  h: 'hour',
  minutes: 'minute',
  min: 'minute',
  seconds: 'second',
  sec: 'second',
  s: 'second',
  millisecond: 'milliseconds',
  ms: 'milliseconds',
  microsecond: 'microseconds',
  us: 'microseconds',
  decades: 'decade',
  centuries: 'century',
  quarters: 'quarter',
};

const KNOWN_FIELDS: ReadonlySet<string> = new Set(
  (
    'epoch year month day hour minute second milliseconds microseconds week quarter dow isodow doy isoyear ' +
    'decade century millennium julian timezone timezone_hour timezone_minute'
  ).split(' '),
);

/** The field's singular name, lower case. */
export function fieldName(text: string): string {
  const lower = text.toLowerCase();
  return ALIASES[lower] ?? lower;
}

function unknownField(field: string, type: string): SqlError {
  if (KNOWN_FIELDS.has(fieldName(field))) {
    return new SqlError('feature_not_supported', `unit "${field}" not supported for type ${type}`);
  }
  return new SqlError('invalid_parameter_value', `unit "${field}" not recognized for type ${type}`);
}

const whole = (value: number | bigint): NumericDatum => numericOf(BigInt(value));

/** ISO 8601 week and its year. */
export function isoWeek(days: number): { year: number; week: number } {
  const thursday = days - ((dayOfWeek(days) + 6) % 7) + 3;
  const { year } = civilFromDays(thursday);
  return { year, week: Math.floor((thursday - daysFromCivil(year, 1, 1)) / 7) + 1 };
}

const century = (year: number, span: number): number =>
  year > 0 ? Math.floor((year + span - 1) / span) : -Math.floor((span - year) / span);

function clockField(field: string, micros: bigint): NumericDatum | null {
  const inMinute = micros % MICROS_PER_MINUTE;
  switch (field) {
    case 'hour':
      return whole(micros / MICROS_PER_HOUR);
    case 'minute':
      return whole((micros % MICROS_PER_HOUR) / MICROS_PER_MINUTE);
    case 'second':
      return numericOf(inMinute, 6);
    case 'milliseconds':
      return numericOf(inMinute, 3);
    case 'microseconds':
      return whole(inMinute);
    default:
      return null;
  }
}

function dateField(field: string, days: number): NumericDatum | null {
  const { year, month, day } = civilFromDays(days);
  switch (field) {
    case 'year':
      return whole(year > 0 ? year : year - 1);
    case 'month':
      return whole(month);
    case 'day':
      return whole(day);
    case 'quarter':
      return whole(Math.floor((month + 2) / 3));
    case 'dow':
      return whole(dayOfWeek(days));
    case 'isodow':
      return whole(((dayOfWeek(days) + 6) % 7) + 1);
    case 'doy':
      return whole(days - daysFromCivil(year, 1, 1) + 1);
    case 'week':
      return whole(isoWeek(days).week);
    case 'isoyear':
      return whole(isoWeek(days).year);
    case 'decade':
      return whole(Math.floor(year / 10));
    case 'century':
      return whole(century(year, 100));
    case 'millennium':
      return whole(century(year, 1000));
    case 'julian':
      return whole(days + JULIAN_2000);
    default:
      return null;
  }
}

interface Moment {
  /** Local time since 2000-01-01. */
  readonly local: bigint;
  /** Seconds east of UTC; null for types without zone. */
  readonly offset: number | null;
  readonly type: string;
}

/** @throws SqlError 22023 */
export function extractMoment(given: string, { local, offset, type }: Moment): NumericDatum {
  const field = fieldName(given);
  if (field === 'epoch') {
    const instant = local - BigInt(offset ?? 0) * 1_000_000n + UNIX_EPOCH_MICROS;
    return type === 'date' ? whole(instant / 1_000_000n) : numericOf(instant, 6);
  }
  if (offset !== null && field === 'timezone') return whole(offset);
  if (offset !== null && field === 'timezone_hour') return whole(Math.trunc(offset / 3600));
  if (offset !== null && field === 'timezone_minute') return whole(Math.trunc(offset / 60) % 60);
  const { days, micros } = splitMicros(local);
  if (field === 'julian' && type !== 'date') {
    return addNumeric(whole(days + JULIAN_2000), divideNumeric(whole(micros), whole(MICROS_PER_DAY)));
  }
  const found = dateField(field, days) ?? (type === 'date' ? null : clockField(field, micros));
  if (found === null) throw unknownField(given, type);
  return found;
}

const GROWING: ReadonlySet<string> = new Set(
  'epoch year decade century millennium julian isoyear'.split(' '),
);

/** Fields that grow with time are infinite, others are NULL. */
export function extractInfinite(field: string, positive: boolean): NumericDatum | null {
  if (!GROWING.has(fieldName(field))) return null;
  return { ...numericOf(0n), special: positive ? 'Infinity' : '-Infinity' };
}

/** @throws SqlError 22023 */
export function extractInterval(given: string, { months, days, micros }: IntervalDatum): NumericDatum {
  const field = fieldName(given);
  const years = Math.trunc(months / 12);
  switch (field) {
    case 'epoch': {
      const length = BigInt(years) * 31_557_600_000_000n + BigInt(months % 12) * 30n * MICROS_PER_DAY;
      return numericOf(length + BigInt(days) * MICROS_PER_DAY + micros, 6);
    }
    case 'year':
      return whole(years);
    case 'month':
      return whole(months % 12);
    case 'quarter':
      return whole(Math.trunc((months % 12) / 3) + 1);
    case 'day':
      return whole(days);
    case 'week':
      return whole(Math.trunc(days / 7));
    case 'decade':
      return whole(Math.trunc(years / 10));
    case 'century':
      return whole(Math.trunc(years / 100));
    default: {
      const found = clockField(field, micros);
      if (found === null) throw unknownField(given, 'interval');
      return found;
    }
  }
}

/** The start of the field's unit. @throws SqlError 22023 */
export function truncateMoment(given: string, local: bigint, type: string): bigint {
  const field = fieldName(given);
  const { days, micros } = splitMicros(local);
  const day = BigInt(days) * MICROS_PER_DAY;
  const { year, month } = civilFromDays(days);
  const at = (y: number, m: number): bigint => BigInt(daysFromCivil(y, m, 1)) * MICROS_PER_DAY;
  switch (field) {
    case 'microseconds':
      return local;
    case 'milliseconds':
      return day + micros - (micros % 1000n);
    case 'second':
      return day + micros - (micros % 1_000_000n);
    case 'minute':
      return day + micros - (micros % MICROS_PER_MINUTE);
    case 'hour':
      return day + micros - (micros % MICROS_PER_HOUR);
    case 'day':
      return day;
    case 'week':
      return BigInt(days - ((dayOfWeek(days) + 6) % 7)) * MICROS_PER_DAY;
    case 'month':
      return at(year, month);
    case 'quarter':
      return at(year, month - ((month - 1) % 3));
    case 'year':
      return at(year, 1);
    case 'decade':
      return at(Math.floor(year / 10) * 10, 1);
    case 'century':
      return at(Math.floor((year - 1) / 100) * 100 + 1, 1);
    case 'millennium':
      return at(Math.floor((year - 1) / 1000) * 1000 + 1, 1);
    default:
      throw unknownField(given, type);
  }
}

/** `later - earlier` in years, months and days, as age() shows it; negative when `earlier` is later. */
export function age(later: bigint, earlier: bigint): IntervalDatum {
  if (later < earlier) {
    const { months, days, micros } = age(earlier, later);
    return { datum: 'interval', months: -months, days: -days, micros: -micros };
  }
  const [to, from] = [splitMicros(later), splitMicros(earlier)];
  const [end, start] = [civilFromDays(to.days), civilFromDays(from.days)];
  let micros = to.micros - from.micros;
  let days = end.day - start.day;
  let months = (end.year - start.year) * 12 + end.month - start.month;
  if (micros < 0n) {
    micros += MICROS_PER_DAY;
    days--;
  }
  if (days < 0) {
    days += daysInMonth(start.year, start.month);
    months--;
  }
  return { datum: 'interval', months, days, micros };
}

const TIME_FIELDS = new Set(['hour', 'minute', 'second', 'milliseconds', 'microseconds', 'epoch']);

/** A field of a time of day. @throws SqlError 22023 */
export function extractTimeField(given: string, micros: bigint, type: string): NumericDatum {
  const field = fieldName(given);
  if (!TIME_FIELDS.has(field)) throw unknownField(given, type);
  return extractInterval(field, { datum: 'interval', months: 0, days: 0, micros });
}

/** Months that a unit has. */
const UNIT_MONTHS: Readonly<Record<string, number>> = {
  millennium: 12_000,
  century: 1_200,
  decade: 120,
  year: 12,
  quarter: 3,
  month: 1,
};

/** Microseconds that a unit has. */
const UNIT_MICROS: Readonly<Record<string, bigint>> = {
  hour: MICROS_PER_HOUR,
  minute: MICROS_PER_MINUTE,
  second: 1_000_000n,
  milliseconds: 1_000n,
  microseconds: 1n,
};

/** Everything below the unit becomes zero. @throws SqlError 22023, 0A000. */
export function truncateInterval(given: string, { months, days, micros }: IntervalDatum): IntervalDatum {
  const field = fieldName(given);
  const [wide, narrow] = [UNIT_MONTHS[field], UNIT_MICROS[field]];
  if (wide !== undefined) return { datum: 'interval', months: months - (months % wide), days: 0, micros: 0n };
  // Hours are no part of days, however many they are.
  if (field === 'day') return { datum: 'interval', months, days, micros: 0n };
  if (narrow !== undefined) return { datum: 'interval', months, days, micros: micros - (micros % narrow) };
  if (field !== 'week') throw unknownField(given, 'interval');
  throw new SqlError('feature_not_supported', `unit "${given}" not supported for type interval`, {
    detail: 'Months usually have fractional weeks.',
  });
}
