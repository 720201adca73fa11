/**
 * A vector index holds vectors of one dimension; where the column's type does not fix it, the first row does.
 */
import type { Relation } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import { dimensionOf } from '../../../types/vector/dimension.ts';
import type { NewRows } from '../../engine.ts';
import { Head } from '../head/head.ts';
import { Segment } from '../segment/segment.ts';
import type { Overlay } from '../transaction/overlay.ts';
import {
  declaredDimension,
  type Run,
  type StructurePlan,
  structureName,
  structurePlans,
} from '../head/source.ts';

/** @throws SqlError data_exception (22000), worded as pgvector does. */
export function checkDimensions(relation: Relation, rows: NewRows, runs: readonly Run[]): void {
  for (const plan of structurePlans(relation)) {
    const column = rows.columns.get(plan.attribute);
    if (plan.kind === 'keywords' || plan.embedded || column === undefined) continue;
    let expected = declaredDimension(relation, plan) || storedDimension(runs, plan);
    for (let row = 0; row < rows.length; row++) {
      const dimension = dimensionOf(column.get(row));
      if (dimension > 0) expected = requireSame(expected, dimension);
    }
  }
}

/**
 * As `checkDimensions`, for all that a transaction adds: others have committed since its rows came.
 *
 * @param known dimensions by slot and structure that rows of the round before it have; filled.
 */
export function checkAdded(relation: Relation, overlay: Overlay, known: Map<string, number>): void {
  const { slot, stagedRows, batches, deletedOwn, truncated } = overlay;
  const { runs } = slot.newest;
  for (const plan of structurePlans(relation)) {
    if (plan.kind === 'keywords' || plan.embedded || declaredDimension(relation, plan) > 0) continue;
    const name = `${slot.id}/${structureName(plan.index.oid, plan.kind)}`;
    const isEmptied = truncated !== Number.POSITIVE_INFINITY;
    let expected = isEmptied ? 0 : storedDimension(runs, plan) || (known.get(name) ?? 0);
    for (const { segment } of stagedRows) {
      const dimension = segment.dimension(plan.index.oid, plan.kind);
      if (dimension > 0) expected = requireSame(expected, dimension);
    }
    for (const { batch, start } of batches) {
      const vector = batch.columns.get(plan.attribute)?.vector;
      for (let row = 0; vector !== undefined && row < batch.length; row++) {
        const dimension = deletedOwn.has(start + row) ? 0 : dimensionOf(vector.get(row));
        if (dimension > 0) expected = requireSame(expected, dimension);
      }
    }
    known.set(name, expected);
  }
}

function requireSame(expected: number, dimension: number): number {
  if (expected === 0 || dimension === expected) return dimension;
  throw new SqlError('data_exception', `expected ${expected} dimensions, not ${dimension}`);
}

function storedDimension(runs: readonly Run[], { index, kind }: StructurePlan): number {
  for (const { source } of runs) {
    const dimension =
      source instanceof Head || source instanceof Segment ? source.dimension(index.oid, kind) : 0;
    if (dimension > 0) return dimension;
  }
  return 0;
}
