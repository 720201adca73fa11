/**
 * Vectors as signs with a scale, for the first pass of a MaxSim search: x ≈ mean + scale × Σ ±weight, a
 * bit for each number; small dimensions have several planes of bits, each of what those before it have left.
 * `wasm/signs.ts` makes and reads the bits.
 *
 * One thing to know: nothing is learned but means, over a sample. A scale makes the product of a vector with
 * its own signs right, which takes the bias out of estimates (Gao, Long 2024: RaBitQ).
 */
import type { QueryRows } from './query-rows.ts';

/** Bits that a vector has at least, unless its dimension is very small. */
const BITS_MIN = 128;
const PLANES_MAX = 4;

/** Rows of a query that are estimated together. */
export const LANES = 16;
/** Room for the 256 patterns of a byte's bits. */
const TABLE_BYTES = 256 * LANES;
/** Most that a word of 32 bits may add to a lane of 8 bits, with room for what rounding adds. */
const WORD_SUM_MAX = 125;
/** A scale that is the largest, as entries keep it. */
export const SCALE_ONE = 32_767;

export interface SignLayout {
  /** Numbers of a vector, padded to a multiple of four. */
  readonly width: number;
  readonly planes: number;
  /** How many words of 32 bits a vector has: bit i of plane p is bit p × width + i. */
  readonly words: number;
  readonly tableBytes: number;
}

export function signLayout(dimension: number): SignLayout {
  const width = Math.ceil(dimension / 4) * 4;
  const planes = Math.min(PLANES_MAX, Math.ceil(BITS_MIN / width));
  const words = Math.ceil((planes * width) / 32);
  return { width, planes, words, tableBytes: words * 4 * TABLE_BYTES };
}

/** LANES rows of a query made ready. */
export interface SignQuery {
  /** Addends of a set bit for each lane, as `fillSignTable` reads them. */
  readonly bits: Int16Array;
  /** Weights of the lanes' sums, in units. */
  readonly weights: Float32Array;
  readonly unit: number;
}

/** @param model as `encodeSigns` reads it: the mean, then each plane's weights */
export function signQuery(model: Float32Array, layout: SignLayout, rows: QueryRows, from: number): SignQuery {
  const bits = new Int16Array(32 * layout.words * LANES);
  const steps = new Float64Array(LANES);
  for (let lane = 0; lane < Math.min(LANES, rows.count - from); lane++) {
    const weights = weightsOf(model, layout, rows, from + lane);
    const step = largestWord(weights) / WORD_SUM_MAX;
    if (!(step > 0)) continue;
    steps[lane] = step;
    for (const [bit, weight] of weights.entries())
      bits[bit * LANES + lane] = Math.round((256 * weight) / step);
  }
  const unit = Math.max(...steps);
  return { bits, weights: Float32Array.from(steps, (step) => (unit > 0 ? step / unit : 0)), unit };
}

/** Weights that a set bit of a vector with scale 1 adds to its product with the query's row. */
function weightsOf(model: Float32Array, layout: SignLayout, rows: QueryRows, row: number): Float64Array {
  const { width, planes, words } = layout;
  const weights = new Float64Array(32 * words);
  const numbers = Math.min(width, rows.numbersMax);
  for (let at = 0; at < Math.min(planes, rows.planesMax) * width; at++) {
    if (at % width >= numbers) continue;
    weights[at] = (rows.floats[row * width + (at % width)] as number) * (model[width + at] as number);
  }
  return weights;
}

/** The largest sum of sizes in a word. */
function largestWord(weights: Float64Array): number {
  let largest = 0;
  for (let word = 0; word < weights.length; word += 32) {
    const sum = weights.subarray(word, word + 32).reduce((total, weight) => total + Math.abs(weight), 0);
    largest = Math.max(largest, sum);
  }
  return largest;
}
