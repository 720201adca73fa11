/**
 * Words to segments: pieces of lines without a gap wider than a space could be. Columns, cells and list marks are
 * segments of their own, so everything above works on them.
 */
import type { Word } from './words.ts';

export interface Segment {
  /** By their left edges. */
  readonly words: Word[];
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** Baseline of its largest word. */
  baseline: number;
  size: number;
}

/** Shares of the size. */
const JOIN_GAP_MAX = 0.75;
/** Where the file itself goes on with a space: justified lines. */
const SPACED_JOIN_GAP_MAX = 1.1;
const TOUCH_GAP_MAX = 0.14;
const OVERLAP_MAX = 0.5;
const BASELINE_DISTANCE_MAX = 0.25;
/** A smaller word whose middle is within the larger one's height is raised or lowered. */
const SCRIPT_SIZE_MAX = 0.85;

/** Pieces of lines of words that run in one direction, by their tops. */
export function segmentsOf(words: readonly Word[]): Segment[] {
  const sorted = words.map((word, index) => ({ word, index })).sort((a, b) => a.word.left - b.word.left);
  const rows = new Map<number, Segment[]>();
  const all: Segment[] = [];
  const previous = new Map<Word, Word>();
  for (let index = 1; index < words.length; index++)
    previous.set(words[index] as Word, words[index - 1] as Word);
  for (const { word } of sorted) {
    const found = nearest(rows, word, previous.get(word));
    if (found !== null) extend(found, word);
    const segment = found ?? begin(word);
    if (found === null) all.push(segment);
    for (const row of rowsOf(word)) {
      const list = rows.get(row);
      if (list === undefined) rows.set(row, [segment]);
      else if (!list.includes(segment)) list.push(segment);
    }
  }
  return all.sort((a, b) => a.top - b.top || a.left - b.left);
}

const ROW_HEIGHT = 8;

function rowsOf({ top, bottom }: Word): number[] {
  const rows: number[] = [];
  for (let row = Math.floor(top / ROW_HEIGHT); row <= Math.floor(bottom / ROW_HEIGHT); row++) rows.push(row);
  return rows;
}

/** The segment whose end is closest before the word, in its line. */
function nearest(
  rows: ReadonlyMap<number, readonly Segment[]>,
  word: Word,
  before: Word | undefined,
): Segment | null {
  let best: Segment | null = null;
  let bestGap = Infinity;
  for (const row of rowsOf(word)) {
    for (const segment of rows.get(row) ?? []) {
      const last = segment.words.at(-1) as Word;
      if (!isInLine(segment, word)) continue;
      const size = Math.max(last.size, word.size);
      const gap = (word.left - segment.right) / size;
      const isFollowed = before === last && word.isSpaced;
      if (gap < -OVERLAP_MAX || gap > (isFollowed ? SPACED_JOIN_GAP_MAX : JOIN_GAP_MAX)) continue;
      if (Math.abs(gap) >= bestGap) continue;
      best = segment;
      bestGap = Math.abs(gap);
    }
  }
  return best;
}

function isInLine(segment: Segment, word: Word): boolean {
  const large = Math.max(segment.size, word.size);
  const apart = Math.abs(segment.baseline - word.baseline);
  if (Math.min(segment.size, word.size) > large * SCRIPT_SIZE_MAX)
    return apart < BASELINE_DISTANCE_MAX * large;
  const [small, big] = word.size < segment.size ? [word, segment] : [segment, word];
  const middle = (small.top + small.bottom) / 2;
  return apart < 0.6 * large && middle > big.top && middle < big.bottom;
}

function begin(word: Word): Segment {
  const { left, right, top, bottom, baseline, size } = word;
  return { words: [word], left, right, top, bottom, baseline, size };
}

/** Justified lines set these apart from the word that they follow. */
const CLOSING = /^[.,;:!?]$/;

function extend(segment: Segment, word: Word): void {
  const last = segment.words.at(-1) as Word;
  const size = Math.max(last.size, word.size);
  const gap = (word.left - last.right) / size;
  const isLevel = Math.abs(last.baseline - word.baseline) < 0.1 * word.size;
  if ((isLevel && isOneWord(last, word, gap)) || isScript(last, word, gap)) {
    const right = Math.max(last.right, word.right);
    segment.words[segment.words.length - 1] = { ...last, text: last.text + word.text, right };
  } else segment.words.push(word);
  segment.right = Math.max(segment.right, word.right);
  segment.top = Math.min(segment.top, word.top);
  segment.bottom = Math.max(segment.bottom, word.bottom);
  if (word.size <= segment.size) return;
  segment.size = word.size;
  segment.baseline = word.baseline;
}

/** Pieces that the file draws apart: kerned, in small capitals, or punctuation that a justified line moved. */
function isOneWord(last: Word, word: Word, gap: number): boolean {
  if (CLOSING.test(word.text) && gap < 0.4) return true;
  if (word.isSpaced || gap > TOUCH_GAP_MAX) return false;
  if (last.size === word.size) return last.face === word.face;
  const isSmallCapitals = word.size > 0.6 * last.size && word.size < last.size && /^\p{Lu}/u.test(word.text);
  return isSmallCapitals && gap < 0.08 && /\p{Lu}$/u.test(last.text);
}

const UNIT = /^(?:k|c|m|d)?m$|^(?:ft|in|mi|yd)$/;

/** `CO₂` and `km²` are words; the raised number of a note is not a part of the one before it. */
function isScript(last: Word, word: Word, gap: number): boolean {
  if (word.isSpaced || gap > TOUCH_GAP_MAX || word.size > SCRIPT_SIZE_MAX * last.size) return false;
  const down = (word.baseline - last.baseline) / last.size;
  if (down > 0.05) return /^\d{1,2}$/.test(word.text) && /\p{L}$/u.test(last.text);
  return down < -0.1 && /^[23]$/.test(word.text) && UNIT.test(last.text);
}
