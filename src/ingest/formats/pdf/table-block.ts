/** Tables as blocks: pieces over several pages put together, caption and unit beside them. */
import type { Cell, PlacedText, Table } from '../../document.ts';
import { PlacedTextBuilder } from '../../placed-text.ts';
import { isCut, type Vocabulary } from './hyphens.ts';
import { isUnitLine } from './tables/about-table.ts';
import { boxAt, type RawCell, type RawTable, type RawWords, textOf } from './raw-page.ts';

/** @param pieces of one table, page by page. */
export function tableBlock(
  pieces: readonly RawTable[],
  about: { readonly caption: PlacedText | null; readonly unit: PlacedText | null },
  vocabulary: Vocabulary,
): Table {
  const [first] = pieces as readonly [RawTable, ...RawTable[]];
  const builder = new PlacedTextBuilder();
  const cells: Cell[] = [];
  let rows = 0;
  let before: RawCell | null = null;
  for (const [index, piece] of pieces.entries()) {
    const skipped = index > 0 ? repeatedRows(first, piece) : 0;
    for (const cell of piece.cells) {
      if (cell.row < skipped) continue;
      const at = { ...cell, row: cell.row - skipped + rows, rowEnd: cell.rowEnd - skipped + rows };
      if (before !== null) builder.gap(gapBetween(before, at));
      const start = builder.length;
      addWords(builder, cell.words, vocabulary);
      cells.push({
        row: at.row,
        rowEnd: at.rowEnd,
        column: cell.column,
        columnEnd: cell.columnEnd,
        start,
        end: builder.length,
      });
      before = at;
    }
    rows += piece.rowCount - skipped;
  }
  const { columnCount, headerRowCount, page } = first;
  const areas = pieces.map((piece) => ({ page: piece.page, box: piece.box }));
  const shape = { rowCount: rows, columnCount, headerRowCount, cells, areas };
  const { caption, unit } = about;
  return {
    kind: 'table',
    page,
    ...builder.build(),
    ...shape,
    caption,
    unit: unit ?? unitWithin(first, vocabulary),
  };
}

const gapBetween = (before: RawCell, cell: RawCell): string =>
  cell.row === before.row ? '\t'.repeat(Math.max(1, cell.column - before.columnEnd)) : '\n';

/** A word cut at a line's end is whole again, and a range over two lines is one: `$10,000–` and `14,999`. */
function addWords(builder: PlacedTextBuilder, words: RawWords, vocabulary: Vocabulary): void {
  let before = '';
  for (const [index, text] of words.texts.entries()) {
    if (isCut(before) && vocabulary.joins(before, text)) builder.takeBack(before.at(-1) as string);
    else if (before !== '' && !(RANGE_BEGUN.test(before) && RANGE_ENDED.test(text))) builder.gap(' ');
    builder.word(text, words.page, boxAt(words, index));
    before = text;
  }
}

const RANGE_BEGUN = /^\p{Sc}?\d[\d,.]*[–—]$/u;
const RANGE_ENDED = /^\p{Sc}?\d/u;

/** The corner of a table's header often says what its numbers are in. */
function unitWithin({ cells, headerRowCount }: RawTable, vocabulary: Vocabulary): PlacedText | null {
  const corner = cells.find(({ row, column }) => column === 0 && row < Math.max(1, headerRowCount));
  if (corner === undefined || !isUnitLine(textOf(corner.words))) return null;
  const builder = new PlacedTextBuilder();
  addWords(builder, corner.words, vocabulary);
  return builder.build();
}

/** Rows at the top of a table's next page that repeat its header. */
function repeatedRows(first: RawTable, piece: RawTable): number {
  let count = 0;
  while (
    count < first.headerRowCount &&
    count < piece.rowCount &&
    rowText(first, count) === rowText(piece, count)
  )
    count++;
  return count;
}

const rowText = ({ cells }: RawTable, row: number): string =>
  cells
    .filter((cell) => cell.row === row)
    .map(({ words }) => textOf(words))
    .join('\t');

const SAME_COLUMN = 8;
const SAME_FRAME = 3;

/** True when a table that begins a page goes on with the one that ended the page before. */
export function goesOn(before: RawTable, next: RawTable): boolean {
  if (next.page !== before.page + 1 || next.columnCount !== before.columnCount) return false;
  const isRepeated = before.headerRowCount > 0 && repeatedRows(before, next) === before.headerRowCount;
  const isFramed = isSameFrame(before, next);
  const isHeadless = next.headerRowCount === 0 || isRepeated || (isFramed && !isNamed(next));
  const near = before.columns.filter(([left, right], index) => {
    const [otherLeft, otherRight] = next.columns[index] ?? [Infinity, -Infinity];
    return Math.abs(left - otherLeft) < SAME_COLUMN || Math.abs(right - otherRight) < SAME_COLUMN;
  });
  return isHeadless && (isFramed || near.length >= 0.8 * before.columnCount);
}

/** Drawn from the same edge to the same edge, no column where the other has the next. */
function isSameFrame(before: RawTable, next: RawTable): boolean {
  if (!before.isRuled || !next.isRuled) return false;
  const [left, , right] = before.box;
  const [otherLeft, , otherRight] = next.box;
  if (Math.abs(left - otherLeft) > SAME_FRAME || Math.abs(right - otherRight) > SAME_FRAME) return false;
  return before.columns.every(([, end], column) => end <= (next.columns[column + 1]?.[0] ?? Infinity));
}

const NAME_CHARACTERS_MAX = 40;

/** Its first row could be names of columns: short ones over all of them. */
const isNamed = ({ cells, columnCount }: RawTable): boolean => {
  const first = cells.filter(({ row }) => row === 0);
  return (
    first.reduce((sum, { column, columnEnd }) => sum + columnEnd - column + 1, 0) === columnCount &&
    first.every(({ words }) => textOf(words).length <= NAME_CHARACTERS_MAX)
  );
};
