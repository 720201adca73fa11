/**
 * Numbers by the bin. The width of a bin is a round number.
 * Source: Freedman and Diaconis, "On the histogram as a density estimator" (1981).
 */

export interface Bin {
  readonly label: string;
  readonly size: number;
}

const BINS_MAX = 60;

/** 1, 2 or 5 times a power of ten, at least as much. */
function roundUp(width: number): number {
  const power = 10 ** Math.floor(Math.log10(width));
  const factor = [1, 2, 5, 10].find((one) => one * power >= width) ?? 10;
  return factor * power;
}

export function histogram(values: readonly number[]): readonly Bin[] {
  const sorted = values.toSorted((a, b) => a - b);
  const [low = 0, high = 0] = [sorted[0], sorted.at(-1)];
  if (sorted.length === 0) return [];
  if (low === high) return [{ label: String(low), size: sorted.length }];
  const quartile = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  const spread = quartile(0.75) - quartile(0.25) || high - low;
  const width = roundUp(Math.max((2 * spread) / Math.cbrt(sorted.length), (high - low) / BINS_MAX));
  const first = Math.floor(low / width);
  const sizes = new Array<number>(Math.floor(high / width) - first + 1).fill(0);
  for (const value of sorted) {
    const bin = Math.floor(value / width) - first;
    sizes[bin] = (sizes[bin] ?? 0) + 1;
  }
  const digits = Math.max(0, -Math.floor(Math.log10(width)));
  return sizes.map((size, i) => ({ label: ((first + i) * width).toFixed(Math.min(digits, 12)), size }));
}
