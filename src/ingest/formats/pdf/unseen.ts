/** Text that a page draws and nobody sees: white on bare paper, as programs leave it in place of an indent. */
import type { Box } from '../../document.ts';
import type { Glyph, PageContent, Quarter } from './content.ts';

const WHITE = '#ffffff';
/** Beyond what is drawn: boxes end a little before the letters that stand on them. */
const MARGIN = 2;

/** The page's glyphs without those that have the paper's colour and nothing drawn beneath. */
export function seenGlyphs(content: PageContent): readonly Glyph[] {
  const { glyphs, hasShading } = content;
  if (hasShading || !glyphs.some(isWhite)) return glyphs;
  const grounds = groundsOf(content);
  return glyphs.filter((glyph) => !isWhite(glyph) || grounds.some((ground) => isOn(glyph, ground)));
}

const isWhite = ({ color, isHidden }: Glyph): boolean => color === WHITE && !isHidden;

const groundsOf = ({ fills, images, curves, rules }: PageContent): readonly Box[] => [
  ...fills.map(({ box }) => box),
  ...images,
  ...curves,
  ...rules.map(({ isHorizontal, at, from, to, thickness }): Box => {
    const [near, far] = [at - thickness / 2, at + thickness / 2];
    return isHorizontal ? [from, near, to, far] : [near, from, far, to];
  }),
];

/** Along its line, and from the baseline up. */
const DIRECTIONS: Readonly<Record<Quarter, readonly [Point, Point]>> = {
  0: [
    [1, 0],
    [0, -1],
  ],
  1: [
    [0, 1],
    [1, 0],
  ],
  2: [
    [-1, 0],
    [0, 1],
  ],
  3: [
    [0, -1],
    [-1, 0],
  ],
};

type Point = readonly [number, number];

/** By the middle of the letter. */
function isOn({ x, y, size, advance, quarter }: Glyph, [left, top, right, bottom]: Box): boolean {
  const [along, up] = DIRECTIONS[quarter];
  const middleX = x + (advance / 2) * along[0] + 0.35 * size * up[0];
  const middleY = y + (advance / 2) * along[1] + 0.35 * size * up[1];
  return (
    middleX > left - MARGIN && middleX < right + MARGIN && middleY > top - MARGIN && middleY < bottom + MARGIN
  );
}
