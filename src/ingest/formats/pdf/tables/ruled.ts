/**
 * Tables from their rules: crossing lines make a lattice, and neighbouring squares without a line between them are
 * one merged cell. What rules leave open (rows within a drawn frame) is left to alignment.
 */
import type { Box } from '../../../document.ts';
import type { Frame } from '../frame.ts';
import type { Rule } from '../ink.ts';

export interface Lattice {
  readonly box: Box;
  /** Ascending places of lines. */
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  /** Merged squares, ends inclusive, by row, then column. */
  readonly cells: readonly Square[];
}

export interface Square {
  readonly row: number;
  readonly column: number;
  readonly rowEnd: number;
  readonly columnEnd: number;
}

const TOUCH = 3;
const SAME_LINE = 2.5;
/** Share of a square's side that must be drawn. */
const SIDE_DRAWN_MIN = 0.6;
const LENGTH_MIN = 6;

/** All lattices of a page with at least two squares across and down, or down alone with several columns. */
export function latticesOf({ rules, width, height }: Pick<Frame, 'rules' | 'width' | 'height'>): Lattice[] {
  const lines = joinRules(
    rules.filter(({ from, to, at, isHorizontal }) => {
      const limit = isHorizontal ? height : width;
      return to - from >= LENGTH_MIN && at > 1 && at < limit - 1;
    }),
  );
  return components(lines)
    .map(latticeOf)
    .filter((lattice): lattice is Lattice => lattice !== null)
    .sort((a, b) => a.box[1] - b.box[1] || a.box[0] - b.box[0]);
}

/** Pieces of one line put together. */
export function joinRules(rules: readonly Rule[]): Rule[] {
  const found: Rule[] = [];
  for (const isHorizontal of [true, false]) {
    const sorted = rules
      .filter((rule) => rule.isHorizontal === isHorizontal)
      .sort((a, b) => a.at - b.at || a.from - b.from);
    let row: Rule[] = [];
    for (const rule of sorted) {
      if (row[0] !== undefined && rule.at - row[0].at > SAME_LINE / 2) {
        found.push(...joinRow(row));
        row = [];
      }
      row.push(rule);
    }
    found.push(...joinRow(row));
  }
  return found;
}

function joinRow(row: readonly Rule[]): Rule[] {
  const found: Rule[] = [];
  for (const rule of [...row].sort((a, b) => a.from - b.from)) {
    const last = found.at(-1);
    if (last !== undefined && rule.from <= last.to + TOUCH) {
      found[found.length - 1] = { ...last, to: Math.max(last.to, rule.to) };
    } else found.push(rule);
  }
  return found;
}

/** Lines that touch, across and down, belong together. */
function components(lines: readonly Rule[]): Rule[][] {
  const parent = lines.map((_, index) => index);
  const rootOf = (index: number): number => {
    let at = index;
    while (parent[at] !== at) {
      parent[at] = parent[parent[at] as number] as number;
      at = parent[at] as number;
    }
    return at;
  };
  const across = lines.flatMap((line, index) => (line.isHorizontal ? [{ line, index }] : []));
  const down = lines.flatMap((line, index) => (line.isHorizontal ? [] : [{ line, index }]));
  for (const { line: h, index: i } of across) {
    for (const { line: v, index: j } of down) {
      const meets =
        v.at >= h.from - TOUCH && v.at <= h.to + TOUCH && h.at >= v.from - TOUCH && h.at <= v.to + TOUCH;
      if (meets) parent[rootOf(j)] = rootOf(i);
    }
  }
  const groups = new Map<number, Rule[]>();
  for (const [index, line] of lines.entries()) {
    const root = rootOf(index);
    groups.set(root, [...(groups.get(root) ?? []), line]);
  }
  return [...groups.values()].filter((group) => group.length >= 4);
}

function latticeOf(lines: readonly Rule[]): Lattice | null {
  const across = lines.filter(({ isHorizontal }) => isHorizontal);
  const down = lines.filter(({ isHorizontal }) => !isHorizontal);
  if (across.length < 2 || down.length === 0) return null;
  const ends = {
    from: Math.min(...across.map(({ from }) => from)),
    to: Math.max(...across.map(({ to }) => to)),
  };
  const tips = { from: Math.min(...down.map(({ from }) => from)), to: Math.max(...down.map(({ to }) => to)) };
  const xs = places([...down.map(({ at }) => at), ends.from, ends.to]);
  const ys = places([...across.map(({ at }) => at), tips.from, tips.to]);
  if (xs.length < 3 || ys.length < 3) return null;
  const box: Box = [xs[0] as number, ys[0] as number, xs.at(-1) as number, ys.at(-1) as number];
  return { box, xs, ys, cells: squares(xs, ys, across, down) };
}

/** Distinct places, those of one thick or doubled line as one. */
function places(values: readonly number[]): number[] {
  const found: number[] = [];
  for (const value of [...values].sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last === undefined || value - last > SAME_LINE + 1.5) found.push(value);
  }
  return found;
}

function squares(
  xs: readonly number[],
  ys: readonly number[],
  across: readonly Rule[],
  down: readonly Rule[],
): Square[] {
  const columns = xs.length - 1;
  const rows = ys.length - 1;
  const taken = new Uint8Array(rows * columns);
  const x = (index: number): number => xs[index] as number;
  const y = (index: number): number => ys[index] as number;
  const isWallRight = (row: number, column: number): boolean =>
    drawn(down, x(column + 1), y(row), y(row + 1));
  const isWallBelow = (row: number, column: number): boolean =>
    drawn(across, y(row + 1), x(column), x(column + 1));
  const found: Square[] = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      if (taken[row * columns + column] === 1) continue;
      let columnEnd = column;
      const isFree = (c: number): boolean => taken[row * columns + c] === 0;
      while (columnEnd + 1 < columns && isFree(columnEnd + 1) && !isWallRight(row, columnEnd)) columnEnd++;
      let rowEnd = row;
      const isOpen = (r: number): boolean => {
        for (let c = column; c <= columnEnd; c++) if (isWallBelow(r, c)) return false;
        return true;
      };
      while (rowEnd + 1 < rows && isOpen(rowEnd)) rowEnd++;
      for (let r = row; r <= rowEnd; r++) taken.fill(1, r * columns + column, r * columns + columnEnd + 1);
      found.push({ row, column, rowEnd, columnEnd });
    }
  }
  return found;
}

function drawn(lines: readonly Rule[], at: number, from: number, to: number): boolean {
  let length = 0;
  for (const line of lines) {
    if (Math.abs(line.at - at) > SAME_LINE + 1.5) continue;
    length += Math.max(0, Math.min(line.to, to) - Math.max(line.from, from));
  }
  return length >= SIDE_DRAWN_MIN * (to - from);
}
