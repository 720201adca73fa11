/** Scoring every row that a filter lets through, where these are few beside the postings of the query. */
import { nextBit } from '../../types/column/bitset.ts';
import { type Task, wait } from '../../task.ts';
import { takeTurn } from '../../time-slice.ts';
import type { TopRows } from '../top-rows.ts';

/** Rows looked at between two turns of the event loop: about 2 ms. */
export const ROWS_PER_TURN = 32_768;

/** @param scorer of rows that come in ascending order; NaN: no match. */
export function* scanMask(
  mask: Uint32Array,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
  scorer: { score(row: number): number },
  top: TopRows,
): Task<void> {
  let left = ROWS_PER_TURN;
  for (let row = nextBit(mask, 0, limit); row < limit; row = nextBit(mask, row + 1, limit)) {
    const score = scorer.score(row);
    if (!Number.isNaN(score)) top.push(row, score);
    if (--left > 0) continue;
    yield* wait(takeTurn(signal));
    left = ROWS_PER_TURN;
  }
}
