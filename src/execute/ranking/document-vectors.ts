/**
 * The vector of a document: that of its one passage, or of several the mean, at unit length. Stored vectors are read,
 * no text is embedded again.
 */
import { present } from '../../assert.ts';
import type { Part } from '../../engine/engine.ts';

/** Passages of a text, one vector after another. */
interface Stored {
  readonly count: number;
  readonly vectors: Float32Array;
}

/** By row; null where the text is NULL or has no passage. @param rows ascending positions. */
export async function documentVectors(
  part: Part,
  index: number,
  rows: Uint32Array,
): Promise<(Float32Array | null)[]> {
  if (rows.length === 0) return [];
  const read = present(part.passages, 'passages of a semantic index');
  return (await read.call(part, index, rows)).map((passages) => passages && documentVector(passages));
}

function documentVector({ count, vectors }: Stored): Float32Array {
  return count === 1 ? vectors : unitMean(vectors, count);
}

/** Of `count` vectors that lie one after another; zeros where they add up to nothing. */
function unitMean(vectors: Float32Array, count: number): Float32Array {
  const dimension = vectors.length / count;
  const mean = new Float64Array(dimension);
  for (let i = 0; i < vectors.length; i++)
    mean[i % dimension] = (mean[i % dimension] as number) + (vectors[i] as number);
  return atUnitLength(mean);
}

function atUnitLength(vector: Iterable<number> & ArrayLike<number>): Float32Array {
  let squares = 0;
  for (const x of vector) squares += x * x;
  const norm = Math.sqrt(squares);
  return Float32Array.from(vector, (x) => (norm > 0 ? x / norm : 0));
}
