/**
 * Cell adjacency as the ICDAR 2013 table competition counts it: each cell with text and its nearest neighbour with
 * text to the right and below are a relation; relations of a table are compared by both texts and the direction.
 * Source: M. Göbel et al., "A Methodology for Evaluating Algorithms for Table Understanding in PDF Documents", 2012.
 */

export interface ScoredCell {
  readonly row: number;
  readonly column: number;
  readonly rowEnd: number;
  readonly columnEnd: number;
  readonly text: string;
}

export interface Counts {
  right: number;
  found: number;
  wanted: number;
}

/** Texts without blanks, dashes and quotes of one kind. */
const normal = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/[\s\u00ad\u200b]/g, '')
    .replaceAll(/[‐-―−]/g, '-')
    .replaceAll(/[‘’´`]/g, "'")
    .replaceAll(/[“”]/g, '"')
    .toLowerCase();

export function relations(cells: readonly ScoredCell[]): Map<string, number> {
  const filled = cells.filter(({ text }) => normal(text) !== '');
  const found = new Map<string, number>();
  const seen = new Set<string>();
  const rowCount = Math.max(0, ...filled.map(({ rowEnd }) => rowEnd + 1));
  const columnCount = Math.max(0, ...filled.map(({ columnEnd }) => columnEnd + 1));
  const at: (number | undefined)[] = new Array(rowCount * columnCount);
  for (const [index, { row, rowEnd, column, columnEnd }] of filled.entries()) {
    for (let r = row; r <= rowEnd; r++)
      at.fill(index, r * columnCount + column, r * columnCount + columnEnd + 1);
  }
  const add = (from: number | undefined, to: number | undefined, direction: string): void => {
    if (from === undefined || to === undefined || from === to || seen.has(`${from} ${to} ${direction}`))
      return;
    seen.add(`${from} ${to} ${direction}`);
    const key = `${direction}\t${normal(filled[from]?.text ?? '')}\t${normal(filled[to]?.text ?? '')}`;
    found.set(key, (found.get(key) ?? 0) + 1);
  };
  for (let row = 0; row < rowCount; row++) {
    let last: number | undefined;
    for (let column = 0; column < columnCount; column++) {
      const here = at[row * columnCount + column];
      add(last, here, 'right');
      last = here ?? last;
    }
  }
  for (let column = 0; column < columnCount; column++) {
    let last: number | undefined;
    for (let row = 0; row < rowCount; row++) {
      const here = at[row * columnCount + column];
      add(last, here, 'down');
      last = here ?? last;
    }
  }
  return found;
}

export function compare(wanted: ReadonlyMap<string, number>, found: ReadonlyMap<string, number>): Counts {
  const sum = (all: ReadonlyMap<string, number>): number => [...all.values()].reduce((a, b) => a + b, 0);
  let right = 0;
  for (const [key, count] of found) right += Math.min(count, wanted.get(key) ?? 0);
  return { right, found: sum(found), wanted: sum(wanted) };
}

export function f1({ right, found, wanted }: Counts): number {
  return right === 0 ? 0 : (2 * right) / (found + wanted);
}

export function addCounts(total: Counts, more: Counts): void {
  total.right += more.right;
  total.found += more.found;
  total.wanted += more.wanted;
}

/** Relations of several tables together. */
export function together(all: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const sum = new Map<string, number>();
  for (const one of all) for (const [key, count] of one) sum.set(key, (sum.get(key) ?? 0) + count);
  return sum;
}
