/** to_char of timestamps and intervals. Source: DCH_to_char of PostgreSQL 18's formatting.c. */
import { SqlError } from '../../errors.ts';
import { civilFromDays, dayOfWeek, daysFromCivil, splitMicros } from '../../types/time/calendar.ts';
import type { IntervalDatum } from '../../types/datum.ts';
import { isoWeek } from './datetime-fields.ts';
import { DAYS, type Field, MONTHS, parseTemplate, ROMAN_MONTHS } from './datetime-template.ts';

/** A moment or an interval taken apart. */
interface Parts {
  /** Astronomical: 0 is 1 BC. */
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly dayOfYear: number;
  readonly hour: number;
  /** Within the hour. */
  readonly micros: number;
  /** Days since 2000-01-01; null for intervals, which have no calendar. */
  readonly days: number | null;
  readonly zone: { readonly offset: number; readonly name: string } | null;
}

const MICROS_PER_HOUR = 3_600_000_000n;

/** @param zone null for a timestamp without one. */
export function timestampToChar(local: bigint, zone: Parts['zone'], template: string): string | null {
  const { days, micros } = splitMicros(local);
  const civil = civilFromDays(days);
  return render(template, {
    ...civil,
    dayOfYear: days - daysFromCivil(civil.year, 1, 1) + 1,
    hour: Number(micros / MICROS_PER_HOUR),
    micros: Number(micros % MICROS_PER_HOUR),
    days,
    zone,
  });
}

export function intervalToChar({ months, days, micros }: IntervalDatum, template: string): string | null {
  return render(template, {
    year: Math.trunc(months / 12),
    month: months % 12,
    day: days,
    dayOfYear: months * 30 + days,
    hour: Number(micros / MICROS_PER_HOUR),
    micros: Number(micros % MICROS_PER_HOUR),
    days: null,
    zone: null,
  });
}

function render(template: string, parts: Parts): string | null {
  if (template === '') return null;
  return parseTemplate(template)
    .nodes.map((node) => (node.kind === 'field' ? withOrdinal(showField(node, parts), node) : node.text))
    .join('');
}

function withOrdinal(text: string, { ordinal }: Field): string {
  if (ordinal === null || !/\d$/.test(text)) return text;
  const suffix = ordinalSuffix(text);
  return text + (ordinal === 'TH' ? suffix.toUpperCase() : suffix);
}

/** @param digits decimal, without fraction. */
export function ordinalSuffix(digits: string): string {
  if (digits.length > 1 && digits.at(-2) === '1') return 'th';
  return { '1': 'st', '2': 'nd', '3': 'rd' }[digits.at(-1) ?? ''] ?? 'th';
}

/** `%0*d`: the sign counts. */
function zeros(value: number, width: number, fill: boolean): string {
  const digits = String(Math.abs(value));
  if (value < 0) return `-${fill ? digits : digits.padStart(width, '0')}`;
  return fill ? digits : digits.padStart(width, '0');
}

function showField(field: Field, parts: Parts): string {
  return clockField(field, parts) ?? zoneField(field, parts) ?? dateField(field, parts) ?? '';
}

function clockField({ name, written, fill }: Field, { hour, micros }: Parts): string | null {
  const seconds = Math.trunc(micros / 1e6);
  const fraction = Math.abs(micros % 1e6);
  switch (name) {
    case 'HH24':
      return zeros(hour, 2, fill);
    case 'HH':
    case 'HH12':
      return zeros(hour % 12 === 0 ? 12 : hour % 12, 2, fill);
    case 'MI':
      return zeros(Math.trunc(seconds / 60), 2, fill);
    case 'SS':
      return zeros(seconds % 60, 2, fill);
    case 'SSSS':
    case 'SSSSS':
      return String(hour * 3600 + seconds);
    case 'MS':
      return String(Math.trunc(fraction / 1000)).padStart(3, '0');
    case 'US':
      return String(fraction).padStart(6, '0');
    case 'AM':
    case 'PM':
      return inCase(((hour % 24) + 24) % 24 >= 12 ? 'PM' : 'AM', written);
    case 'A.M.':
    case 'P.M.':
      return inCase(((hour % 24) + 24) % 24 >= 12 ? 'P.M.' : 'A.M.', written);
    default:
      return name.startsWith('FF') ? String(fraction).padStart(6, '0').slice(0, Number(name[2])) : null;
  }
}

function zoneField({ name, written, fill }: Field, { zone, days }: Parts): string | null {
  if (!['TZ', 'TZH', 'TZM', 'OF'].includes(name)) return null;
  if (days === null) throw noCalendar();
  const offset = zone?.offset ?? 0;
  const minutes = Math.trunc(Math.abs(offset) / 60);
  const sign = offset < 0 ? '-' : '+';
  const hours = String(Math.trunc(minutes / 60));
  const rest = String(minutes % 60).padStart(2, '0');
  switch (name) {
    case 'TZ':
      return inCase(zone?.name ?? '', written);
    case 'TZH':
      return sign + hours.padStart(2, '0');
    case 'TZM':
      return rest;
    default:
      return `${sign}${fill ? hours : hours.padStart(2, '0')}${rest === '00' ? '' : `:${rest}`}`;
  }
}

function noCalendar(): SqlError {
  return new SqlError('invalid_datetime_format', 'invalid format specification for an interval value', {
    hint: 'Intervals are not tied to specific calendar dates.',
  });
}

function dateField(field: Field, parts: Parts): string | null {
  const { name, fill } = field;
  const { month, day, dayOfYear, days } = parts;
  switch (name) {
    case 'MM':
      return zeros(month, 2, fill);
    case 'DD':
      return zeros(day, 2, fill);
    case 'DDD':
      return zeros(dayOfYear, 3, fill);
    case 'WW':
      return zeros(Math.floor((dayOfYear - 1) / 7) + 1, 2, fill);
    case 'W':
      return String(Math.floor((day - 1) / 7) + 1);
    case 'Q':
      return month === 0 ? '' : String(Math.trunc((month - 1) / 3) + 1);
    case 'RM': {
      if (month === 0 && parts.year === 0) return '';
      const roman = ROMAN_MONTHS.at(month > 0 ? month - 1 : month === 0 ? 11 : month) ?? '';
      return inCase(fill ? roman : roman.padEnd(4), field.written);
    }
    default:
      return yearField(field, parts) ?? calendarField(field, parts, days);
  }
}

function yearField({ name, fill }: Field, { year: given, days }: Parts): string | null {
  if (name === 'CC') {
    const late = given > 0 ? Math.trunc((given - 1) / 100) + 1 : Math.trunc(given / 100) - 1;
    return zeros(days === null ? Math.trunc(given / 100) : late, 2, fill);
  }
  const match = /^(I?)(Y,YYY|Y{1,4}|)$/.exec(name);
  if (match === null) return null;
  const iso = match[1] === 'I';
  if (iso && days === null) throw noCalendar();
  const chosen = iso && days !== null ? isoWeek(days).year : given;
  const year = days !== null && chosen <= 0 ? 1 - chosen : chosen;
  if (name === 'Y,YYY') return `${Math.trunc(year / 1000)},${String(Math.abs(year % 1000)).padStart(3, '0')}`;
  const width = name.length;
  return zeros(width === 4 ? year : year % 10 ** width, width, fill);
}

/** A field that only a date has. */
function calendarField({ name, written, fill }: Field, parts: Parts, days: number | null): string {
  if (days === null) throw noCalendar();
  const padded = (text: string): string => inCase(fill ? text : text.padEnd(9), written);
  const weekDay = dayOfWeek(days);
  const { year, week } = isoWeek(days);
  switch (name) {
    case 'MONTH':
      return padded(MONTHS[parts.month - 1] ?? '');
    case 'MON':
      return inCase(MONTHS[parts.month - 1]?.slice(0, 3) ?? '', written);
    case 'DAY':
      return padded(DAYS[weekDay] ?? '');
    case 'DY':
      return inCase(DAYS[weekDay]?.slice(0, 3) ?? '', written);
    case 'D':
      return String(weekDay + 1);
    case 'ID':
      return String(weekDay === 0 ? 7 : weekDay);
    case 'IW':
      return zeros(week, 2, fill);
    case 'IDDD':
      return zeros((week - 1) * 7 + (weekDay === 0 ? 7 : weekDay), 3, fill);
    case 'J':
      return String(days + 2_451_545);
    case 'AD':
    case 'BC':
      return inCase(parts.year <= 0 ? 'BC' : 'AD', written);
    case 'A.D.':
    case 'B.C.':
      return inCase(parts.year <= 0 ? 'B.C.' : 'A.D.', written);
    default:
      return String(year);
  }
}

/** `MONTH`, `Month`, `month`. */
function inCase(text: string, written: string): string {
  if (written === written.toUpperCase()) return text.toUpperCase();
  return written === written.toLowerCase() ? text.toLowerCase() : text;
}
