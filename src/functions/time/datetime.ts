/**
 * Dates, times and intervals: arithmetic, the clock, extract, truncation. Times with zone are computed in the
 * session's zone. Source: PostgreSQL 18, section 9.9 "Date/Time Functions and Operators".
 */
import { UNIX_EPOCH_MICROS } from '../../epoch.ts';
import { SqlError } from '../../errors.ts';
import { daysFromCivil, daysInMonth, MICROS_PER_DAY, splitMicros } from '../../types/time/calendar.ts';
import { zoneNamed, zoneOffset } from '../../types/time/zone.ts';
import type { Datum, IntervalDatum, NumericDatum } from '../../types/datum.ts';
import {
  DATE_INFINITY,
  DATE_MINUS_INFINITY,
  TIMESTAMP_INFINITY,
  TIMESTAMP_MINUS_INFINITY,
  checkTimestamp,
  instantToLocal,
  instantToTimestamp,
  isInfiniteTimestamp,
  timestampToInstant,
} from '../../types/time/datetime.ts';
import { numericToNumber } from '../../types/number/numeric.ts';
import { roundHalfEven } from '../../types/number/round.ts';
import { divisionByZero } from '../number/arithmetic-kernels.ts';
import {
  age,
  extractInterval,
  extractInfinite,
  extractMoment,
  extractTimeField,
  fieldName,
  truncateMoment,
} from './datetime-fields.ts';
import type { Cast, FunctionContext, Operator, ScalarFunction } from '../function.ts';
import { addInterval, divideInterval, multiplyInterval, negateInterval } from './interval.ts';

const interval = (months: number, days: number, micros: bigint): IntervalDatum => ({
  datum: 'interval',
  months,
  days,
  micros,
});
const midnight = (days: number): bigint => BigInt(days) * MICROS_PER_DAY;
const zoneOf = (context: FunctionContext): string => context.settings.timeZone;

type Evaluate = NonNullable<Operator['evaluate']>;
type EvaluateIn = NonNullable<Operator['evaluateIn']>;

/** `signature` is `left op right result`. */
function operator(signature: string, example: Operator['example'], evaluate: Evaluate): Operator {
  const [left = '', name = '', right = '', returns = ''] = signature.split(' ');
  return { name, left, right, returns, summary: 'Arithmetic of times.', example, evaluate };
}

function operatorIn(signature: string, example: Operator['example'], evaluateIn: EvaluateIn): Operator {
  const [left = '', name = '', right = '', returns = ''] = signature.split(' ');
  return {
    name,
    left,
    right,
    returns,
    volatility: 'stable',
    summary: 'Arithmetic of times.',
    example,
    evaluateIn,
  };
}

const addIntervals = (a: IntervalDatum, b: IntervalDatum): IntervalDatum =>
  interval(a.months + b.months, a.days + b.days, a.micros + b.micros);

/** Days and time, as timestamp minus timestamp. */
function difference(a: bigint, b: bigint): IntervalDatum {
  const micros = a - b;
  return interval(0, Number(micros / MICROS_PER_DAY), micros % MICROS_PER_DAY);
}

const wrapDay = (micros: bigint): bigint => ((micros % MICROS_PER_DAY) + MICROS_PER_DAY) % MICROS_PER_DAY;

const DAY = "interval '1 day'";
const D = "date '2024-01-31'";
const T = "timestamp '2024-01-31 00:00'";
const Z = "timestamptz '2024-01-31 00:00+00'";

export const DATETIME_OPERATORS: readonly Operator[] = [
  operator('date + int4 date', [`SELECT ${D} + 1`, '2024-02-01'], (d: number, n: number) => d + n),
  operator('int4 + date date', [`SELECT 1 + ${D}`, '2024-02-01'], (n: number, d: number) => d + n),
  operator('date - int4 date', [`SELECT ${D} - 1`, '2024-01-30'], (d: number, n: number) => d - n),
  operator('date - date int4', [`SELECT ${D} - date '2024-01-01'`, '30'], (a: number, b: number) => a - b),
  operator(
    'date + interval timestamp',
    [`SELECT ${D} + ${DAY}`, '2024-02-01 00:00:00'],
    (d: number, i: IntervalDatum) => addInterval(midnight(d), i, null),
  ),
  operator(
    'interval + date timestamp',
    [`SELECT ${DAY} + ${D}`, '2024-02-01 00:00:00'],
    (i: IntervalDatum, d: number) => addInterval(midnight(d), i, null),
  ),
  operator(
    'date - interval timestamp',
    [`SELECT ${D} - ${DAY}`, '2024-01-30 00:00:00'],
    (d: number, i: IntervalDatum) => addInterval(midnight(d), negateInterval(i), null),
  ),
  operator(
    'date + time timestamp',
    [`SELECT ${D} + time '03:00'`, '2024-01-31 03:00:00'],
    (d: number, t: bigint) => midnight(d) + t,
  ),
  operator(
    'timestamp + interval timestamp',
    [`SELECT ${T} + interval '1 month'`, '2024-02-29 00:00:00'],
    (t: bigint, i: IntervalDatum) => addInterval(t, i, null),
  ),
  operator(
    'interval + timestamp timestamp',
    [`SELECT ${DAY} + ${T}`, '2024-02-01 00:00:00'],
    (i: IntervalDatum, t: bigint) => addInterval(t, i, null),
  ),
  operator(
    'timestamp - interval timestamp',
    [`SELECT ${T} - ${DAY}`, '2024-01-30 00:00:00'],
    (t: bigint, i: IntervalDatum) => addInterval(t, negateInterval(i), null),
  ),
  operator('timestamp - timestamp interval', [`SELECT ${T} - timestamp '2024-01-30'`, '1 day'], difference),
  operatorIn(
    'timestamptz + interval timestamptz',
    [`SELECT ${Z} + ${DAY} = timestamptz '2024-02-01 00:00+00'`, 't'],
    (c: FunctionContext, t: bigint, i: IntervalDatum) => addInterval(t, i, zoneOf(c)),
  ),
  operatorIn(
    'interval + timestamptz timestamptz',
    [`SELECT ${DAY} + ${Z} = timestamptz '2024-02-01 00:00+00'`, 't'],
    (c: FunctionContext, i: IntervalDatum, t: bigint) => addInterval(t, i, zoneOf(c)),
  ),
  operatorIn(
    'timestamptz - interval timestamptz',
    [`SELECT ${Z} - ${DAY} = timestamptz '2024-01-30 00:00+00'`, 't'],
    (c: FunctionContext, t: bigint, i: IntervalDatum) => addInterval(t, negateInterval(i), zoneOf(c)),
  ),
  operator(
    'timestamptz - timestamptz interval',
    [`SELECT ${Z} - timestamptz '2024-01-30 00:00+00'`, '1 day'],
    difference,
  ),
  operator(
    'interval + interval interval',
    [`SELECT ${DAY} + interval '1 hour'`, '1 day 01:00:00'],
    addIntervals,
  ),
  operator(
    'interval - interval interval',
    [`SELECT ${DAY} - interval '1 hour'`, '1 day -01:00:00'],
    (a: IntervalDatum, b: IntervalDatum) => addIntervals(a, negateInterval(b)),
  ),
  operator('interval * float8 interval', [`SELECT ${DAY} * 1.5`, '1 day 12:00:00'], multiplyInterval),
  operator('float8 * interval interval', [`SELECT 2 * ${DAY}`, '2 days'], (f: number, i: IntervalDatum) =>
    multiplyInterval(i, f),
  ),
  operator('interval / float8 interval', [`SELECT ${DAY} / 2`, '12:00:00'], (i: IntervalDatum, f: number) => {
    if (f === 0) throw divisionByZero();
    return divideInterval(i, f);
  }),
  operator(
    'time + interval time',
    ["SELECT time '01:00' + interval '3 hours'", '04:00:00'],
    (t: bigint, i: IntervalDatum) => wrapDay(t + i.micros),
  ),
  operator(
    'time - interval time',
    ["SELECT time '05:00' - interval '2 hours'", '03:00:00'],
    (t: bigint, i: IntervalDatum) => wrapDay(t - i.micros),
  ),
  operator(
    'time - time interval',
    ["SELECT time '05:00' - time '03:00'", '02:00:00'],
    (a: bigint, b: bigint) => interval(0, 0, a - b),
  ),
  {
    name: '-',
    right: 'interval',
    returns: 'interval',
    summary: 'The negative.',
    example: [`SELECT - ${DAY}`, '-1 days'],
    evaluate: negateInterval,
  },
];

type Row = Omit<ScalarFunction, 'name' | 'args' | 'returns'>;
/** `signature` is `name(arg, …) result`. */
function row(signature: string, rest: Row): ScalarFunction {
  const [, name = '', args = '', returns = ''] = /^(\w+)\(([^)]*)\) (\S+)$/.exec(signature) ?? [];
  return { name, args: args === '' ? [] : args.split(', '), returns, ...rest };
}

const CLOCKS: readonly ScalarFunction[] = [
  ...['now', 'transaction_timestamp', 'current_timestamp'].map((name) =>
    row(`${name}() timestamptz`, {
      volatility: 'stable',
      summary: 'When the transaction began.',
      example: [`SELECT ${name === 'current_timestamp' ? name : `${name}()`} <= now()`, 't'],
      evaluateIn: (context) => context.settings.nowMicros,
    }),
  ),
  row('statement_timestamp() timestamptz', {
    volatility: 'stable',
    summary: 'When the statement began.',
    example: ['SELECT statement_timestamp() >= now()', 't'],
    evaluateIn: (context) => context.statementMicros,
  }),
  row('clock_timestamp() timestamptz', {
    volatility: 'volatile',
    effect: 'none',
    summary: 'The time now.',
    example: ['SELECT clock_timestamp() >= now()', 't'],
    evaluateIn: (context) => context.clockMicros(),
  }),
  row('localtimestamp() timestamp', {
    volatility: 'stable',
    summary: 'When the transaction began, in the session zone.',
    example: ['SELECT localtimestamp IS NOT NULL', 't'],
    evaluateIn: (context) => localNow(context),
  }),
  row('current_date() date', {
    volatility: 'stable',
    summary: 'The day the transaction began.',
    example: ['SELECT current_date IS NOT NULL', 't'],
    evaluateIn: (context) => splitMicros(localNow(context)).days,
  }),
  row('localtime() time', {
    volatility: 'stable',
    summary: 'The time of day the transaction began.',
    example: ['SELECT localtime IS NOT NULL', 't'],
    evaluateIn: (context) => splitMicros(localNow(context)).micros,
  }),
];

const localNow = (context: FunctionContext): bigint =>
  instantToLocal(zoneOf(context), context.settings.nowMicros);

const momentOf = (context: FunctionContext, micros: bigint) => ({
  local: instantToLocal(zoneOf(context), micros),
  offset: zoneOffset(zoneOf(context), micros),
  type: 'timestamp with time zone',
});
const plainMoment = (local: bigint) => ({ local, offset: null, type: 'timestamp without time zone' });
const dateMoment = (days: number) => ({ local: midnight(days), offset: null, type: 'date' });
type Extract = (context: FunctionContext, field: string, value: never) => NumericDatum;
const EXTRACTS: readonly (readonly [string, string, Extract])[] = [
  ['timestamptz', Z, (context, field, value: bigint) => extractMoment(field, momentOf(context, value))],
  ['timestamp', T, (_, field, value: bigint) => extractMoment(field, plainMoment(value))],
  ['date', D, (_, field, value: number) => extractMoment(field, dateMoment(value))],
  ['interval', "interval '31 days'", (_, field, value: IntervalDatum) => extractInterval(field, value)],
  [
    'time',
    "time '07:00'",
    (_, field, value: bigint) => extractTimeField(field, value, 'time without time zone'),
  ],
];

const isInfiniteValue = (value: Datum): boolean =>
  (typeof value === 'bigint' && isInfiniteTimestamp(value)) || value === 2147483647 || value === -2147483648;

const FIELDS: readonly ScalarFunction[] = EXTRACTS.flatMap(([type, sample, extract]) => {
  const time = type === 'time';
  const [field, literal, result] = time ? ['hour', "time '07:00'", '7'] : ['day', sample, '31'];
  return [
    row(`extract(text, ${type}) numeric`, {
      volatility: 'stable',
      summary: 'A field of a date or time.',
      example: [`SELECT extract(${field} FROM ${literal})`, result],
      evaluateIn: (context, name: string, value: Datum) =>
        isInfiniteValue(value)
          ? extractInfinite(name, Number(value) > 0)
          : extract(context, name, value as never),
    }),
    row(`date_part(text, ${type}) float8`, {
      volatility: 'stable',
      summary: 'A field of a date or time.',
      example: [`SELECT date_part('${field}', ${literal})`, result],
      evaluateIn: (context, name: string, value: Datum) => {
        const infinite = isInfiniteValue(value);
        const found = infinite
          ? extractInfinite(name, Number(value) > 0)
          : extract(context, name, value as never);
        return found === null ? null : numericToNumber(found);
      },
    }),
  ];
});

function truncateIn(zone: string, field: string, micros: bigint): bigint {
  if (isInfiniteTimestamp(micros)) return micros;
  return timestampToInstant(
    zone,
    truncateMoment(field, instantToLocal(zone, micros), 'timestamp with time zone'),
  );
}

/** @throws SqlError 22008. */
function microsOf(seconds: number): bigint {
  if (Number.isFinite(seconds)) return BigInt(roundHalfEven(seconds * 1e6));
  throw new SqlError('datetime_field_overflow', `seconds out of range: ${seconds}`);
}

export function makeDate(year: number, month: number, day: number): number {
  if (year === 0 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) {
    const shown = [year, String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-');
    throw new SqlError('datetime_field_overflow', `date field value out of range: ${shown}`);
  }
  return daysFromCivil(year < 0 ? year + 1 : year, month, day);
}

const UNITS: Readonly<Record<string, number>> = {
  microseconds: 1,
  milliseconds: 1_000,
  second: 1_000_000,
  minute: 60_000_000,
  hour: 3_600_000_000,
  day: 86_400_000_000,
  week: 604_800_000_000,
  month: 2_629_800_000_000,
  year: 31_557_600_000_000,
};

function elapsed(from: bigint, to: bigint, unit: string): number {
  const micros = UNITS[fieldName(unit)];
  if (micros !== undefined) return Number(to - from) / micros;
  throw new SqlError('invalid_parameter_value', `unit "${unit}" not recognized`, {
    hint: `Units are ${Object.keys(UNITS).join(', ')}.`,
  });
}

function bin(stride: IntervalDatum, at: bigint, origin: bigint): bigint {
  const width = BigInt(stride.days) * MICROS_PER_DAY + stride.micros;
  if (stride.months !== 0)
    throw new SqlError(
      'feature_not_supported',
      'timestamps cannot be binned into intervals containing months or years',
    );
  if (width <= 0n) throw new SqlError('datetime_field_overflow', 'stride must be greater than zero');
  const rest = (at - origin) % width;
  return at - (rest < 0n ? rest + width : rest);
}

const OTHERS: readonly ScalarFunction[] = [
  row('date_trunc(text, timestamp) timestamp', {
    summary: 'The start of the unit.',
    example: ["SELECT date_trunc('hour', timestamp '2001-02-16 20:38:40')", '2001-02-16 20:00:00'],
    evaluate: (f: string, t: bigint) =>
      isInfiniteTimestamp(t) ? t : checkTimestamp(truncateMoment(f, t, 'timestamp without time zone')),
  }),
  row('date_trunc(text, timestamptz) timestamptz', {
    volatility: 'stable',
    summary: 'The start of the unit in the session zone.',
    example: [`SELECT date_trunc('second', ${Z}) = ${Z}`, 't'],
    evaluateIn: (context, f: string, t: bigint) => truncateIn(zoneOf(context), f, t),
  }),
  row('date_trunc(text, timestamptz, text) timestamptz', {
    summary: 'The start of the unit in a zone.',
    example: [`SELECT date_trunc('day', ${Z}, 'UTC') = ${Z}`, 't'],
    evaluate: (f: string, t: bigint, zone: string) => truncateIn(zoneNamed(zone), f, t),
  }),
  row('age(timestamp, timestamp) interval', {
    summary: 'The difference in years, months, days.',
    example: ["SELECT age(timestamp '2001-04-10', timestamp '1957-06-13')", '43 years 9 mons 27 days'],
    evaluate: age,
  }),
  row('age(timestamptz, timestamptz) interval', {
    volatility: 'stable',
    summary: 'The difference in years, months, days.',
    example: [`SELECT age(${Z}, ${Z})`, '00:00:00'],
    evaluateIn: (context, a: bigint, b: bigint) =>
      age(instantToLocal(zoneOf(context), a), instantToLocal(zoneOf(context), b)),
  }),
  row('age(timestamp) interval', {
    volatility: 'stable',
    summary: 'The time up to midnight of today.',
    example: ['SELECT age(current_date::timestamp)', '00:00:00'],
    evaluateIn: (context, t: bigint) => age(midnight(splitMicros(localNow(context)).days), t),
  }),
  row('make_date(int4, int4, int4) date', {
    summary: 'A date from year, month, day.',
    example: ['SELECT make_date(2013, 7, 15)', '2013-07-15'],
    evaluate: makeDate,
  }),
  row('make_timestamp(int4, int4, int4, int4, int4, float8) timestamp', {
    summary: 'A timestamp from its fields.',
    example: ['SELECT make_timestamp(2013, 7, 15, 8, 15, 23.5)', '2013-07-15 08:15:23.5'],
    evaluate: (y: number, mo: number, d: number, h: number, mi: number, s: number) =>
      midnight(makeDate(y, mo, d)) + BigInt(h * 3600 + mi * 60) * 1_000_000n + microsOf(s),
  }),
  {
    ...row('make_interval(int4, int4, int4, int4, int4, int4, float8) interval', {
      summary: 'An interval from its fields.',
      example: ['SELECT make_interval(days => 10)', '10 days'],
      evaluate: (y: number, mo: number, w: number, d: number, h: number, mi: number, s: number) =>
        interval(y * 12 + mo, w * 7 + d, BigInt(h * 3600 + mi * 60) * 1_000_000n + microsOf(s)),
    }),
    defaults: ['0', '0', '0', '0', '0', '0', '0'],
    argNames: ['years', 'months', 'weeks', 'days', 'hours', 'mins', 'secs'],
  },
  row('to_timestamp(float8) timestamptz', {
    summary: 'The moment of a Unix time.',
    example: ["SELECT to_timestamp(0) = timestamptz '1970-01-01 00:00+00'", 't'],
    evaluate: (s: number) => checkTimestamp(BigInt(roundHalfEven(s * 1e6)) - UNIX_EPOCH_MICROS),
  }),
  row('timezone(text, timestamptz) timestamp', {
    summary: 'AT TIME ZONE: the local time of a moment.',
    example: ["SELECT timestamptz '2024-01-01 12:00+00' AT TIME ZONE 'Asia/Tokyo'", '2024-01-01 21:00:00'],
    evaluate: (zone: string, t: bigint) => instantToTimestamp(zoneNamed(zone), t),
  }),
  row('timezone(text, timestamp) timestamptz', {
    summary: 'AT TIME ZONE: the moment of a local time.',
    example: [
      "SELECT timestamp '2024-01-01 12:00' AT TIME ZONE 'UTC' = timestamptz '2024-01-01 12:00+00'",
      't',
    ],
    evaluate: (zone: string, t: bigint) => timestampToInstant(zoneNamed(zone), t),
  }),
  row('date_bin(interval, timestamp, timestamp) timestamp', {
    summary: 'The start of the bin.',
    example: [
      "SELECT date_bin('15 minutes', timestamp '2001-02-16 20:38:40', timestamp '2001-02-16 20:05:00')",
      '2001-02-16 20:35:00',
    ],
    evaluate: bin,
  }),
  row('date_bin(interval, timestamptz, timestamptz) timestamptz', {
    summary: 'The start of the bin.',
    example: [`SELECT date_bin('1 day', ${Z}, ${Z}) = ${Z}`, 't'],
    evaluate: bin,
  }),
  row('isfinite(timestamptz) bool', {
    summary: 'Whether it is not infinity.',
    example: [`SELECT isfinite(${Z})`, 't'],
    evaluate: (t: bigint) => !isInfiniteTimestamp(t),
  }),
  row('elapsed(timestamptz, timestamptz, text) float8', {
    summary: 'The time between two moments in a unit.',
    example: [`SELECT elapsed(${Z}, ${Z} + ${DAY}, 'hour')`, '24'],
    evaluate: elapsed,
  }),
];

export const DATETIME_FUNCTIONS: readonly ScalarFunction[] = [...CLOCKS, ...FIELDS, ...OTHERS];

/** Midnight of a day; infinity stays. @throws SqlError 22008 */
export function dateToTimestamp(days: number): bigint {
  if (days === DATE_INFINITY) return TIMESTAMP_INFINITY;
  return days === DATE_MINUS_INFINITY ? TIMESTAMP_MINUS_INFINITY : checkTimestamp(midnight(days));
}

/** The day of a moment; infinity stays. */
export function timestampToDate(local: bigint): number {
  if (local === TIMESTAMP_INFINITY) return DATE_INFINITY;
  return local === TIMESTAMP_MINUS_INFINITY ? DATE_MINUS_INFINITY : splitMicros(local).days;
}

const castIn = (
  from: string,
  to: string,
  context: Cast['context'],
  evaluateIn: NonNullable<Cast['evaluateIn']>,
): Cast => ({ from, to, context, evaluateIn });

export const DATETIME_CASTS: readonly Cast[] = [
  castIn('date', 'timestamptz', 'implicit', (context, days: number) =>
    timestampToInstant(zoneOf(context), dateToTimestamp(days)),
  ),
  castIn('timestamp', 'timestamptz', 'implicit', (context, local: bigint) =>
    timestampToInstant(zoneOf(context), local),
  ),
  castIn('timestamptz', 'timestamp', 'assignment', (context, t: bigint) =>
    instantToTimestamp(zoneOf(context), t),
  ),
  castIn('timestamptz', 'date', 'assignment', (context, t: bigint) =>
    timestampToDate(instantToLocal(zoneOf(context), t)),
  ),
  castIn('timestamptz', 'time', 'assignment', (context, t: bigint) =>
    isInfiniteTimestamp(t) ? null : splitMicros(instantToLocal(zoneOf(context), t)).micros,
  ),
];
