/**
 * A query vector made ready: quantised to 16 bits, with its norm, and with the way from the kernels'
 * goodness (larger is better) to the value the statement asked for.
 */
import { assert } from '../../assert.ts';
import { notSupported, SqlError } from '../../errors.ts';
import type { ArmRequest } from '../request.ts';
import type { StructureOptions, StructureQuery } from '../structure.ts';

type VectorRequest = Extract<ArmRequest, { kind: 'vector' }>;
export type Measure = 'cosine' | 'dot_product' | 'euclidean' | 'l1';

export interface VectorQuery extends StructureQuery {
  readonly kind: 'vectors';
  readonly measure: Measure;
  readonly floats: Float32Array;
  /** floats ≈ scale × codes. */
  readonly codes: Int16Array;
  readonly scale: number;
  readonly norm: number;
  /** Norm of what quantising lost. */
  readonly error: number;
  readonly value: VectorRequest['value'];
  /** Results a search of a graph keeps in view; 0: what the graph's maker measured. */
  readonly ef: number;
}

/** Σ |code × code| of a pair must fit 32 bits: 127 × query × dimension. */
function largestCode(dimension: number): number {
  return Math.min(32_767, Math.floor((2 ** 31 - 1) / (127 * Math.max(1, dimension))));
}

function measureOf(value: VectorRequest['value'], metric: string): Measure {
  switch (value) {
    case '<=>':
      return 'cosine';
    case '<->':
      return 'euclidean';
    case '<#>':
      return 'dot_product';
    case '<+>':
      return 'l1';
    case 'metric':
      if (metric === 'cosine' || metric === 'euclidean' || metric === 'dot_product' || metric === 'l1') {
        return metric;
      }
      throw notSupported(`metric "${metric}" on dense vectors`);
    default:
      throw notSupported(`operator ${value} on dense vectors`);
  }
}

/** @throws SqlError 22000 when the dimensions differ (pgvector's message). */
export function prepareVectorQuery(options: StructureOptions, request: VectorRequest): VectorQuery {
  const { query: floats, value } = request;
  assert(floats instanceof Float32Array, 'dense vectors are asked with one');
  if (options.dimension > 0 && floats.length !== options.dimension) {
    throw differentDimensions(options.dimension, floats.length);
  }
  const measure = measureOf(value, options.options.metric ?? 'cosine');
  const similarity = measure === 'cosine' || measure === 'dot_product';
  return {
    kind: 'vectors',
    higherIsBetter: value === 'metric' && similarity,
    measure,
    floats,
    value,
    ef: request.ef ?? 0,
    ...quantiseQuery(floats),
  };
}

/** A stored vector as a query. */
export function queryOf(floats: Float32Array, measure: Measure): VectorQuery {
  return {
    kind: 'vectors',
    higherIsBetter: true,
    measure,
    floats,
    value: 'metric',
    ef: 0,
    ...quantiseQuery(floats),
  };
}

/** pgvector's message. */
export function differentDimensions(stored: number, given: number): SqlError {
  return new SqlError('data_exception', `different vector dimensions ${stored} and ${given}`);
}

/** 16-bit codes, few enough bits that a dot product with int8 codes fits 32. */
export function quantiseQuery(floats: Float32Array): Pick<VectorQuery, 'codes' | 'scale' | 'norm' | 'error'> {
  let largest = 0;
  let squares = 0;
  for (let i = 0; i < floats.length; i++) {
    const x = floats[i] as number;
    largest = Math.max(largest, Math.abs(x));
    squares += x * x;
  }
  // The kernel reads the scale as float32: the error is measured with the very same number.
  const scale = Math.fround(largest / largestCode(floats.length));
  const codes = new Int16Array(floats.length);
  let errors = 0;
  if (scale > 0) {
    for (let i = 0; i < floats.length; i++) {
      const x = floats[i] as number;
      const code = Math.max(-32_767, Math.min(32_767, Math.round(x / scale)));
      const error = x - code * scale;
      codes[i] = code;
      errors += error * error;
    }
  } else {
    errors = squares;
  }
  return { codes, scale, norm: Math.sqrt(squares), error: Math.sqrt(errors) };
}

/** Goodness to what the statement sees; NaN (NULL) stays NaN. */
export function toValue(query: VectorQuery, goodness: number): number {
  switch (query.value) {
    case 'metric':
      return query.measure === 'euclidean' || query.measure === 'l1' ? 0 - goodness : goodness;
    case '<=>':
      return 1 - goodness;
    case '<->':
      return Math.sqrt(0 - goodness);
    case '<#>':
      return -goodness;
    default:
      return 0 - goodness;
  }
}

/**
 * How far approximate goodness may be from the exact: |q·x − q̂·x̂| ≤ |q − q̂||x| + |q̂||x − x̂|
 * (Cauchy–Schwarz), with room for float32 rounding of the goodness kept; Manhattan distances likewise.
 */
export function errorBound(
  query: VectorQuery,
  stored: { largestRelativeError: number; largestError: number; largestNorm: number },
): number {
  const lengthOfCodes = query.norm + query.error;
  if (query.measure === 'cosine') {
    return query.error / query.norm + (lengthOfCodes / query.norm) * stored.largestRelativeError + 1e-6;
  }
  if (query.measure === 'l1') {
    // A sum of sizes is at most the norm times the root of how many there are; lanes sum up in float32.
    const width = Math.sqrt(query.floats.length);
    const rounding =
      (query.floats.length / 4 + 16) * 2 ** -24 * width * (query.norm + 2 * stored.largestNorm);
    return width * stored.largestError + rounding;
  }
  const dot = query.error * stored.largestNorm + lengthOfCodes * stored.largestError;
  const magnitude = (query.norm + stored.largestNorm) * stored.largestNorm;
  return (query.measure === 'euclidean' ? 2 : 1) * dot + 1e-6 * magnitude;
}
