/**
 * A vector index holds vectors of one dimension; where the column's type does not fix it, the first row does.
 */
import type { Relation } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import { dimensionOf } from '../../types/dimension.ts';
import type { NewRows } from '../engine.ts';
import { Head } from './head.ts';
import { Segment } from './segment.ts';
import { declaredDimension, type Run, type StructurePlan, structurePlans } from './source.ts';

/** @throws SqlError data_exception (22000), worded as pgvector does. */
export function checkDimensions(relation: Relation, rows: NewRows, runs: readonly Run[]): void {
  for (const plan of structurePlans(relation)) {
    const column = rows.columns.get(plan.attribute);
    if (plan.kind === 'keywords' || plan.embedded || column === undefined) continue;
    let expected = declaredDimension(relation, plan) || storedDimension(runs, plan);
    for (let row = 0; row < rows.length; row++) {
      const dimension = dimensionOf(column.get(row));
      if (dimension === 0) continue;
      if (expected === 0) expected = dimension;
      if (dimension !== expected) {
        throw new SqlError('data_exception', `expected ${expected} dimensions, not ${dimension}`);
      }
    }
  }
}

function storedDimension(runs: readonly Run[], { index, kind }: StructurePlan): number {
  for (const { source } of runs) {
    const dimension =
      source instanceof Head || source instanceof Segment ? source.dimension(index.oid, kind) : 0;
    if (dimension > 0) return dimension;
  }
  return 0;
}
