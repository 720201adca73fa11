/** The part of a grid that is in sight: how large it is, where it has been scrolled to, and scrolling it. */
import { type RefObject, type UIEvent, useEffect, useLayoutEffect, useState } from 'react';
import { useNarrow } from '../parts/use-narrow.ts';
import { columnsInSight, type Extent, type Place, placeAfter, placeOf, rowsInSight } from './window.ts';

export interface Cell {
  readonly row: number;
  readonly column: number;
}

export interface View {
  readonly extent: Extent;
  readonly place: Place;
  readonly rows: readonly [first: number, end: number];
  readonly columns: readonly [first: number, end: number];
  onScroll(event: UIEvent<HTMLDivElement>): void;
  /** Scrolls as little as it takes for the cell to be in sight. */
  reveal(cell: Cell): void;
}

const START: Place = { scrollTop: 0, topPx: 0 };

/** `--row` in pixels, which a small screen has larger. */
const rowHeightOf = (element: Element): number =>
  Number.parseFloat(getComputedStyle(element).getPropertyValue('--row')) || 28;

function useSize(box: RefObject<HTMLDivElement | null>) {
  const [size, setSize] = useState({ width: 800, height: 400, rowHeight: 28 });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = (): void =>
      setSize({ width: element.clientWidth, height: element.clientHeight, rowHeight: rowHeightOf(element) });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return size;
}

interface Wanted {
  readonly rowCount: number;
  readonly edges: readonly number[];
  /** Row to scroll to when it changes. */
  readonly goTo: number | null;
}

export function useView(box: RefObject<HTMLDivElement | null>, { rowCount, edges, goTo }: Wanted): View {
  const { width, height, rowHeight } = useSize(box);
  const isNarrow = useNarrow();
  const [left, setLeft] = useState(0);
  const [place, setPlace] = useState(START);
  // The head covers one row.
  const extent: Extent = { rowCount, rowHeight, viewHeight: Math.max(0, height - rowHeight) };

  const scrollTo = (next: Place): void => {
    setPlace(next);
    if (box.current !== null) box.current.scrollTop = next.scrollTop;
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: where it is to go is what matters
  useEffect(() => {
    if (goTo !== null) scrollTo(placeOf(extent, goTo));
  }, [goTo]);

  return {
    extent,
    place,
    rows: rowsInSight(extent, place),
    columns: columnsInSight(edges, left, width),
    onScroll({ currentTarget: { scrollLeft, scrollTop } }) {
      setLeft(scrollLeft);
      setPlace((before) => (before.scrollTop === scrollTop ? before : placeAfter(extent, before, scrollTop)));
    },
    reveal({ row, column }) {
      const element = box.current;
      if (element === null) return;
      const topPx = row * rowHeight;
      if (topPx < place.topPx) scrollTo(placeOf(extent, row));
      else if (topPx + rowHeight > place.topPx + extent.viewHeight) {
        scrollTo(placeOf(extent, row + 1 - Math.floor(extent.viewHeight / rowHeight)));
      }
      const [from = 0, to = 0] = [edges[column], edges[column + 1]];
      // On a small screen the first column covers others.
      const covered = isNarrow && column > 0 ? (edges[1] ?? 0) : 0;
      if (from < element.scrollLeft + covered) element.scrollLeft = from - covered;
      else if (to > element.scrollLeft + width) element.scrollLeft = to - width;
    },
  };
}
