/** Tables without rules, or with rules that leave rows or columns open: columns by alignment, rows by lines. */
import type { Rule } from '../ink.ts';
import type { Segment } from '../segments.ts';
import { type Column, columnsOf } from './columns.ts';
import {
  boundsOf,
  type Grid,
  type GridCell,
  headerEnd,
  isNumeric,
  median,
  rowsOf,
  textOfWords,
} from './grid.ts';
import { cutAtColumns, headerLines } from './header-lines.ts';
import { joinRules } from './ruled.ts';
import { mergeRows } from './wrapped-rows.ts';

/** One printed line of a table: a cell a segment. */
export interface TableLine {
  readonly cells: LineCell[];
  readonly top: number;
  readonly bottom: number;
  readonly baseline: number;
  readonly size: number;
  /** Before the first line of values. */
  readonly isHeader: boolean;
}

export interface LineCell {
  readonly segment: Segment;
  readonly text: string;
  column: number;
  columnEnd: number;
}

export interface Hints {
  readonly rules: readonly Rule[];
  /** Columns that rules draw, left edges and the last right edge; null: by alignment. */
  readonly xs: readonly number[] | null;
}

/** @returns null where there are not two columns. */
export function alignedGrid(segments: readonly Segment[], hints: Hints): Grid | null {
  if (segments.length === 0) return null;
  const whole = joinNoteMarks(segments);
  const pieces = joinSigns(hints.xs === null ? whole : whole.flatMap((one) => cutAt(one, hints.xs ?? [])));
  const rows = rowsOf(pieces);
  const size = median(pieces.map((one) => one.size));
  const columns = hints.xs === null ? columnsOf(rows, size) : drawnColumns(hints.xs);
  if (columns.length < 2) return null;
  const named = rows.map((row) => row.flatMap((segment) => cutAtColumns(segment, columns)));
  const headerCount = headerLines(named, columns);
  // Whole lines first: their pieces end where columns do.
  const rules = [...joinRules(hints.rules), ...hints.rules];
  const lines = rows.map((row, index) =>
    lineOf(index < headerCount ? (named[index] ?? row) : row, columns, index < headerCount, rules),
  );
  const merged = mergeRows(lines, columns, hints.rules);
  const cells = merged.rows.flatMap((row, index) => gridCells(row, index));
  const used = compact(cells);
  return {
    box: boundsOf(segments),
    rowCount: merged.rows.length,
    columnCount: used,
    headerRowCount: headerEnd(cells, Math.min(merged.headerRowCount, merged.rows.length - 1)),
    cells,
    isRuled: false,
  };
}

const drawnColumns = (xs: readonly number[]): Column[] =>
  xs.slice(1).map((right, index) => ({ left: xs[index] as number, right, rows: new Set() }));

/** A segment cut where a drawn line goes between its words. */
function cutAt(segment: Segment, xs: readonly number[]): Segment[] {
  const parts: Segment[] = [];
  const columnOf = (x: number): number => xs.findIndex((edge) => edge > x);
  let last = -2;
  for (const word of segment.words) {
    const column = columnOf((word.left + word.right) / 2);
    const part = parts.at(-1);
    if (part !== undefined && column === last) {
      part.words.push(word);
      part.right = Math.max(part.right, word.right);
    } else parts.push({ ...segment, words: [word], left: word.left, right: word.right });
    last = column;
  }
  return parts;
}

const OPENING = /^[$€£¥(+–—-]{1,2}$|^(?:US\$|Rs\.?|R\$)$/;
const CLOSING = /^[)%‰*†‡]{1,3}$/;

const NOTE_MARK = /^(?:\(?[\da-z]{1,2}\)|\d{1,2}|[*†‡§]{1,3})(?:,?\s?(?:\(?[\da-z]{1,2}\)|\d{1,2}))*$/;
const NOTE_SIZE_MAX = 0.75;
/** In sizes of what it is a note to. */
const NOTE_DISTANCE_MAX = 2.5;

/** Small raised marks belong to what they follow; its edges stay, or they would make columns of their own. */
function joinNoteMarks(segments: readonly Segment[]): readonly Segment[] {
  const marks = new Map<Segment, Segment>();
  for (const mark of segments) {
    if (!NOTE_MARK.test(textOfWords(mark.words))) continue;
    const middle = (mark.top + mark.bottom) / 2;
    const noted = segments.find(
      ({ size, top, bottom, baseline, left, right }) =>
        mark.size < NOTE_SIZE_MAX * size &&
        mark.baseline < baseline - 0.2 * size &&
        middle > top &&
        middle < bottom &&
        left < mark.left &&
        mark.left - right < NOTE_DISTANCE_MAX * size,
    );
    if (noted !== undefined) marks.set(mark, noted);
  }
  if (marks.size === 0) return segments;
  return segments.flatMap((segment) => {
    if (marks.has(segment)) return [];
    const own = [...marks].flatMap(([mark, noted]) => (noted === segment ? mark.words : []));
    return own.length === 0 ? [segment] : [{ ...segment, words: [...segment.words, ...own] }];
  });
}

/** Currency signs, brackets and percent signs set apart belong to their numbers. */
function joinSigns(segments: readonly Segment[]): Segment[] {
  return rowsOf(segments).flatMap((row) => {
    const found: Segment[] = [];
    for (const segment of row.flatMap(cutAtSigns)) {
      const last = found.at(-1);
      const text = textOfWords(segment.words);
      const lastText = last === undefined ? '' : textOfWords(last.words);
      // A currency sign stands at its column's left edge, however far that is from the number.
      const isClose = last !== undefined && segment.left - last.right < 20 * segment.size;
      const opens =
        OPENING.test(lastText) && isNumeric(text) && /\d|[-–—]/.test(text) && /[$€£¥(sR]/.test(lastText);
      const closes =
        CLOSING.test(text) &&
        segment.left - (last?.right ?? 0) < 1.5 * segment.size &&
        /[\d—–]/.test(lastText);
      if (last !== undefined && isClose && (opens || closes)) {
        found[found.length - 1] = {
          ...last,
          words: [...last.words, ...segment.words],
          right: segment.right,
          top: Math.min(last.top, segment.top),
          bottom: Math.max(last.bottom, segment.bottom),
        };
      } else found.push(segment);
    }
    return found;
  });
}

/** `(34) $ 37` set close together are two values; `of $35, $46 and $32` is text. */
function cutAtSigns(segment: Segment): Segment[] {
  const ends = (text: string): boolean => /^[%‰]$/.test(text) || (isNumeric(text) && !text.endsWith(','));
  const at = segment.words.findIndex(
    ({ text }, index) => index > 0 && /^[$€£]/.test(text) && ends(segment.words[index - 1]?.text ?? ''),
  );
  if (at < 0) return [segment];
  const [first, rest] = [segment.words.slice(0, at), segment.words.slice(at)];
  return [
    { ...segment, words: first, right: first.at(-1)?.right ?? segment.right },
    ...cutAtSigns({ ...segment, words: rest, left: rest[0]?.left ?? segment.left }),
  ];
}

function lineOf(
  row: readonly Segment[],
  columns: readonly Column[],
  isHeader: boolean,
  rules: readonly Rule[],
): TableLine {
  const [, top, , bottom] = boundsOf(row);
  const cells = row.map((segment): LineCell => {
    const [column, columnEnd] = spanOf(segment, columns, isHeader ? rulesOf(segment, row, rules) : []);
    return { segment, text: textOfWords(segment.words), column, columnEnd };
  });
  const { baseline, size } = row[0] as Segment;
  return { cells: joinSameColumn(cells), top, bottom, baseline, size, isHeader };
}

/** Rules that are under no other piece of its row. */
const rulesOf = (segment: Segment, row: readonly Segment[], rules: readonly Rule[]): readonly Rule[] =>
  rules.filter(({ from, to }) =>
    row.every((other) => other === segment || Math.min(other.right, to) < Math.max(other.left, from)),
  );

/** First and last column that a segment reaches into, or that a rule drawn under a heading spans. */
function spanOf(segment: Segment, columns: readonly Column[], rules: readonly Rule[]): [number, number] {
  const labelsEnd = columns[0]?.right ?? 0;
  const under = rules.find(
    ({ isHorizontal, at, from, to }) =>
      isHorizontal &&
      (from > labelsEnd - segment.size || segment.left < labelsEnd) &&
      at > segment.baseline - 1 &&
      at < segment.bottom + segment.size * 0.7 &&
      from <= segment.left + 2 &&
      to >= segment.right - 2,
  );
  const reach =
    under !== undefined && under.to - under.from < 0.8 * widthOf(columns)
      ? { left: under.from, right: under.to }
      : segment;
  const hit = columns.flatMap((column, index) => {
    const shared = Math.min(column.right, reach.right) - Math.max(column.left, reach.left);
    const least = reach === segment ? 0.5 : 0.5 * (column.right - column.left);
    return shared > least ? [index] : [];
  });
  const number = hit.length > 1 ? withoutSign(segment) : segment;
  if (number !== segment) return spanOf(number, columns, rules);
  if (hit.length > 0) return [hit[0] as number, hit.at(-1) as number];
  const middle = (segment.left + segment.right) / 2;
  const distance = ({ left, right }: Column): number => Math.max(left - middle, middle - right, 0);
  let nearest = 0;
  for (const [index, column] of columns.entries()) {
    if (distance(column) < distance(columns[nearest] as Column)) nearest = index;
  }
  return [nearest, nearest];
}

/** A currency sign far off to the left, at another column, says nothing of where its number stands. */
function withoutSign(segment: Segment): Segment {
  const [sign, number] = segment.words;
  if (sign === undefined || number === undefined || !OPENING.test(sign.text)) return segment;
  if (number.left - sign.right < segment.size) return segment;
  return { ...segment, words: segment.words.slice(1), left: number.left };
}

const widthOf = (columns: readonly Column[]): number =>
  (columns.at(-1)?.right ?? 0) - (columns[0]?.left ?? 0);

/** Segments of a line that share a column are one cell. */
function joinSameColumn(cells: readonly LineCell[]): LineCell[] {
  const found: LineCell[] = [];
  for (const cell of cells) {
    const last = found.at(-1);
    if (last !== undefined && cell.column <= last.columnEnd) {
      const segment = {
        ...last.segment,
        words: [...last.segment.words, ...cell.segment.words],
        right: Math.max(last.segment.right, cell.segment.right),
      };
      const columnEnd = Math.max(last.columnEnd, cell.columnEnd);
      found[found.length - 1] = {
        segment,
        text: `${last.text} ${cell.text}`,
        column: last.column,
        columnEnd,
      };
    } else found.push(cell);
  }
  return found;
}

function gridCells(lines: readonly TableLine[], row: number): GridCell[] {
  const cells: GridCell[] = [];
  for (const line of lines) {
    for (const { segment, column, columnEnd } of line.cells) {
      const known = cells.find((cell) => cell.column <= columnEnd && cell.columnEnd >= column);
      if (known === undefined) {
        cells.push({ row, rowEnd: row, column, columnEnd, lines: [[...segment.words]] });
        continue;
      }
      known.lines.push([...segment.words]);
      known.column = Math.min(known.column, column);
      known.columnEnd = Math.max(known.columnEnd, columnEnd);
    }
  }
  return cells.sort((a, b) => a.column - b.column);
}

/** Takes out columns that no cell begins in. @returns how many are left. */
function compact(cells: readonly GridCell[]): number {
  const begun = [...new Set(cells.map(({ column }) => column))].sort((a, b) => a - b);
  const placeOf = (column: number): number => begun.filter((one) => one <= column).length - 1;
  for (const cell of cells) {
    cell.columnEnd = placeOf(cell.columnEnd);
    cell.column = placeOf(cell.column);
  }
  return begun.length;
}
