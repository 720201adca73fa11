/**
 * Sums that a table's numbers show: lines of which a line below them is made, by adding or taking off, the same in most
 * columns. They tell how a document writes what it takes off, and which number does not fit its neighbours.
 */

/** Numbers of a line by column. */
export type SumLine = ReadonlyMap<number, number>;

export interface TableSum {
  /** Place among the lines. */
  readonly total: number;
  readonly parts: readonly { readonly line: number; readonly isMinus: boolean }[];
  /** Columns in which it adds up, and in which it does not. */
  readonly holds: ReadonlySet<number>;
  readonly fails: ReadonlySet<number>;
}

const PARTS_MAX = 30;
/** So many lines may each be added or taken off in any way. */
const ANY_SIGNS_MAX = 5;
/** Smaller numbers make sums by chance. */
const TOTAL_MIN = 100;
/** For one that adds up, so many times as many columns as in which it does not. */
const HOLDS_MIN = 2;

/** From the top; a line that is a sum stands for its parts in sums further down. */
export function tableSums(lines: readonly SumLine[]): readonly TableSum[] {
  const sums: TableSum[] = [];
  const open: number[] = [];
  for (const total of lines.keys()) {
    const sum = lines[total]?.size === 0 ? null : sumAbove(lines, open, total);
    if (sum !== null) {
      sums.push(sum);
      open.length -= sum.parts.length;
    }
    if ((lines[total]?.size ?? 0) > 0) open.push(total);
  }
  return sums;
}

/** The shortest that holds in all columns, else the shortest that holds in most: a number may be misprinted. */
function sumAbove(lines: readonly SumLine[], open: readonly number[], total: number): TableSum | null {
  let partly: TableSum | null = null;
  for (let count = 2; count <= Math.min(open.length, PARTS_MAX); count++) {
    const above = open.slice(-count);
    for (const signs of signsOf(count)) {
      const sum = asSum(lines, { total, above, signs });
      if (sum?.fails.size === 0) return sum;
      partly ??= sum;
    }
  }
  return partly;
}

/** Ways to add lines up, the plain one first; bits of those that are taken off. The first is never taken off. */
function signsOf(count: number): readonly number[] {
  const all = (1 << count) - 2;
  if (count > ANY_SIGNS_MAX) return count > 30 ? [0] : [0, all];
  return Array.from({ length: 1 << (count - 1) }, (_, i) => i << 1);
}

interface Tried {
  readonly total: number;
  readonly above: readonly number[];
  readonly signs: number;
}

/** Null where it adds up in too few columns to be more than chance. */
function asSum(lines: readonly SumLine[], { total, above, signs }: Tried): TableSum | null {
  const holds = new Set<number>();
  const fails = new Set<number>();
  let most = 0;
  for (const [column, value] of lines[total] as SumLine) {
    const parts = above.map((line) => lines[line]?.get(column));
    if (parts.filter((part) => part !== undefined).length < 2) continue;
    if (!parts.every((part, i) => part !== undefined || (signs >> i) % 2 === 0)) continue;
    let sum = 0;
    for (const [i, part = 0] of parts.entries()) sum += (signs >> i) % 2 === 1 ? -part : part;
    if (isWithinRounding(sum, value, parts.length)) {
      holds.add(column);
      most = Math.max(most, digitsOf(value));
    } else fails.add(column);
  }
  const isPlain = signs === 0 || signs === (1 << above.length) - 2;
  const least = isPlain ? TOTAL_MIN : TOTAL_MIN ** 2;
  const isSure = most >= least || (holds.size > 1 && fails.size === 0);
  if (holds.size === 0 || holds.size < HOLDS_MIN * fails.size || !isSure) return null;
  const parts = above.map((line, i) => ({ line, isMinus: (signs >> i) % 2 === 1 }));
  return { total, parts, holds, fails };
}

/** Each part may have been rounded by half of a last digit. */
function isWithinRounding(sum: number, total: number, count: number): boolean {
  const unit = 10 ** -decimalsOf(total);
  return Math.abs(sum - total) <= unit * Math.floor(count / 2) + 1e-9 * Math.abs(total);
}

const decimalsOf = (value: number): number => /\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0;

/** The number without its decimal point. */
const digitsOf = (value: number): number => Math.abs(value) * 10 ** decimalsOf(value);
