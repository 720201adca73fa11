/**
 * Dates and moments as DateStyle shows them: ISO, SQL, Postgres and German, with the day or the month first.
 * Source: EncodeDateOnly and EncodeDateTime of PostgreSQL 18 (datetime.c).
 */
import { civilFromDays } from './calendar.ts';

type Style = 'ISO' | 'SQL' | 'Postgres' | 'German';

const STYLES: readonly Style[] = ['SQL', 'Postgres', 'German'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
/** 2000-01-01 was a Saturday. */
const FIRST_WEEKDAY = 6;

const pad = (value: number, width = 2): string => String(value).padStart(width, '0');

const styleOf = (dateStyle: string): Style => STYLES.find((style) => dateStyle.startsWith(style)) ?? 'ISO';
const isDayFirst = (dateStyle: string): boolean => dateStyle.endsWith('DMY');

interface ShownDate {
  readonly text: string;
  /** ` BC` or nothing, at the very end. */
  readonly era: string;
}

function shownDate(days: number, dateStyle: string): ShownDate {
  const { year, month, day } = civilFromDays(days);
  const style = styleOf(dateStyle);
  const [y, m, d] = [pad(year > 0 ? year : 1 - year, 4), pad(month), pad(day)];
  const era = year > 0 ? '' : ' BC';
  if (style === 'ISO') return { text: `${y}-${m}-${d}`, era };
  if (style === 'German') return { text: `${d}.${m}.${y}`, era };
  const mark = style === 'SQL' ? '/' : '-';
  return { text: (isDayFirst(dateStyle) ? [d, m, y] : [m, d, y]).join(mark), era };
}

/** `1999-01-08`, `08.01.1999`, `0044-03-15 BC`. */
export function showDate(days: number, dateStyle: string): string {
  const { text, era } = shownDate(days, dateStyle);
  return text + era;
}

/** @param zone of a moment: its offset (`+01`), which ISO shows, and its name (`CET`), which the others do. */
export function showMoment(
  { days, clock }: { readonly days: number; readonly clock: string },
  dateStyle: string,
  zone: { readonly offset: string; readonly name: string } | null,
): string {
  const { text, era } = shownDate(days, dateStyle);
  const style = styleOf(dateStyle);
  if (style === 'ISO') return `${text} ${clock}${zone?.offset ?? ''}${era}`;
  const name = zone === null ? '' : ` ${zone.name}`;
  if (style !== 'Postgres') return `${text} ${clock}${name}${era}`;
  const { year, month, day } = civilFromDays(days);
  const weekday = WEEKDAYS[(((days + FIRST_WEEKDAY) % 7) + 7) % 7];
  const monthName = MONTHS[month - 1];
  const date = isDayFirst(dateStyle) ? `${pad(day)} ${monthName}` : `${monthName} ${pad(day)}`;
  return `${weekday} ${date} ${clock} ${pad(year > 0 ? year : 1 - year, 4)}${name}${era}`;
}
