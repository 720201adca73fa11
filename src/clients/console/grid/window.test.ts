/** Rows in sight, of grids that a browser can scroll and of those that it cannot. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellText } from './cell-text.ts';
import { moved } from './moves.ts';
import { cellsOf, copiedText, isInRange, rangeOf } from './range.ts';
import {
  columnEdges,
  columnsInSight,
  drawnColumns,
  type Extent,
  placeAfter,
  placeOf,
  rowsInSight,
  SCROLLED_PX_MAX,
  scrolledHeight,
} from './window.ts';

const extents = fc.record({
  rowCount: fc.integer({ min: 1, max: 50_000_000 }),
  rowHeight: fc.constantFrom(28, 36),
  viewHeight: fc.integer({ min: 36, max: 2_000 }),
});

const START = { scrollTop: 0, topPx: 0 };

describe('scrolling', () => {
  it('draws a few rows, whatever there is', () => {
    fc.assert(
      fc.property(extents, fc.double({ min: 0, max: 1, noNaN: true }), (extent, share) => {
        const bottom = Math.max(0, scrolledHeight(extent) - extent.viewHeight);
        const [first, end] = rowsInSight(extent, placeAfter(extent, START, share * bottom));
        expect(end - first).toBeLessThanOrEqual(extent.viewHeight / extent.rowHeight + 14);
        expect(end).toBeGreaterThan(first);
        expect(first).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(extent.rowCount);
      }),
    );
  });

  it('comes to the first row at the top and to the last at the bottom', () => {
    fc.assert(
      fc.property(extents, (extent) => {
        const bottom = Math.max(0, scrolledHeight(extent) - extent.viewHeight);
        const [, end] = rowsInSight(extent, placeAfter(extent, START, bottom));
        expect(end).toBe(extent.rowCount);
        const [first] = rowsInSight(extent, placeAfter(extent, { scrollTop: bottom, topPx: 1e9 }, 0));
        expect(first).toBe(0);
      }),
    );
  });

  it('goes to a row that is asked for, and the browser agrees where that is', () => {
    fc.assert(
      fc.property(extents, fc.nat(), (extent, any) => {
        const row = any % extent.rowCount;
        const place = placeOf(extent, row);
        const [first, end] = rowsInSight(extent, place);
        expect(row).toBeGreaterThanOrEqual(first);
        expect(row).toBeLessThan(end);
        // What the browser tells after it was set moves nothing.
        expect(placeAfter(extent, place, place.scrollTop).topPx).toBeCloseTo(place.topPx, 3);
      }),
    );
  });

  it('moves by rows where one turns the wheel, though the bar is shorter than the rows', () => {
    const extent: Extent = { rowCount: 10_000_000, rowHeight: 28, viewHeight: 600 };
    expect(scrolledHeight(extent)).toBe(SCROLLED_PX_MAX);
    const middle = placeAfter(extent, START, SCROLLED_PX_MAX / 2);
    const next = placeAfter(extent, middle, middle.scrollTop + 56);
    expect(next.topPx - middle.topPx).toBe(56);
  });
});

describe('columns', () => {
  it('in sight are those that the view meets', () => {
    const edges = columnEdges([100, 50, 200, 80]);
    expect(edges).toEqual([0, 100, 150, 350, 430]);
    expect(columnsInSight(edges, 0, 90)).toEqual([0, 1]);
    expect(columnsInSight(edges, 120, 100)).toEqual([1, 3]);
    expect(columnsInSight(edges, 360, 500)).toEqual([3, 4]);
  });

  it('are drawn with the first, wherever one has scrolled to', () => {
    expect(drawnColumns([0, 3])).toEqual([0, 1, 2]);
    expect(drawnColumns([4, 6])).toEqual([0, 4, 5]);
    expect(drawnColumns([0, 0])).toEqual([]);
  });

  it('of 1,600 are a few', () => {
    const edges = columnEdges(new Array<number>(1_600).fill(120));
    const [first, end] = columnsInSight(edges, 60_000, 1_200);
    expect(end - first).toBeLessThanOrEqual(12);
  });
});

describe('keys', () => {
  const bounds = { rowCount: 100, columnCount: 5, page: 20 };
  const press = (key: string, isFar = false) =>
    moved({ key, ctrlKey: isFar, metaKey: false }, { row: 50, column: 2 }, bounds);

  it('move within the grid', () => {
    expect(press('ArrowDown')).toEqual({ row: 51, column: 2 });
    expect(press('ArrowDown', true)).toEqual({ row: 99, column: 2 });
    expect(press('PageUp')).toEqual({ row: 30, column: 2 });
    expect(press('End')).toEqual({ row: 50, column: 4 });
    expect(press('Home', true)).toEqual({ row: 0, column: 0 });
    expect(press('x')).toBeNull();
  });

  it('stay in an empty one', () => {
    const none = { rowCount: 0, columnCount: 0, page: 1 };
    const key = { key: 'ArrowDown', ctrlKey: false, metaKey: false };
    expect(moved(key, { row: 0, column: 0 }, none)).toEqual({ row: 0, column: 0 });
  });
});

describe('what is selected', () => {
  const range = rangeOf({ row: 3, column: 2 }, { row: 1, column: 1 });
  const columns = ['a', 'b', 'c'].map((name) => ({ name, type: 'text' }));

  it('is a rectangle, whichever corner it began in', () => {
    expect(range).toEqual({ rows: [1, 4], columns: [1, 3] });
    expect([0, 1, 3, 4].map((row) => isInRange(range, row))).toEqual([false, true, true, false]);
    const one = { row: 1, column: 1 };
    expect(isInRange(rangeOf(one, one), 1)).toBe(false);
  });

  it('is copied as a table where all of it is here, and else not', () => {
    const rows = [['x'], ['1', 'a\tb', null], ['2', 'c', 'd'], ['3', 'e', 'f']];
    const cells = cellsOf(range, columns, (index) => rows[index]);
    expect(cells?.columns.map(({ name }) => name)).toEqual(['b', 'c']);
    expect(copiedText(cells?.rows ?? [])).toBe('"a\tb"\t\nc\td\ne\tf');
    expect(cellsOf(range, columns, (index) => rows[index < 3 ? index : 9])).toBeNull();
    expect(copiedText([['a\tb']])).toBe('a\tb');
  });
});

it('values of any size are a short line in a cell', () => {
  const large = { a: 'x'.repeat(1e7), b: Array.from({ length: 1e5 }, (_, i) => ({ i })) };
  expect(cellText(large)?.length).toBeLessThan(320);
  expect(cellText([large, large])?.length).toBeLessThan(320);
  expect(cellText({ a: [1, 'b', null, true], c: {} })).toBe('{"a":[1,"b",null,true],"c":{}}');
});
