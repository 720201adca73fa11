/** Ink of a page besides text: straight rules, filled boxes, places of images. */
import type { Box } from '../../document.ts';
import { apply, type Matrix } from './matrix.ts';
import { OPERATORS, type PdfPage } from './pdfjs.ts';

/** A horizontal or vertical line; `at` is its place across. */
export interface Rule {
  readonly isHorizontal: boolean;
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly thickness: number;
}

export interface Fill {
  readonly box: Box;
  /** `#rrggbb`. */
  readonly color: string;
}

export interface Ink {
  readonly rules: Rule[];
  readonly fills: Fill[];
  readonly images: Box[];
  /** Bounds of paths that are neither rules nor boxes: a drawing or a chart, when there are many. */
  readonly curves: Box[];
}

interface Paint {
  readonly ctm: Matrix;
  readonly fill: string;
  readonly stroke: string;
  readonly lineWidth: number;
}

/** A filled box thinner than this is a rule. */
const RULE_THICKNESS_MAX = 3;
/** A line whose ends differ by more across is oblique. */
const SLANT_MAX = 1;
const IMAGE_SIDE_MIN = 8;
/** A page that draws more (a map) has no tables that could be told. */
const RULES_MAX = 20_000;

const STROKES = new Set<number>([
  OPERATORS.stroke,
  OPERATORS.closeStroke,
  OPERATORS.fillStroke,
  OPERATORS.eoFillStroke,
  OPERATORS.closeFillStroke,
  OPERATORS.closeEOFillStroke,
]);
const FILLS = new Set<number>([
  OPERATORS.fill,
  OPERATORS.eoFill,
  OPERATORS.fillStroke,
  OPERATORS.eoFillStroke,
  OPERATORS.closeFillStroke,
  OPERATORS.closeEOFillStroke,
]);

/** Places in the package's path data: what follows each is its numbers. */
const PATH_MOVE = 0;
const PATH_LINE = 1;
const PATH_CURVE = 2;
const PATH_QUADRATIC = 3;

type Point = readonly [number, number];

/** @param args as `constructPath` has them: how it is painted, its data, its bounds. */
export function addPath(ink: Ink, args: readonly unknown[], paint: Paint): void {
  const [operator, data] = args as readonly [number, readonly [Float32Array | null] | null];
  const isStroke = STROKES.has(operator);
  const isFill = FILLS.has(operator);
  const numbers = data?.[0];
  if (!(isStroke || isFill) || numbers == null || ink.rules.length > RULES_MAX) return;
  for (const { points, isCurved } of subpaths(numbers, paint.ctm)) {
    if (isCurved) addCurve(ink, points);
    else if (isFill && addFill(ink, points, paint)) continue;
    else if (isStroke) addStroke(ink, points, paint);
    else addCurve(ink, points);
  }
}

/** Bounds on the page of a path as `constructPath` has it; null where it has none. */
export function pathBounds(args: readonly unknown[], ctm: Matrix): Box | null {
  const numbers = (args[1] as readonly [Float32Array | null] | null)?.[0];
  const points = numbers == null ? [] : subpaths(numbers, ctm).flatMap((subpath) => subpath.points);
  return points.length === 0 ? null : boundsOf(points);
}

function addCurve(ink: Ink, points: readonly Point[]): void {
  if (ink.curves.length < RULES_MAX) ink.curves.push(boundsOf(points));
}

interface Subpath {
  readonly points: Point[];
  readonly isCurved: boolean;
}

/** Each subpath as its corners on the page, closed where the path is; of curves their ends. */
function subpaths(numbers: Float32Array, ctm: Matrix): Subpath[] {
  const found: Subpath[] = [];
  let points: Point[] = [];
  let isCurved = false;
  const end = (): void => {
    if (points.length > 1) found.push({ points, isCurved });
    isCurved = false;
  };
  for (let at = 0; at < numbers.length; ) {
    const kind = numbers[at++];
    const place = (): Point => apply(ctm, numbers[at] as number, numbers[at + 1] as number);
    if (kind === PATH_MOVE) {
      end();
      points = [place()];
      at += 2;
    } else if (kind === PATH_LINE) {
      points.push(place());
      at += 2;
    } else if (kind === PATH_CURVE || kind === PATH_QUADRATIC) {
      isCurved = true;
      at += kind === PATH_CURVE ? 4 : 2;
      points.push(place());
      at += 2;
    } else if (points[0] !== undefined) points.push(points[0]);
  }
  end();
  return found;
}

/** @returns false where the corners are not those of a box. */
function addFill(ink: Ink, points: readonly Point[], { fill }: Paint): boolean {
  const box = boundsOf(points);
  const isBox = points.every(
    ([x, y]) =>
      Math.min(Math.abs(x - box[0]), Math.abs(x - box[2])) < SLANT_MAX &&
      Math.min(Math.abs(y - box[1]), Math.abs(y - box[3])) < SLANT_MAX,
  );
  const [width, height] = [box[2] - box[0], box[3] - box[1]];
  if (!isBox && Math.min(width, height) > RULE_THICKNESS_MAX) return false;
  if (fill === WHITE) return true;
  if (height <= RULE_THICKNESS_MAX && width > height) {
    ink.rules.push(ruleOf(true, (box[1] + box[3]) / 2, [box[0], box[2]], height));
  } else if (width <= RULE_THICKNESS_MAX) {
    ink.rules.push(ruleOf(false, (box[0] + box[2]) / 2, [box[1], box[3]], width));
  } else ink.fills.push({ box, color: fill });
  return true;
}

const WHITE = '#ffffff';

function addStroke(ink: Ink, points: readonly Point[], { ctm, stroke, lineWidth }: Paint): void {
  const thickness = lineWidth * Math.sqrt(Math.abs(ctm[0] * ctm[3] - ctm[1] * ctm[2]));
  if (stroke === WHITE) return;
  let isOblique = false;
  for (let index = 1; index < points.length; index++) {
    const [[x0, y0], [x1, y1]] = [points[index - 1] as Point, points[index] as Point];
    const [across, down] = [Math.abs(x1 - x0), Math.abs(y1 - y0)];
    if (down < SLANT_MAX && across > down) {
      ink.rules.push(ruleOf(true, (y0 + y1) / 2, [Math.min(x0, x1), Math.max(x0, x1)], thickness));
    } else if (across < SLANT_MAX && down > 0) {
      ink.rules.push(ruleOf(false, (x0 + x1) / 2, [Math.min(y0, y1), Math.max(y0, y1)], thickness));
    } else if (across > 0) isOblique = true;
  }
  if (isOblique) addCurve(ink, points);
}

const ruleOf = (isHorizontal: boolean, at: number, [from, to]: Point, thickness: number): Rule => ({
  isHorizontal,
  at,
  from,
  to,
  thickness,
});

function boundsOf(points: readonly Point[]): Box {
  const bounds: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of points) {
    bounds[0] = Math.min(bounds[0], x);
    bounds[1] = Math.min(bounds[1], y);
    bounds[2] = Math.max(bounds[2], x);
    bounds[3] = Math.max(bounds[3], y);
  }
  return bounds;
}

/** An image fills the unit square of its matrix; one that was left out shows as a matrix used for nothing. */
export function takeImage(ink: Ink, matrix: Matrix | null, page: PdfPage): void {
  if (matrix === null) return;
  const corners = [apply(matrix, 0, 0), apply(matrix, 1, 0), apply(matrix, 0, 1), apply(matrix, 1, 1)];
  const [left, top, right, bottom] = boundsOf(corners);
  const box: Box = [
    Math.max(0, left),
    Math.max(0, top),
    Math.min(page.width, right),
    Math.min(page.height, bottom),
  ];
  if (box[2] - box[0] >= IMAGE_SIDE_MIN && box[3] - box[1] >= IMAGE_SIDE_MIN) ink.images.push(box);
}
