/** Lines to runs that read as one: a paragraph, an item, a heading over several lines. */
import { isUnitNote } from './tables/about-table.ts';
import { isBullet, isListMark } from './list-marks.ts';
import { type RawLine, textOf } from './raw-page.ts';
import type { Styles } from './styles.ts';

const SAME_SIZE = 0.08;
const STEP_SPARE = 1.22;
/** In sizes: a blank; a list's mark is set off by more. */
const INITIAL_GAP = 0.4;

/** The mark that begins an item: a bullet, or a number that a gap sets off or that follows an end. */
export function itemMark(line: RawLine, before: RawLine | null): string | null {
  const first = line.texts[0] ?? '';
  if (line.texts.length < 2 || !isListMark(first)) return null;
  if (isBullet(first)) return first;
  if (/^[o*§–—-]$/i.test(first)) return line.textLeft - line.left > 1.1 * line.size ? first : null;
  // `J. Miller` is a name.
  if (isName(line) && gapAfterFirst(line) < INITIAL_GAP * line.size) return null;
  const isAfterEnd = before === null || /[.;:!?]$|\b(?:and|or)$/.test(textOf(before)) || isShort(before);
  return isAfterEnd ? first : null;
}

const isName = ({ texts: [initial = '', second = '', third = ''] }: RawLine): boolean =>
  /^\p{Lu}\.$/u.test(initial) && /^\p{Lu}/u.test(second) && /^\p{Lu}/u.test(third);

function gapAfterFirst({ left, textLeft, boxes }: RawLine): number {
  return textLeft - left - ((boxes[2] ?? 0) - (boxes[0] ?? 0));
}

export function startsAnew(run: readonly RawLine[], line: RawLine, styles: Styles): boolean {
  const first = run[0] as RawLine;
  const before = run.at(-1) as RawLine;
  if (line.page !== before.page || Math.abs(line.columnLeft - before.columnLeft) > 2) return true;
  const step = line.baseline - before.baseline;
  const size = Math.max(line.size, before.size);
  if (step < 0.3 * size || step > limitOf(run, styles)) return true;
  if (Math.abs(line.size - before.size) > SAME_SIZE * size || line.isBold !== before.isBold) return true;
  if (line.isMonospace !== before.isMonospace) return true;
  if (isUnitNote(textOf(line)) || isUnitNote(textOf(before))) return true;
  if (line.isMonospace) return false;
  if (itemMark(line, before) !== null) return true;
  const isItem = itemMark(first, null) !== null;
  const hanging = isItem ? first.textLeft : first.left;
  const ends = /[.!?:]["”’)]?$/.test(textOf(before));
  if (isItem && line.left < first.left - 0.5 * size) return true;
  // A first line set in, or one set back out, after an end.
  const indent = line.left - (run.length > 1 || isItem ? Math.min(before.left, hanging) : before.left);
  if (indent > 0.8 * size && !isItem && ends) return true;
  if (isItem && run.length > 1 && line.left < before.left - 0.8 * size && ends) return true;
  return isShort(before) && (ends || (startsSentence(line) && isVeryShort(before) && !isCentred(before)));
}

/** The largest step within the run: its own, or the document's. */
function limitOf(run: readonly RawLine[], styles: Styles): number {
  const [a, b] = run;
  const size = (a as RawLine).size;
  const own = a !== undefined && b !== undefined ? b.baseline - a.baseline : styles.leading * size;
  return Math.max(STEP_SPARE * own, 1.15 * size) + 0.5;
}

const startsSentence = (line: RawLine): boolean => /^["“(]?[\p{Lu}\d]/u.test(line.texts[0] ?? '');

/** The line ends well before its column does. */
const isShort = ({ right, columnLeft, columnRight }: RawLine): boolean =>
  right < columnRight - 0.2 * (columnRight - columnLeft);

const isVeryShort = ({ right, columnLeft, columnRight }: RawLine): boolean =>
  right < columnRight - 0.4 * (columnRight - columnLeft);

function isCentred({ left, right, columnLeft, columnRight, size }: RawLine): boolean {
  return left - columnLeft > size && Math.abs(left - columnLeft - (columnRight - right)) < 2 * size;
}
