/**
 * The vector of a document: that of its one passage, or of several the mean, at unit length. Stored vectors are read,
 * no text is embedded again.
 */
import { present } from '../../assert.ts';
import type { Part } from '../../engine/engine.ts';
import { type Task, wait } from '../../task.ts';
import { type Run, turn } from '../state.ts';
import { unitMean } from './unit-vectors.ts';

/** Rows whose vectors are read before others get a turn. */
const ROWS_A_TURN = 64;

/** Passages of a text, one vector after another. */
interface Stored {
  readonly count: number;
  readonly vectors: Float32Array;
}

/** By row; null where the text is NULL or has no passage. @param rows ascending positions. */
export function* documentVectors(
  part: Part,
  index: number,
  rows: Uint32Array,
  run: Run,
): Task<(Float32Array | null)[]> {
  const read = present(part.passages, 'passages of a semantic index');
  const vectors: (Float32Array | null)[] = [];
  for (let from = 0; from < rows.length; from += ROWS_A_TURN) {
    const stored = yield* wait(read.call(part, index, rows.subarray(from, from + ROWS_A_TURN)));
    for (const passages of stored) vectors.push(passages && documentVector(passages));
    yield* turn(run);
  }
  return vectors;
}

export function documentVector({ count, vectors }: Stored): Float32Array {
  return count === 1 ? vectors : unitMean(vectors, count);
}
