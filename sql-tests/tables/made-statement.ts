/** Statements of made companies, by chance: lines that add up, written as one country writes, as pages of HTML. */
import { type NumberStyle, written } from './number-styles.ts';

export type Random = () => number;

export const pick = <T>(random: Random, from: readonly T[]): T =>
  from[Math.floor(random() * from.length)] as T;

/** A line's amounts in the table's scale, one a year. */
export interface MadeLine {
  readonly name: string;
  readonly isCost: boolean;
  readonly values: readonly number[];
}

export interface MadeStatement {
  readonly title: string;
  readonly unit: { readonly line: string; readonly code: string; readonly power: number };
  /** As headers call it; `%` is the year. */
  readonly period: string;
  readonly years: readonly number[];
  readonly lines: readonly MadeLine[];
  readonly decimals: number;
  /** Costs stand in brackets, or with whatever makes a number negative there. */
  readonly hasNegativeCosts: boolean;
}

const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals)) + 0;

/** Lines of an income statement, some with a loss at the end. @param size about the sales. */
export function madeLines(
  random: Random,
  years: number,
  size: number,
  decimals: number,
): readonly MadeLine[] {
  const amount = (least: number, most: number): number[] =>
    Array.from({ length: years }, () => rounded(size * (least + random() * (most - least)), decimals));
  const isLoss = random() < 0.25;
  const [sales, cost, marketing, research] = [
    amount(0.8, 1.2),
    amount(0.3, 0.6),
    isLoss ? amount(0.9, 1.1) : amount(0.05, 0.1),
    amount(0.02, 0.08),
  ];
  const less = (a: readonly number[], ...others: readonly (readonly number[])[]): number[] =>
    a.map((value, i) => rounded(value - others.reduce((sum, one) => sum + (one[i] as number), 0), decimals));
  const gross = less(sales, cost);
  const line = (name: string, values: readonly number[], isCost = false): MadeLine => ({
    name,
    isCost,
    values,
  });
  return [
    line('Net sales', sales),
    line('Cost of sales', cost, true),
    line('Gross profit', gross),
    line('Marketing expenses', marketing, true),
    line('Research expenses', research, true),
    line('Operating income', less(gross, marketing, research)),
  ];
}

/** Shows what its marks are: nothing else looks like it. */
const TELLING = 12_345_678.9;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** @param isTold a line of the table shows how numbers are written for certain. */
export function htmlOf(
  { title, unit, period, years, lines, decimals, hasNegativeCosts }: MadeStatement,
  style: NumberStyle,
  isTold: boolean,
): string {
  const row = (cells: readonly string[], tag = 'td'): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`;
  const header = row(['', ...years.map((year) => period.replace('%', String(year)))], 'th');
  const shown = lines.map(({ name, values, isCost }) =>
    row([
      name,
      ...values.map((value) => written(isCost && hasNegativeCosts ? -value : value, decimals, style)),
    ]),
  );
  const telling = isTold
    ? row(['Shares outstanding (number)', ...years.map(() => written(TELLING, 1, style))])
    : '';
  const above = `<h2>${escaped(title)}</h2><p>${escaped(unit.line)}</p>`;
  return `${above}<table>${header}${shown.join('')}${telling}</table>`;
}
