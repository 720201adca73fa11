/**
 * Civil dates. Days and microseconds count from 2000-01-01; the calendar is the proleptic Gregorian one with
 * astronomical years (0 is 1 BC). Day algorithm: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
 */

export const MICROS_PER_SECOND = 1_000_000n;
export const MICROS_PER_DAY = 86_400_000_000n;
/** Days from 1970-01-01 to 2000-01-01. */
const EPOCH_DAYS = 10_957;

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
