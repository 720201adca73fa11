/** Totals as evidence for numbers that may be read in two ways: only one of them adds up. */
import { addsUp } from '../language/numbers/decimal.ts';
import type { WrittenNumber } from '../language/numbers/cell-number.ts';
import type { Mark } from '../language/numbers/separators.ts';

/** A column's numbers from the top; null where a row has none. */
export interface SumRow {
  readonly number: WrittenNumber | null;
  readonly isTotal: boolean;
  /** A section or a header: a sum does not reach over it. */
  readonly isBreak: boolean;
}

const PARTS_MAX = 200;

/** The decimal mark with which every total adds up, where with the other one none does; null where that is not so. */
export function markBySums(rows: readonly SumRow[]): Mark | null {
  let byPoint = 0;
  let byComma = 0;
  for (const [at, { isTotal, number }] of rows.entries()) {
    if (!isTotal || number === null) continue;
    const parts = partsAbove(rows, at);
    if (parts.length < 2 || ![...parts, number].some(({ shape }) => shape.kind === 'open')) continue;
    const isByPoint = addsUp(
      parts.map((part) => asRead(part, '.')),
      asRead(number, '.'),
    );
    const isByComma = addsUp(
      parts.map((part) => asRead(part, ',')),
      asRead(number, ','),
    );
    if (isByPoint && isByComma) continue;
    if (isByPoint) byPoint++;
    if (isByComma) byComma++;
  }
  if (byPoint > 0 && byComma > 0) return null;
  return byPoint > 0 ? '.' : byComma > 0 ? ',' : null;
}

function partsAbove(rows: readonly SumRow[], total: number): readonly WrittenNumber[] {
  const parts: WrittenNumber[] = [];
  for (let at = total - 1; at >= 0 && parts.length < PARTS_MAX; at--) {
    const { number, isTotal, isBreak } = rows[at] as SumRow;
    if (isBreak || isTotal) break;
    if (number !== null) parts.push(number);
  }
  return parts;
}

function asRead({ shape, isNegative }: WrittenNumber, decimalMark: Mark): string {
  const value =
    shape.kind !== 'open'
      ? shape.value
      : shape.mark === decimalMark
        ? `${shape.whole}.${shape.rest}`
        : shape.whole + shape.rest;
  return isNegative ? `-${value}` : value;
}
