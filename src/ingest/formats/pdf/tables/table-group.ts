/** Decides whether a group of bands with corridors is a table or columns of prose, and which of its bands are the table. */
import type { Segment } from '../segments.ts';
import { isScaleNote } from './about-table.ts';
import { isNumeric, isYear, median, rowsOf, textOfWords } from './grid.ts';

/** Text between two corridors. */
export interface Part<Piece extends Segment = Segment> {
  readonly pieces: Piece[];
  readonly left: number;
  readonly right: number;
}

const PROSE_WORDS_MIN = 3.5;
const PROSE_FILL_MIN = 0.7;
/** Rows of a group with at least two parts of a table. */
const ALIGNED_MIN = 0.5;

/** Columns of running text: long lines that fill their width. */
function isProse({ pieces, left, right }: Part): boolean {
  const texts = pieces.filter(({ words }) => words.length > 0);
  if (texts.length < 3) return false;
  const rows = rowsOf(texts);
  const words = median(rows.map((row) => row.reduce((sum, one) => sum + one.words.length, 0)));
  const fill = median(rows.map((row) => ((row.at(-1)?.right ?? 0) - (row[0]?.left ?? 0)) / (right - left)));
  return words >= PROSE_WORDS_MIN && fill >= PROSE_FILL_MIN;
}

export const proseParts = (parts: readonly Part[]): number => parts.filter(isProse).length;

const SIDE_ROWS_MIN = 5;
/** In sizes; lines set beside each other by chance are seldom so close. */
const SAME_BASELINE = 0.2;
const ALIGNED_ROWS_MIN = 0.5;
/** Share of the lines of a running text that begin within a sentence; labels begin with a capital. */
const CONTINUED_MIN = 0.6;

/**
 * Running text beside something else, a chart or a table, whose lines are not its own: parts that belong together,
 * from left to right; null where there is nothing of the kind.
 */
export function besideProse<Piece extends Segment>(parts: readonly Part<Piece>[]): Part<Piece>[] | null {
  const isApart = parts.map(
    (part) =>
      part.pieces.length >= SIDE_ROWS_MIN &&
      isUnaligned(
        part,
        parts.filter((other) => other !== part),
      ) &&
      isProse(part),
  );
  if (!isApart.includes(true)) return null;
  const found: Part<Piece>[] = [];
  for (const [index, part] of parts.entries()) {
    const last = found.at(-1);
    if (last === undefined || isApart[index] === true || isApart[index - 1] === true) found.push(part);
    else found[found.length - 1] = { ...last, pieces: [...last.pieces, ...part.pieces], right: part.right };
  }
  return found;
}

function isUnaligned({ pieces }: Part, others: readonly Part[]): boolean {
  const lines = rowsOf(pieces.filter(({ words }) => words.length > 0)).map((row) => row[0] as Segment);
  const beside = rowsOf(others.flatMap((other) => other.pieces)).map((row) => row[0] as Segment);
  if (lines.length < SIDE_ROWS_MIN || beside.length < SIDE_ROWS_MIN) return false;
  const continued = lines.filter(({ words }) => /^\p{Ll}/u.test(words[0]?.text ?? '')).length;
  if (continued < CONTINUED_MIN * lines.length) return false;
  const aligned = beside.filter(({ baseline, size }) =>
    lines.some((line) => Math.abs(line.baseline - baseline) < SAME_BASELINE * size),
  );
  return aligned.length < ALIGNED_ROWS_MIN * beside.length;
}

export function isTableGroup(parts: readonly Part[]): boolean {
  if (parts.length < 2) return false;
  const rows = rowsOf(parts.flatMap(({ pieces }) => pieces));
  if (rows.length < 2) return false;
  const several = rows.filter((row) => parts.filter((part) => row.some((one) => isIn(part, one))).length > 1);
  if (several.length < 2) return false;
  const texts = parts.flatMap(({ pieces }) => pieces).map(({ words }) => textOfWords(words));
  const numbers = texts.filter(isNumeric).length / texts.length;
  const prose = proseParts(parts);
  if (prose >= 2) return numbers > 0.3;
  const aligned = several.length / rows.length;
  if (prose === 1 && numbers < 0.15) return aligned > 0.8 && parts.length > 2;
  if (parts.length === 2 && numbers < 0.15) return several.length >= 3 && aligned > 0.6;
  return aligned >= ALIGNED_MIN || numbers > 0.25;
}

const isIn = ({ left, right }: Part, one: Segment): boolean =>
  one.left >= left - 0.1 && one.right <= right + 0.1;

interface Banded {
  readonly pieces: readonly Segment[];
  readonly top: number;
  readonly bottom: number;
}

/** Leading and trailing lines of one piece are a caption, a unit, a paragraph: not the table. */
export function tableBands<Band extends Banded>(
  group: readonly Band[],
): { before: Band[]; table: Band[]; after: Band[] } {
  let first = 0;
  let last = group.length;
  while (first < last && (group[first] as Band).pieces.length < 2) first++;
  while (last > first && (group[last - 1] as Band).pieces.length < 2) last--;
  if (first > 0 && first < last && isOverValues(group[first - 1] as Band, group.slice(first, last))) first--;
  return { before: group.slice(0, first), table: group.slice(first, last), after: group.slice(last) };
}

/** A heading right above the columns of values, clear of the labels: `Year ended December 31,`. */
function isOverValues({ pieces, bottom }: Banded, table: readonly Banded[]): boolean {
  const [heading] = pieces;
  const [first] = table;
  if (heading === undefined || first === undefined) return false;
  const left = Math.min(...table.flatMap((band) => band.pieces.map((piece) => piece.left)));
  const right = Math.max(...table.flatMap((band) => band.pieces.map((piece) => piece.right)));
  const isClear = heading.left > left + 0.2 * (right - left) && heading.right < right + heading.size;
  const text = textOfWords(heading.words);
  const isShort = heading.words.length <= 10 && !/[.;]$/.test(text);
  return isClear && isShort && !isScaleNote(text) && first.top - bottom < 1.6 * heading.size;
}

/** Lines of a title, set in from the labels' edge, begin another table; one line, where names of columns follow. */
export function splitAtTitles<Band extends Banded>(group: readonly Band[]): Band[][] {
  const left = Math.min(...group.flatMap(({ pieces }) => pieces.map((piece) => piece.left)));
  const isTitle = ({ pieces }: Band): boolean => {
    const [piece] = pieces;
    return pieces.length === 1 && piece !== undefined && piece.left > left + 4 * piece.size;
  };
  const found: Band[][] = [];
  let titles = 0;
  for (const [index, band] of group.entries()) {
    const next = group[index + 1];
    const isSecond = next !== undefined && (isTitle(next) || isNamed(group, index));
    const begins = isTitle(band) && titles === 0 && isSecond;
    titles = isTitle(band) ? titles + 1 : 0;
    if (found.length === 0 || begins) found.push([band]);
    else found.at(-1)?.push(band);
  }
  return found;
}

/** Values come before the line at `index`, and names of columns right after it. */
function isNamed(group: readonly Banded[], index: number): boolean {
  if (!group.slice(0, index).some(hasValues)) return false;
  const after = group.slice(index + 1).find(({ pieces }) => pieces.length > 1);
  return after !== undefined && after.pieces.length > 2 && !hasValues(after);
}

const hasValues = ({ pieces }: Banded): boolean =>
  pieces.some(({ words }) => {
    const text = textOfWords(words);
    return isNumeric(text) && !isYear(text);
  });
