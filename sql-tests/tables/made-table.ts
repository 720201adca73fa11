/** Tables as statements have them, made by chance, with what every cell of them means. */
import { seededRandom } from '../../src/seeded-random.ts';
import { type NumberStyle, STYLES, written } from './number-styles.ts';
import { type Wording, WORDINGS } from './wordings.ts';

/** The meaning of a cell; null where it says no number. */
export interface Truth {
  readonly row: number;
  readonly column: number;
  /** As written: `1577.3`. Null: nothing may be given. */
  readonly number: string | null;
  /** Nothing in the table shows what its mark is, so that nothing need be given. */
  readonly isOpen: boolean;
  readonly unit: string | null;
  readonly power: number | null;
  readonly period: string | null;
  readonly path: string;
}

export interface MadeTable {
  readonly style: NumberStyle;
  readonly rows: readonly (readonly string[])[];
  readonly headerRows: number;
  readonly unit: string;
  readonly truths: readonly Truth[];
}

type Random = () => number;

const COLUMNS_MAX = 4;
const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

interface Making {
  readonly random: Random;
  readonly style: NumberStyle;
  readonly words: Wording;
  readonly unit: Wording['units'][number];
  readonly periods: readonly (string | null)[];
  readonly rows: string[][];
  readonly truths: Truth[];
  readonly decimals: number;
  /** Marks before three digits are of one meaning for certain. */
  readonly isTold: boolean;
}

export function madeTable(seed: number): MadeTable {
  const style = STYLES[seed % STYLES.length] as (typeof STYLES)[number];
  // The generator's first numbers are alike for seeds that follow each other.
  const random = seededRandom(Math.imul(seed, 0x9e3779b1));
  const words = WORDINGS[style.name] as Wording;
  const unit = pick(random, words.units);
  const kind = pick(random, words.periods);
  const last = 2016 + Math.floor(random() * 8);
  const count = 1 + Math.floor(random() * COLUMNS_MAX);
  const years = Array.from({ length: count }, (_, i) => String(last - i));
  const hasChange = count > 1 && random() < 0.3;
  const header = [
    '',
    ...years.map((year) => kind.header.replace('%', year)),
    ...(hasChange ? [`${words.change} %`] : []),
  ];
  const isTold = random() < 0.7;
  const making: Making = {
    random,
    style,
    words,
    unit,
    periods: [...years.map((year) => kind.period.replace('%', year)), ...(hasChange ? [null] : [])],
    rows: [header],
    truths: [],
    decimals: Math.floor(random() * 3),
    isTold,
  };
  body(making);
  return {
    style,
    rows: making.rows,
    headerRows: random() < 0.8 ? 1 : 0,
    unit: unit.line,
    truths: making.truths,
  };
}

function body(making: Making): void {
  const { random, words } = making;
  if (making.isTold) moneyRow(making, 'Σ', 12_345_678.9);
  const sections = random() < 0.5 ? [''] : words.sections.slice(0, 1 + Math.floor(random() * 3));
  for (const section of sections) {
    if (section !== '') making.rows.push([section]);
    const lines = words.lines.slice(0, 2 + Math.floor(random() * 5));
    for (const line of lines) moneyRow(making, section === '' ? line : `${section} > ${line}`);
    moneyRow(making, section === '' ? words.total : `${section} > ${words.total}`);
  }
  if (random() < 0.5) percentRow(making);
  if (random() < 0.5) plainRow(making, words.perShare, 2, 9);
  if (random() < 0.4) plainRow(making, words.headcount, 0, 90_000);
}

/** @param sure the amount of its first column: one that shows what the marks are. */
function moneyRow(making: Making, path: string, sure?: number): void {
  const { random, style, unit, decimals, periods } = making;
  const row = [path.split(' > ').at(-1) as string];
  for (const [i, period] of periods.entries()) {
    const at = { row: making.rows.length, column: i + 1, path };
    if (period === null) row.push(changeCell(making, at));
    else if (random() < 0.05) {
      row.push(pick(random, style.nothing));
      making.truths.push({ ...at, ...NOTHING });
    } else {
      const size = 10 ** (1 + Math.floor(random() * 7));
      const value = rounded(sure ?? (random() - 0.2) * size, sure === undefined ? decimals : 1);
      const places = sure === undefined ? decimals : 1;
      const text = written(value, places, style);
      row.push(random() < 0.05 ? `${text} (1)` : random() < 0.05 ? `${text}*` : text);
      const number = value.toFixed(places);
      making.truths.push({
        ...at,
        number,
        isOpen: isOpen(making, text),
        unit: unit.unit || null,
        power: unit.power,
        period,
      });
    }
  }
  making.rows.push(row);
}

const NOTHING = { number: null, isOpen: false, unit: null, power: null, period: null } as const;

function changeCell({ random, style, truths }: Making, at: Pick<Truth, 'row' | 'column' | 'path'>): string {
  const value = rounded((random() - 0.5) * 60, 1);
  truths.push({ ...at, number: value.toFixed(1), isOpen: true, unit: '%', power: -2, period: null });
  return style.percent(written(value, 1, style));
}

function percentRow(making: Making): void {
  const { random, style, words, periods } = making;
  const row = [words.ratio];
  for (const [i, period] of periods.entries()) {
    const at = { row: making.rows.length, column: i + 1, path: words.ratio };
    if (period === null) row.push(changeCell(making, at));
    else {
      const value = rounded(random() * 40, 1);
      row.push(style.percent(written(value, 1, style)));
      making.truths.push({ ...at, number: value.toFixed(1), isOpen: true, unit: '%', power: -2, period });
    }
  }
  making.rows.push(row);
}

/** Numbers that are not in the table's unit. */
function plainRow(making: Making, label: string, decimals: number, most: number): void {
  const { random, style, periods } = making;
  const row = [label];
  for (const [i, period] of periods.entries()) {
    const at = { row: making.rows.length, column: i + 1, path: label };
    if (period === null) row.push(changeCell(making, at));
    else {
      const value = rounded(random() * most, decimals);
      const text = written(value, decimals, style);
      row.push(text);
      const unit = decimals === 0 ? null : `${making.unit.unit}/share`;
      making.truths.push({
        ...at,
        number: value.toFixed(decimals),
        isOpen: decimals > 0 || isOpen(making, text),
        unit,
        power: 0,
        period,
      });
    }
  }
  making.rows.push(row);
}

/** Toward zero is none: `-0` is written as `0`. */
const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals)) + 0;

/** One mark and nothing that tells what it is. */
function isOpen({ isTold, style }: Making, text: string): boolean {
  if (isTold || !['.', ','].includes(style.group)) return false;
  const marks = text.replace(/[^.,]/g, '');
  return marks.length === 1;
}
