/**
 * Moments plus intervals: months first (the day is cut to the month's length), then days, then time, in the
 * zone's calendar. Source: timestamp_pl_interval and timestamptz_pl_interval of PostgreSQL 18.
 */
import type { IntervalDatum } from '../types/datum.ts';
import {
  civilFromDays,
  daysFromCivil,
  daysInMonth,
  localToInstant,
  MICROS_PER_DAY,
  splitMicros,
} from '../types/calendar.ts';
import { checkTimestamp, instantToLocal, isInfiniteTimestamp } from '../types/datetime.ts';

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

/** Fractions of months go to days, those of days to time. */
export function scaleInterval(value: IntervalDatum, factor: number): IntervalDatum {
  const months = value.months * factor;
  const wholeMonths = Math.trunc(months);
  const days = value.days * factor + (months - wholeMonths) * 30;
  const wholeDays = Math.trunc(Number(days.toFixed(9)));
  const micros = Math.round(Number(value.micros) * factor + (days - wholeDays) * 86_400_000_000);
  return { datum: 'interval', months: wholeMonths, days: wholeDays, micros: BigInt(micros) };
}
