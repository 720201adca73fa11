/**
 * Time zones: by name, whose rules come from `Intl`, by abbreviation, and by rules of their own (`posix-zone.ts`).
 */
import { QuickCache } from '../../bounded-cache.ts';
import { SqlError } from '../../errors.ts';
import { UNIX_EPOCH_MS, unixMs } from '../../epoch.ts';
import { daysFromCivil, MICROS_PER_DAY, MICROS_PER_SECOND } from './calendar.ts';
import { parsePosixZone, posixClock, type PosixZone } from './posix-zone.ts';

/** The first instant of JavaScript's Date. */
const DATE_MILLIS_MIN = -8.64e15;
/** After so many days the calendar's years, weekdays and with them the rules of clocks come again. */
const CYCLE_MICROS = 146_097n * MICROS_PER_DAY;
/**
 * From 2500 on instants are looked at a whole number of cycles earlier: JavaScript's Date ends before timestamps do,
 * and `Intl` forgets the names of zones before that.
 */
const CYCLES_FROM = BigInt(daysFromCivil(2500, 1, 1)) * MICROS_PER_DAY;
const OFFSETS_COUNT_MAX = 20_000;
const ZONES_COUNT_MAX = 1_000;

/** The instant as JavaScript's milliseconds; far in the future one at which clocks show the same. */
export function dateMillis(micros: bigint): number {
  const surplus = micros - CYCLES_FROM;
  return unixMs(surplus >= 0n ? micros - (surplus / CYCLE_MICROS + 1n) * CYCLE_MICROS : micros);
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
    const millis = Math.max(dateMillis(micros), DATE_MILLIS_MIN);
    // Rules change on quarter hours only, local mean time's end apart.
    const bucket = Math.floor(millis / 900_000);
    const key = `${bucket} ${name}`;
    const start = Math.max(bucket * 900_000, DATE_MILLIS_MIN);
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
    return local - Math.floor((millis - UNIX_EPOCH_MS) / 1000);
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

/** Rules of zones by name, null where there is no such zone. */
const ZONES = new QuickCache<string, Zone | null>(ZONES_COUNT_MAX);

/** A zone of the tz database, or one that says its rule. */
type Zone = PosixZone | 'named';

const UTC_NAMES: ReadonlySet<string> = new Set(['utc', 'gmt', 'zulu', 'uct', 'etc/utc', 'greenwich']);
/** Names of the tz database that are as short as the abbreviations which `Intl` knows besides. */
const SHORT_NAMES: ReadonlySet<string> = new Set(
  'est hst mst cet eet met wet gmt utc uct prc roc rok'.split(' '),
);

function zoneOf(name: string): Zone | null {
  const known = ZONES.get(name);
  if (known !== undefined) return known;
  return ZONES.set(name, isNamedZone(name) ? 'named' : parsePosixZone(name));
}

/** True for names of the tz database. */
export function isNamedZone(name: string): boolean {
  const key = name.toLowerCase();
  if (UTC_NAMES.has(key)) return true;
  if (!/^[a-z]/.test(key) || key.startsWith('systemv/')) return false;
  if (key.length === 3 && !SHORT_NAMES.has(key)) return false;
  return RULES.formatter(key) !== null;
}

/** True for names that `SET timezone` and `AT TIME ZONE` accept: IANA names, and rules as POSIX writes them. */
export const isTimeZone = (name: string): boolean => zoneOf(name) !== null;

/** The clock in force at an instant in a zone that says its rule; null for any other zone. */
export function ruledClock(name: string, micros: bigint): { name: string; offset: number } | null {
  const zone = zoneOf(name);
  return zone === null || zone === 'named' ? null : posixClock(zone, Number(micros / MICROS_PER_SECOND));
}

/**
 * The zone that an argument names, for `zoneOffset`: of an abbreviation its fixed offset, as a rule.
 * @throws SqlError 22023
 */
export function zoneNamed(name: string): string {
  const fixed = abbreviationOffset(name);
  if (fixed !== null) return `<${name.toUpperCase()}>${fixed < 0 ? '' : '-'}${clockText(Math.abs(fixed))}`;
  if (isTimeZone(name)) return name;
  throw new SqlError('invalid_parameter_value', `time zone "${name}" not recognized`);
}

/** `09:30`. */
function clockText(seconds: number): string {
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${pad(Math.floor(seconds / 3600))}:${pad(Math.floor(seconds / 60) % 60)}`;
}

/** Seconds east of UTC in `zone` at an instant. @param micros since 2000-01-01 UTC. */
export function zoneOffset(zone: string, micros: bigint): number {
  const name = zone.toLowerCase();
  if (UTC_NAMES.has(name)) return 0;
  return ruledClock(zone, micros)?.offset ?? RULES.offset(name, micros);
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
