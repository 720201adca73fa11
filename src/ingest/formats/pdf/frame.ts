/**
 * A page turned so that most of its text runs to the right: tables set sideways are read like all others. Everything
 * above works in this frame; `toPage` takes a box back to the page as shown.
 */
import type { Box } from '../../document.ts';
import type { Glyph, PageContent, Quarter } from './content.ts';
import type { Fill, Rule } from './ink.ts';
import { type Segment, segmentsOf } from './segments.ts';
import { seenGlyphs } from './unseen.ts';
import { toFrame, type Word, wordsOf } from './words.ts';

export interface Frame {
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly words: readonly Word[];
  /** Text that runs otherwise than most: marks beside the page, labels of axes. */
  readonly turned: readonly Segment[];
  readonly rules: readonly Rule[];
  readonly fills: readonly Fill[];
  readonly images: readonly Box[];
  readonly curves: readonly Box[];
  readonly toPage: (box: Box) => Box;
}

const QUARTERS: readonly Quarter[] = [0, 1, 2, 3];

export function frameOf(content: PageContent): Frame {
  const glyphs = readable(seenGlyphs(content));
  const quarter = dominant(glyphs);
  const { number, width, height } = content;
  const isSideways = quarter === 1 || quarter === 3;
  const turn = (box: Box): Box => turnBox(box, quarter, width, height);
  const back = ((4 - quarter) % 4) as Quarter;
  const [across, down] = isSideways ? [height, width] : [width, height];
  const toPage = (box: Box): Box => turnBox(box, back, across, down);
  const turned = QUARTERS.filter((other) => other !== quarter).flatMap((other) =>
    segmentsOf(wordsOf(glyphs, other, width, height)).map((segment) => place(segment, other, turn, content)),
  );
  return {
    number,
    width: across,
    height: down,
    words: wordsOf(glyphs, quarter, width, height),
    turned,
    rules: content.rules.map((rule) => turnRule(rule, turn, isSideways)),
    fills: content.fills.map(({ box, color }) => ({ box: turn(box), color })),
    images: content.images.map(turn),
    curves: content.curves.map(turn),
    toPage,
  };
}

/** Text left invisible over a scan is read where nothing else is there to read. */
function readable(glyphs: readonly Glyph[]): readonly Glyph[] {
  const shown = glyphs.filter(({ isHidden }) => !isHidden);
  return shown.length * 4 > glyphs.length ? shown : glyphs;
}

function dominant(glyphs: readonly Glyph[]): Quarter {
  const counts = [0, 0, 0, 0];
  for (const { quarter } of glyphs) counts[quarter] = (counts[quarter] as number) + 1;
  return counts.indexOf(Math.max(...counts)) as Quarter;
}

function turnBox(box: Box, quarter: Quarter, width: number, height: number): Box {
  if (quarter === 0) return box;
  const [x0, y0] = toFrame(quarter, box[0], box[1], width, height);
  const [x1, y1] = toFrame(quarter, box[2], box[3], width, height);
  return [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)];
}

function turnRule(rule: Rule, turn: (box: Box) => Box, isSideways: boolean): Rule {
  const { at, from, to } = rule;
  const [left, top, right, bottom] = turn(rule.isHorizontal ? [from, at, to, at] : [at, from, at, to]);
  const isHorizontal = rule.isHorizontal !== isSideways;
  const { thickness } = rule;
  return isHorizontal
    ? { isHorizontal, at: top, from: left, to: right, thickness }
    : { isHorizontal, at: left, from: top, to: bottom, thickness };
}

/** A turned segment with the places that it takes in the frame. */
function place(segment: Segment, quarter: Quarter, turn: (box: Box) => Box, page: PageContent): Segment {
  const isOdd = quarter % 2 === 1;
  const [width, height] = isOdd ? [page.height, page.width] : [page.width, page.height];
  const back = ((4 - quarter) % 4) as Quarter;
  const moved = (box: Box): Box => turn(turnBox(box, back, width, height));
  const words = segment.words.map((word) => {
    const [left, top, right, bottom] = moved([word.left, word.top, word.right, word.bottom]);
    return { ...word, left, top, right, bottom, baseline: bottom };
  });
  const [left, top, right, bottom] = moved([segment.left, segment.top, segment.right, segment.bottom]);
  return { ...segment, words, left, top, right, bottom, baseline: bottom };
}
