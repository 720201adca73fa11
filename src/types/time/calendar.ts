/**
 * Civil dates and time zones. Days and microseconds count from 2000-01-01; the calendar is the proleptic
 * Gregorian one with astronomical years (0 is 1 BC). Day algorithm: Howard Hinnant, "chrono-Compatible
 * Low-Level Date Algorithms". Zone rules come from Intl.
 */
import { QuickCache } from '../../bounded-cache.ts';

export const MICROS_PER_SECOND = 1_000_000n;
export const MICROS_PER_DAY = 86_400_000_000n;
/** Days from 1970-01-01 to 2000-01-01. */
const EPOCH_DAYS = 10_957;
const MILLIS_2000 = EPOCH_DAYS * 86_400_000;
/** Range of JavaScript's Date: beyond it the rule of the nearest instant holds. */
const DATE_MILLIS_MAX = 8.64e15;
const OFFSETS_COUNT_MAX = 20_000;

export interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Days since 2000-01-01; `month` 1..12, `day` may lie outside its month. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468 - EPOCH_DAYS;
}

/** @param days since 2000-01-01. */
export function civilFromDays(days: number): CivilDate {
  const shifted = days + 719_468 + EPOCH_DAYS;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** 0 is Sunday. @param days since 2000-01-01, a Saturday. */
export function dayOfWeek(days: number): number {
  return (((days + 6) % 7) + 7) % 7;
}

/** Whole days and the microseconds of the day left over (never negative). */
export function splitMicros(micros: bigint): { days: number; micros: bigint } {
  const rest = micros % MICROS_PER_DAY;
  const time = rest < 0n ? rest + MICROS_PER_DAY : rest;
  return { days: Number((micros - time) / MICROS_PER_DAY), micros: time };
}

/** Seconds east of UTC at instants, for zones by name; remembers formatters and offsets. */
class ZoneRules {
  readonly #formatters = new QuickCache<string, Intl.DateTimeFormat | null>(OFFSETS_COUNT_MAX);
  readonly #offsets = new QuickCache<string, number>(OFFSETS_COUNT_MAX);

  formatter(name: string): Intl.DateTimeFormat | null {
    const known = this.#formatters.get(name);
    return known === undefined ? this.#formatters.set(name, makeFormatter(name)) : known;
  }

  offset(name: string, micros: bigint): number {
    const millis = Math.min(
      Math.max(Number(micros / 1000n) + MILLIS_2000, -DATE_MILLIS_MAX),
      DATE_MILLIS_MAX,
    );
    // Rules change on quarter hours only, local mean time's end apart.
    const bucket = Math.floor(millis / 900_000);
    const key = `${bucket} ${name}`;
    const start = Math.max(bucket * 900_000, -DATE_MILLIS_MAX);
    return this.#offsets.get(key) ?? this.#offsets.set(key, this.#compute(name, start));
  }

  #compute(name: string, millis: number): number {
    const formatter = this.formatter(name);
    if (formatter === null) return 0;
    const parts = new Map(formatter.formatToParts(millis).map(({ type, value }) => [type, value]));
    const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
    const year = parts.get('era') === 'B' ? 1 - number('year') : number('year');
    const days = daysFromCivil(year, number('month'), number('day'));
    const local = days * 86_400 + number('hour') * 3600 + number('minute') * 60 + number('second');
    return local - Math.floor((millis - MILLIS_2000) / 1000);
  }
}

function makeFormatter(name: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'narrow',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return null;
  }
}

/** One bounded cache a process: its answers depend on nothing but the arguments. */
const RULES = new ZoneRules();

const POSIX = /^(?:<[^>]+>|[a-z]{3,}|)([+-]?)(\d{1,2})(?::(\d{2})(?::(\d{2}))?)?$/i;
const UTC_NAMES: ReadonlySet<string> = new Set(['utc', 'gmt', 'z', 'zulu', 'uct', 'etc/utc', 'greenwich']);

/** Abbreviations of PostgreSQL's default set that people write, as hours east of UTC. */
const ABBREVIATIONS: Readonly<Record<string, number>> = {
  utc: 0,
  gmt: 0,
  z: 0,
  zulu: 0,
  ut: 0,
  uct: 0,
  wet: 0,
  west: 1,
  bst: 1,
  cet: 1,
  met: 1,
  cest: 2,
  eet: 2,
  eest: 3,
  msk: 3,
  msd: 4,
  ist: 2,
  sast: 2,
  eat: 3,
  pkt: 5,
  sgt: 8,
  hkt: 8,
  jst: 9,
  kst: 9,
  aest: 10,
  aedt: 11,
  acst: 9.5,
  acdt: 10.5,
  awst: 8,
  nzst: 12,
  nzdt: 13,
  ast: -4,
  adt: -3,
  nst: -3.5,
  ndt: -2.5,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
  akst: -9,
  akdt: -8,
  hst: -10,
  brt: -3,
  art: -3,
};

/** Seconds east of UTC of `EST` and its kin; null for anything else. */
export function abbreviationOffset(name: string): number | null {
  const key = name.toLowerCase();
  return Object.hasOwn(ABBREVIATIONS, key) ? (ABBREVIATIONS[key] as number) * 3600 : null;
}

/** Seconds east of UTC of a POSIX zone (`UTC+3` and `<-08>+08` count west as positive); null otherwise. */
function posixOffset(name: string): number | null {
  const match = POSIX.exec(name);
  if (match === null) return null;
  const [, sign, hours, minutes = '0', seconds = '0'] = match;
  const west = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? west : -west || 0;
}

/** True for names `SET timezone` and `AT TIME ZONE` accept: IANA names, abbreviations, POSIX offsets. */
export function isTimeZone(name: string): boolean {
  if (UTC_NAMES.has(name.toLowerCase())) return true;
  if (abbreviationOffset(name) !== null || posixOffset(name) !== null) return true;
  return RULES.formatter(name) !== null;
}

/** Seconds east of UTC in `zone` at an instant. @param micros since 2000-01-01 UTC. */
export function zoneOffset(zone: string, micros: bigint): number {
  const name = zone.toLowerCase();
  if (UTC_NAMES.has(name)) return 0;
  // Intl would read PST as Los Angeles with its summer time; PostgreSQL's abbreviation is fixed.
  const fixed = abbreviationOffset(name) ?? posixOffset(zone);
  return fixed ?? RULES.offset(name, micros);
}

/**
 * The instant at which clocks in `zone` show `local`. A time that a change skips is read with the offset
 * before the change, a repeated one with the smaller offset (standard time), as PostgreSQL does.
 */
export function localToInstant(zone: string, local: bigint): bigint {
  const day = MICROS_PER_DAY;
  const before = zoneOffset(zone, local - day);
  const after = zoneOffset(zone, local + day);
  const at = (offset: number): bigint => local - BigInt(offset) * MICROS_PER_SECOND;
  if (before === after) {
    const guess = zoneOffset(zone, at(before));
    return at(guess);
  }
  const fitsBefore = zoneOffset(zone, at(before)) === before;
  const fitsAfter = zoneOffset(zone, at(after)) === after;
  if (fitsBefore && fitsAfter) return at(Math.min(before, after));
  if (fitsBefore) return at(before);
  if (fitsAfter) return at(after);
  return at(before);
}
