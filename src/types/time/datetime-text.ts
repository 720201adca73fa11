/**
 * Reading dates and times as people write them: ISO 8601, `Jan 8 1999`, `1/8/1999`, `04:05 PM`, zones by
 * offset, abbreviation or IANA name, BC. A text is cut into fields; each field fills a slot or is an error.
 * Source: ParseDateTime and DecodeDateTime of PostgreSQL 18 (datetime.c), without its rarest spellings.
 */
import { SqlError } from '../../errors.ts';
import { daysInMonth } from './calendar.ts';
import { abbreviationOffset, isTimeZone } from './zone.ts';
import { roundHalfEven } from '../number/round.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH_NAMES = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const WEEKDAY = /^(?:sun|mon|tues?|weds?|thu(?:rs?)?|fri|sat|(?:sun|mon|tues|wednes|thurs|fri|satur)day)$/;
const SPECIAL = /^(?:epoch|infinity|\+infinity|-infinity|now|today|tomorrow|yesterday|allballs)$/;

const TIME = /^t?(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,](\d*))?)?(?![\d:])/;
const COMPACT_TIME = /^t(\d{2})(\d{2})(?:(\d{2})(?:\.(\d*))?)?(?!\d)/;
const BARE_TIME = /^(\d{2})(\d{2})(\d{2})(?:\.(\d*))?(?=$|[\sz+-])/;
const OFFSET = /^([+-])(\d{1,2})(?::?(\d{2})(?::?(\d{2}))?)?(?!\d)/;
const YEAR_FIRST = /^(\d{3,7})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/;
const NUMERIC_DATE = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{1,7})(?!\d)/;
const NAMED_DATE = /^(\d{1,7})[-/. ]([a-z]{3,9})[-/. ](\d{1,7})(?![\d:])/;
/** As the style Postgres, DMY writes it: the time comes before the year. */
const DAY_AND_NAME = /^(\d{1,2}) ([a-z]{3,9})(?= )/;
const NAME_FIRST = /^([a-z]{3,9})[-/](\d{1,2})[-/](\d{1,7})(?!\d)/;
const YEAR_AND_DAY = /^(\d{4})[.-](\d{3})(?!\d)/;
const COMPACT_DATE = /^(\d{4,6})(\d{2})(\d{2})(?=$|[t\s]|z)/;
const SHORT_DATE = /^(\d{2})(\d{2})(\d{2})(?=$|[t\s])/;
const JULIAN = /^j(\d+)(?!\d)/;
const ZONE_NAME = /^(?:[a-z]+(?:[/_-][a-z_]+)+(?:[+-]\d{1,2})?|[a-z]{3,}[+-]\d{1,2}(?::\d{2})?)(?![a-z])/;
/** A zone that says its rule, as far as a field of a text goes: `ABC3`, `EST5EDT`. */
const RULED_ZONE = /^([a-z]+)[+-]?\d[\w+\-/.:]*/;
/** Words that a digit may follow. */
const KEYWORD = /^(?:am|pm|ad|bc|at|on|d|dow|doy|dst|h|isodow|isoyear|j|jd|julian|m|mm|s|t|y)$/;
const WORD = /^[+-]?[a-z]+/;
const NUMBER = /^(\d+)(?![\d:])/;

/** Fields of a text; parts it leaves out are null. */
export interface DateTimeFields {
  readonly special: string | null;
  readonly year: number | null;
  readonly month: number | null;
  readonly day: number | null;
  /** Microseconds since midnight; 24:00:00 is allowed. */
  readonly time: bigint | null;
  /** Seconds east of UTC, or a zone's name. */
  readonly zone: number | string | null;
}

/** @param type named in errors. @param dateStyle its order part decides `1/8/1999`. */
export function parseDateTime(text: string, type: string, dateStyle: string): DateTimeFields {
  return new FieldReader(text, type, dateStyle).read();
}

export function invalidDateTime(type: string, text: string): SqlError {
  return new SqlError('invalid_datetime_format', `invalid input syntax for type ${type}: "${text}"`);
}

function fieldOutOfRange(text: string, hint = false): SqlError {
  return new SqlError('datetime_field_overflow', `date/time field value out of range: "${text}"`, {
    hint: hint ? 'Perhaps you need a different "DateStyle" setting.' : undefined,
  });
}

/** Microseconds of a clock time, its fraction rounded. Null when a field is out of range. */
export function clockMicros(hour: number, minute: number, second: number, fraction: string): bigint | null {
  if (minute > 59 || second > 60 || hour > 24) return null;
  const seconds = BigInt(hour * 3600 + minute * 60 + second);
  const micros = seconds * 1_000_000n + fractionMicros(fraction);
  return micros > 86_400_000_000n ? null : micros;
}

/** Decimals of a second to whole microseconds, half to even as rint does. */
export function fractionMicros(fraction: string): bigint {
  return BigInt(roundHalfEven(Number(`0.${fraction || '0'}`) * 1e6));
}

class FieldReader {
  readonly #original: string;
  readonly #type: string;
  readonly #dayFirst: boolean;
  readonly #yearFirst: boolean;
  #rest: string;
  #special: string | null = null;
  #year: number | null = null;
  #month: number | null = null;
  #day: number | null = null;
  #dayOfYear: number | null = null;
  #time: bigint | null = null;
  #zone: number | string | null = null;
  #beforeChrist = false;
  #twoDigitYear = false;

  constructor(text: string, type: string, dateStyle: string) {
    this.#original = text;
    this.#type = type;
    this.#dayFirst = /DMY/i.test(dateStyle);
    this.#yearFirst = /YMD/i.test(dateStyle);
    this.#rest = text.trim().toLowerCase();
  }

  read(): DateTimeFields {
    if (this.#rest === '') throw this.#invalid();
    while (this.#rest !== '') {
      if (!this.#readDate() && !this.#readClock() && !this.#readWord() && !this.#readNumber()) {
        throw this.#invalid();
      }
      this.#rest = this.#rest.replace(/^[\s,]+/, '');
    }
    this.#settleDate();
    return {
      special: this.#special,
      year: this.#year,
      month: this.#month,
      day: this.#day,
      time: this.#time,
      zone: this.#zone,
    };
  }

  #invalid(): SqlError {
    return invalidDateTime(this.#type, this.#original);
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    const match = pattern.exec(this.#rest);
    if (match !== null) this.#rest = this.#rest.slice(match[0].length);
    return match;
  }

  #setDate(year: string, month: number, day: number): void {
    if (this.#year !== null || this.#day !== null) throw this.#invalid();
    this.#setYear(year);
    this.#month = month;
    this.#day = day;
  }

  #setYear(year: string): void {
    if (this.#year !== null) throw this.#invalid();
    this.#year = Number(year);
    this.#twoDigitYear = year.length <= 2;
  }

  #readDate(): boolean {
    if (this.#day !== null || !/^[\da-z]/.test(this.#rest)) return false;
    if (this.#readNumericDate()) return true;
    const named = NAMED_DATE.exec(this.#rest);
    if (named !== null && monthOf(named[2]) > 0 && this.#month === null) {
      this.#rest = this.#rest.slice(named[0].length);
      const [, first = '', name, second = ''] = named;
      if (first.length > 2 || (this.#yearFirst && second.length <= 2))
        this.#setDate(first, monthOf(name), Number(second));
      else this.#setDate(second, monthOf(name), Number(first));
      return true;
    }
    const dayFirst = DAY_AND_NAME.exec(this.#rest);
    if (dayFirst !== null && monthOf(dayFirst[2]) > 0 && this.#month === null) {
      this.#rest = this.#rest.slice(dayFirst[0].length);
      this.#day = Number(dayFirst[1]);
      this.#month = monthOf(dayFirst[2]);
      return true;
    }
    const nameFirst = NAME_FIRST.exec(this.#rest);
    if (nameFirst === null || monthOf(nameFirst[1]) === 0) return false;
    this.#rest = this.#rest.slice(nameFirst[0].length);
    this.#setDate(nameFirst[3] as string, monthOf(nameFirst[1]), Number(nameFirst[2]));
    return true;
  }

  #readNumericDate(): boolean {
    const yearFirst = this.#take(YEAR_FIRST) ?? (this.#time === null ? this.#take(COMPACT_DATE) : null);
    if (yearFirst !== null) {
      const separated = yearFirst.length === 5;
      const [month, day] = separated ? [yearFirst[3], yearFirst[4]] : [yearFirst[2], yearFirst[3]];
      this.#setDate(yearFirst[1] as string, Number(month), Number(day));
      return true;
    }
    const short = this.#time === null ? this.#take(SHORT_DATE) : null;
    if (short !== null) {
      this.#setDate(short[1] as string, Number(short[2]), Number(short[3]));
      return true;
    }
    const numeric = this.#take(NUMERIC_DATE);
    if (numeric !== null) {
      const [, first = '', , second = '', third = ''] = numeric;
      if (this.#yearFirst && third.length <= 2) this.#setDate(first, Number(second), Number(third));
      else if (this.#dayFirst) this.#setDate(third, Number(second), Number(first));
      else this.#setDate(third, Number(first), Number(second));
      return true;
    }
    const ordinal = this.#take(YEAR_AND_DAY);
    if (ordinal === null) return this.#readJulian();
    this.#setYear(ordinal[1] as string);
    this.#dayOfYear = Number(ordinal[2]);
    return true;
  }

  #readJulian(): boolean {
    const julian = this.#take(JULIAN);
    if (julian === null) return false;
    // Julian day 2451545 is 2000-01-01: given as day 1 + offset of that January.
    this.#year = 2000;
    this.#dayOfYear = Number(julian[1]) - 2_451_545 + 1;
    return true;
  }

  #readClock(): boolean {
    if (this.#time === null) {
      const match =
        this.#take(TIME) ?? this.#take(COMPACT_TIME) ?? (this.#day === null ? null : this.#take(BARE_TIME));
      if (match !== null) {
        const [, hour, minute, second = '0', fraction = ''] = match;
        this.#time = clockMicros(Number(hour), Number(minute), Number(second), fraction);
        if (this.#time === null) throw fieldOutOfRange(this.#original);
        return true;
      }
    }
    const offset = this.#zone === null ? this.#take(OFFSET) : null;
    if (offset === null) return false;
    const [, sign, hours, minutes = '0', seconds = '0'] = offset;
    if (Number(hours) > 15 || Number(minutes) > 59) {
      throw new SqlError(
        'invalid_time_zone_displacement_value',
        `time zone displacement out of range: "${this.#original}"`,
      );
    }
    const east = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    this.#zone = sign === '-' ? -east : east;
    return true;
  }

  #readWord(): boolean {
    const ruled = this.#zone === null && this.#day !== null ? RULED_ZONE.exec(this.#rest) : null;
    if (ruled !== null && !KEYWORD.test(ruled[1] ?? '') && monthOf(ruled[1]) === 0)
      return this.#setZone(ruled[0]);
    const zone = this.#zone === null ? ZONE_NAME.exec(this.#rest) : null;
    if (zone !== null && monthOf(/^[a-z]+/.exec(zone[0])?.[0]) === 0) {
      return this.#setZone(zone[0]);
    }
    const word = WORD.exec(this.#rest)?.[0];
    if (word === undefined) return false;
    if (SPECIAL.test(word) && this.#special === null) this.#setSpecial(word);
    else if (monthOf(word) > 0) this.#setMonth(monthOf(word));
    else if (word === 'am' || word === 'pm') this.#setHalfDay(word);
    else if (word === 'bc') this.#beforeChrist = true;
    else if (word === 't' && /^t\d/.test(this.#rest) === false && this.#day !== null)
      this.#rest = ` ${this.#rest}`;
    else if (!/^(?:ad|at|on|the)$/.test(word) && !WEEKDAY.test(word)) return this.#setZone(word);
    this.#rest = this.#rest.trimStart().slice(word.length);
    return true;
  }

  #setSpecial(word: string): void {
    if (word === 'allballs') {
      this.#time = 0n;
      this.#zone = 0;
      return;
    }
    this.#special = word.replace('+', '');
  }

  #setMonth(month: number): void {
    if (this.#month !== null && this.#day !== null) throw this.#invalid();
    this.#month = month;
  }

  #setHalfDay(word: string): void {
    const time = this.#time;
    if (time === null || time >= 46_800_000_000n) throw fieldOutOfRange(this.#original);
    const hours12 = time >= 43_200_000_000n;
    if (word === 'am' && hours12) this.#time = time - 43_200_000_000n;
    if (word === 'pm' && !hours12) this.#time = time + 43_200_000_000n;
  }

  #setZone(name: string): boolean {
    if (this.#zone !== null) throw this.#invalid();
    const offset = abbreviationOffset(name);
    if (offset === null && !isTimeZone(name)) {
      if (!/[/\d]/.test(name)) throw this.#invalid();
      throw new SqlError('invalid_parameter_value', `time zone "${name}" not recognized`);
    }
    this.#zone = offset ?? name;
    this.#rest = this.#rest.slice(name.length);
    return true;
  }

  /** A bare number beside a month's name: the day first, then the year. */
  #readNumber(): boolean {
    const match = NUMBER.exec(this.#rest);
    if (match === null || this.#month === null) return false;
    const digits = match[1] as string;
    if (this.#day === null && digits.length <= 2) this.#day = Number(digits);
    else if (this.#year === null) this.#setYear(digits);
    else return false;
    this.#rest = this.#rest.slice(digits.length);
    return true;
  }

  #settleDate(): void {
    if (this.#special !== null) {
      if (this.#year !== null || this.#month !== null) throw this.#invalid();
      return;
    }
    if (this.#dayOfYear !== null) {
      this.#month = 1;
      this.#day = this.#dayOfYear;
      return;
    }
    if (this.#year === null && this.#month === null && this.#day === null) return;
    if (this.#year === null || this.#month === null || this.#day === null) throw this.#invalid();
    if (this.#beforeChrist) {
      if (this.#year <= 0) throw fieldOutOfRange(this.#original);
      this.#year = 1 - this.#year;
    } else if (this.#twoDigitYear) this.#year += this.#year < 70 ? 2000 : 1900;
    else if (this.#year === 0) throw fieldOutOfRange(this.#original);
    if (this.#month < 1 || this.#month > 12) throw fieldOutOfRange(this.#original, true);
    if (this.#day < 1 || this.#day > 31) throw fieldOutOfRange(this.#original, true);
    if (this.#day > daysInMonth(this.#year, this.#month)) throw fieldOutOfRange(this.#original);
  }
}

/** 1..12 of a month's name or three-letter form (`sept` too); 0 for anything else. */
function monthOf(word: string | undefined): number {
  if (word === undefined) return 0;
  if (word === 'sept') return 9;
  return MONTHS.indexOf(word) + 1 || MONTH_NAMES.indexOf(word) + 1;
}
