/** The table in a given part of a page: by its rules where they draw all of it, else by alignment. */
import type { Box } from '../../../document.ts';
import type { Frame } from '../frame.ts';
import { type Segment, segmentsOf } from '../segments.ts';
import { alignedGrid } from './aligned.ts';
import type { Grid } from './grid.ts';
import { latticeGrid } from './lattice-grid.ts';
import { latticesOf } from './ruled.ts';

const MARGIN = 4;
/** Share of the region's words that a lattice must hold to be its table. */
const WORDS_HELD_MIN = 0.8;

export function gridInRegion(frame: Frame, region: Box): Grid | null {
  const [left, top, right, bottom] = region;
  const words = frame.words.filter(({ left: x0, right: x1, baseline, size }) => {
    const [x, y] = [(x0 + x1) / 2, baseline - size * 0.3];
    return x > left - MARGIN && x < right + MARGIN && y > top - MARGIN && y < bottom + MARGIN;
  });
  const segments = segmentsOf(words);
  const rules = frame.rules.filter(({ isHorizontal, at, from, to }) =>
    isHorizontal
      ? at > top - 3 * MARGIN && at < bottom + 3 * MARGIN && to > left && from < right
      : at > left - 3 * MARGIN && at < right + 3 * MARGIN && to > top && from < bottom,
  );
  for (const lattice of latticesOf({ ...frame, rules })) {
    const grid = latticeGrid(lattice, segments, rules);
    const held = grid?.cells.reduce((sum, { lines }) => sum + lines.flat().length, 0) ?? 0;
    if (grid !== null && held >= WORDS_HELD_MIN * countWords(segments)) return grid;
  }
  return alignedGrid(segments, { rules, xs: null });
}

const countWords = (segments: readonly Segment[]): number =>
  segments.reduce((sum, { words }) => sum + words.length, 0);
