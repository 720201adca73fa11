/** Notes at the foot of a page: small lines below all others, the first with a mark. */
import type { RawElement, RawLine } from './raw-page.ts';
import type { Styles } from './styles.ts';

const SIZE_MAX = 0.93;
/** Share of the page's height above which no note begins. */
const HIGHEST = 0.45;
const PLAIN_HIGHEST = 0.65;
const MARK = /^(?:\d{1,3}|[*†‡§¶]{1,3}|\(\d{1,2}\)|[a-z]\)?)$/;

const SAME_COLUMN = 25;

/** Lines over each other, from the foot upwards. */
interface Column {
  readonly left: number;
  readonly right: number;
  candidates: RawLine[];
  /** A line of the body was met: above it there are no notes. */
  isClosed: boolean;
}

export function footnoteLines(elements: readonly RawElement[], height: number, styles: Styles): Set<RawLine> {
  const notes = new Set<RawLine>();
  const columns: Column[] = [];
  const lines = elements.filter((element): element is RawLine => element.kind === 'line');
  for (const line of lines.sort((a, b) => b.baseline - a.baseline)) {
    const { columnLeft: left, columnRight: right } = line;
    const over = columns.filter(
      (column) =>
        Math.abs(column.left - left) < SAME_COLUMN && Math.abs(column.right - right) < 2 * SAME_COLUMN,
    );
    const isSmall = line.size <= SIZE_MAX * styles.bodySize && line.baseline >= HIGHEST * height;
    for (const column of over) column.isClosed ||= !isSmall;
    if (over.some(({ isClosed }) => isClosed)) continue;
    const column = over[0] ?? { left, right, candidates: [], isClosed: !isSmall };
    if (over.length === 0) columns.push(column);
    column.candidates.push(line);
    if (column.isClosed || noteMark(line) === null) continue;
    // A number that is not raised could begin any line; at the foot it is a mark.
    if (!line.isRaised && line.baseline < PLAIN_HIGHEST * height) continue;
    for (const one of column.candidates) notes.add(one);
    column.candidates = [];
  }
  return notes;
}

/** A note's mark: a raised number, a dagger, or a number before small text. */
export function noteMark(line: RawLine): string | null {
  const first = line.texts[0] ?? '';
  return line.texts.length > 1 && MARK.test(first) && (line.isRaised || /[^a-z]/.test(first)) ? first : null;
}
