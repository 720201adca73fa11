/**
 * A term of a query in one part: its cursor, its weight, and bounds of its scores by block.
 */
import { type LengthNorm, saturation } from './bm25.ts';
import type { KeywordQuery } from './query.ts';
import { BLOCK_ROWS, END, type InvertedIndex, type PostingsCursor } from './postings.ts';

/** Bounds are summed in another order than scores: room for rounding. */
export const BOUND_SLACK = 1 + 1e-9;
/** Blocks looked at for a bound over a range; of a longer one the bound of the whole list is taken. */
const RANGE_BLOCKS_MAX = 16;

export interface TermCursor {
  readonly cursor: PostingsCursor;
  readonly weight: number;
  readonly norm: LengthNorm;
  /** At least the saturation of every row. */
  readonly saturation: number;
}

/** In the order of the query's terms, which is the order scores are summed in, always. */
export function openCursors(index: InvertedIndex, query: KeywordQuery): TermCursor[] {
  const blocks = new Uint32Array(2 * BLOCK_ROWS * query.terms.length);
  const opened: TermCursor[] = [];
  for (const { term, weight } of query.terms) {
    const from = 2 * BLOCK_ROWS * opened.length;
    const cursor = index.cursor(term, blocks.subarray(from, from + 2 * BLOCK_ROWS));
    if (cursor === null) continue;
    const { norm } = query;
    opened.push({ cursor, weight, norm, saturation: cursor.saturationOf(null, norm) });
  }
  return opened;
}

/**
 * At least the saturation of every row of the term in `from..to`.
 * @param from at or after the cursor's row, or before it.
 */
export function saturationBetween(term: Omit<TermCursor, 'weight'>, from: number, to: number): number {
  const { cursor, norm } = term;
  if (cursor.row > to) return 0;
  let block = from > cursor.row ? cursor.blockFor(from) : cursor.block;
  let largest = 0;
  for (let left = RANGE_BLOCKS_MAX; left > 0; left--, block++) {
    if (block >= cursor.blockCount) return largest;
    const own = cursor.saturationOf(block, norm);
    if (own > largest) largest = own;
    if (cursor.lastRowOf(block) >= to) return largest;
  }
  return term.saturation;
}

/** Score of all terms in a row, summed in the query's order: every way of scoring gives the same bits. */
export function scoreRow(
  terms: readonly TermCursor[],
  norm: LengthNorm,
  row: number,
  length: number,
): number {
  let score = 0;
  for (const { cursor, weight } of terms) {
    cursor.seek(row);
    if (cursor.row === row) score += weight * saturation(norm, cursor.frequency(), length);
  }
  return score;
}

/** The first row that any of the cursors stands on. */
export function firstRow(terms: readonly TermCursor[], from: number): number {
  let row = END;
  for (let i = from; i < terms.length; i++) {
    const own = (terms[i] as TermCursor).cursor.row;
    if (own < row) row = own;
  }
  return row;
}
