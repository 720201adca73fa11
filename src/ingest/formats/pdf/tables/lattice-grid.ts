/** Words put into the squares that rules draw. */
import type { Rule } from '../ink.ts';
import type { Segment } from '../segments.ts';
import { alignedGrid } from './aligned.ts';
import {
  type Grid,
  type GridCell,
  headerEnd,
  isNumeric,
  isYear,
  linesOf,
  middleOf,
  rowsOf,
  textOfWords,
} from './grid.ts';
import type { Lattice, Square } from './ruled.ts';

/** @returns null where the lattice is no table: a frame, a form's boxes without text. */
export function latticeGrid(
  lattice: Lattice,
  segments: readonly Segment[],
  rules: readonly Rule[],
): Grid | null {
  const inside = segments.filter((segment) => isWithin(lattice, segment));
  if (inside.length < 4) return null;
  const open = openness(lattice, inside);
  if (open === 'columns') return alignedGrid(inside, { rules, xs: null });
  if (open === 'rows') return alignedGrid(inside, { rules, xs: lattice.xs });
  const cells = lattice.cells.flatMap((square) => cellOf(lattice, square, inside));
  const rows = usedLines(cells, 'row');
  const columns = usedLines(cells, 'column');
  if (rows < 2 || columns < 2 || cells.length < 4) return null;
  return {
    box: lattice.box,
    rowCount: rows,
    columnCount: columns,
    headerRowCount: headerEnd(cells, headerRows(cells, rows)),
    cells,
    isRuled: true,
  };
}

function isWithin({ box }: Lattice, { left, right, baseline, size }: Segment): boolean {
  const middle = baseline - size * 0.3;
  return left > box[0] - 4 && right < box[2] + 4 && middle > box[1] && middle < box[3];
}

function placeOf(edges: readonly number[], at: number): number {
  let place = 0;
  while (place < edges.length - 2 && (edges[place + 1] as number) <= at) place++;
  return place;
}

function cellOf({ xs, ys }: Lattice, square: Square, segments: readonly Segment[]): GridCell[] {
  const { row, column, rowEnd, columnEnd } = square;
  const words = segments.flatMap((segment) =>
    segment.words.filter((word) => {
      const c = placeOf(xs, middleOf(word));
      const r = placeOf(ys, word.baseline - word.size * 0.3);
      return c >= column && c <= columnEnd && r >= row && r <= rowEnd;
    }),
  );
  return words.length === 0 ? [] : [{ row, column, rowEnd, columnEnd, lines: linesOf(words) }];
}

/** Takes out rows or columns in which no cell begins. @returns how many are left. */
function usedLines(cells: readonly GridCell[], kind: 'row' | 'column'): number {
  const end = `${kind}End` as const;
  const begun = [...new Set(cells.map((cell) => cell[kind]))].sort((a, b) => a - b);
  for (const cell of cells) {
    cell[end] = begun.filter((one) => one <= cell[end]).length - 1;
    cell[kind] = begun.indexOf(cell[kind]);
  }
  return begun.length;
}

function headerRows(cells: readonly GridCell[], rows: number): number {
  for (let row = 0; row < rows; row++) {
    const texts = cells
      .filter((cell) => cell.row <= row && cell.rowEnd >= row && cell.column > 0)
      .map(({ lines }) => textOfWords(lines.flat()));
    if (texts.some((text) => isNumeric(text) && !isYear(text))) return row;
  }
  return 1;
}

/** Degree to which the drawn squares hold several rows, or several columns, of what is set in lines. */
function openness({ xs, ys, cells }: Lattice, segments: readonly Segment[]): 'rows' | 'columns' | 'none' {
  const lines = rowsOf(segments).map((line) => ({
    columns: new Set(line.map((one) => placeOf(xs, middleOf(one)))).size,
    gaps: gapsWithin(line, xs),
    row: placeOf(ys, (line[0] as Segment).baseline - (line[0] as Segment).size * 0.3),
    values: line.filter(({ words }) => isNumeric(textOfWords(words))).length,
  }));
  if (cells.length < 2) return 'none';
  const filled = lines.filter(({ columns }) => columns > 1).length;
  const gapped = lines.filter(({ gaps }) => gaps > 0).length;
  if (lines.length >= 4 && gapped >= 0.6 * lines.length && xs.length <= 4) return 'columns';
  let open = 0;
  let inOpen = 0;
  for (let row = 0; row < ys.length - 1; row++) {
    const within = lines.filter((line) => line.row === row);
    const several = within.filter(({ columns, values }) => columns > 1 && values > 0);
    if (within.length < 3 || several.length < 0.6 * within.length) continue;
    open++;
    inOpen += several.length;
  }
  return open > 0 && inOpen >= 0.4 * filled ? 'rows' : 'none';
}

/** Wide gaps between segments of one line that stand in one drawn column. */
function gapsWithin(line: readonly Segment[], xs: readonly number[]): number {
  let gaps = 0;
  for (let index = 1; index < line.length; index++) {
    const [a, b] = [line[index - 1] as Segment, line[index] as Segment];
    if (placeOf(xs, middleOf(a)) === placeOf(xs, middleOf(b)) && b.left - a.right > 1.2 * b.size) gaps++;
  }
  return gaps;
}
