/** Rows of tables with their cells, as the steps of an answer read them, whatever told them: relations, or a text. */

import { plainDecimal } from '../../language/numbers/decimal.ts';

/** A number with what it counts: it is worth `decimal` times ten to `power`. */
export interface Amount {
  /** As written: `-1577.0`. */
  readonly decimal: string;
  readonly value: number;
  /** Its value is in percent, whatever it is written in. */
  readonly isPercent: boolean;
  /** Digits after the decimal point as written. */
  readonly decimals: number;
  /** `USD`, `shares`, `USD/share`, …; null where nothing tells. */
  readonly unit: string | null;
  /** Null where nothing tells. */
  readonly power: number | null;
}

export interface Cell {
  /** Its column's place in the table. */
  readonly at: number;
  /** Name of its column; empty where it has none. */
  readonly column: string;
  readonly value: string;
  /** Offsets of `[Column]=value` in the text. */
  readonly start: number;
  readonly end: number;
  /** Null where it is no number, and where it may be two: then there is a doubt. */
  readonly amount: Amount | null;
  /** Why a number has no value. */
  readonly doubt: string | null;
  /** Cells above that name its column, where they stand in the text as a row. */
  readonly headers: readonly { readonly start: number; readonly end: number }[];
  /** The year that it is of, or that its period ends in; null where nothing tells. */
  readonly year: number | null;
  /** The time itself: `2023`, `2023-Q2`, `P9M/2023-09-30`. */
  readonly period: string | null;
  /** Whose figures: `consolidated`, `segment`, …; null where nothing tells. */
  readonly scope: string | null;
}

export interface Row {
  /** Rows of one table have one. */
  readonly table: string;
  /** Place in its table. */
  readonly index: number;
  /** The row's name. */
  readonly label: string;
  /** Each part of it as written. */
  readonly labels: readonly string[];
  /** The nearest name that it stands under. */
  readonly section: string;
  readonly cells: readonly Cell[];
  /** Lines of the same chunk before its table: caption and unit. */
  readonly about: string;
  /** `in millions`: what its numbers are in, as answers show it; empty where nothing tells. */
  readonly unit: string;
  /** The words of the chunk that say so; empty where they stand elsewhere. */
  readonly unitText: string;
  readonly start: number;
  readonly end: number;
}

/** A cell of a table with its place in the chunk that shows it. */
export interface PlacedCell {
  readonly table: string;
  readonly row: number;
  readonly column: number;
  readonly columnEnd: number;
  /** Which header it is under. */
  readonly band: number;
  readonly isHeader: boolean;
  readonly text: string;
  readonly number: string | null;
  readonly unit: string | null;
  readonly power: number | null;
  readonly period: string | null;
  readonly year: number | null;
  readonly doubt: string | null;
  /** Offsets of its text, without its column's name. */
  readonly start: number;
  readonly end: number;
}

/** Names of a table's rows and columns, from the outermost. */
export interface TableNames {
  readonly scope: string | null;
  readonly rows: ReadonlyMap<number, readonly string[]>;
  /** By `columnKey`. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
}

export const columnKey = (band: number, column: number): string => `${band} ${column}`;

/** Cells of the tables that a chunk shows, and their names. */
export interface ChunkCells {
  readonly cells: readonly PlacedCell[];
  readonly tables: ReadonlyMap<string, TableNames>;
}

const PERCENT_POWER = -2;
const FRACTIONS: ReadonlySet<string> = new Set(['%', 'bp']);

/** Null where it has no number. */
export function amountOf({ number, unit, power }: PlacedCell): Amount | null {
  if (number === null) return null;
  const point = number.indexOf('.');
  const decimals = point < 0 ? 0 : number.length - point - 1;
  const isPercent = unit !== null && FRACTIONS.has(unit);
  const shift = isPercent && power !== null ? power - PERCENT_POWER : 0;
  const decimal = shift === 0 ? number : (plainDecimal(`${number}e${shift}`) ?? number);
  return {
    decimal,
    value: Number(decimal),
    isPercent,
    decimals: Math.max(0, decimals - shift),
    unit: isPercent ? '%' : unit,
    power: isPercent ? PERCENT_POWER : power,
  };
}

const SCALE_WORDS: ReadonlyMap<number, string> = new Map([
  [3, 'thousands'],
  [5, 'lakhs'],
  [6, 'millions'],
  [7, 'crores'],
  [8, 'hundreds of millions'],
  [9, 'billions'],
  [12, 'trillions'],
]);

/** `in millions`, `EUR in thousands`; empty where there is no scale. @param written what already shows its currency. */
export function unitWords({ unit, power }: Pick<Amount, 'unit' | 'power'>, written = ''): string {
  const scale = SCALE_WORDS.get(power ?? 0);
  if (scale === undefined) return '';
  return unit === null || unit === '%' || shows(written, unit) ? `in ${scale}` : `${unit} in ${scale}`;
}

const SIGNS: Readonly<Record<string, string>> = { EUR: '€', GBP: '£', INR: '₹', USD: '$' };

const shows = (written: string, unit: string): boolean =>
  written.includes(unit) || (SIGNS[unit] !== undefined && written.includes(SIGNS[unit]));
