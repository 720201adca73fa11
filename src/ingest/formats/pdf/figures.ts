/**
 * Charts and drawings: shapes near each other that are neither rules of a table nor boxes behind text. The words
 * within are theirs.
 */
import type { Box } from '../../document.ts';
import type { Frame } from './frame.ts';
import type { Fill, Rule } from './ink.ts';
import type { Segment } from './segments.ts';
import type { Lattice } from './tables/ruled.ts';

/** Shapes this close are of one figure. */
const NEAR = 14;
const SIDE_MIN = 50;
const SHAPES_MIN = 4;
/** Share of the page above which it is a background. */
const PAGE_SHARE_MAX = 0.8;
/** Words a line within: more is text on a ground. */
const LABEL_WORDS_MAX = 4.5;
/** A page of more shapes (a map) is not looked through. */
const SHAPES_MAX = 4_000;

/** A pie has as few as two slices. */
const SLICES_MIN = 2;
const SQUARE = 0.85;

/** Rules of charts: more are those of tables or forms. */
const AXES_MAX = 400;
const axes = (rules: readonly Rule[]): Box[] =>
  rules.length > AXES_MAX
    ? []
    : rules.map(({ isHorizontal, at, from, to }) => (isHorizontal ? [from, at, to, at] : [at, from, at, to]));

const BARS_MIN = 3;
const SAME_EDGE = 1;
const LENGTH_DIFFERENCE = 2;

/** Which of a box's edges bound it along its length, and which across. */
interface Direction {
  readonly start: 0 | 1;
  readonly end: 2 | 3;
  readonly sides: readonly [0 | 1, 2 | 3];
  /** The edge that bars stand on. */
  readonly base: 0 | 3;
}

const DIRECTIONS: readonly Direction[] = [
  { start: 1, end: 3, sides: [0, 2], base: 3 },
  { start: 0, end: 2, sides: [1, 3], base: 0 },
];

/**
 * Boxes of one breadth that stand on one line and differ in length: bars. Cells of a table are of one length, or
 * end where the next of their colour begins.
 */
function barsOf(fills: readonly Fill[], axes: readonly Rule[]): ReadonlySet<Box> {
  const bars = new Set<Box>();
  const round = (value: number): number => Math.round(value / SAME_EDGE);
  for (const { start, end, sides, base } of DIRECTIONS) {
    const lanes = Map.groupBy(fills, ({ box, color }) => `${color} ${sides.map((side) => round(box[side]))}`);
    const alone = [...lanes.values()].flatMap((lane) =>
      lane.length > LANE_MAX
        ? []
        : lane.filter((one) => !lane.some((other) => other !== one && touches(one, other, start, end))),
    );
    const groups = Map.groupBy(
      alone,
      ({ box }) => `${round(box[base])} ${round(box[sides[1]] - box[sides[0]])}`,
    );
    for (const group of groups.values()) {
      const lengths = new Set(
        group.map(({ box }) => Math.round((box[end] - box[start]) / LENGTH_DIFFERENCE)),
      );
      const isOnAxis = lengths.size > 1 && axes.some((axis) => carries(axis, group, start));
      if (lengths.size < BARS_MIN && !isOnAxis) continue;
      for (const one of group) if (!isWithinSame(one, fills)) bars.add(one.box);
    }
  }
  return bars;
}

/** True when boxes that grow along `start` stand on the line. */
function carries({ isHorizontal, at, from, to }: Rule, group: readonly Fill[], start: 0 | 1): boolean {
  if (isHorizontal !== (start === 1)) return false;
  return group.every(({ box: [left, top, right, bottom] }) =>
    isHorizontal
      ? Math.abs(bottom - at) < TOUCH && left > from - TOUCH && right < to + TOUCH
      : Math.abs(left - at) < TOUCH && top > from - TOUCH && bottom < to + TOUCH,
  );
}

/** True for a fill on a box of its own colour, which shows nothing: the ground of a text. */
const isWithinSame = ({ box, color }: Fill, fills: readonly Fill[]): boolean =>
  fills.some(
    (other) =>
      other.box !== box &&
      other.color === color &&
      other.box[0] <= box[0] &&
      other.box[1] <= box[1] &&
      other.box[2] >= box[2] &&
      other.box[3] >= box[3],
  );

const LANE_MAX = 50;
const TOUCH = 1.5;

const touches = (one: Fill, other: Fill, start: 0 | 1, end: 2 | 3): boolean =>
  Math.abs(one.box[end] - other.box[start]) < TOUCH || Math.abs(one.box[start] - other.box[end]) < TOUCH;

/** True when lines that cross are the outlines of bars and their axes, not the walls of a table. */
export function isChart({ xs, ys }: Lattice, { fills, rules }: Frame): boolean {
  if (rules.length > AXES_MAX) return false;
  const isEdge = (edges: readonly number[], at: number): boolean =>
    edges.some((edge) => Math.abs(edge - at) < EDGE_DISTANCE_MAX);
  const isOutlined = ([left, top, right, bottom]: Box): boolean =>
    isEdge(xs, left) && isEdge(xs, right) && isEdge(ys, top) && isEdge(ys, bottom);
  return [...barsOf(fills, rules)].filter(isOutlined).length >= BARS_MIN;
}

/** Lines closer than this are one in a lattice. */
const EDGE_DISTANCE_MAX = 4;

interface Cluster {
  box: [number, number, number, number];
  shapes: number;
  curves: number;
  bars: number;
  /** Area of its largest curve. */
  largest: number;
}

/** Parts of the page that are figures, none within another. */
export function figuresOf(frame: Frame, segments: readonly Segment[], tables: readonly Box[]): Box[] {
  const { curves, fills, images, rules, width, height } = frame;
  if (curves.length + fills.length > SHAPES_MAX || curves.length + fills.length + images.length < SLICES_MIN)
    return [];
  const isBackground = ([left, top, right, bottom]: Box): boolean =>
    (right - left) * (bottom - top) > 0.4 * width * height;
  const free = (box: Box): boolean => !isBackground(box) && !tables.some((table) => meets(table, box, 0));
  const freeFills = fills.filter(({ box }) => free(box));
  const boxes = freeFills.map(({ box }) => box);
  const bars = barsOf(freeFills, rules.length > AXES_MAX ? [] : rules);
  const marks = [...curves.filter(free), ...bars];
  const shapes = [
    ...plotsOf(rules, marks).map((box): Shape => ({ box, kind: 'other' })),
    ...curves.filter(free).map((box): Shape => ({ box, kind: 'curve' })),
    ...boxes.map((box): Shape => ({ box, kind: bars.has(box) ? 'bar' : 'other' })),
    ...[...images, ...axes(rules)].filter(free).map((box): Shape => ({ box, kind: 'other' })),
  ];
  const figures = clusters(shapes).filter((cluster) => isFigure(cluster, frame, segments));
  return withLabels(
    figures.map(({ box }) => box),
    segments,
  );
}

const PLOT_LINES_MIN = 3;

/** Plots between lines of one length over each other, where something is drawn over them: a chart's grid, not a table's rows. */
function plotsOf(rules: readonly Rule[], marks: readonly Box[]): Box[] {
  if (rules.length > AXES_MAX || marks.length === 0) return [];
  const lengthOf = ({ isHorizontal, from, to }: Rule): string =>
    `${isHorizontal} ${Math.round(from)} ${Math.round(to)}`;
  return [...Map.groupBy(rules, lengthOf).values()].flatMap((lines): Box[] => {
    if (lines.length < PLOT_LINES_MIN || !lines.some((line) => marks.some((mark) => isOver(mark, line))))
      return [];
    const { isHorizontal, from, to } = lines[0] as Rule;
    const places = lines.map(({ at }) => at);
    const [first, last] = [Math.min(...places), Math.max(...places)];
    return [isHorizontal ? [from, first, to, last] : [first, from, last, to]];
  });
}

/** It reaches to both sides of the line, and not past its ends. */
function isOver([left, top, right, bottom]: Box, { isHorizontal, at, from, to }: Rule): boolean {
  const [before, after] = isHorizontal ? [top, bottom] : [left, right];
  const [start, end] = isHorizontal ? [left, right] : [top, bottom];
  return before < at - 1 && after > at + 1 && start > from - 2 && end < to + 2;
}

const LABEL_REACH = 16;

/** Boxes that reach out to short pieces of text beside them: labels of axes, a legend. Each is the nearest's. */
function withLabels(boxes: readonly Box[], segments: readonly Segment[]): Box[] {
  const labels = segments.filter(({ words, left, right }) => words.length <= 3 && right - left < 90);
  const own = Map.groupBy(labels, (label) => nearest(boxes, label));
  return boxes.map((box) => {
    let [left, top, right, bottom] = box;
    for (let round = 0; round < 2; round++) {
      const near = (own.get(box) ?? []).filter((one) =>
        meets([one.left, one.top, one.right, one.bottom], [left, top, right, bottom], LABEL_REACH),
      );
      left = Math.min(left, ...near.map((one) => one.left));
      top = Math.min(top, ...near.map((one) => one.top));
      right = Math.max(right, ...near.map((one) => one.right));
      bottom = Math.max(bottom, ...near.map((one) => one.bottom));
    }
    return [left, top, right, bottom];
  });
}

function nearest(boxes: readonly Box[], { left, top, right, bottom }: Segment): Box | undefined {
  const apart = (box: Box): number =>
    Math.max(box[0] - right, left - box[2], 0) + Math.max(box[1] - bottom, top - box[3], 0);
  return boxes.reduce<Box | undefined>(
    (best, box) => (best === undefined || apart(box) < apart(best) ? box : best),
    undefined,
  );
}

function isFigure(
  { box, shapes, curves, bars, largest }: Cluster,
  { width, height }: Frame,
  segments: readonly Segment[],
): boolean {
  const [left, top, right, bottom] = box;
  const [across, down] = [right - left, bottom - top];
  if (across < SIDE_MIN || down < SIDE_MIN || shapes < SLICES_MIN) return false;
  const isPie = curves >= SLICES_MIN && Math.min(across, down) > SQUARE * Math.max(across, down);
  if (shapes < SHAPES_MIN && !isPie) return false;
  if (bars < 2 && (curves === 0 || (curves < 3 && largest < 0.15 * across * down))) return false;
  if (across * down > PAGE_SHARE_MAX * width * height) return false;
  return isLabels(segments.filter((segment) => isWithin(box, segment)));
}

/** Images with labels on them, and without; what running text stands on is its ground. */
export function picturesOf(
  { width, height }: Frame,
  images: readonly Box[],
  segments: readonly Segment[],
): Box[] {
  return images.filter((box) => {
    const inside = segments.filter((segment) => isWithin(box, segment));
    const share = ((box[2] - box[0]) * (box[3] - box[1])) / (width * height);
    const isLarge = Math.min(box[2] - box[0], box[3] - box[1]) >= SIDE_MIN;
    return inside.length === 0 || (isLarge && share < PAGE_SHARE_MAX && isLabels(inside));
  });
}

const isLabels = (inside: readonly Segment[]): boolean =>
  inside.reduce((sum, segment) => sum + segment.words.length, 0) <= LABEL_WORDS_MAX * inside.length;

export const isWithin = (box: Box, segment: Segment): boolean => {
  const [x, y] = [(segment.left + segment.right) / 2, (segment.top + segment.bottom) / 2];
  return x > box[0] && x < box[2] && y > box[1] && y < box[3];
};

export const meets = (a: Box, b: Box, near: number): boolean =>
  a[0] < b[2] + near && b[0] < a[2] + near && a[1] < b[3] + near && b[1] < a[3] + near;

interface Shape {
  readonly box: Box;
  readonly kind: 'curve' | 'bar' | 'other';
}

function clusters(shapes: readonly Shape[]): Cluster[] {
  let found: Cluster[] = [];
  for (const { box, kind } of shapes) {
    const largest = kind === 'curve' ? (box[2] - box[0]) * (box[3] - box[1]) : 0;
    const [curves, bars] = [kind === 'curve' ? 1 : 0, kind === 'bar' ? 1 : 0];
    const cluster: Cluster = { box: [...box], shapes: 1, curves, bars, largest };
    // A joined box reaches further, so others may be near now.
    for (let hit = true; hit; ) {
      const near = found.filter((other) => meets(other.box, cluster.box, NEAR));
      hit = near.length > 0;
      for (const other of near) join(cluster, other);
      if (hit) found = found.filter((other) => !near.includes(other));
    }
    found.push(cluster);
  }
  return found;
}

function join(into: Cluster, other: Cluster): void {
  into.box = [
    Math.min(into.box[0], other.box[0]),
    Math.min(into.box[1], other.box[1]),
    Math.max(into.box[2], other.box[2]),
    Math.max(into.box[3], other.box[3]),
  ];
  into.shapes += other.shapes;
  into.curves += other.curves;
  into.bars += other.bars;
  into.largest = Math.max(into.largest, other.largest);
}
