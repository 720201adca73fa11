/** A table as rows and columns of words, before it is text. */
import type { Box } from '../../../document.ts';
import type { Segment } from '../segments.ts';
import type { Word } from '../words.ts';

/** 0-based, ends inclusive; lines of words in reading order. */
export interface GridCell {
  row: number;
  column: number;
  rowEnd: number;
  columnEnd: number;
  readonly lines: Word[][];
}

export interface Grid {
  readonly box: Box;
  readonly rowCount: number;
  readonly columnCount: number;
  readonly headerRowCount: number;
  /** With words only, by row, then column. */
  readonly cells: readonly GridCell[];
  readonly isRuled: boolean;
}

export const middleOf = (one: { readonly left: number; readonly right: number }): number =>
  (one.left + one.right) / 2;

export const textOfWords = (words: readonly Word[]): string => words.map(({ text }) => text).join(' ');

/** Numbers with their signs, units and notes: `(1,234)`, `$ 5.2`, `12 %`, `—`. */
const NUMBER =
  /^[-–—−+~<>≤≥(\s]*[$€£¥]?\s*[-–—−(]?[\d.,'\s\u00a0]*\d[\d.,'\s\u00a0]*\)?\s*[%‰*)]*(\s?\(?[a-z\d]\)?)?$|^[-–—−.*]+$|^n\/?a$/i;
export const isNumeric = (text: string): boolean => text.length < 32 && NUMBER.test(text.trim());

const YEAR = /^(?:(?:fy|cy)\s?)?(?:19|20)\d\d(?:[-–/]\d{2,4})?(?:\s?\(?[a-z\d*]\)?)?$/i;
export const isYear = (text: string): boolean => YEAR.test(text.trim());

/** Rows of a header, `count` at most: it has one row of names beside that of the labels, the next is a record. */
export function headerEnd(cells: readonly GridCell[], count: number): number {
  let named = 0;
  for (let row = 0; row < count; row++) {
    const columns = cells.filter((cell) => cell.row === row).map(({ column }) => column);
    if (columns.includes(0) && columns.some((column) => column > 0)) named++;
    if (named > 1) return row;
  }
  return count;
}

/** Lines of words with one baseline, top to bottom, words by their left edges. */
export function linesOf(words: readonly Word[]): Word[][] {
  const lines: { baseline: number; size: number; words: Word[] }[] = [];
  for (const word of [...words].sort((a, b) => b.size - a.size || a.baseline - b.baseline)) {
    const line = lines.find(
      ({ baseline, size }) => Math.abs(baseline - word.baseline) < 0.45 * Math.max(size, word.size),
    );
    if (line === undefined) lines.push({ baseline: word.baseline, size: word.size, words: [word] });
    else line.words.push(word);
  }
  lines.sort((a, b) => a.baseline - b.baseline);
  return lines.map((line) => line.words.sort((a, b) => a.left - b.left));
}

export function boundsOf(
  boxes: readonly { left: number; top: number; right: number; bottom: number }[],
): Box {
  return [
    Math.min(...boxes.map(({ left }) => left)),
    Math.min(...boxes.map(({ top }) => top)),
    Math.max(...boxes.map(({ right }) => right)),
    Math.max(...boxes.map(({ bottom }) => bottom)),
  ];
}

/** Segments with about one baseline, by their left edges; lines from top to bottom. */
export function rowsOf(segments: readonly Segment[]): Segment[][] {
  const rows: { top: number; bottom: number; segments: Segment[] }[] = [];
  for (const segment of [...segments].sort((a, b) => a.baseline - b.baseline)) {
    const top = segment.baseline - 0.6 * segment.size;
    const bottom = segment.baseline;
    const last = rows.at(-1);
    const shared = last === undefined ? 0 : Math.min(last.bottom, bottom) - Math.max(last.top, top);
    if (last !== undefined && shared > 0.5 * Math.min(bottom - top, last.bottom - last.top)) {
      last.segments.push(segment);
    } else rows.push({ top, bottom, segments: [segment] });
  }
  return rows.map((row) => row.segments.sort((a, b) => a.left - b.left));
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
