/** Look of a document's lines: its body's size, and which lines are headings of which level. */
import { lineWords } from '../../../language/texts/lines.ts';
import { type RawLine, textOf } from './raw-page.ts';

export interface Styles {
  readonly bodySize: number;
  /** Most of the body is bold, so boldness says nothing. */
  readonly isBodyBold: boolean;
  /** Usual distance of baselines, in sizes. */
  readonly leading: number;
}

export function stylesOf(lines: readonly RawLine[]): Styles {
  const sizes = new Map<number, number>();
  let bold = 0;
  let all = 0;
  for (const line of lines) {
    const count = line.texts.reduce((sum, text) => sum + text.length, 0);
    const size = Math.round(line.size * 2) / 2;
    sizes.set(size, (sizes.get(size) ?? 0) + count);
    all += count;
    if (line.isBold) bold += count;
  }
  const [bodySize = 10] = [...sizes].sort((a, b) => b[1] - a[1])[0] ?? [];
  return { bodySize, isBodyBold: bold > 0.5 * all, leading: leadingOf(lines, bodySize) };
}

function leadingOf(lines: readonly RawLine[], bodySize: number): number {
  const steps = new Map<number, number>();
  for (let index = 1; index < lines.length; index++) {
    const [a, b] = [lines[index - 1] as RawLine, lines[index] as RawLine];
    if (a.page !== b.page || Math.abs(a.size - bodySize) > 0.6 || Math.abs(b.size - bodySize) > 0.6) continue;
    const step = Math.round(((b.baseline - a.baseline) / bodySize) * 20) / 20;
    if (step > 0.9 && step < 2.2) steps.set(step, (steps.get(step) ?? 0) + 1);
  }
  return [...steps].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 1.2;
}

const HEADING_CHARACTERS_MAX = 220;
const HEADING_LINES_MAX = 4;
const DIVISION = lineWords((words) => words.divisions);
const NUMBERED = new RegExp(
  `^(?:${DIVISION}\\s+)?(\\d{1,2}(?:\\.\\d{1,2}){0,4}|[IVX]{1,5}|[A-Z])[.):]?\\s+\\p{Lu}`,
  'u',
);
const NAMED = new RegExp(`^(?:${DIVISION}\\s+(?:\\d|[ivx]+\\b)|(?:appendix|annex)\\b)`, 'iu');
const ABBREVIATED = new RegExp(`${lineWords((words) => words.abbreviations)}\\.$`, 'iu');

const isCapitals = (text: string): boolean => /\p{Lu}{2}/u.test(text) && text === text.toUpperCase();

/** True when lines of one look that stand by themselves are a heading. */
export function isHeading(lines: readonly RawLine[], styles: Styles): boolean {
  const [first] = lines;
  const text = lines.map(textOf).join(' ');
  if (first === undefined || lines.length > HEADING_LINES_MAX || text.length > HEADING_CHARACTERS_MAX)
    return false;
  if (!/\p{L}{2}/u.test(text) || /[,;]$|\p{L}[-‐]$/u.test(text) || first.isMonospace) return false;
  const isLarge = first.size >= 1.15 * styles.bodySize;
  const isSentence = /[.!?]["”’)]?$/.test(text) && !ABBREVIATED.test(text);
  const letters = text.replaceAll(/[^\p{L}]/gu, '').length;
  if (letters < 0.4 * text.replaceAll(/\s/g, '').length) return false;
  if (isLarge) return !(isSentence && lines.length > 2);
  if (first.size < 0.9 * styles.bodySize) return false;
  if (isSentence && !NAMED.test(text))
    return lines.length === 1 && first.isBold && !styles.isBodyBold && text.length < 90;
  if (first.isBold && !styles.isBodyBold) return true;
  const isShort = lines.length <= 2 && text.length < 100;
  return (
    isShort &&
    ((isCapitals(text) && letters > 3) || (NAMED.test(text) && isCapitals(text.replace(/^\w+\s+\w+/, ''))))
  );
}

/** Features that tell levels apart. */
interface Look {
  readonly size: number;
  readonly weight: number;
  /** Below others of the same look: `2.1.3` two below `2`; what is called a part or an item is above. */
  readonly depth: number;
}

function lookOf(line: RawLine, text: string): Look {
  const weight =
    (line.isBold ? 4 : 0) + (isCapitals(text) && text.includes(' ') ? 2 : 0) + (line.isItalic ? 0 : 1);
  return { size: line.size, weight, depth: depthOf(text) };
}

/** Parts, items and chapters stand above all else of their size, whatever its weight. */
const CHAPTER = -2;

function depthOf(text: string): number {
  if (/^part\s+[ivx\d]/i.test(text)) return -3;
  if (/^(?:item|chapter)\s+[\divx]/i.test(text)) return CHAPTER;
  if (NAMED.test(text)) return -1;
  const number = NUMBERED.exec(text)?.[1] ?? '';
  return number.split('.').length - 1;
}

/** Negative where `a` is the higher heading: larger, else heavier, else by number. */
function compareLooks(a: Look, b: Look): number {
  if (Math.abs(a.size - b.size) > 0.05 * Math.max(a.size, b.size)) return b.size - a.size;
  const isChapter = Math.min(a.depth, b.depth) <= CHAPTER;
  return (isChapter && a.depth - b.depth) || b.weight - a.weight || a.depth - b.depth;
}

/** Levels of headings in the order of the document: each is one below the nearest before it that is higher. */
export function levelsOf(headings: readonly (readonly RawLine[])[]): number[] {
  const open: Look[] = [];
  return headings.map((lines) => {
    const look = lookOf(lines[0] as RawLine, lines.map(textOf).join(' '));
    while (open.length > 0 && compareLooks(open.at(-1) as Look, look) >= 0) open.pop();
    open.push(look);
    return Math.min(LEVEL_MAX, open.length);
  });
}

const LEVEL_MAX = 6;
