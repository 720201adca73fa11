/**
 * Text that OCR has read, as glyphs of a page: each word is one, so that layout, headings and tables work on it as on text.
 * A page that was scanned askew is laid out level, and its places are turned back.
 */
import type { Box } from '../../../document.ts';
import { sidesOf } from '../../../ocr/line-image.ts';
import type { ReadImage, ReadLine } from '../../../ocr/read-image.ts';
import type { Glyph, PageContent } from '../content.ts';
import { type Frame, frameOf } from '../frame.ts';
import type { FontFace } from '../pdfjs.ts';

/** Where the image stands on its page, in points, and points a pixel. */
export interface Placement {
  readonly left: number;
  readonly top: number;
  readonly scale: number;
}

const FACE: FontFace = {
  name: 'ocr',
  isBold: false,
  isItalic: false,
  isMonospace: false,
  isVertical: false,
  ascent: 0,
  descent: 0,
  widthScale: 0.001,
};

/** Share of a line's box that is its font size; the box reaches beyond its letters. */
const SIZE_SHARE = 0.75;
const BASELINE_SHARE = 0.3;
/** Sizes that differ by less from what most of the page has are the same: boxes are not that exact. */
const SIZE_NOISE = 0.15;
/** Least space as a share of the size: words never touch. */
const SPACE_MIN = 0.12;
/** Radians: less is not worth turning. */
const SKEW_MIN = 0.003;

/** The page's frame with the words that were read in place of its own. */
export function readFrame(content: PageContent, read: ReadImage, placement: Placement): Frame {
  const skew = skewOf(read);
  const middle = [content.width / 2, content.height / 2] as const;
  const level = (x: number, y: number): readonly [number, number] => rotate(x, y, middle, -skew);
  const glyphs = glyphsOf(read, placement).map((glyph) => {
    const [x, y] = level(glyph.x, glyph.y);
    return { ...glyph, x, y };
  });
  const frame = frameOf({ ...content, glyphs });
  if (skew === 0) return frame;
  const toPage = (box: Box): Box => {
    const [left, top, right, bottom] = frame.toPage(box);
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const [backX, backY] = rotate(x, y, middle, skew);
    return [left + backX - x, top + backY - y, right + backX - x, bottom + backY - y];
  };
  return { ...frame, toPage };
}

function rotate(x: number, y: number, middle: readonly [number, number], angle: number): [number, number] {
  const [dx, dy] = [x - middle[0], y - middle[1]];
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [middle[0] + dx * cos - dy * sin, middle[1] + dx * sin + dy * cos];
}

/** The angle at which the middle one of the long lines runs; short ones are not level by themselves. */
function skewOf({ lines }: ReadImage): number {
  const angles = lines.filter(isLong).map(({ box }) => box.angle);
  const angle = angles.sort((a, b) => a - b)[angles.length >> 1] ?? 0;
  return Math.abs(angle) < SKEW_MIN ? 0 : angle;
}

function isLong({ box, turn }: ReadLine): boolean {
  const [width, height] = sidesOf(box, turn);
  return width > 8 * height;
}

export function glyphsOf({ lines }: ReadImage, placement: Placement): Glyph[] {
  const sizes = sizesOf(lines, placement.scale);
  const ordered = lines.map((line, index) => ({ line, size: sizes[index] as number }));
  ordered.sort((a, b) => a.line.box.y - b.line.box.y || a.line.box.x - b.line.box.x);
  return ordered.flatMap(({ line, size }) => glyphsOfLine(line, size, placement));
}

/** Sizes of the text in points, each as most of the page has it where that is near. */
function sizesOf(lines: readonly ReadLine[], scale: number): number[] {
  const sizes = lines.map(({ box, turn }) => SIZE_SHARE * scale * sidesOf(box, turn)[1]);
  const weighted = sizes.flatMap((size, i) => Array<number>(lines[i]?.words.length ?? 0).fill(size));
  const usual = weighted.sort((a, b) => a - b)[weighted.length >> 1] ?? 0;
  const rounded = (size: number): number => Math.max(0.5, Math.round(2 * size) / 2);
  return sizes.map((size) => rounded(Math.abs(size - usual) < SIZE_NOISE * usual ? usual : size));
}

function glyphsOfLine(
  { box, turn, words }: ReadLine,
  size: number,
  { left, top, scale }: Placement,
): Glyph[] {
  const [length, height] = sidesOf(box, turn);
  const angle = box.angle + (turn * Math.PI) / 2;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const below = height / 2 - BASELINE_SHARE * height;
  const look = { size, face: FACE, quarter: turn, color: '#000000', isHidden: false } as const;
  return words.flatMap(({ text, from, to }, index): Glyph[] => {
    const along = from * length - length / 2;
    const x = left + scale * (box.x + along * cos - below * sin);
    const y = top + scale * (box.y + along * sin + below * cos);
    const next = words[index + 1];
    const most = next === undefined ? Infinity : scale * length * (next.from - from) - SPACE_MIN * size;
    const advance = Math.max(0, Math.min(scale * length * (to - from), most));
    return [
      { text, x, y, advance, ...look },
      { text: ' ', x: x + advance * cos, y: y + advance * sin, advance: 0, ...look },
    ];
  });
}
