/**
 * `interval day to second(3)`: a mask of fields in the upper 16 bits of the modifier, decimals of a second
 * in the lower ones. Fields below the last one named are cut, those above are kept, as PostgreSQL does.
 */
import { SqlError } from '../../errors.ts';
import type { IntervalDatum } from '../datum.ts';
import type { SqlType } from '../type.ts';

const FULL_RANGE = 0x7fff;
const FULL_PRECISION = 0xffff;
const PRECISION_MAX = 6;

const MONTH = 1 << 1;
const YEAR = 1 << 2;
const DAY = 1 << 3;
const HOUR = 1 << 10;
const MINUTE = 1 << 11;
const SECOND = 1 << 12;

const RANGES: ReadonlyMap<number, string> = new Map([
  [YEAR, ' year'],
  [MONTH, ' month'],
  [DAY, ' day'],
  [HOUR, ' hour'],
  [MINUTE, ' minute'],
  [SECOND, ' second'],
  [YEAR | MONTH, ' year to month'],
  [DAY | HOUR, ' day to hour'],
  [DAY | HOUR | MINUTE, ' day to minute'],
  [DAY | HOUR | MINUTE | SECOND, ' day to second'],
  [HOUR | MINUTE, ' hour to minute'],
  [HOUR | MINUTE | SECOND, ' hour to second'],
  [MINUTE | SECOND, ' minute to second'],
]);

const rangeOf = (modifier: number): number => (modifier >> 16) & FULL_RANGE;
const precisionOf = (modifier: number): number => modifier & FULL_PRECISION;

/** `packModifier` takes `[mask]` or `[mask, precision]`, as the grammar gives them. */
export const intervalModifier: Pick<SqlType, 'packModifier' | 'showModifier'> = {
  packModifier: ([range, precision]) => {
    if (range === undefined || (range !== FULL_RANGE && !RANGES.has(range))) {
      throw new SqlError('invalid_parameter_value', 'invalid INTERVAL type modifier');
    }
    if (precision === undefined) return (range << 16) | FULL_PRECISION;
    if (precision < 0) {
      throw new SqlError('invalid_parameter_value', `INTERVAL(${precision}) precision must not be negative`);
    }
    return (range << 16) | Math.min(precision, PRECISION_MAX);
  },
  showModifier: (modifier) => {
    if (modifier < 0) return '';
    const precision = precisionOf(modifier);
    return (RANGES.get(rangeOf(modifier)) ?? '') + (precision === FULL_PRECISION ? '' : `(${precision})`);
  },
};

/** The unit of a last number without one: the smallest field named, seconds where none is. */
export function lastUnit(modifier: number): string {
  const range = modifier < 0 ? FULL_RANGE : rangeOf(modifier);
  if ((range & SECOND) !== 0) return 's';
  if ((range & MINUTE) !== 0) return 'm';
  if ((range & HOUR) !== 0) return 'h';
  if ((range & DAY) !== 0) return 'd';
  return (range & MONTH) !== 0 ? 'mon' : 'y';
}

export function restrictInterval(value: IntervalDatum, modifier: number): IntervalDatum {
  if (modifier < 0) return value;
  const cut = cutBelow(value, rangeOf(modifier));
  const precision = precisionOf(modifier);
  if (precision >= PRECISION_MAX) return cut;
  const unit = 10n ** BigInt(PRECISION_MAX - precision);
  const half = cut.micros < 0n ? -unit / 2n : unit / 2n;
  return { ...cut, micros: ((cut.micros + half) / unit) * unit };
}

function cutBelow(value: IntervalDatum, range: number): IntervalDatum {
  if (range === FULL_RANGE || (range & SECOND) !== 0) return value;
  const { months, micros } = value;
  if ((range & MINUTE) !== 0) return { ...value, micros: (micros / 60_000_000n) * 60_000_000n };
  if ((range & HOUR) !== 0) return { ...value, micros: (micros / 3_600_000_000n) * 3_600_000_000n };
  if ((range & DAY) !== 0) return { ...value, micros: 0n };
  const whole = (range & MONTH) !== 0 ? months : months - (months % 12);
  return { ...value, months: whole, days: 0, micros: 0n };
}
