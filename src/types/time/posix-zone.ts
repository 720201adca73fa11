/**
 * Time zones given by their rule, as POSIX writes them: `UTC+3`, `<-03>3`, `00:30`, `EST5EDT,M3.2.0,M11.1.0`. Offsets
 * count west of Greenwich. Source: tzparse of PostgreSQL 18 (localtime.c).
 */
import { civilFromDays, daysFromCivil, daysInMonth, dayOfWeek } from './calendar.ts';

/** A name and an offset that hold for a part of the year. */
interface Clock {
  readonly name: string;
  /** Seconds east of UTC. */
  readonly offset: number;
}

/** When clocks change: a day of the year, and seconds of its local time. */
interface Change {
  readonly dayIn: (year: number) => number;
  readonly seconds: number;
}

interface Summer extends Clock {
  readonly start: Change;
  readonly end: Change;
}

export interface PosixZone {
  readonly standard: Clock;
  readonly summer: Summer | null;
}

const HOURS_MAX = 7 * 24 - 1;
const SECONDS_PER_DAY = 86_400;
const NAME = String.raw`(?:<([^>]*)>|([^\d,+<-][^\d,+-]*|))`;
const OFFSET = String.raw`([+-]?\d+(?::\d+){0,2})`;
const ZONE = new RegExp(`^${NAME}${OFFSET}(?:${NAME}${OFFSET}?(?:[,;](.*))?)?$`, 's');
const CHANGE = new RegExp(String.raw`^(?:M(\d+)\.(\d+)\.(\d+)|(J?)(\d+))(?:/${OFFSET})?$`);
/** When a zone has summer time and does not say from when to when. */
const USUAL_RULE = 'M3.2.0,M11.1.0';
const USUAL_CHANGE = '2';

/** Null: it is no such zone. */
export function parsePosixZone(text: string): PosixZone | null {
  const found = ZONE.exec(text);
  if (found === null) return null;
  const [, quoted, bare = '', west = '', summerQuoted, summerBare = '', summerWest, rule] = found;
  const offset = secondsOf(west);
  if (offset === null) return null;
  const standard = { name: quoted ?? bare, offset: -offset || 0 };
  const name = summerQuoted ?? summerBare;
  if (name === '') return summerWest === undefined && rule === undefined ? { standard, summer: null } : null;
  const summerOffset = summerWest === undefined ? offset - 3600 : secondsOf(summerWest);
  const [start, end, ...more] = (rule ?? USUAL_RULE).split(',').map(parseChange);
  if (summerOffset === null || !start || !end || more.length > 0) return null;
  return { standard, summer: { name, offset: -summerOffset || 0, start, end } };
}

/** `3`, `-3:30`, `24:59:59` in seconds; null when a part is too large. */
function secondsOf(text: string): number | null {
  const [hours = 0, minutes = 0, seconds = 0] = text.replace(/^[+-]/, '').split(':').map(Number);
  if (hours > HOURS_MAX || minutes > 59 || seconds > 60) return null;
  const size = hours * 3600 + minutes * 60 + seconds;
  return text.startsWith('-') ? -size : size;
}

function parseChange(text: string): Change | null {
  const [found, month, week, weekday, julian, day, at = USUAL_CHANGE] = CHANGE.exec(text) ?? [];
  const seconds = secondsOf(at);
  if (found === undefined || seconds === null) return null;
  if (day !== undefined) return dayOfYear(Number(day), julian === 'J', seconds);
  const [m, w, d] = [Number(month), Number(week), Number(weekday)];
  if (m < 1 || m > 12 || w < 1 || w > 5 || d > 6) return null;
  return { dayIn: (year) => weekdayOfMonth(year, m, { week: w, weekday: d }), seconds };
}

/** @param julian counted from 1 without 29 February, else from 0 with it. */
function dayOfYear(day: number, julian: boolean, seconds: number): Change | null {
  if (day > 365 || (julian && day < 1)) return null;
  if (!julian) return { dayIn: (year) => daysFromCivil(year, 1, 1) + day, seconds };
  const isBehindFebruary = day >= 60;
  const dayIn = (year: number): number =>
    daysFromCivil(year, 1, day) + (isBehindFebruary && daysInMonth(year, 2) === 29 ? 1 : 0);
  return { dayIn, seconds };
}

/** Week 5 is the last one that has the day. */
function weekdayOfMonth(
  year: number,
  month: number,
  { week, weekday }: { readonly week: number; readonly weekday: number },
): number {
  const first = daysFromCivil(year, month, 1);
  const day = (weekday - dayOfWeek(first) + 7) % 7;
  const last = daysInMonth(year, month) - 1;
  const wanted = day + (week - 1) * 7;
  return first + (wanted > last ? wanted - 7 : wanted);
}

/** The clock in force at an instant. @param seconds since 2000-01-01 UTC. */
export function posixClock({ standard, summer }: PosixZone, seconds: number): Clock {
  if (summer === null) return standard;
  const { year } = civilFromDays(Math.floor((seconds + standard.offset) / SECONDS_PER_DAY));
  let shown: Clock = standard;
  let latest = Number.NEGATIVE_INFINITY;
  for (const near of [year - 1, year, year + 1]) {
    for (const [change, before, clock] of [
      [summer.start, standard, summer],
      [summer.end, summer, standard],
    ] as const) {
      const at = change.dayIn(near) * SECONDS_PER_DAY + change.seconds - before.offset;
      if (at <= seconds && at >= latest) [shown, latest] = [clock, at];
    }
  }
  return shown;
}
