/** Some rows of a batch, for a part of an expression that reads some of its columns. */
import type { Batch } from '../../types/column/vector.ts';

/**
 * Some rows of a batch for a part of an expression: only the columns it reads and the deferred ones are
 * taken; the others stay in place, longer than the batch and never looked at.
 */
export function takeRows(
  batch: Batch,
  rows: ArrayLike<number>,
  used: ReadonlySet<number>,
  deferred: number,
): Batch {
  const firstExtra = batch.columns.length - deferred;
  const columns = batch.columns.map((column, index) =>
    used.has(index) || index >= firstExtra ? column.take(rows) : column,
  );
  return { length: rows.length, columns };
}
