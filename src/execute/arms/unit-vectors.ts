/** Vectors at unit length, and their means. */

/** Unit mean of `count` vectors that lie one after another; zeros where they add up to nothing. */
export function unitMean(vectors: Float32Array, count: number): Float32Array {
  const dimension = vectors.length / count;
  const sum = new Float64Array(dimension);
  for (let i = 0; i < vectors.length; i++) {
    sum[i % dimension] = (sum[i % dimension] as number) + (vectors[i] as number);
  }
  return atUnitLength(sum);
}

export function atUnitLength(vector: Iterable<number> & ArrayLike<number>): Float32Array {
  let squares = 0;
  for (const x of vector) squares += x * x;
  const norm = Math.sqrt(squares);
  return Float32Array.from(vector, (x) => (norm > 0 ? x / norm : 0));
}

/** One after another, together of unit length; null where there is none of them. */
export function joined(
  parts: readonly (Float32Array | null)[],
  dimensions: readonly number[],
): Float32Array | null {
  if (parts.every((part) => part === null)) return null;
  const all = new Float32Array(dimensions.reduce((sum, dimension) => sum + dimension, 0));
  let at = 0;
  for (const [i, dimension] of dimensions.entries()) {
    const part = parts[i] ?? null;
    if (part !== null) all.set(part, at);
    at += dimension;
  }
  return atUnitLength(all);
}
