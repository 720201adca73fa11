/** Binary search among what is in order. */

/** The first place of `from..to - 1` that is not before what is looked for, or `to`; those that are come first. */
export function firstNot(from: number, to: number, isBefore: (place: number) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Position of `value` in ascending `values[0..count - 1]`, or -1. Rows are looked up by it one by one, so it
 * compares by itself.
 */
export function findPosition(values: Float64Array, count: number, value: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low < count && values[low] === value ? low : -1;
}
