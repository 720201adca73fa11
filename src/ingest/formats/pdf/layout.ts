/**
 * Reading order of a page. Bands of segments that no blank line parts are stacked; bands over each other through which
 * the same blank corridors run are a group, which is columns where it holds prose, and a table where short pieces
 * stand in rows. Columns are laid out again by themselves.
 * After G. Nagy, S. Seth, "Hierarchical representation of optically scanned documents", 1984 (XY-cut).
 */
import type { Box } from '../../document.ts';
import { figuresOf, isChart, isWithin, meets, picturesOf } from './figures.ts';
import type { Frame } from './frame.ts';
import { isRightToLeft } from './glyph-text.ts';
import { isListMark } from './list-marks.ts';
import type { Rule } from './ink.ts';
import { mergeTiles } from './page-images.ts';
import { type Segment, segmentsOf } from './segments.ts';
import { alignedGrid } from './tables/aligned.ts';
import { boundsOf, type Grid, rowsOf, textOfWords } from './tables/grid.ts';
import { latticeGrid } from './tables/lattice-grid.ts';
import { latticesOf } from './tables/ruled.ts';
import {
  besideProse,
  isTableGroup,
  type Part,
  proseParts,
  splitAtTitles,
  tableBands,
} from './tables/table-group.ts';
import type { Word } from './words.ts';

export interface Line {
  readonly kind: 'line';
  readonly words: readonly Word[];
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly baseline: number;
  readonly size: number;
  /** The column that it stands in. */
  readonly columnLeft: number;
  readonly columnRight: number;
}

export interface TableElement {
  readonly kind: 'table';
  readonly grid: Grid;
}

export interface ImageElement {
  readonly kind: 'image';
  readonly box: Box;
  /** Words within: a chart's labels. */
  readonly segments: readonly Segment[];
}

export type Element = Line | TableElement | ImageElement;

/** A segment, or a thing that is laid out as one. */
interface Piece extends Segment {
  readonly holds?: TableElement | ImageElement;
}

/** Pieces between the same blank lines. */
interface Band {
  readonly pieces: Piece[];
  top: number;
  bottom: number;
}

type Interval = readonly [number, number];

const DEPTH_MAX = 12;
/** A corridor's least width, in sizes of the text. */
const CORRIDOR_MIN = 0.6;

export function elementsOf(frame: Frame): Element[] {
  const segments = segmentsOf(frame.words);
  const tables = ruledTables(frame, segments);
  const free = segments.filter((segment) => !tables.taken.has(segment));
  const boxes = tables.pieces.map(({ left, top, right, bottom }): Box => [left, top, right, bottom]);
  const charts = figuresOf(frame, free, boxes);
  const images = mergeTiles(frame.images).filter((image) =>
    [...charts, ...boxes].every((box) => !meets(box, image, 0)),
  );
  const figures = [...charts, ...picturesOf(frame, images, free)];
  const taken = new Set<Segment>();
  const labels = figures.map((box) => {
    const own = [...free, ...frame.turned].filter((one) => !taken.has(one) && isWithin(box, one));
    for (const segment of own) taken.add(segment);
    return own;
  });
  const pieces: Piece[] = [
    ...tables.pieces,
    ...figures.map((box, index) => held({ kind: 'image', box, segments: labels[index] ?? [] }, box)),
    ...joinListMarks(free.filter((segment) => !taken.has(segment))),
    ...frame.turned.filter((segment) => !taken.has(segment)),
  ];
  return layOut(pieces, { rules: frame.rules, depth: 0 });
}

/** Tables that rules draw, and the segments that are theirs. */
function ruledTables(frame: Frame, segments: readonly Segment[]): { pieces: Piece[]; taken: Set<Segment> } {
  const taken = new Set<Segment>();
  const pieces: Piece[] = [];
  for (const lattice of latticesOf(frame)) {
    if (isChart(lattice, frame)) continue;
    const free = segments.filter((segment) => !taken.has(segment));
    const grid = latticeGrid(lattice, free, frame.rules);
    if (grid === null) continue;
    const words = new Set(grid.cells.flatMap(({ lines }) => lines.flat()));
    for (const segment of free) if (segment.words.some((word) => words.has(word))) taken.add(segment);
    pieces.push(held({ kind: 'table', grid }, grid.box));
  }
  return { pieces, taken };
}

function held(holds: TableElement | ImageElement, [left, top, right, bottom]: Box): Piece {
  return { words: [], left, top, right, bottom, baseline: bottom, size: 1, holds };
}

/** `•` and `(a)` set apart belong to the text after them. */
function joinListMarks(segments: readonly Segment[]): Segment[] {
  return rowsOf(segments).flatMap((row) => {
    const found: Segment[] = [];
    for (const segment of row) {
      const last = found.at(-1);
      const isMark = last !== undefined && last.words.length <= 2 && isMarkOf(last, segment);
      const isText = /\p{L}{2}/u.test(textOfWords(segment.words));
      if (last !== undefined && isMark && isText && segment.left - last.right < 5 * segment.size) {
        const [left, top, right, bottom] = boundsOf([last, segment]);
        found[found.length - 1] = {
          ...segment,
          words: [...last.words, ...segment.words],
          left,
          top,
          right,
          bottom,
        };
      } else found.push(segment);
    }
    return found;
  });
}

/** A list's mark, or a section's number before its heading. */
function isMarkOf(mark: Segment, { words }: Segment): boolean {
  const text = textOfWords(mark.words);
  if (isListMark(text)) return true;
  const isSame = mark.words[0]?.face === words[0]?.face && words[0]?.face.isBold === true;
  return isSame && /^(?:\d{1,2}|[A-Z])(?:\.\d{1,2})*$/.test(text) && /^\p{Lu}/u.test(textOfWords(words));
}

interface Context {
  readonly rules: readonly Rule[];
  readonly depth: number;
}

function layOut(pieces: readonly Piece[], context: Context): Element[] {
  if (pieces.length === 0) return [];
  const bands = bandsOf(pieces);
  const [left, , right] = boundsOf(pieces);
  return groupsOf(bands, [left, right]).flatMap(({ bands: group, corridors }) => {
    if (corridors.length === 0 || context.depth > DEPTH_MAX)
      return group.flatMap((band) => linesOfBand(band, [left, right]));
    return layOutGroup(group, corridors, context, [left, right]);
  });
}

function layOutGroup(
  group: readonly Band[],
  corridors: readonly Interval[],
  context: Context,
  column: Interval,
): Element[] {
  const pieces = group.flatMap((band) => band.pieces);
  const parts = partsOf(pieces, corridors);
  const sides = besideProse(parts);
  if (sides !== null) return layOutParts(sides, pieces, context);
  if (!pieces.some(({ holds }) => holds !== undefined) && isTableGroup(parts)) {
    return tablesWithin(group, context, column);
  }
  const prose = proseParts(parts);
  // Short pieces beside each other that make neither a table nor columns are read line by line.
  if (prose < 2 && parts.every(({ pieces: own }) => own.length < 3)) {
    return group.flatMap((band) => linesOfBand(band, column));
  }
  return layOutParts(parts, pieces, context);
}

function layOutParts(parts: readonly Part<Piece>[], pieces: readonly Piece[], context: Context): Element[] {
  const ordered = pieces.some(({ words }) => words.some(({ text }) => isRightToLeft(text)))
    ? parts.toReversed()
    : parts;
  return ordered.flatMap((part) => layOut(part.pieces, { ...context, depth: context.depth + 1 }));
}

function tablesWithin(group: readonly Band[], context: Context, column: Interval): Element[] {
  return splitAtTitles(group).flatMap((bands) => tableWithin(bands, context, column));
}

function tableWithin(group: readonly Band[], context: Context, column: Interval): Element[] {
  const { before, table, after } = tableBands(group);
  const asLines = (bands: readonly Band[]): Element[] => bands.flatMap((band) => linesOfBand(band, column));
  const pieces = table.flatMap((band) => band.pieces);
  const grid = pieces.length === 0 ? null : alignedGrid(pieces, { rules: context.rules, xs: null });
  if (grid === null || grid.rowCount < 2) return asLines(group);
  return [...asLines(before), { kind: 'table', grid }, ...asLines(after)];
}

function bandsOf(pieces: readonly Piece[]): Band[] {
  const bands: Band[] = [];
  const extent = (piece: Piece): Interval =>
    piece.holds === undefined && piece.words.length > 0
      ? [piece.baseline - 0.62 * piece.size, piece.baseline + 0.05 * piece.size]
      : [piece.top, piece.bottom];
  const sorted = pieces
    .map((piece) => ({ piece, extent: extent(piece) }))
    .sort((a, b) => a.extent[0] - b.extent[0]);
  for (const {
    piece,
    extent: [top, bottom],
  } of sorted) {
    const last = bands.at(-1);
    if (last !== undefined && top < last.bottom) {
      last.pieces.push(piece);
      last.bottom = Math.max(last.bottom, bottom);
    } else bands.push({ pieces: [piece], top, bottom });
  }
  return bands;
}

interface Group {
  readonly bands: Band[];
  readonly corridors: readonly Interval[];
}

/** Bands over each other with common corridors, the largest such run first; bands without any one by one. */
function groupsOf(bands: readonly Band[], bounds: Interval): Group[] {
  const shapes = bands.map((band) => shapeOf(band, bounds));
  const groups: Group[] = [];
  const solve = (from: number, to: number): void => {
    const run = bestRun(shapes, from, to);
    if (run === null) {
      for (let index = from; index < to; index++)
        groups.push({ bands: [bands[index] as Band], corridors: [] });
      return;
    }
    solve(from, run.from);
    groups.push({ bands: bands.slice(run.from, run.to), corridors: run.corridors });
    solve(run.to, to);
  };
  solve(0, bands.length);
  return groups;
}

/** Shape of a band, as grouping sees it. */
interface BandShape {
  readonly gaps: readonly Interval[];
  readonly count: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly size: number;
  readonly least: number;
}

function shapeOf(band: Band, bounds: Interval): BandShape {
  const { pieces, top, bottom } = band;
  const [left, , right] = boundsOf(pieces);
  const sizes = pieces.map(({ size, holds }) => (holds === undefined ? size : 10));
  const [size, least] = [Math.max(6, ...sizes), Math.max(6, Math.min(...sizes))];
  return { gaps: gapsOf(band, bounds), count: pieces.length, left, right, top, bottom, size, least };
}

interface Run {
  readonly from: number;
  readonly to: number;
  readonly corridors: readonly Interval[];
}

function bestRun(shapes: readonly BandShape[], from: number, to: number): Run | null {
  let best: Run | null = null;
  let bestScore = 0;
  for (let start = from; start < to; start++) {
    const first = shapes[start] as BandShape;
    let free = first.gaps;
    let { left, right, least } = first;
    let pieces = 0;
    let isParted = false;
    for (let end = start; end < to; end++) {
      const shape = shapes[end] as BandShape;
      const before = shapes[end - 1];
      if (end > start && before !== undefined && shape.top - before.bottom > distanceMax(before, shape))
        break;
      free = end === start ? free : intersect(free, shape.gaps);
      left = Math.min(left, shape.left);
      right = Math.max(right, shape.right);
      least = Math.min(least, shape.least);
      const corridors = inner(free, left, right, CORRIDOR_MIN * least);
      if (corridors.length === 0 && (free.length === 0 || isParted)) break;
      if (shape.count > 1) pieces += shape.count;
      // It ends with a band that has something on both sides.
      if (!corridors.some(([a, b]) => shape.left < a && shape.right > b)) continue;
      isParted = true;
      if (pieces > bestScore) {
        bestScore = pieces;
        best = { from: start, to: end + 1, corridors };
      }
    }
  }
  return best;
}

const LONE_DISTANCE_MAX = 2.6;

/** How far apart bands of one group may be: less where one of them is a lone piece. */
const distanceMax = (before: BandShape, shape: BandShape): number =>
  (before.count > 1 && shape.count > 1 ? 3.5 : LONE_DISTANCE_MAX) * Math.max(before.size, shape.size);

/** Blank intervals of a band within the bounds. */
function gapsOf({ pieces }: Band, [left, right]: Interval): Interval[] {
  const gaps: Interval[] = [];
  let at = left - 1;
  for (const piece of [...pieces].sort((a, b) => a.left - b.left)) {
    if (piece.left > at) gaps.push([at, piece.left]);
    at = Math.max(at, piece.right);
  }
  if (at < right + 1) gaps.push([at, right + 1]);
  return gaps;
}

function intersect(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  return a.flatMap(([from, to]) =>
    b.flatMap(([start, end]): Interval[] => {
      const shared: Interval = [Math.max(from, start), Math.min(to, end)];
      return shared[0] < shared[1] ? [shared] : [];
    }),
  );
}

/** Intervals that are wide enough and have pieces on both sides. */
const inner = (free: readonly Interval[], left: number, right: number, width: number): Interval[] =>
  free.filter(([from, to]) => to - from >= width && from > left && to < right);

function partsOf(pieces: readonly Piece[], corridors: readonly Interval[]): Part<Piece>[] {
  const edges = corridors.map(([from, to]) => (from + to) / 2);
  const parts: Piece[][] = Array.from({ length: edges.length + 1 }, () => []);
  for (const piece of pieces) {
    const middle = (piece.left + piece.right) / 2;
    parts[edges.filter((edge) => edge < middle).length]?.push(piece);
  }
  return parts
    .filter((own) => own.length > 0)
    .map((own) => {
      const [left, , right] = boundsOf(own);
      return { pieces: own, left, right };
    });
}

/** A band's lines; pieces of one line that nothing else parts are one. */
function linesOfBand({ pieces }: Band, [columnLeft, columnRight]: Interval): Element[] {
  const things = pieces.filter(({ holds }) => holds !== undefined);
  const texts = pieces.filter(({ holds }) => holds === undefined);
  const lines: Element[] = rowsOf(texts).map((row): Line => {
    const [left, top, right, bottom] = boundsOf(row);
    const { baseline, size } = row.reduce((a, b) => (b.size > a.size ? b : a));
    const words = row.flatMap((segment) => segment.words);
    return { kind: 'line', words, left, right, top, bottom, baseline, size, columnLeft, columnRight };
  });
  return [...lines, ...things.map(({ holds }) => holds as TableElement | ImageElement)];
}
