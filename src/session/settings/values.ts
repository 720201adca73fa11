/**
 * Checks a setting's new value and brings it into the form `SHOW` gives, as PostgreSQL's guc.c does for
 * booleans, numbers with units and lists of words, and its variables' own checks for dates and encodings.
 */
import { SqlError } from '../../errors.ts';
import type { IntervalDatum } from '../../types/datum.ts';
import { DEFAULT_SETTINGS } from '../../types/settings.ts';
import { INTERVAL } from '../../types/time/interval.ts';
import { isNamedZone, isTimeZone, zoneOffset } from '../../types/time/zone.ts';
import type { SettingRow } from './table.ts';

/** @param before the value so far. @returns the canonical value. @throws SqlError 22023 as PostgreSQL words it. */
export function checkSetting(setting: SettingRow, value: string, before: string): string {
  const checked = checkKind(setting, value, before);
  if (setting.only?.includes(checked.toLowerCase()) ?? true) return checked;
  throw new SqlError('feature_not_supported', `setting "${setting.name}" to "${value}" is not supported`, {
    hint: `Only ${setting.only?.map((word) => `'${word}'`).join(', ')} can be set.`,
  });
}

function checkKind(setting: SettingRow, value: string, before: string): string {
  const { kind } = setting;
  switch (kind.type) {
    case 'bool':
      return checkBool(setting.name, value);
    case 'integer':
      return checkInteger(setting.name, value, kind);
    case 'real':
      return checkReal(setting.name, value, kind);
    case 'enum':
      return checkEnum(setting.name, value, kind.values);
    case 'string':
      return value;
    case 'special':
      return checkSpecial(setting.name, value, before);
  }
}

/** Value as SHOW prints it: `5s` for 5000 of a setting in milliseconds. */
export function showSetting(setting: SettingRow, value: string): string {
  const { kind } = setting;
  if (kind.type !== 'integer' || kind.unit === undefined) return value;
  const amount = Number(value);
  if (amount <= 0) return value;
  const units = UNITS[kind.unit];
  const [unit, factor] = units.find(([, size]) => amount % size === 0) ?? [kind.unit, 1];
  return `${amount / factor}${unit}`;
}

type Unit = 'ms' | 'kB' | 's';

/** Largest first. */
const UNITS: Readonly<Record<Unit, readonly (readonly [string, number])[]>> = {
  ms: [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1000],
    ['ms', 1],
  ],
  s: [
    ['d', 86_400],
    ['h', 3600],
    ['min', 60],
    ['s', 1],
  ],
  kB: [
    ['TB', 1024 ** 3],
    ['GB', 1024 ** 2],
    ['MB', 1024],
    ['kB', 1],
  ],
};

function checkBool(name: string, value: string): string {
  const word = value.trim().toLowerCase();
  if (word !== '') {
    if (word === 'on' || word === '1' || 'true'.startsWith(word) || 'yes'.startsWith(word)) return 'on';
    if (['off', 'of', '0'].includes(word) || 'false'.startsWith(word) || 'no'.startsWith(word)) return 'off';
  }
  throw new SqlError('invalid_parameter_value', `parameter "${name}" requires a Boolean value`);
}

function checkInteger(name: string, value: string, kind: { min: number; max: number; unit?: Unit }): string {
  const match = /^\s*([+-]?\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*$/.exec(value);
  if (match === null) throw invalidValue(name, value);
  let amount = Number(match[1]);
  const unit = match[2] as string;
  if (unit !== '') {
    const factor = kind.unit && UNITS[kind.unit].find(([candidate]) => candidate === unit)?.[1];
    if (factor === undefined) throw invalidValue(name, value, unitHint(kind.unit));
    amount *= factor;
  }
  amount = Math.round(amount);
  if (amount < kind.min || amount > kind.max) throw outsideRange(name, amount, kind);
  return String(amount);
}

function unitHint(unit: Unit | undefined): string | undefined {
  if (unit === undefined) return undefined;
  const names = UNITS[unit].map(([name]) => `"${name}"`).reverse();
  return `Valid units for this parameter are ${names.slice(0, -1).join(', ')}, and ${names.at(-1)}.`;
}

function checkReal(name: string, value: string, range: { min: number; max: number }): string {
  const amount = value.trim() === '' ? Number.NaN : Number(value);
  if (Number.isNaN(amount)) throw invalidValue(name, value);
  if (amount < range.min || amount > range.max) throw outsideRange(name, amount, range);
  return String(amount);
}

function checkEnum(name: string, value: string, values: readonly string[]): string {
  const word = value.toLowerCase();
  if (values.includes(word)) return word;
  throw invalidValue(name, value, `Available values: ${values.join(', ')}.`);
}

/** Values that the server knows when it starts. */
export interface Choices {
  readonly values: readonly string[];
  /** Advice about a value that is not there, and the list of those that are. */
  readonly hint: (value: string) => string;
}

/** As an enum's, but for the case of names. @throws SqlError 22023. */
export function checkChoice(name: string, value: string, { values, hint }: Choices): string {
  if (values.includes(value)) return value;
  throw invalidValue(name, value, hint(value));
}

function checkSpecial(name: string, value: string, before: string): string {
  switch (name) {
    case 'TimeZone':
      return checkTimeZone(value);
    case 'DateStyle':
      return checkDateStyle(value, before);
    case 'client_encoding':
      return checkEncoding(value);
    case 'quern.lsn':
      if (value !== '' && !/^[^:]+:0*[1-9]\d*$/.test(value)) {
        throw invalidValue(name, value, "The form is 'collection:lsn', as in 'books:12'.");
      }
      return value;
    default:
      return value;
  }
}

/** IANA names in any case, fixed offsets in hours (`-5`), intervals, and rules as POSIX writes them (`UTC+3`). */
function checkTimeZone(value: string): string {
  const interval = /^interval\s*'([^']*)'/i.exec(value);
  if (interval !== null) return posixZone(value, intervalHours(value, interval[1] as string));
  if (/^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(value)) return posixZone(value, Number(value));
  if (isNamedZone(value)) return canonicalZone(value);
  const ruled = value.toUpperCase();
  if (!isTimeZone(ruled)) throw invalidValue('TimeZone', value);
  if (zoneOffset(ruled, 0n) % 60 === 0) return ruled;
  throw new SqlError('invalid_parameter_value', `time zone "${value}" appears to use leap seconds`, {
    detail: 'PostgreSQL does not support leap seconds.',
  });
}

/** @throws SqlError 22023, 22007 */
function intervalHours(value: string, text: string): number {
  const short = /^\s*([+-]?)(\d{1,3})(?::(\d{2}))?(?::00)?\s*$/.exec(text);
  if (short !== null) {
    const [, sign, hours, minutes = '0'] = short;
    const size = Number(hours) + Number(minutes) / 60;
    return sign === '-' ? -size : size;
  }
  const { months, days, micros } = INTERVAL.parse(text, -1, DEFAULT_SETTINGS) as IntervalDatum;
  if (months !== 0 || days !== 0) {
    const unit = months === 0 ? 'days' : 'months';
    throw invalidValue('TimeZone', value, undefined, `Cannot specify ${unit} in time zone interval.`);
  }
  return Number(micros) / 3_600_000_000;
}

/** As they are written, where `Intl` would give another name. */
const SPELLINGS = [
  'UTC',
  'GMT',
  'UCT',
  'Zulu',
  'Greenwich',
  'Universal',
  'Etc/UTC',
  'GMT0',
  'GMT+0',
  'GMT-0',
];

/** The user's spelling where only the case differs: `Intl` would turn `Asia/Calcutta` into another name. */
function canonicalZone(zone: string): string {
  const spelled = SPELLINGS.find((name) => name.toLowerCase() === zone.toLowerCase());
  if (spelled !== undefined) return spelled;
  const found = new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone;
  return found.toLowerCase() === zone.toLowerCase() ? found : zone;
}

/** `SET TIME ZONE -5` is shown as PostgreSQL does: `<-05>+05`. @throws SqlError 22023 */
function posixZone(value: string, hours: number): string {
  const seconds = Math.trunc(Math.abs(hours) * 3600);
  const [whole, minutes, rest] = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map(Math.trunc);
  const parts = rest === 0 ? (minutes === 0 ? [whole] : [whole, minutes]) : [whole, minutes, rest];
  const text = parts.map((part) => String(part).padStart(2, '0')).join(':');
  const zone = hours < 0 ? `<-${text}>+${text}` : `<+${text}>-${text}`;
  if (isTimeZone(zone)) return zone;
  throw invalidValue('TimeZone', value, undefined, 'UTC timezone offset is out of range.');
}

const DATE_ORDERS: Readonly<Record<string, string>> = {
  mdy: 'MDY',
  us: 'MDY',
  noneuro: 'MDY',
  noneuropean: 'MDY',
  dmy: 'DMY',
  euro: 'DMY',
  european: 'DMY',
  ymd: 'YMD',
};
const DATE_STYLES: Readonly<Record<string, string>> = {
  iso: 'ISO',
  sql: 'SQL',
  postgres: 'Postgres',
  german: 'German',
};

/** A style, an order or both; what is not said stays. German has its days first. */
function checkDateStyle(value: string, before: string): string {
  let style: string | null = null;
  let order: string | null = null;
  let isDefault = false;
  const conflict = (): SqlError =>
    invalidValue('DateStyle', value, undefined, 'Conflicting "DateStyle" specifications.');
  for (const part of value.split(',')) {
    const word = part.trim().toLowerCase();
    const newStyle = word.startsWith('postgres') ? 'Postgres' : DATE_STYLES[word];
    const newOrder = DATE_ORDERS[word];
    if (newStyle !== undefined) {
      if (style !== null && style !== newStyle) throw conflict();
      style = newStyle;
    } else if (newOrder !== undefined) {
      if (order !== null && order !== newOrder) throw conflict();
      order = newOrder;
    } else if (word === 'default') isDefault = true;
    else if (word !== '') {
      throw invalidValue('DateStyle', value, undefined, `Unrecognized key word: "${word}".`);
    }
  }
  const [oldStyle = '', oldOrder = ''] = (isDefault ? 'ISO, MDY' : before).split(', ');
  return `${style ?? oldStyle}, ${order ?? (style === 'German' ? 'DMY' : oldOrder)}`;
}

/** Only UTF-8 is spoken; asyncpg sends it in quotes. SQL_ASCII means "whatever the server has". */
function checkEncoding(value: string): string {
  const name = value.replace(/^'(.*)'$/, '$1');
  const folded = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (folded === 'utf8' || folded === 'unicode') return 'UTF8';
  if (folded === 'sqlascii') return 'SQL_ASCII';
  throw invalidValue('client_encoding', value, 'Quern speaks UTF8 only.');
}

function invalidValue(name: string, value: string, hint?: string, detail?: string): SqlError {
  return new SqlError('invalid_parameter_value', `invalid value for parameter "${name}": "${value}"`, {
    hint,
    detail,
  });
}

function outsideRange(name: string, amount: number, range: { min: number; max: number }): SqlError {
  return new SqlError(
    'invalid_parameter_value',
    `${amount} is outside the valid range for parameter "${name}" (${range.min} .. ${range.max})`,
  );
}
