/**
 * Glyphs to words, in a frame in which text runs to the right. Words are broken where the file draws a space or
 * leaves a gap; what is drawn twice for boldness counts once.
 */
import type { Glyph, Quarter } from './content.ts';
import { glyphText, inLogicalOrder, isBlank } from './glyph-text.ts';
import type { FontFace } from './pdfjs.ts';

export interface Word {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly baseline: number;
  readonly size: number;
  readonly face: FontFace;
  readonly color: string;
  readonly isHidden: boolean;
  /** The file draws a space before it. */
  readonly isSpaced: boolean;
}

/** Shares of the font's size. */
const GAP_MIN = 0.14;
const SPACED_GAP_MIN = 0.05;
const OVERLAP_MAX = 0.35;
const BASELINE_DRIFT_MAX = 0.08;
const TWIN_DISTANCE_MAX = 0.12;

const ASCENT = { min: 0.65, usual: 0.8, max: 1 } as const;
const DESCENT = { min: 0.15, usual: 0.22, max: 0.35 } as const;

/** A place on the page in the frame of text that runs in a quarter; `width` and `height` are the page's. */
export function toFrame(
  quarter: Quarter,
  x: number,
  y: number,
  width: number,
  height: number,
): [number, number] {
  if (quarter === 0) return [x, y];
  if (quarter === 1) return [y, width - x];
  return quarter === 2 ? [width - x, height - y] : [height - y, x];
}

interface Building {
  readonly parts: string[];
  readonly first: Glyph;
  readonly left: number;
  right: number;
  /** Dots at its end, and where it ended before them: from four on they lead the eye to a number. */
  dots: number;
  solid: number;
  readonly baseline: number;
  readonly isSpaced: boolean;
}

const LEADER_MIN = 4;

/** Words of the glyphs that run in `quarter`, in its frame and in the order of the file. */
export function wordsOf(glyphs: readonly Glyph[], quarter: Quarter, width: number, height: number): Word[] {
  const words: Word[] = [];
  const twins = new Twins();
  let word: Building | null = null;
  let isSpaced = false;
  for (const glyph of glyphs) {
    if (glyph.quarter !== quarter) continue;
    const text = glyphText(glyph.text);
    if (isBlank(text)) {
      isSpaced ||= text !== '';
      continue;
    }
    const [x, y] = toFrame(quarter, glyph.x, glyph.y, width, height);
    if (twins.has(text, x, y, glyph.size)) continue;
    if (word !== null && goesOn(word, glyph, { x, y, isSpaced })) {
      word.parts.push(text);
      word.right = Math.max(word.right, x + glyph.advance);
    } else {
      if (word !== null && !isLeader(word)) words.push(finish(word));
      const right = x + glyph.advance;
      word = { parts: [text], first: glyph, left: x, right, dots: 0, solid: x, baseline: y, isSpaced };
    }
    word.dots = text === '.' ? word.dots + 1 : 0;
    if (text !== '.') word.solid = word.right;
    isSpaced = false;
  }
  if (word !== null && !isLeader(word)) words.push(finish(word));
  return words;
}

const isLeader = ({ parts, dots }: Building): boolean => dots >= LEADER_MIN && dots === parts.length;

interface Place {
  readonly x: number;
  readonly y: number;
  readonly isSpaced: boolean;
}

function goesOn(word: Building, glyph: Glyph, { x, y, isSpaced }: Place): boolean {
  const { size, face, isHidden } = word.first;
  if (Math.abs(y - word.baseline) > BASELINE_DRIFT_MAX * size) return false;
  if (glyph.size < size * 0.8 || glyph.size > size * 1.25 || glyph.isHidden !== isHidden) return false;
  const gap = (x - word.right) / size;
  if (gap < -OVERLAP_MAX || (word.dots >= LEADER_MIN && glyph.text !== '.')) return false;
  return face.isVertical ? gap < 0.5 : gap < (isSpaced ? SPACED_GAP_MIN : GAP_MIN);
}

function finish({ parts, dots, solid, first, left, right, baseline, isSpaced }: Building): Word {
  const { size, face, color, isHidden } = first;
  const isLed = dots >= LEADER_MIN;
  const written = isLed ? parts.slice(0, -dots) : parts;
  return {
    text: inLogicalOrder(written, (part) => part).join(''),
    left,
    right: isLed ? solid : right,
    top: baseline - size * within(face.ascent, ASCENT),
    bottom: baseline + size * within(face.descent, DESCENT),
    baseline,
    size,
    face,
    color,
    isHidden,
    isSpaced,
  };
}

function within(value: number, { min, usual, max }: typeof ASCENT | typeof DESCENT): number {
  return value === 0 ? usual : Math.min(max, Math.max(min, value));
}

const ROWS = 1 << 16;
const ROW_HEIGHT = 4;
const NO_PLACES: readonly [number, number][] = [];

/** Places of glyphs by their first character and row. */
class Twins {
  readonly #places = new Map<number, [number, number][]>();

  /** True when the character stands there already; if not, it does from now on. */
  has(text: string, x: number, y: number, size: number): boolean {
    const near = size * TWIN_DISTANCE_MAX;
    const key = text.charCodeAt(0) * ROWS + Math.round(y / ROW_HEIGHT);
    for (let row = key - 1; row <= key + 1; row++) {
      for (const place of this.#places.get(row) ?? NO_PLACES) {
        if (Math.abs(place[0] - x) < near && Math.abs(place[1] - y) < near) return true;
      }
    }
    const places = this.#places.get(key);
    if (places === undefined) this.#places.set(key, [[x, y]]);
    else places.push([x, y]);
    return false;
  }
}
