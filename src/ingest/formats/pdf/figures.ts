/**
 * Charts and drawings: shapes near each other that are neither rules of a table nor boxes behind text. The words
 * within are theirs.
 */
import type { Box } from '../../document.ts';
import type { Frame } from './frame.ts';
import type { Rule } from './ink.ts';
import type { Segment } from './segments.ts';

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

/** Rules of charts: more are those of tables or forms. */
const AXES_MAX = 400;
const axes = (rules: readonly Rule[]): Box[] =>
  rules.length > AXES_MAX
    ? []
    : rules.map(({ isHorizontal, at, from, to }) => (isHorizontal ? [from, at, to, at] : [at, from, at, to]));

interface Cluster {
  box: [number, number, number, number];
  shapes: number;
  curves: number;
  /** Area of its largest curve. */
  largest: number;
}

/** Parts of the page that are figures, none within another. */
export function figuresOf(frame: Frame, segments: readonly Segment[], tables: readonly Box[]): Box[] {
  const { curves, fills, images, rules, width, height } = frame;
  if (curves.length + fills.length > SHAPES_MAX || curves.length + fills.length + images.length < SHAPES_MIN)
    return [];
  const isBackground = ([left, top, right, bottom]: Box): boolean =>
    (right - left) * (bottom - top) > 0.4 * width * height;
  const free = (box: Box): boolean => !isBackground(box) && !tables.some((table) => meets(table, box, 0));
  const shapes = [
    ...curves.filter(free).map((box) => ({ box, isCurve: true })),
    ...[...fills.map(({ box }) => box), ...images, ...axes(rules)]
      .filter(free)
      .map((box) => ({ box, isCurve: false })),
  ];
  return clusters(shapes)
    .filter((cluster) => isFigure(cluster, frame, segments))
    .map(({ box }) => withLabels(box, segments));
}

const LABEL_REACH = 16;

/** Reaches out to short pieces of text beside it: labels of axes, a legend. */
function withLabels(box: Box, segments: readonly Segment[]): Box {
  const labels = segments.filter(({ words, left, right }) => words.length <= 3 && right - left < 90);
  let [left, top, right, bottom] = box;
  for (let round = 0; round < 2; round++) {
    const near = labels.filter((one) =>
      meets([one.left, one.top, one.right, one.bottom], [left, top, right, bottom], LABEL_REACH),
    );
    left = Math.min(left, ...near.map((one) => one.left));
    top = Math.min(top, ...near.map((one) => one.top));
    right = Math.max(right, ...near.map((one) => one.right));
    bottom = Math.max(bottom, ...near.map((one) => one.bottom));
  }
  return [left, top, right, bottom];
}

function isFigure(
  { box, shapes, curves, largest }: Cluster,
  { width, height }: Frame,
  segments: readonly Segment[],
): boolean {
  const [left, top, right, bottom] = box;
  const [across, down] = [right - left, bottom - top];
  if (across < SIDE_MIN || down < SIDE_MIN || shapes < SHAPES_MIN || curves === 0) return false;
  if (curves < 3 && largest < 0.15 * across * down) return false;
  if (across * down > PAGE_SHARE_MAX * width * height) return false;
  const inside = segments.filter((segment) => isWithin(box, segment));
  const words = inside.reduce((sum, segment) => sum + segment.words.length, 0);
  return words <= LABEL_WORDS_MAX * inside.length;
}

export const isWithin = (box: Box, segment: Segment): boolean => {
  const [x, y] = [(segment.left + segment.right) / 2, (segment.top + segment.bottom) / 2];
  return x > box[0] && x < box[2] && y > box[1] && y < box[3];
};

const meets = (a: Box, b: Box, near: number): boolean =>
  a[0] < b[2] + near && b[0] < a[2] + near && a[1] < b[3] + near && b[1] < a[3] + near;

function clusters(shapes: readonly { readonly box: Box; readonly isCurve: boolean }[]): Cluster[] {
  let found: Cluster[] = [];
  for (const { box, isCurve } of shapes) {
    const area = isCurve ? (box[2] - box[0]) * (box[3] - box[1]) : 0;
    const cluster: Cluster = { box: [...box], shapes: 1, curves: isCurve ? 1 : 0, largest: area };
    // What was joined reaches further, so others may be near now.
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
  into.largest = Math.max(into.largest, other.largest);
}
