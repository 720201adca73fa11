/** One page as it is kept until all pages are read: elements in reading order, words as texts and boxes only. */
import type { Box, Page } from '../../document.ts';
import type { Frame } from './frame.ts';
import { inLogicalOrder } from './glyph-text.ts';
import { type Element, elementsOf, type Line } from './layout.ts';
import { type Grid, rowsOf } from './tables/grid.ts';
import type { Word } from './words.ts';

/** Words with their boxes on the page as shown, four numbers a word. */
export interface RawWords {
  readonly page: number;
  readonly texts: readonly string[];
  readonly boxes: Float32Array;
}

export interface RawLine extends RawWords {
  readonly kind: 'line';
  /** In the frame that reads from left to right. */
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly baseline: number;
  readonly size: number;
  readonly columnLeft: number;
  readonly columnRight: number;
  /** True when nearly all of its characters are bold: a bold lead into a paragraph does not count. */
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly isMonospace: boolean;
  /** Left edge of the second word: where the text after a list's mark begins. */
  readonly textLeft: number;
  /** Its first word is raised: a note's number. */
  readonly isRaised: boolean;
}

export interface RawCell {
  readonly row: number;
  readonly column: number;
  readonly rowEnd: number;
  readonly columnEnd: number;
  readonly words: RawWords;
}

export interface RawTable {
  readonly kind: 'table';
  readonly page: number;
  readonly rowCount: number;
  readonly columnCount: number;
  readonly headerRowCount: number;
  readonly isRuled: boolean;
  readonly cells: readonly RawCell[];
  /** On the page as shown. */
  readonly box: Box;
  /** In the frame. */
  readonly top: number;
  readonly bottom: number;
  /** Left and right edge of each column's words, in the frame. */
  readonly columns: readonly (readonly [number, number])[];
}

export interface RawImage {
  readonly kind: 'image';
  readonly page: number;
  /** Words within it. */
  readonly lines: readonly RawWords[];
  readonly box: Box;
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

export type RawElement = RawLine | RawTable | RawImage;

export interface RawPage {
  readonly page: Page;
  /** Height of the frame. */
  readonly height: number;
  readonly elements: readonly RawElement[];
}

export function rawPage(page: Page, frame: Frame): RawPage {
  return {
    page,
    height: frame.height,
    elements: elementsOf(frame).map((element) => rawElement(element, frame)),
  };
}

function rawElement(element: Element, frame: Frame): RawElement {
  if (element.kind === 'line') return rawLine(element, frame);
  if (element.kind === 'table') return rawTable(element.grid, frame);
  const [left, top, right, bottom] = element.box;
  const lines = rowsOf(element.segments).map((row) =>
    rawWords(
      row.flatMap(({ words }) => words),
      frame,
    ),
  );
  return {
    kind: 'image',
    page: frame.number,
    lines,
    box: frame.toPage(element.box),
    left,
    top,
    right,
    bottom,
  };
}

function rawWords(line: readonly Word[], frame: Frame): RawWords {
  const words = inLogicalOrder(line, ({ text }) => text);
  const boxes = new Float32Array(words.length * 4);
  for (const [index, { left, top, right, bottom }] of words.entries()) {
    boxes.set(frame.toPage([left, top, right, bottom]), index * 4);
  }
  return { page: frame.number, texts: words.map(({ text }) => text), boxes };
}

function rawLine(line: Line, frame: Frame): RawLine {
  const { words, left, right, top, baseline, columnLeft, columnRight } = line;
  const size = usualSize(words);
  const total = words.reduce((sum, { text }) => sum + text.length, 0);
  const most = (has: (word: Word) => boolean): boolean =>
    words.reduce((sum, word) => sum + (has(word) ? word.text.length : 0), 0) > 0.88 * total;
  const [first, second] = words;
  return {
    kind: 'line',
    ...rawWords(words, frame),
    left,
    right,
    top,
    baseline,
    size,
    columnLeft,
    columnRight,
    isBold: most(({ face }) => face.isBold),
    isItalic: most(({ face }) => face.isItalic),
    isMonospace: most(({ face }) => face.isMonospace),
    textLeft: second?.left ?? left,
    isRaised: first !== undefined && first.size < 0.85 * size && first.baseline < baseline - 0.15 * size,
  };
}

/** The size of most of its characters: one large sign makes no heading. */
function usualSize(words: readonly Word[]): number {
  const counts = new Map<number, number>();
  for (const { size, text } of words) counts.set(size, (counts.get(size) ?? 0) + text.length);
  let [most, best] = [0, 0];
  for (const [size, count] of counts) {
    if (count > most) [most, best] = [count, size];
  }
  return best;
}

function rawTable(grid: Grid, frame: Frame): RawTable {
  const { rowCount, columnCount, headerRowCount, isRuled, box } = grid;
  const columns = Array.from({ length: columnCount }, (): [number, number] => [Infinity, -Infinity]);
  const cells = grid.cells.map((cell): RawCell => {
    const words = cell.lines.flatMap((line) => inLogicalOrder(line, ({ text }) => text));
    const edges = columns[cell.column];
    if (cell.column === cell.columnEnd && edges !== undefined) {
      edges[0] = Math.min(edges[0], ...words.map(({ left }) => left));
      edges[1] = Math.max(edges[1], ...words.map(({ right }) => right));
    }
    const { row, column, rowEnd, columnEnd } = cell;
    return { row, column, rowEnd, columnEnd, words: rawWords(words, frame) };
  });
  cells.sort((a, b) => a.row - b.row || a.column - b.column);
  const [, top, , bottom] = box;
  const shape = { rowCount, columnCount, headerRowCount, isRuled, columns, top, bottom };
  return { kind: 'table', page: frame.number, ...shape, cells, box: frame.toPage(box) };
}

export const boxAt = ({ boxes }: RawWords, index: number): Box => [
  boxes[index * 4] as number,
  boxes[index * 4 + 1] as number,
  boxes[index * 4 + 2] as number,
  boxes[index * 4 + 3] as number,
];

export const textOf = ({ texts }: RawWords): string => texts.join(' ');
