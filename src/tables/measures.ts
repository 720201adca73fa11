/**
 * The unit and scale of each number: as its cell says, else its row, its column, the marks above and below it in its
 * column, the table. Where these leave it open (a row of ratios among millions) it is in nothing that is known.
 */
import type { WrittenNumber } from '../language/numbers/cell-number.ts';
import { isTimeUnit, unitWordIn } from '../language/numbers/number-words.ts';
import { type LanguageOf, wordsPattern } from '../language/questions/words.ts';
import type { Measure } from './table.ts';
import { isUnitOnly, unitLine, type UnitLine, withoutExceptions } from './units.ts';

const RATIOS = wordsPattern((pack) => [...pack.ratios, ...pack.percentagePoints, ...pack.basisPoints]);
const PERCENT = wordsPattern((pack) => pack.percent);
const PER_SHARE = wordsPattern((pack) => pack.perShare);
const BRACKETS = /[([（]([^()[\]（）]{1,60})[)\]）]/gu;
const AFTER_COMMA = /,\s*([^,]{1,40})$/;

/** `PP&E` has no percentage points in it. */
const JOINED = /[\p{L}\d]+(?:&[\p{L}\d]+)+/gu;

const UNKNOWN: Measure = { unit: null, power: null };
/** In the table's money, but not in its scale. */
const PER_SHARE_UNIT = 'per share';

/** The measure that a line's name says; null where the name says nothing of it. */
export function measureOfName(name: string, table: UnitLine | null, language: LanguageOf): Measure | null {
  if (name === '') return null;
  const said = unitIn(name, language);
  if (PER_SHARE.test(withoutExceptions(name))) return { unit: PER_SHARE_UNIT, power: 0 };
  if (said !== null) {
    const { unit, power } = said;
    return {
      unit: unit ?? (power === null ? null : (table?.currency ?? null)),
      power: power ?? table?.power ?? null,
    };
  }
  const plain = name.replace(JOINED, ' ');
  if (/(?<!\d\s?)%/.test(plain) || PERCENT.test(plain)) return { unit: '%', power: -2 };
  if (RATIOS.test(plain)) return UNKNOWN;
  if (table === null) return null;
  const counted = unitWordIn(name, language);
  return counted === null || counted === table.unit || isTimeUnit(counted) ? null : UNKNOWN;
}

/** `Sales (millions)`, `Sales, in millions`, `(in millions)`. */
function unitIn(name: string, language: LanguageOf): UnitLine | null {
  const pieces = [
    ...[...name.matchAll(BRACKETS)].map(([, inner = '']) => inner),
    AFTER_COMMA.exec(name)?.[1] ?? '',
  ];
  for (const piece of pieces) {
    if (piece !== '' && isUnitOnly(piece)) return unitLine(piece, language, true);
  }
  return isUnitOnly(name) ? unitLine(name, language, true) : null;
}

/** Currency and percent signs in a column, which stand at the first and the last of several numbers only. */
export interface Marks {
  readonly above: string | null;
  readonly below: string | null;
  /** The first number of the column has the sign of all that have one. */
  readonly isOne: boolean;
}

const markOf = ({ currency, unit }: WrittenNumber): string | null => unit ?? currency;

export function marksInColumn(numbers: readonly (WrittenNumber | null)[]): readonly Marks[] {
  const own = numbers.map((number) => (number === null ? null : markOf(number)));
  const first = numbers.findIndex((number) => number !== null);
  const all = new Set(own.filter((mark) => mark !== null));
  const isOne = all.size === 1 && first >= 0 && own[first] !== null;
  const below: (string | null)[] = [];
  let next: string | null = null;
  for (let at = own.length - 1; at >= 0; at--) {
    below[at] = next;
    next = own[at] ?? next;
  }
  let above: string | null = null;
  return own.map((mark, at) => {
    const marks = { above, below: below[at] ?? null, isOne };
    above = mark ?? above;
    return marks;
  });
}

export interface MeasureRequest {
  readonly number: WrittenNumber;
  readonly row: Measure | null;
  readonly column: Measure | null;
  readonly marks: Marks;
  readonly table: UnitLine | null;
  /** The table's money, where its unit line or all its signs agree. */
  readonly currency: string | null;
}

export function measureOf(request: MeasureRequest): Measure {
  const { number, row, column, table } = request;
  const scaled = moneyPower(row) ?? moneyPower(column) ?? table?.power ?? null;
  const isPerShare = row?.unit === PER_SHARE_UNIT || column?.unit === PER_SHARE_UNIT;
  const money = refined(number.currency ?? request.currency, request.currency);
  if (number.unit !== null && number.unit !== 'shares')
    return { unit: number.unit, power: number.power ?? 0 };
  if (isPerShare) return { unit: money === null ? null : `${money}/share`, power: number.power ?? 0 };
  if (number.currency !== null) {
    return { unit: money, power: number.power ?? (isOpen(row) || isOpen(column) ? null : scaled) };
  }
  const silent = silentMeasure(request, money, scaled);
  return number.power === null
    ? silent
    : { unit: silent.unit === '%' ? null : silent.unit, power: number.power };
}

/** A row of percents says nothing about the money in it. */
const moneyPower = (measure: Measure | null): number | null =>
  measure === null || measure.unit === '%' ? null : measure.power;

/** A name that takes it out of the table's unit. */
const isOpen = (measure: Measure | null): boolean =>
  measure !== null && measure.unit === null && measure.power === null;

/** The measure of a number without a sign. */
function silentMeasure(
  { row, column, marks, table, currency }: MeasureRequest,
  money: string | null,
  scaled: number | null,
): Measure {
  if (row !== null) return row;
  if (column !== null) return column;
  // The first and the last of several percents have signs; what stands between two may be one of them, or an amount.
  if (marks.above === '%' && marks.below === '%') return marks.isOne ? { unit: '%', power: -2 } : UNKNOWN;
  const sign = [marks.above, marks.below].find((mark) => mark !== null && CURRENCY.test(mark));
  if (sign === undefined) return { unit: table?.unit ?? currency, power: table?.power ?? null };
  return { unit: money ?? sign, power: scaled };
}

const CURRENCY = /^(?:[A-Z]{3}|\p{Sc})$/u;
const DOLLARS: ReadonlySet<string> = new Set(['USD', 'CAD', 'AUD', 'NZD', 'HKD', 'SGD', 'TWD']);

/** `$` is what the table says that its dollars are. */
const refined = (currency: string | null, table: string | null): string | null =>
  currency === '$' && table !== null && DOLLARS.has(table) ? table : currency;
