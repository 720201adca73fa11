/**
 * Youngs and Cramer's sums of floats, as PostgreSQL's float8_accum keeps them: of avg too, which therefore
 * overflows where its variance would.
 */
import { floatOverflow } from './number/arithmetic-kernels.ts';

export interface Moments {
  count: number;
  sum: number;
  /** The sum of squares of differences from the mean. */
  squares: number;
}

export const newMoments = (): Moments => ({ count: 0, sum: 0, squares: 0 });

const isInfinite = (value: number): boolean => Math.abs(value) === Number.POSITIVE_INFINITY;

/** @throws SqlError 22003 when finite values become too large. */
export function addMoment(state: Moments, value: number): Moments {
  const { count, sum: before } = state;
  state.count++;
  state.sum += value;
  const spread = value * state.count - state.sum;
  if (count > 0) state.squares += (spread * spread) / (state.count * count);
  else if (!Number.isFinite(value)) state.squares = Number.NaN;
  if (isInfinite(state.sum) || isInfinite(state.squares)) {
    if (!isInfinite(before) && !isInfinite(value)) throw floatOverflow();
    state.squares = Number.NaN;
  }
  return state;
}
