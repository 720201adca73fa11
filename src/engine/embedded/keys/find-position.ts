/** Binary search. */
/** Position of `value` in ascending `values[0..count-1]`, or -1. */
export function findPosition(values: Float64Array, count: number, value: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low < count && values[low] === value ? low : -1;
}
