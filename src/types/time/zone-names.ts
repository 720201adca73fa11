/**
 * Short names of time zones: `CET`, `PST`, `-03` where a zone has none. `Intl` knows those of a region in the
 * region's own English; what it tells as an offset is looked up or shown as tz database does.
 */
import { QuickCache } from '../../bounded-cache.ts';
import { dateMillis, ruledClock, zoneOffset } from './zone.ts';

const LOCALES = ['en-US', 'en-GB', 'en-IN', 'en-AU', 'en-NZ', 'en-ZA'] as const;

/** Where no locale of `Intl` has a name: standard time, then summer time where there is one. */
const NAMES: Readonly<Record<string, readonly [string, string?]>> = {
  'Asia/Tokyo': ['JST'],
  'Asia/Seoul': ['KST'],
  'Asia/Shanghai': ['CST'],
  'Asia/Taipei': ['CST'],
  'Asia/Hong_Kong': ['HKT'],
  'Asia/Manila': ['PST'],
  'Asia/Jakarta': ['WIB'],
  'Asia/Karachi': ['PKT'],
  'Asia/Jerusalem': ['IST', 'IDT'],
  'Europe/Moscow': ['MSK'],
  'Africa/Lagos': ['WAT'],
  'Africa/Nairobi': ['EAT'],
  'Africa/Johannesburg': ['SAST'],
  'Africa/Cairo': ['EET', 'EEST'],
};

const pad = (value: number): string => String(value).padStart(2, '0');

/** The short name at an instant. @param micros since 2000-01-01 UTC. */
export function zoneName(zone: string, micros: bigint): string {
  const ruled = ruledClock(zone, micros);
  if (ruled !== null) return ruled.name;
  if (/gmt[+-]?0?$|greenwich/i.test(zone)) return 'GMT';
  const date = new Date(dateMillis(micros));
  for (const locale of LOCALES) {
    const name = intlName(locale, zone, date);
    if (name !== undefined && !/^(?:GMT|UTC)[+-]/.test(name)) return name;
  }
  const offset = zoneOffset(zone, micros);
  const [standard, summer] = NAMES[mainName(zone)] ?? [];
  if (standard !== undefined) {
    const winter = Math.min(zoneOffset(zone, WINTER), zoneOffset(zone, SUMMER));
    return offset > winter ? (summer ?? standard) : standard;
  }
  const size = Math.abs(offset);
  const minutes = Math.floor(size / 60) % 60;
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(size / 3600))}${minutes > 0 ? pad(minutes) : ''}`;
}

/** The name that a zone is listed by, of one of its other names (`Japan`). */
const mainName = (zone: string): string =>
  Object.hasOwn(NAMES, zone)
    ? zone
    : new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone;

/** A January and a July, when clocks differ where there is summer time. */
const WINTER = 788_918_400_000_000n;
const SUMMER = 804_556_800_000_000n;

const FORMATS_COUNT_MAX = 200;
const FORMATS = new QuickCache<string, Intl.DateTimeFormat>(FORMATS_COUNT_MAX);

function intlName(locale: string, timeZone: string, date: Date): string | undefined {
  const key = `${locale} ${timeZone}`;
  const format =
    FORMATS.get(key) ??
    FORMATS.set(key, new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' }));
  return format.formatToParts(date).find(({ type }) => type === 'timeZoneName')?.value;
}
