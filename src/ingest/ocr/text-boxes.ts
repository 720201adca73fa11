/**
 * Boxes of text lines in a map of probabilities: pixels above a threshold that touch make a component, each gets the
 * rectangle of least area around its convex hull, grown to what the map leaves off at the edges.
 * M. Liao et al., "Real-time Scene Text Detection with Differentiable Binarization", 2020; the hull by A. M. Andrew's
 * monotone chain, the rectangle by rotating calipers (G. Toussaint, 1983).
 */

/** A rectangle at any angle. */
export interface TextBox {
  readonly x: number;
  readonly y: number;
  /** Along its text, which runs within 45° of the x-axis. */
  readonly width: number;
  readonly height: number;
  /** Radians clockwise, in (-π/4, π/4]. */
  readonly angle: number;
}

export interface ProbabilityMap {
  readonly width: number;
  readonly height: number;
  readonly data: Float32Array;
}

const THRESHOLD = 0.3;
const MEAN_MIN = 0.5;
const GROWTH = 1.6;
const SIDE_MIN = 3;
const BOXES_MAX = 3_000;

type Point = readonly [x: number, y: number];

/** A row's touching pixels, `to` past the last. */
interface Run {
  readonly y: number;
  readonly from: number;
  readonly to: number;
  readonly sum: number;
  readonly label: number;
}

export function textBoxes(map: ProbabilityMap): TextBox[] {
  const boxes: TextBox[] = [];
  for (const runs of componentsOf(map)) {
    const count = runs.reduce((total, { from, to }) => total + to - from, 0);
    const sum = runs.reduce((total, run) => total + run.sum, 0);
    if (sum < MEAN_MIN * count) continue;
    const box = leastBox(hullOf(runs.flatMap(({ y, from, to }): Point[] => cornersOf(y, from, to))));
    if (Math.min(box.width, box.height) < SIDE_MIN) continue;
    const growth = (box.width * box.height * GROWTH) / (2 * (box.width + box.height));
    boxes.push({ ...box, width: box.width + 2 * growth, height: box.height + 2 * growth });
    if (boxes.length >= BOXES_MAX) break;
  }
  return boxes;
}

const cornersOf = (y: number, from: number, to: number): Point[] => [
  [from, y],
  [to, y],
  [from, y + 1],
  [to, y + 1],
];

/** Runs that touch, corners included, by their labels. */
function componentsOf({ width, height, data }: ProbabilityMap): Run[][] {
  const parents: number[] = [];
  const root = (label: number): number => {
    let at = label;
    while (parents[at] !== at) at = parents[at] as number;
    parents[label] = at;
    return at;
  };
  const all: Run[] = [];
  let above: Run[] = [];
  for (let y = 0; y < height; y++) {
    const row: Run[] = [];
    for (const { from, to, sum } of runsOf(data, y * width, width)) {
      let label = -1;
      for (const other of above) {
        if (other.to < from || other.from > to) continue;
        const theirs = root(other.label);
        if (label === -1) label = theirs;
        else parents[theirs] = label;
      }
      if (label === -1) {
        label = parents.length;
        parents.push(label);
      }
      row.push({ y, from, to, sum, label });
    }
    all.push(...row);
    above = row;
  }
  const components = new Map<number, Run[]>();
  for (const run of all) {
    const label = root(run.label);
    const known = components.get(label);
    if (known === undefined) components.set(label, [run]);
    else known.push(run);
  }
  return [...components.values()];
}

function* runsOf(
  data: Float32Array,
  start: number,
  width: number,
): Generator<Pick<Run, 'from' | 'to' | 'sum'>> {
  for (let x = 0; x < width; x++) {
    if ((data[start + x] as number) <= THRESHOLD) continue;
    const from = x;
    let sum = 0;
    for (; x < width && (data[start + x] as number) > THRESHOLD; x++) sum += data[start + x] as number;
    yield { from, to: x, sum };
  }
}

const cross = (o: Point, a: Point, b: Point): number =>
  (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);

/** Clockwise as seen with y downwards. */
function hullOf(points: Point[]): Point[] {
  points.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (ordered: readonly Point[]): Point[] => {
    const chain: Point[] = [];
    for (const point of ordered) {
      while (chain.length > 1 && cross(chain.at(-2) as Point, chain.at(-1) as Point, point) <= 0) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(points), ...half(points.toReversed())];
}

/** One side of the least rectangle lies on a side of the hull. */
function leastBox(hull: readonly Point[]): TextBox {
  let best: TextBox = { x: 0, y: 0, width: 0, height: 0, angle: 0 };
  let bestArea = Infinity;
  for (const [index, from] of hull.entries()) {
    const to = hull[(index + 1) % hull.length] as Point;
    const box = boxAlong(hull, Math.atan2(to[1] - from[1], to[0] - from[0]));
    if (box.width * box.height >= bestArea) continue;
    best = box;
    bestArea = box.width * box.height;
  }
  return best;
}

function boxAlong(hull: readonly Point[], direction: number): TextBox {
  const quarters = Math.round(direction / (Math.PI / 2));
  const angle = direction - quarters * (Math.PI / 2);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of hull) {
    const along = x * cos + y * sin;
    const across = y * cos - x * sin;
    left = Math.min(left, along);
    right = Math.max(right, along);
    top = Math.min(top, across);
    bottom = Math.max(bottom, across);
  }
  const [along, across] = [(left + right) / 2, (top + bottom) / 2];
  const [x, y] = [along * cos - across * sin, along * sin + across * cos];
  return { x, y, width: right - left, height: bottom - top, angle };
}
