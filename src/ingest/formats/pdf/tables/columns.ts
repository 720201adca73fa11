/**
 * Columns from alignment: segments, the narrowest first, gather into columns; one that reaches over columns which a
 * row fills apart spans them.
 */
import type { Segment } from '../segments.ts';

export interface Column {
  left: number;
  right: number;
  /** Rows that have a segment of their own in it. */
  readonly rows: Set<number>;
}

/** Columns, left to right, of rows of segments. */
export function columnsOf(rows: readonly (readonly Segment[])[], size: number): Column[] {
  const segments = rows
    .flatMap((row, index) =>
      row.map((segment) => ({ segment, row: index, width: segment.right - segment.left })),
    )
    .sort((a, b) => a.width - b.width);
  let columns: Column[] = [];
  for (const { segment, row } of segments) {
    const hit = columns.filter((column) => overlap(column, segment) > 0);
    if (hit.length === 0) columns.push({ left: segment.left, right: segment.right, rows: new Set([row]) });
    else if (!areApart(hit, row)) {
      const merged = mergeColumns(hit, segment, row);
      columns = [...columns.filter((column) => !hit.includes(column)), merged];
    }
  }
  columns.sort((a, b) => a.left - b.left);
  return joinComplements(columns, size);
}

const overlap = (a: { left: number; right: number }, b: { left: number; right: number }): number =>
  Math.min(a.right, b.right) - Math.max(a.left, b.left);

/** True when some row fills two of the columns, or the new segment's own row one of several. */
function areApart(columns: readonly Column[], row: number): boolean {
  if (columns.length === 1) return false;
  if (columns.some(({ rows }) => rows.has(row))) return true;
  const seen = new Set<number>();
  for (const { rows } of columns) {
    for (const one of rows) {
      if (seen.has(one)) return true;
      seen.add(one);
    }
  }
  return false;
}

function mergeColumns(columns: readonly Column[], segment: Segment, row: number): Column {
  return {
    left: Math.min(segment.left, ...columns.map(({ left }) => left)),
    right: Math.max(segment.right, ...columns.map(({ right }) => right)),
    rows: new Set([row, ...columns.flatMap(({ rows }) => [...rows])]),
  };
}

/** A heading set beside its values makes a column of its own: neighbours that no row fills both are one. */
function joinComplements(columns: readonly Column[], size: number): Column[] {
  const found: Column[] = [];
  for (const column of columns) {
    const last = found.at(-1);
    const isNear = last !== undefined && column.left - last.right < 2 * size;
    const few = Math.min(column.rows.size, last?.rows.size ?? 0);
    const isComplement =
      last !== undefined && few <= 2 && [...column.rows].every((row) => !last.rows.has(row));
    if (last !== undefined && isNear && isComplement) {
      last.right = Math.max(last.right, column.right);
      for (const row of column.rows) last.rows.add(row);
    } else found.push({ ...column, rows: new Set(column.rows) });
  }
  return found;
}
