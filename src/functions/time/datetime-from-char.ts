/** to_timestamp and to_date by a template. Source: DCH_from_char and do_to_timestamp of PostgreSQL 18. */
import { SqlError } from '../../errors.ts';
import { daysFromCivil, daysInMonth, MICROS_PER_DAY } from '../../types/time/calendar.ts';
import { abbreviationOffset } from '../../types/time/zone.ts';
import {
  DAYS,
  DIGIT_FIELDS,
  type Field,
  MONTHS,
  parseTemplate,
  ROMAN_MONTHS,
  type TemplateNode,
} from './datetime-template.ts';

export interface ParsedMoment {
  /** Microseconds since 2000-01-01, local. */
  readonly local: bigint;
  /** Seconds east of UTC; null when the text gave none. */
  readonly offset: number | null;
}

/** Values by the field they came from; `YEAR` is astronomical digits of any year field. */
type Fields = Map<string, number>;

const WIDTHS: Readonly<Record<string, number>> = {
  HH: 2,
  HH12: 2,
  HH24: 2,
  MI: 2,
  SS: 2,
  MS: 3,
  US: 6,
  SSSS: 4,
  SSSSS: 5,
  YYYY: 4,
  YYY: 3,
  YY: 2,
  Y: 1,
  IYYY: 4,
  IYY: 3,
  IY: 2,
  I: 1,
  MM: 2,
  DDD: 3,
  IDDD: 3,
  DD: 2,
  D: 1,
  ID: 1,
  WW: 2,
  W: 1,
  IW: 2,
  CC: 2,
  J: 10,
  Q: 1,
  FF1: 1,
  FF2: 2,
  FF3: 3,
  FF4: 4,
  FF5: 5,
  FF6: 6,
  TZH: 2,
  TZM: 2,
};

class Reader {
  readonly fields: Fields = new Map();
  readonly #text: string;
  readonly #nodes: readonly TemplateNode[];
  readonly #exact: boolean;
  #at = 0;
  #skipped = 0;

  constructor(text: string, template: string) {
    this.#text = text;
    const parsed = parseTemplate(template);
    this.#nodes = parsed.nodes;
    this.#exact = parsed.exact;
  }

  /** @throws SqlError 22007, 22008. */
  read(): Fields {
    for (const [i, node] of this.#nodes.entries()) {
      if (this.#at >= this.#text.length) break;
      if (!this.#exact) this.#skipSpaces();
      if (node.kind === 'field') {
        this.#field(node, i);
        this.#skipped = 0;
        if (!this.#exact) this.#skipSpaces();
      } else this.#filler(node.kind === 'separator');
    }
    return this.fields;
  }

  #skipSpaces(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) {
      this.#at++;
      this.#skipped++;
    }
  }

  /** Separators match any separator or none; other characters are skipped without a look. */
  #filler(separator: boolean): void {
    if (this.#exact) this.#at++;
    else if (separator) {
      this.#skipped--;
      if (!/^[\s!-/:-@[-`{-~]/.test(this.#text.slice(this.#at, this.#at + 1))) return;
      this.#at++;
      this.#skipped++;
    } else if (this.#skipped > 0) this.#skipped--;
    else this.#at++;
  }

  #field(field: Field, index: number): void {
    const { name } = field;
    const rest = this.#text.slice(this.#at);
    const names: Readonly<Record<string, readonly string[]>> = {
      MONTH: MONTHS,
      MON: MONTHS,
      DAY: DAYS,
      DY: DAYS,
    };
    const list = names[name];
    if (list !== undefined) this.#set(name.startsWith('M') ? 'MM' : 'DAY', this.#name(list, field));
    else if (name === 'RM') this.#set('MM', this.#roman(field));
    else if (/^[AP]\.?M\.?$/.test(name)) this.#half(field, /^([ap])\.?m\.?/i, 'PM');
    else if (/^(?:AD|BC|A\.D\.|B\.C\.)$/.test(name)) this.#half(field, /^(?:(a)\.?d\.?|(b)\.?c\.?)/i, 'BC');
    else if (name === 'TZ' || name === 'OF') this.#zone(rest, field);
    else if (name === 'Y,YYY') this.#thousands(rest, field);
    else {
      if (name === 'TZH') this.#zoneSign();
      this.#number(field, index);
    }
  }

  /** The sign before a zone's hours; a separator of the template may have taken it for itself. */
  #zoneSign(): void {
    const here = this.#text[this.#at] ?? '';
    const isSign = /[+\- ]/.test(here);
    if (isSign) this.#at++;
    const before = this.#skipped > 0 ? this.#text[this.#at - 1] : '';
    this.fields.set('WEST', (isSign ? here : before) === '-' ? 1 : 0);
  }

  #set(name: string, value: number): void {
    const known = this.fields.get(name);
    if (known !== undefined && known !== value && name !== 'Q') {
      throw new SqlError(
        'invalid_datetime_format',
        `conflicting values for "${name}" field in formatting string`,
        {
          detail: 'This value contradicts a previous setting for the same field type.',
        },
      );
    }
    this.fields.set(name, value);
  }

  #invalid(written: string, detail: string): SqlError {
    const shown = /^\S*/.exec(this.#text.slice(this.#at))?.[0] ?? '';
    return new SqlError('invalid_datetime_format', `invalid value "${shown}" for "${written}"`, { detail });
  }

  /** 1-based place in the list of the name here, full or of three letters. */
  #name(list: readonly string[], { name, written }: Field): number {
    const rest = this.#text.slice(this.#at).toLowerCase();
    const short = name.length <= 3 && name !== 'DAY';
    const spelled = (full: string): string => (short ? full.slice(0, 3) : full).toLowerCase();
    const found = list.findIndex((full) => rest.startsWith(spelled(full)));
    if (found === -1) {
      throw this.#invalid(written, 'The given value did not match any of the allowed values for this field.');
    }
    this.#at += spelled(list[found] as string).length;
    return found + 1;
  }

  #roman({ written }: Field): number {
    const given = /^[ivx]+/i.exec(this.#text.slice(this.#at))?.[0] ?? '';
    const month = ROMAN_MONTHS.indexOf(given.toUpperCase()) + 1;
    if (month > 0) {
      this.#at += given.length;
      return month;
    }
    throw this.#invalid(written, 'The given value did not match any of the allowed values for this field.');
  }

  #half({ written }: Field, pattern: RegExp, name: 'PM' | 'BC'): void {
    const match = pattern.exec(this.#text.slice(this.#at));
    if (match === null) {
      throw this.#invalid(written, 'The given value did not match any of the allowed values for this field.');
    }
    this.#at += match[0].length;
    this.fields.set(name, /^[pb]/i.test(match[0]) ? 1 : 0);
  }

  #zone(rest: string, { written }: Field): void {
    const name = /^[a-z]+/i.exec(rest)?.[0];
    if (name !== undefined && written.toUpperCase() !== 'OF') {
      const abbreviation = abbreviationOffset(name.toLowerCase());
      if (abbreviation === null) throw this.#invalid(written, 'Time zone abbreviation is not recognized.');
      this.#at += name.length;
      this.fields.set('OFFSET', abbreviation);
      return;
    }
    this.#zoneSign();
    const match = /^(\d{1,2})(?::(\d{1,2}))?/.exec(this.#text.slice(this.#at));
    if (match === null) throw this.#invalid(written, 'Value must be an integer.');
    this.#at += match[0].length;
    this.fields.set('OFFSET', Number(match[1]) * 3600 + Number(match[2] ?? 0) * 60);
  }

  #thousands(rest: string, { written }: Field): void {
    const match = /^(\d+),(\d{1,3})/.exec(rest);
    if (match === null) throw this.#invalid(written, 'Value must be an integer.');
    this.#at += match[0].length;
    this.#set('YEAR', Number(match[1]) * 1000 + Number(match[2]));
  }

  /** As many digits as the field is wide, or all there are where no digit field follows. */
  #number({ name, written, fill, ordinal }: Field, index: number): void {
    const next = this.#nodes[index + 1];
    const bounded =
      !fill &&
      next !== undefined &&
      (ordinal !== null || (next.kind === 'field' ? DIGIT_FIELDS.has(next.name) : /^\d/.test(next.text)));
    const width = WIDTHS[name] ?? 2;
    const rest = this.#text.slice(this.#at, bounded ? this.#at + width : undefined);
    const digits = /^[+-]?\d+/.exec(rest)?.[0];
    if (digits === undefined) throw this.#invalid(written, 'Value must be an integer.');
    if (this.#exact && bounded && digits.length < width) {
      throw new SqlError(
        'invalid_datetime_format',
        `source string too short for "${written}" formatting field`,
        {
          detail: `Field requires ${width} characters, but only ${digits.length} remain.`,
          hint: 'If your source string is not fixed-width, try using the "FM" modifier.',
        },
      );
    }
    this.#at += digits.length;
    if (ordinal !== null) this.#at += 2;
    this.#store(name, digits);
  }

  #store(name: string, digits: string): void {
    const value = Number(digits);
    const fraction = name === 'MS' || name === 'US' || name.startsWith('FF');
    if (fraction) this.#set('US', Number(digits.padEnd(6, '0').slice(0, 6)));
    else if (/^Y+$/.test(name)) this.#set('YEAR', fullYear(value, name, digits.length));
    else if (/^IY*$/.test(name)) this.#set('IYEAR', fullYear(value, name.replace('I', 'Y'), digits.length));
    else if (name === 'TZH') this.fields.set('OFFSET', value * 3600);
    else if (name === 'TZM') this.fields.set('OFFSET', (this.fields.get('OFFSET') ?? 0) + value * 60);
    else if (name === 'HH' || name === 'HH12') {
      this.#set('HOUR', value);
      this.fields.set('TWELVE', 1);
    } else if (name === 'HH24') this.#set('HOUR', value);
    else this.#set(name === 'SSSSS' ? 'SSSS' : name, value);
  }
}

/** Years of fewer than four digits are those next to 2020. */
function fullYear(value: number, field: string, length: number): number {
  if (field.length >= 4 || length >= 4) return value;
  if (value < 70) return value + 2000;
  if (value < 100) return value + 1900;
  if (value < 520) return value + 2000;
  return value < 1000 ? value + 1000 : value;
}

/** @throws SqlError 22007, 22008. */
export function parseByTemplate(text: string, template: string): ParsedMoment {
  const fields = new Reader(text, template).read();
  const outOfRange = (): SqlError =>
    new SqlError('datetime_field_overflow', `date/time field value out of range: "${text}"`);
  const days = daysOf(fields, outOfRange);
  const micros = microsOf(fields, outOfRange);
  const east = fields.get('OFFSET') ?? null;
  const offset = east === null || fields.get('WEST') !== 1 ? east : -east;
  return { local: BigInt(days) * MICROS_PER_DAY + micros, offset };
}

function microsOf(fields: Fields, outOfRange: () => SqlError): bigint {
  const of = (name: string): number => fields.get(name) ?? 0;
  const day = of('SSSS');
  let hour = fields.get('HOUR') ?? Math.trunc(day / 3600);
  const minute = fields.get('MI') ?? Math.trunc(day / 60) % 60;
  const second = fields.get('SS') ?? day % 60;
  if (fields.has('TWELVE') || fields.has('PM')) {
    if (hour < 1 || hour > 12) {
      throw new SqlError('invalid_datetime_format', `hour "${hour}" is invalid for the 12-hour clock`, {
        hint: 'Use the 24-hour clock, or give an hour between 1 and 12.',
      });
    }
    if (of('PM') === 1 && hour < 12) hour += 12;
    else if (of('PM') === 0 && fields.has('PM') && hour === 12) hour = 0;
    else if (!fields.has('PM') && hour === 12) hour = 0;
  }
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) throw outOfRange();
  return BigInt(hour * 3600 + minute * 60 + second) * 1_000_000n + BigInt(of('US'));
}

function daysOf(fields: Fields, outOfRange: () => SqlError): number {
  const julian = fields.get('J');
  if (julian !== undefined) return julian - 2_451_545;
  const [isoYear, isoWeek] = [fields.get('IYEAR'), fields.get('IW')];
  if (isoYear !== undefined) return isoDays(isoYear, isoWeek ?? 1, fields);
  const year = yearOf(fields);
  const dayOfYear = fields.get('DDD') ?? weekDayOfYear(fields);
  if (dayOfYear !== undefined && !fields.has('MM')) {
    const leap = daysInMonth(year, 2) === 29;
    if (dayOfYear < 1 || dayOfYear > (leap ? 366 : 365)) throw outOfRange();
    return daysFromCivil(year, 1, 1) + dayOfYear - 1;
  }
  const month = fields.get('MM') ?? 1;
  const week = fields.get('W');
  const day = fields.get('DD') ?? (week === undefined ? 1 : (week - 1) * 7 + 1);
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) throw outOfRange();
  return daysFromCivil(year, month, day);
}

function weekDayOfYear(fields: Fields): number | undefined {
  const week = fields.get('WW');
  return week === undefined ? undefined : (week - 1) * 7 + 1;
}

function yearOf(fields: Fields): number {
  const given = fields.get('YEAR');
  const century = fields.get('CC');
  let year = given ?? 0;
  if (century !== undefined) {
    if (given === undefined) year = (century - 1) * 100 + 1;
    else if (given > 99) year = (century - 1) * 100 + (given % 100) + (given % 100 === 0 ? 100 : 0);
  }
  return fields.get('BC') === 1 && year > 0 ? 1 - year : year < 0 ? year + 1 : year;
}

/** Days of an ISO week date. */
function isoDays(year: number, week: number, fields: Fields): number {
  const fourth = daysFromCivil(year, 1, 4);
  const monday = fourth - ((((fourth + 5) % 7) + 7) % 7);
  const dayOfYear = fields.get('IDDD');
  if (dayOfYear !== undefined) return monday + dayOfYear - 1;
  const sundayFirst = fields.get('D') ?? fields.get('DAY');
  const day = fields.get('ID') ?? (sundayFirst === undefined ? 1 : sundayFirst === 1 ? 7 : sundayFirst - 1);
  return monday + (week - 1) * 7 + day - 1;
}
