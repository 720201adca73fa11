/**
 * Times of day, periods, and what is left of dates: timetz, OVERLAPS, justify_*, infinity. Source: PostgreSQL
 * 18, section 9.9.
 */
import { SqlError } from '../../errors.ts';
import { MICROS_PER_DAY, splitMicros } from '../../types/time/calendar.ts';
import { zoneNamed, zoneOffset } from '../../types/time/zone.ts';
import type { Datum, IntervalDatum, NumericDatum } from '../../types/datum.ts';
import {
  DATE_INFINITY,
  checkTimestamp,
  DATE_MINUS_INFINITY,
  instantToLocal,
  isInfiniteTimestamp,
  timetzDatum,
  timestampToInstant,
  timetzParts,
} from '../../types/time/datetime.ts';
import { numericOf, numericToNumber } from '../../types/number/numeric.ts';
import { roundHalfEven } from '../../types/number/round.ts';
import { findType } from '../../types/registry.ts';
import { age, extractInterval, extractTimeField, truncateInterval } from './datetime-fields.ts';
import { makeDate } from './datetime.ts';
import type { FunctionContext, Operator, ScalarFunction } from '../function.ts';
import { addInterval, negateInterval } from './interval.ts';
import { infix, scalar } from '../row.ts';

const interval = (months: number, days: number, micros: bigint): IntervalDatum => ({
  datum: 'interval',
  months,
  days,
  micros,
});

const wrapDay = (micros: bigint): bigint => ((micros % MICROS_PER_DAY) + MICROS_PER_DAY) % MICROS_PER_DAY;
const midnight = (days: number): bigint => BigInt(days) * MICROS_PER_DAY;

function timetzPlus(text: string, { micros }: IntervalDatum): string {
  const { time, zone } = timetzParts(text);
  return timetzDatum(wrapDay(time + micros), zone);
}

/** @throws SqlError 22008 */
function makeTime(hour: number, minute: number, second: number): bigint {
  const valid =
    Number.isFinite(second) && hour >= 0 && minute >= 0 && minute < 60 && second >= 0 && second <= 60;
  const micros = (hour * 3600 + minute * 60) * 1e6 + roundHalfEven(second * 1e6);
  if (valid && micros <= Number(MICROS_PER_DAY)) return BigInt(micros);
  const shown = `${hour}:${String(minute).padStart(2, '0')}:${String(second).padStart(2, '0')}`;
  throw new SqlError('datetime_field_overflow', `time field value out of range: ${shown}`);
}

/** Hours above 24 become days, with one sign for all. */
function justifyHours({ months, days, micros }: IntervalDatum): IntervalDatum {
  let all = days + Number(micros / MICROS_PER_DAY);
  let rest = micros % MICROS_PER_DAY;
  if (all > 0 && rest < 0n) [all, rest] = [all - 1, rest + MICROS_PER_DAY];
  else if (all < 0 && rest > 0n) [all, rest] = [all + 1, rest - MICROS_PER_DAY];
  return interval(months, all, rest);
}

function justifyDays({ months, days, micros }: IntervalDatum): IntervalDatum {
  let all = months + Math.trunc(days / 30);
  let rest = days % 30;
  if (all > 0 && rest < 0) [all, rest] = [all - 1, rest + 30];
  else if (all < 0 && rest > 0) [all, rest] = [all + 1, rest - 30];
  return interval(all, rest, micros);
}

/** Hours and days, then every part with the sign of the whole. */
function justifyInterval(value: IntervalDatum): IntervalDatum {
  let { months, days, micros } = value;
  days += Number(micros / MICROS_PER_DAY);
  micros %= MICROS_PER_DAY;
  months += Math.trunc(days / 30);
  days %= 30;
  const before = days + (micros < 0n ? -1 : micros > 0n ? 1 : 0) / 2;
  if (months > 0 && before < 0) [months, days] = [months - 1, days + 30];
  else if (months < 0 && before > 0) [months, days] = [months + 1, days - 30];
  if (days > 0 && micros < 0n) [days, micros] = [days - 1, micros + MICROS_PER_DAY];
  else if (days < 0 && micros > 0n) [days, micros] = [days + 1, micros - MICROS_PER_DAY];
  return interval(months, days, micros);
}

type Ends = readonly [Datum, Datum, Datum, Datum];

/** True when two periods share a moment; each is half open unless it is one moment. NULL where unknown. */
function overlaps(ends: Ends, compare: (a: Datum, b: Datum) => number): boolean | null {
  const order = (a: Datum, b: Datum): [Datum, Datum] | null => {
    if (a === null && b === null) return null;
    if (a === null) return [b, null];
    return b !== null && compare(a, b) > 0 ? [b, a] : [a, b];
  };
  const [first, second] = [order(ends[0], ends[1]), order(ends[2], ends[3])];
  if (first === null || second === null) return null;
  const starts = compare(first[0], second[0]);
  if (starts === 0) return first[1] === null || second[1] === null ? null : true;
  const [early, late] = starts > 0 ? [second, first] : [first, second];
  if (early[1] === null) return null;
  if (compare(late[0], early[1]) < 0) return true;
  return late[1] === null ? null : false;
}

/** The end of a period that is given by its length. */
type EndOf = (context: FunctionContext, start: Datum, length: Datum) => Datum;

interface PeriodType {
  readonly type: string;
  readonly later: EndOf;
  readonly sample: readonly [start: string, end: string, length: string];
}

/** Each of the two periods may be given by its end or by its length. */
function overlapsRows({ type, later, sample }: PeriodType): ScalarFunction[] {
  const [start, end, length] = sample;
  return [type, 'interval'].flatMap((first) =>
    [type, 'interval'].map((second) => {
      const period = (by: string): string =>
        `(${type} '${start}', ${by === type ? `${type} '${end}'` : `interval '${length}'`})`;
      const endOf = (by: string): EndOf => (by === type ? (_, __, given) => given : later);
      return scalar(`overlaps(${type}, ${first}, ${type}, ${second}) bool`, {
        strict: false,
        volatility: 'stable',
        summary: 'Whether two periods share a moment.',
        example: [`SELECT ${period(first)} OVERLAPS ${period(second)}`, 't'],
        evaluateIn: (context, a: Datum, b: Datum, c: Datum, d: Datum) => {
          const compare = (x: Datum, y: Datum): number => findType(type)?.compare?.(x, y) ?? 0;
          return overlaps([a, endOf(first)(context, a, b), c, endOf(second)(context, c, d)], compare);
        },
      });
    }),
  );
}

const after =
  (add: (context: FunctionContext, start: never, length: IntervalDatum) => Datum): EndOf =>
  (context, start, length) =>
    start === null || length === null ? null : add(context, start as never, length as IntervalDatum);

const CLOCK_SAMPLE = ['10:00', '11:00', '1 hour'] as const;
const DAY_SAMPLE = ['2024-01-01', '2024-01-02', '1 day'] as const;

const OVERLAPS: readonly ScalarFunction[] = [
  {
    type: 'timestamp',
    later: after((_, start: bigint, by) => addInterval(start, by, null)),
    sample: DAY_SAMPLE,
  },
  {
    type: 'timestamptz',
    later: after(({ settings }, start: bigint, by) => addInterval(start, by, settings.timeZone)),
    sample: DAY_SAMPLE,
  },
  { type: 'time', later: after((_, start: bigint, by) => wrapDay(start + by.micros)), sample: CLOCK_SAMPLE },
  { type: 'timetz', later: after((_, start: string, by) => timetzPlus(start, by)), sample: CLOCK_SAMPLE },
].flatMap(overlapsRows);

const HOUR = "interval '1 hour'";

export const TIME_OPERATORS: readonly Operator[] = [
  infix('interval + time time', {
    summary: 'The time later, within the day.',
    example: [`SELECT ${HOUR} + time '23:30'`, '00:30:00'],
    evaluate: (by: IntervalDatum, time: bigint) => wrapDay(time + by.micros),
  }),
  infix('time + date timestamp', {
    summary: 'The moment of a day.',
    example: ["SELECT time '03:00' + date '2024-01-31'", '2024-01-31 03:00:00'],
    evaluate: (time: bigint, days: number) => midnight(days) + time,
  }),
  infix('date + timetz timestamptz', {
    volatility: 'stable',
    summary: 'The moment of a day.',
    example: ["SELECT date '2024-01-31' + timetz '03:00+01'", '2024-01-31 02:00:00+00'],
    evaluate: (days: number, text: string) => {
      const { time, zone } = timetzParts(text);
      return midnight(days) + time - BigInt(zone) * 1_000_000n;
    },
  }),
  infix('timetz + interval timetz', {
    summary: 'The time later, within the day.',
    example: [`SELECT timetz '23:30+02' + ${HOUR}`, '00:30:00+02'],
    evaluate: timetzPlus,
  }),
  infix('timetz - interval timetz', {
    summary: 'The time earlier, within the day.',
    example: [`SELECT timetz '00:30+02' - ${HOUR}`, '23:30:00+02'],
    evaluate: (text: string, by: IntervalDatum) => timetzPlus(text, negateInterval(by)),
  }),
];

/** @throws SqlError 22023 */
function extractTimetz(field: string, text: string): NumericDatum {
  const { time, zone } = timetzParts(text);
  switch (field.toLowerCase()) {
    case 'timezone':
      return numericOf(BigInt(zone));
    case 'timezone_hour':
      return numericOf(BigInt(Math.trunc(zone / 3600)));
    case 'timezone_minute':
      return numericOf(BigInt(Math.trunc(zone / 60) % 60));
    case 'epoch':
      return extractInterval('epoch', interval(0, 0, time - BigInt(zone) * 1_000_000n));
    default:
      return extractTimeField(field, time, 'time with time zone');
  }
}

const NUMERIC_ZONE = /^([+-])(\d{1,4})(?::(\d{2}))?(?::(\d{2}))?$/;

/** Seconds east of UTC of `+2` and `-02:30`, as in a moment's text; null for a name. @throws SqlError 22023. */
function numericZone(zone: string): number | null {
  if (/^\d/.test(zone)) {
    const message = `invalid input syntax for type numeric time zone: "${zone}"`;
    const hint = 'Numeric time zones must have "-" or "+" as first character.';
    throw new SqlError('invalid_parameter_value', message, { hint });
  }
  const match = NUMERIC_ZONE.exec(zone);
  if (match === null) return null;
  const [, sign, digits = '', minutes, seconds = '0'] = match;
  const packed = minutes === undefined && digits.length > 2;
  const hours = Number(packed ? digits.slice(0, -2) : digits);
  const rest = Number(packed ? digits.slice(-2) : (minutes ?? 0));
  if (hours > 15 || rest > 59) {
    throw new SqlError('invalid_parameter_value', `numeric time zone "${zone}" out of range`);
  }
  const east = hours * 3600 + rest * 60 + Number(seconds);
  return sign === '-' ? -east : east;
}

/** @throws SqlError 22023 */
function zoneSeconds({ months, days, micros }: IntervalDatum): bigint {
  if (months === 0 && days === 0) return micros / 1_000_000n;
  throw new SqlError('invalid_parameter_value', 'interval time zone must not include months or days');
}

const FINITE = ['date', 'timestamp', 'interval'].map((type) =>
  scalar(`isfinite(${type}) bool`, {
    summary: 'Whether it is not infinity.',
    example: [
      `SELECT isfinite(${type} '${type === 'interval' ? '4 hours' : 'infinity'}')`,
      type === 'interval' ? 't' : 'f',
    ],
    evaluate: (value: Datum) =>
      typeof value === 'bigint'
        ? !isInfiniteTimestamp(value)
        : value !== DATE_INFINITY && value !== DATE_MINUS_INFINITY,
  }),
);

const ADDITIONS = (['date_add', 'date_subtract'] as const).flatMap((name) =>
  [false, true].map((zoned) => {
    const call = `${name}(timestamptz '2024-01-31 00:00+00', interval '1 day'${zoned ? ", 'UTC'" : ''})`;
    return scalar(`${name}(timestamptz, interval${zoned ? ', text' : ''}) timestamptz`, {
      volatility: zoned ? 'immutable' : 'stable',
      summary: `The moment ${name === 'date_add' ? 'later' : 'earlier'}, by the calendar of the zone.`,
      example: [`SELECT ${call}`, name === 'date_add' ? '2024-02-01 00:00:00+00' : '2024-01-30 00:00:00+00'],
      evaluateIn: ({ settings }, at: bigint, by: IntervalDatum, zone?: string) =>
        addInterval(
          at,
          name === 'date_add' ? by : negateInterval(by),
          zone === undefined ? settings.timeZone : zoneNamed(zone),
        ),
    });
  }),
);

export const TIME_FUNCTIONS: readonly ScalarFunction[] = [
  ...OVERLAPS,
  ...FINITE,
  ...ADDITIONS,
  scalar('current_time() timetz', {
    volatility: 'stable',
    summary: 'The time of day the transaction began.',
    example: ['SELECT current_time IS NOT NULL', 't'],
    evaluateIn: ({ settings: { timeZone, nowMicros } }) =>
      timetzDatum(splitMicros(instantToLocal(timeZone, nowMicros)).micros, zoneOffset(timeZone, nowMicros)),
  }),
  scalar('make_time(int4, int4, float8) time', {
    summary: 'A time from hour, minute, second.',
    example: ['SELECT make_time(8, 15, 23.5)', '08:15:23.5'],
    evaluate: makeTime,
  }),
  ...[false, true].map((zoned) =>
    scalar(`make_timestamptz(int4, int4, int4, int4, int4, float8${zoned ? ', text' : ''}) timestamptz`, {
      volatility: 'stable',
      summary: 'A moment from its fields in a zone.',
      example: [
        `SELECT make_timestamptz(2013, 7, 15, 8, 15, 23.5${zoned ? ", 'UTC'" : ''})`,
        '2013-07-15 08:15:23.5+00',
      ],
      evaluateIn: ({ settings }, ...args: [number, number, number, number, number, number, string?]) => {
        const [year, month, day, hour, minute, second, zone] = args;
        const local = midnight(makeDate(year, month, day)) + makeTime(hour, minute, second);
        const numeric = zone === undefined ? null : numericZone(zone);
        if (numeric !== null) return checkTimestamp(local - BigInt(numeric) * 1_000_000n);
        return timestampToInstant(zone === undefined ? settings.timeZone : zoneNamed(zone), local);
      },
    }),
  ),
  scalar('justify_hours(interval) interval', {
    summary: '24 hours become a day.',
    example: ["SELECT justify_hours(interval '50 hours')", '2 days 02:00:00'],
    evaluate: justifyHours,
  }),
  scalar('justify_days(interval) interval', {
    summary: '30 days become a month.',
    example: ["SELECT justify_days(interval '65 days')", '2 mons 5 days'],
    evaluate: justifyDays,
  }),
  scalar('justify_interval(interval) interval', {
    summary: '30 days become a month and 24 hours a day.',
    example: ["SELECT justify_interval(interval '1 mon -1 hour')", '29 days 23:00:00'],
    evaluate: justifyInterval,
  }),
  scalar('age(timestamptz) interval', {
    volatility: 'stable',
    summary: 'The time up to midnight of today.',
    example: ['SELECT age(current_date::timestamptz)', '00:00:00'],
    evaluateIn: ({ settings: { timeZone, nowMicros } }, at: bigint) => {
      const today = midnight(splitMicros(instantToLocal(timeZone, nowMicros)).days);
      return age(today, instantToLocal(timeZone, at));
    },
  }),
  scalar('date_trunc(text, interval) interval', {
    summary: 'The interval cut to the unit.',
    example: ["SELECT date_trunc('hour', interval '2 days 3 hours 40 minutes')", '2 days 03:00:00'],
    evaluate: truncateInterval,
  }),
  scalar('extract(text, timetz) numeric', {
    summary: 'A field of a time.',
    example: ["SELECT extract(timezone_hour FROM timetz '07:00+02')", '2'],
    evaluate: extractTimetz,
  }),
  scalar('date_part(text, timetz) float8', {
    summary: 'A field of a time.',
    example: ["SELECT date_part('hour', timetz '07:00+02')", '7'],
    evaluate: (field: string, text: string) => numericToNumber(extractTimetz(field, text)),
  }),
  scalar('timezone(interval, timestamptz) timestamp', {
    summary: 'AT TIME ZONE: the local time of a moment.',
    example: [
      "SELECT timestamptz '2024-01-01 12:00+00' AT TIME ZONE interval '2 hours'",
      '2024-01-01 14:00:00',
    ],
    evaluate: (zone: IntervalDatum, at: bigint) => at + zoneSeconds(zone) * 1_000_000n,
  }),
  scalar('timezone(interval, timestamp) timestamptz', {
    summary: 'AT TIME ZONE: the moment of a local time.',
    example: [
      "SELECT timestamp '2024-01-01 12:00' AT TIME ZONE interval '2 hours'",
      '2024-01-01 10:00:00+00',
    ],
    evaluate: (zone: IntervalDatum, local: bigint) => local - zoneSeconds(zone) * 1_000_000n,
  }),
  scalar('timezone(text, timetz) timetz', {
    volatility: 'stable',
    summary: 'AT TIME ZONE: the same time in another zone.',
    example: ["SELECT timetz '12:00+00' AT TIME ZONE 'UTC'", '12:00:00+00'],
    evaluateIn: ({ settings }, zone: string, text: string) => {
      const { time, zone: from } = timetzParts(text);
      const to = zoneOffset(zoneNamed(zone), settings.nowMicros);
      return timetzDatum(wrapDay(time + BigInt(to - from) * 1_000_000n), to);
    },
  }),
];
