/** Notes at the foot of a page: small lines below all others, the first with a mark. */
import type { RawElement, RawLine } from './raw-page.ts';
import type { Styles } from './styles.ts';

const SIZE_MAX = 0.93;
/** Share of the page's height above which no note begins. */
const HIGHEST = 0.45;
const MARK = /^(?:\d{1,3}|[*†‡§¶]{1,3}|\(\d{1,2}\)|[a-z]\)?)$/;

export function footnoteLines(elements: readonly RawElement[], height: number, styles: Styles): Set<RawLine> {
  const notes = new Set<RawLine>();
  let candidates: RawLine[] = [];
  for (let index = elements.length - 1; index >= 0; index--) {
    const element = elements[index] as RawElement;
    if (element.kind !== 'line' || element.size > SIZE_MAX * styles.bodySize) break;
    if (element.baseline < HIGHEST * height) break;
    candidates = [element, ...candidates];
    if (noteMark(element) === null) continue;
    for (const line of candidates) notes.add(line);
    candidates = [];
  }
  return notes;
}

/** A note's mark: a raised number, a dagger, or a number before small text. */
export function noteMark(line: RawLine): string | null {
  const first = line.texts[0] ?? '';
  return line.texts.length > 1 && MARK.test(first) && (line.isRaised || /[^a-z]/.test(first)) ? first : null;
}
