/**
 * Which rows and columns of a grid are in sight. One thing to know: browsers limit the height of an element (some 17 to 33 million
 * pixels), so a grid of more rows has a scroll bar that is shorter than its rows: small moves go by rows, large ones by share.
 */

export interface Extent {
  readonly rowCount: number;
  readonly rowHeight: number;
  readonly viewHeight: number;
}

/** Below what any browser takes. */
export const SCROLLED_PX_MAX = 8_000_000;

const wholeHeight = ({ rowCount, rowHeight }: Extent): number => rowCount * rowHeight;

/** Height of what the browser scrolls. */
export const scrolledHeight = (extent: Extent): number => Math.min(wholeHeight(extent), SCROLLED_PX_MAX);

export interface Place {
  /** As the browser has it. */
  readonly scrollTop: number;
  /** Pixels of rows above the view. */
  readonly topPx: number;
}

/** Where the view is after the browser has scrolled to `scrollTop`. */
export function placeAfter(extent: Extent, before: Place, scrollTop: number): Place {
  const whole = wholeHeight(extent);
  const scrolled = scrolledHeight(extent);
  if (whole <= scrolled) return { scrollTop, topPx: scrollTop };
  const { viewHeight } = extent;
  const moved = scrollTop - before.scrollTop;
  const last = Math.max(0, whole - viewHeight);
  const share = scrollTop / Math.max(1, scrolled - viewHeight);
  const isJump = Math.abs(moved) > viewHeight || share <= 0 || share >= 1;
  const topPx = isJump ? share * last : before.topPx + moved;
  return { scrollTop, topPx: Math.min(last, Math.max(0, topPx)) };
}

/** Where to scroll so that a row is at the top of the view, as far as there are rows below it. */
export function placeOf(extent: Extent, row: number): Place {
  const whole = wholeHeight(extent);
  const scrolled = scrolledHeight(extent);
  const last = Math.max(0, whole - extent.viewHeight);
  const topPx = Math.min(last, row * extent.rowHeight);
  if (whole <= scrolled) return { scrollTop: topPx, topPx };
  return { scrollTop: (topPx / Math.max(1, last)) * (scrolled - extent.viewHeight), topPx };
}

/** First and last row in sight, some more on both sides. */
export function rowsInSight(
  extent: Extent,
  { topPx }: Place,
  more = 6,
): readonly [first: number, end: number] {
  const { rowCount, rowHeight, viewHeight } = extent;
  const first = Math.max(0, Math.floor(topPx / rowHeight) - more);
  const end = Math.min(rowCount, Math.ceil((topPx + viewHeight) / rowHeight) + more);
  return [first, Math.max(first, end)];
}

/** Where columns begin, and where the last one ends. */
export function columnEdges(widths: readonly number[]): readonly number[] {
  const edges = [0];
  for (const width of widths) edges.push((edges.at(-1) ?? 0) + width);
  return edges;
}

export function columnsInSight(
  edges: readonly number[],
  left: number,
  viewWidth: number,
): readonly [first: number, end: number] {
  const first = Math.max(0, edges.findIndex((edge) => edge > left) - 1);
  const beyond = edges.findIndex((edge) => edge >= left + viewWidth);
  return [first, beyond === -1 ? edges.length - 1 : beyond];
}

/** Columns to be drawn: those in sight, and the first, which small screens keep. */
export function drawnColumns([first, end]: readonly [number, number]): readonly number[] {
  const inSight = Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);
  return first > 0 && end > 0 ? [0, ...inSight] : inSight;
}
