/**
 * A vector index holds vectors of one dimension; where the column's type does not fix it, the first row does. So do
 * the first passages of a semantic index: a model behind an endpoint may be another one without a word.
 */
import type { Relation } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { Vector } from '../../../types/column/vector.ts';
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
    if (plan.kind === 'keywords') continue;
    const dimensionIn = dimensions(plan, rows.columns.get(plan.attribute), rows.embeddings);
    if (dimensionIn === null) continue;
    let expected = declaredDimension(relation, plan) || storedDimension(runs, plan);
    for (let row = 0; row < rows.length; row++) {
      const dimension = dimensionIn(row);
      if (dimension > 0) expected = requireSame(plan, expected, dimension);
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
    if (plan.kind === 'keywords' || declaredDimension(relation, plan) > 0) continue;
    const name = `${slot.id}/${structureName(plan.index.oid, plan.kind)}`;
    const isEmptied = truncated !== Number.POSITIVE_INFINITY;
    let expected = isEmptied ? 0 : storedDimension(runs, plan) || (known.get(name) ?? 0);
    for (const { segment } of stagedRows) {
      const dimension = segment.dimension(plan.index.oid, plan.kind);
      if (dimension > 0) expected = requireSame(plan, expected, dimension);
    }
    for (const { batch, start } of batches) {
      const dimensionIn = dimensions(plan, batch.columns.get(plan.attribute)?.vector, batch.passages);
      for (let row = 0; dimensionIn !== null && row < batch.length; row++) {
        const dimension = deletedOwn.has(start + row) ? 0 : dimensionIn(row);
        if (dimension > 0) expected = requireSame(plan, expected, dimension);
      }
    }
    known.set(name, expected);
  }
}

/** By row; 0 where it has no vector. Null: no row has one. */
function dimensions(
  { index, embedded }: StructurePlan,
  column: Vector | undefined,
  embeddings: NewRows['embeddings'],
): ((row: number) => number) | null {
  if (!embedded) return column === undefined ? null : (row) => dimensionOf(column.get(row));
  const passages = embeddings.get(index.oid);
  if (passages === undefined) return null;
  return (row) => {
    const { count = 0, vectors } = passages[row] ?? {};
    return vectors === undefined || count === 0 ? 0 : vectors.length / count;
  };
}

function requireSame({ index, embedded }: StructurePlan, expected: number, dimension: number): number {
  if (expected === 0 || dimension === expected) return dimension;
  if (!embedded) throw new SqlError('data_exception', `expected ${expected} dimensions, not ${dimension}`);
  throw new SqlError(
    'object_not_in_prerequisite_state',
    `index "${index.name}" holds vectors of ${expected} dimensions, and its model gives ${dimension}`,
    { hint: 'Let the model be what it was, or drop the index and make it anew.' },
  );
}

function storedDimension(runs: readonly Run[], plan: StructurePlan): number {
  for (const { source } of runs) {
    let dimension = 0;
    if (source instanceof Head) dimension = source.dimension(plan);
    else if (source instanceof Segment) dimension = source.dimension(plan.index.oid, plan.kind);
    if (dimension > 0) return dimension;
  }
  return 0;
}
