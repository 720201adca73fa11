/** One vector of unit length made of those of a text's tokens, where a model's graph leaves that to its user. */
import type { Pooling } from './model-config.ts';

/** @param hidden `dimension` numbers a token, token by token; at least one token. Not changed. */
export function pooled(hidden: Float32Array, dimension: number, pooling: Pooling): Float32Array {
  const vector = hidden.slice(0, dimension);
  if (pooling === 'mean') {
    // Divided by the number of tokens or not: its length becomes 1.
    for (let i = dimension; i < hidden.length; i++) {
      vector[i % dimension] = (vector[i % dimension] as number) + (hidden[i] as number);
    }
  }
  const norm = Math.hypot(...vector);
  return vector.map((x) => x / norm);
}
