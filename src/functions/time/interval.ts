/**
 * Moments plus intervals: months first (the day is cut to the month's length), then days, then time, in the
 * zone's calendar. Source: timestamp_pl_interval and timestamptz_pl_interval of PostgreSQL 18.
 */
import { SqlError } from '../../errors.ts';
import type { IntervalDatum } from '../../types/datum.ts';
import { roundHalfEven } from '../../types/number/round.ts';
import {
  civilFromDays,
  daysFromCivil,
  daysInMonth,
  MICROS_PER_DAY,
  splitMicros,
} from '../../types/time/calendar.ts';
import { localToInstant } from '../../types/time/zone.ts';
import { checkTimestamp, instantToLocal, isInfiniteTimestamp } from '../../types/time/datetime.ts';

/** Days since 2000-01-01, `months` later; the 31st becomes a month's last day. */
function addMonths(days: number, months: number): number {
  const { year, month, day } = civilFromDays(days);
  const total = year * 12 + (month - 1) + months;
  const toYear = Math.floor(total / 12);
  const toMonth = total - toYear * 12 + 1;
  return daysFromCivil(toYear, toMonth, Math.min(day, daysInMonth(toYear, toMonth)));
}

/**
 * @param micros since 2000-01-01: UTC when `zone` is given, else of a timestamp without one.
 * @throws SqlError 22008 when the result leaves the type's range.
 */
export function addInterval(micros: bigint, interval: IntervalDatum, zone: string | null): bigint {
  if (isInfiniteTimestamp(micros)) return micros;
  let at = micros;
  if (interval.months !== 0 || interval.days !== 0) {
    const local = splitMicros(zone === null ? at : instantToLocal(zone, at));
    const days = addMonths(local.days, interval.months) + interval.days;
    const moved = BigInt(days) * MICROS_PER_DAY + local.micros;
    at = zone === null ? moved : localToInstant(zone, moved);
  }
  return checkTimestamp(at + interval.micros);
}

export function negateInterval({ months, days, micros }: IntervalDatum): IntervalDatum {
  return { datum: 'interval', months: -months, days: -days, micros: -micros };
}

const DAY_SECONDS = 86_400;
const INTEGER_MAX = 2 ** 31;

/** As PostgreSQL's TSROUND: what is left of a division keeps six decimals. */
const rest = (value: number): number => roundHalfEven(value * 1e6) / 1e6;

export const multiplyInterval = (value: IntervalDatum, factor: number): IntervalDatum =>
  scaleInterval(value, (part) => part * factor);

export const divideInterval = (value: IntervalDatum, divisor: number): IntervalDatum =>
  scaleInterval(value, (part) => part / divisor);

/**
 * Fractions of months go to days, those of days to time. Source: PostgreSQL 18, interval_mul.
 * @throws SqlError 22008 when the result is out of range.
 */
function scaleInterval(
  { months, days, micros }: IntervalDatum,
  scale: (part: number) => number,
): IntervalDatum {
  const wholeMonths = Math.trunc(scale(months));
  const wholeDays = Math.trunc(scale(days));
  const monthDays = rest((scale(months) - wholeMonths) * 30);
  const seconds = rest((scale(days) - wholeDays + monthDays - Math.trunc(monthDays)) * DAY_SECONDS);
  const spilled = Math.trunc(seconds / DAY_SECONDS);
  const allDays = wholeDays + Math.trunc(monthDays) + spilled;
  const time = roundHalfEven(scale(Number(micros)) + (seconds - spilled * DAY_SECONDS) * 1e6);
  const fits =
    Math.abs(wholeMonths) < INTEGER_MAX && Math.abs(allDays) < INTEGER_MAX && Math.abs(time) < 2 ** 63;
  if (!fits) throw new SqlError('datetime_field_overflow', 'interval out of range');
  return { datum: 'interval', months: wholeMonths || 0, days: allDays || 0, micros: BigInt(time) };
}
