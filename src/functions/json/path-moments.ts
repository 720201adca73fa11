/**
 * Dates and times of SQL/JSON paths: `.datetime()` and its kin, their comparison and their text. Conversions
 * that need the session's time zone are for the `_tz` functions only. Source: executeDateTimeMethod and
 * compareDatetime of jsonpath_exec.c, PostgreSQL 18.
 */
import { SqlError } from '../../errors.ts';
import { MICROS_PER_DAY, MICROS_PER_SECOND, splitMicros } from '../../types/time/calendar.ts';
import { localToInstant } from '../../types/time/zone.ts';
import { instantToLocal, TIME, TIMESTAMP, timetzDatum, timetzParts } from '../../types/time/datetime.ts';
import { DEFAULT_SETTINGS } from '../../types/settings.ts';
import type { FormatSettings } from '../../types/type.ts';
import { parseByTemplate } from '../time/datetime-from-char.ts';
import { parseTemplate } from '../time/datetime-template.ts';

export type MomentType = 'date' | 'time' | 'timetz' | 'timestamp' | 'timestamptz';

export class Moment {
  readonly type: MomentType;
  /** Microseconds: of the day for times, since 2000-01-01 otherwise; UTC for timestamptz, else local. */
  readonly micros: bigint;
  /** Seconds east of UTC as the text gave them; 0 for types without a zone. */
  readonly offset: number;

  constructor(type: MomentType, micros: bigint, offset = 0) {
    this.type = type;
    this.micros = micros;
    this.offset = offset;
  }

  /** ISO 8601, as JSON holds it. */
  toString(): string {
    if (this.type === 'time') return TIME.format(this.micros, NO_SETTINGS);
    if (this.type === 'timetz') return minutes(timetzDatum(this.micros, this.offset));
    const local = TIMESTAMP.format(this.micros + BigInt(this.offset) * MICROS_PER_SECOND, NO_SETTINGS);
    if (this.type === 'date') return local.slice(0, local.indexOf(' '));
    const text = local.replace(' ', 'T');
    return this.type === 'timestamp'
      ? text
      : minutes(text + timetzDatum(0n, this.offset).slice('00:00:00'.length));
  }
}

/** Times are written without regard to settings. */
const NO_SETTINGS: FormatSettings = DEFAULT_SETTINGS;

const minutes = (text: string): string => text.replace(/([+-]\d\d)$/, '$1:00');

/** How comparisons and casts see the session. */
export interface MomentContext {
  readonly zone: string;
  /** False: conversions that need the zone are refused. */
  readonly useZone: boolean;
}

function needZone(context: MomentContext, from: MomentType, to: MomentType): void {
  if (context.useZone) return;
  throw new SqlError(
    'feature_not_supported',
    `cannot convert value from ${from} to ${to} without time zone usage`,
    { hint: 'Use *_tz() function for time zone support.' },
  );
}

function notRecognized(method: string, text: string): SqlError {
  return new SqlError(
    'invalid_argument_for_sql_json_datetime_function',
    `${method} format is not recognized: "${text}"`,
    method === 'datetime'
      ? { hint: 'Use a datetime template argument to specify the input data format.' }
      : {},
  );
}

const ISO =
  /^(?:(\d{4}-\d{1,2}-\d{1,2})(?:[T ](?=\d)|$))?(?:(\d{1,2}:\d{2}:\d{2}(?:\.\d{1,6})?) ?([+-]\d{1,2}(?::\d{2})?|Z)?)?$/;

/** @returns null for texts that are no ISO 8601. */
function parseIso(text: string): Moment | null {
  const [, date, time, zone] = ISO.exec(text) ?? [];
  if (date === undefined && time === undefined) return null;
  const template = [date && 'YYYY-MM-DD', time && 'HH24:MI:SS'].filter(Boolean).join(' ');
  const fraction = BigInt((/\.(\d+)/.exec(time ?? '')?.[1] ?? '').padEnd(6, '0'));
  try {
    const { local } = parseByTemplate([date, time?.replace(/\..*/, '')].filter(Boolean).join(' '), template);
    return momentOf(local + fraction, zone === undefined ? null : offsetOf(zone), {
      dated: date !== undefined,
      timed: time !== undefined,
    });
  } catch (error) {
    if (error instanceof SqlError) return null;
    throw error;
  }
}

function offsetOf(zone: string): number {
  if (zone === 'Z') return 0;
  const [hours = '', rest = '0'] = zone.slice(1).split(':');
  return (Number(hours) * 3600 + Number(rest) * 60) * (zone.startsWith('-') ? -1 : 1);
}

function momentOf(
  local: bigint,
  offset: number | null,
  { dated, timed }: { readonly dated: boolean; readonly timed: boolean },
): Moment {
  if (!timed) return new Moment('date', local);
  if (!dated) return new Moment(offset === null ? 'time' : 'timetz', splitMicros(local).micros, offset ?? 0);
  if (offset === null) return new Moment('timestamp', local);
  return new Moment('timestamptz', local - BigInt(offset) * MICROS_PER_SECOND, offset);
}

const TIME_FIELD = /^(?:HH|MI|SS|MS|US|FF|AM|PM|A\.M|P\.M)/;
const ZONE_FIELD = /^(?:TZ|OF)/;

function parseTemplated(text: string, template: string, zone: string): Moment {
  const names = parseTemplate(template).nodes.flatMap((node) => (node.kind === 'field' ? [node.name] : []));
  const timed = names.some((name) => TIME_FIELD.test(name));
  const zoned = names.some((name) => ZONE_FIELD.test(name));
  const dated = names.some((name) => !TIME_FIELD.test(name) && !ZONE_FIELD.test(name));
  if (!timed && (zoned || !dated)) {
    const what = zoned ? 'zoned but not timed' : 'not dated and not timed';
    throw new SqlError('invalid_datetime_format', `datetime format is ${what}`);
  }
  const { local, offset } = parseByTemplate(text, template);
  if (!zoned) return momentOf(local, null, { dated, timed });
  return momentOf(local, offset ?? sessionOffset(zone, local), { dated, timed });
}

const sessionOffset = (zone: string, local: bigint): number =>
  Number((local - localToInstant(zone, local)) / MICROS_PER_SECOND);

/** `.datetime(template)`. @throws SqlError 22031, 22007, 22008. */
export function parseMoment(text: string, template: string | null, zone: string): Moment {
  if (template !== null) return parseTemplated(text, template, zone);
  const moment = parseIso(text);
  if (moment === null) throw notRecognized('datetime', text);
  return moment;
}

const METHOD_TYPES: Readonly<Record<string, MomentType>> = {
  date: 'date',
  time: 'time',
  time_tz: 'timetz',
  timestamp: 'timestamp',
  timestamp_tz: 'timestamptz',
};

/** `.date()`, `.time(precision)` and so on. @throws SqlError 22031, 0A000. */
export function momentAs(
  text: string,
  method: string,
  precision: number | null,
  context: MomentContext,
): Moment {
  const moment = parseIso(text);
  const type = METHOD_TYPES[method] as MomentType;
  const converted = moment === null ? null : convert(moment, type, context);
  if (converted === null) throw notRecognized(method, text);
  return precision === null ? converted : rounded(converted, Math.min(precision, 6));
}

function rounded(moment: Moment, precision: number): Moment {
  const unit = 10n ** BigInt(6 - precision);
  const floored = moment.micros - (((moment.micros % unit) + unit) % unit);
  const up = (moment.micros - floored) * 2n >= unit && unit > 1n;
  return new Moment(moment.type, up ? floored + unit : floored, moment.offset);
}

/** @returns null where no cast leads from one to the other. */
function convert(moment: Moment, type: MomentType, context: MomentContext): Moment | null {
  if (moment.type === type) return moment;
  const from = moment.type;
  if (from === 'time' || from === 'timetz') return convertTime(moment, type, context);
  const zoned = from === 'timestamptz';
  if (type === 'timestamptz') {
    needZone(context, from, type);
    const instant = localToInstant(context.zone, moment.micros);
    return new Moment(type, instant, Number((moment.micros - instant) / MICROS_PER_SECOND));
  }
  if (zoned && type !== 'timetz') needZone(context, from, type);
  const local = zoned ? instantToLocal(context.zone, moment.micros) : moment.micros;
  if (type === 'timestamp') return new Moment(type, local);
  const { days, micros } = splitMicros(local);
  if (type === 'date') return new Moment(type, BigInt(days) * MICROS_PER_DAY);
  if (from === 'date') return null;
  if (type === 'time') return new Moment(type, micros);
  return zoned ? new Moment(type, micros, Number((local - moment.micros) / MICROS_PER_SECOND)) : null;
}

function convertTime(moment: Moment, type: MomentType, context: MomentContext): Moment | null {
  if (type !== 'time' && type !== 'timetz') return null;
  needZone(context, moment.type, type);
  if (type === 'time') return new Moment(type, moment.micros);
  return new Moment(type, moment.micros, sessionOffset(context.zone, moment.micros));
}

const RANKS: Readonly<Record<MomentType, number>> = {
  date: 0,
  time: 0,
  timestamp: 1,
  timetz: 1,
  timestamptz: 2,
};
const isTime = ({ type }: Moment): boolean => type === 'time' || type === 'timetz';

/** Negative, 0, positive; null for a time and a date, which have no order. @throws SqlError 0A000. */
export function compareMoments(a: Moment, b: Moment, context: MomentContext): number | null {
  if (isTime(a) !== isTime(b)) return null;
  const wider = RANKS[a.type] >= RANKS[b.type] ? a.type : b.type;
  const x = convert(a, wider, context);
  const y = convert(b, wider, context);
  if (x === null || y === null) return null;
  if (wider !== 'timetz') return x.micros < y.micros ? -1 : x.micros > y.micros ? 1 : 0;
  const utc = (moment: Moment): bigint => {
    const { time, zone } = timetzParts(timetzDatum(moment.micros, moment.offset));
    return time - BigInt(zone) * MICROS_PER_SECOND;
  };
  return utc(x) < utc(y) ? -1 : utc(x) > utc(y) ? 1 : y.offset - x.offset;
}
