/** The lines of a table that name its columns: how many there are, and which words are of which column. */
import type { Segment } from '../segments.ts';
import type { Word } from '../words.ts';
import type { Column } from './columns.ts';
import { isNumeric, isYear, textOfWords } from './grid.ts';

type Row = readonly Segment[];

/** How many lines come before the first with values; names of sections right before it are none. */
export function headerLines(rows: readonly Row[], columns: readonly Column[]): number {
  let count = linesBeforeValues(rows, columns);
  const labels = columns[0];
  const isSection = (row: readonly Segment[] | undefined): boolean =>
    row?.length === 1 &&
    row[0] !== undefined &&
    labels !== undefined &&
    row[0].left < labels.right &&
    row[0].left < labels.left + 3 * row[0].size &&
    !textOfWords(row[0].words).startsWith('(');
  const isNamed = (row: readonly Segment[]): boolean => row.some(({ left }) => left > (labels?.right ?? 0));
  while (count > 1 && isSection(rows[count - 1]) && rows.slice(0, count - 1).some(isNamed)) count--;
  return count;
}

/** Lines that a header may have. */
const HEADER_LINES_MAX = 10;

function linesBeforeValues(rows: readonly Row[], columns: readonly Column[]): number {
  const first = rows.findIndex((row, index) => {
    const values = row.slice(row.length > 1 ? 1 : 0);
    const isOfValues = values.some(isValue);
    return isOfValues && (index >= HEADER_LINES_MAX || !namesColumns(rows, index, columns));
  });
  return first < 0 ? 1 : first;
}

const isValue = ({ words }: Segment): boolean => {
  const text = textOfWords(words);
  return isNumeric(text) && !isYear(text);
};

/**
 * True when a line with numbers is one of names: it has words where lines below have numbers, or its numbers are halves
 * of ranges: `$10,000–` over `14,999`.
 */
function namesColumns(rows: readonly Row[], index: number, columns: readonly Column[]): boolean {
  const [labels] = columns;
  const values = (rows[index] ?? []).filter(({ left }) => left > (labels?.right ?? 0));
  const under = (segment: Segment, row: Row | undefined): readonly Segment[] =>
    (row ?? []).filter((one) => Math.min(one.right, segment.right) > Math.max(one.left, segment.left));
  const isEnd = (segment: Segment): boolean => under(segment, rows[index - 1]).some(isBegun);
  const isStart = (segment: Segment): boolean =>
    isBegun(segment) && under(segment, rows[index + 1]).length > 0;
  const isNameOverNumbers = (segment: Segment): boolean => {
    const below = rows.slice(index + 1).flatMap((row) => under(segment, row));
    return isName(segment) && below.length >= 3 && below.filter(isValue).length >= 0.8 * below.length;
  };
  const numbers = values.filter(isValue);
  const isOfRanges = values.some(isStart) || (numbers.length > 0 && numbers.every(isEnd));
  return isOfRanges || values.some(isNameOverNumbers);
}

/** The first half of a range: `$10,000–`. */
const isBegun = ({ words }: Segment): boolean => /\d[–—-]$/.test(textOfWords(words));

const isName = ({ words }: Segment): boolean => {
  const text = textOfWords(words);
  return /\p{L}{3}/u.test(text) && !isNumeric(text);
};

/** In sizes of the letters: how far from its column's edge a name may end. */
const EDGE_DISTANCE_MAX = 0.5;
/** … and what parts names at least; spaces between words of one are narrower. */
const GAP_MIN = 0.3;
const GAP_TIMES_MIN = 1.15;

/**
 * Names of neighbouring columns that are set close together: each of the pieces ends, or begins, where its own column
 * does. A heading over several columns, whose words stand anywhere, stays whole.
 */
export function cutAtColumns(segment: Segment, columns: readonly Column[]): readonly Segment[] {
  const pieces: Word[][] = [];
  const places: number[] = [];
  let widest = 0;
  let narrowest = Infinity;
  for (const [index, word] of segment.words.entries()) {
    const place = columns.findIndex(
      ({ left, right }) => Math.min(right, word.right) > Math.max(left, word.left),
    );
    const gap = word.left - (segment.words[index - 1]?.right ?? word.left);
    if (index > 0 && place === places.at(-1)) {
      pieces.at(-1)?.push(word);
      widest = Math.max(widest, gap);
    } else {
      if (index > 0) narrowest = Math.min(narrowest, gap);
      pieces.push([word]);
      places.push(place);
    }
  }
  const isApart = narrowest > Math.max(GAP_MIN * segment.size, GAP_TIMES_MIN * widest);
  if (pieces.length < 2 || !isApart || !areAtEdges(pieces, places, columns)) return [segment];
  return pieces.map((words) => ({
    ...segment,
    words,
    left: words[0]?.left ?? segment.left,
    right: words.at(-1)?.right ?? segment.right,
  }));
}

/** True when all pieces begin where their columns do, or all end there. */
function areAtEdges(
  pieces: readonly (readonly Word[])[],
  places: readonly number[],
  columns: readonly Column[],
): boolean {
  return (['left', 'right'] as const).some((edge) =>
    pieces.every((words, index) => {
      const word = edge === 'left' ? words[0] : words.at(-1);
      const column = columns[places[index] ?? -1];
      if (word === undefined || column === undefined) return false;
      return Math.abs(word[edge] - column[edge]) < EDGE_DISTANCE_MAX * word.size;
    }),
  );
}
