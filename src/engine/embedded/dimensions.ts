/**
 * A vector index holds vectors of one dimension; where the column's type does not fix it, the first row does.
 */
import type { Relation } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import type { NewRows } from '../engine.ts';
import { Head } from './head.ts';
import { Segment } from './segment.ts';
import { declaredDimension, type Run, structurePlans } from './source.ts';

/** @throws SqlError data_exception (22000), worded as pgvector does. */
export function checkDimensions(relation: Relation, rows: NewRows, runs: readonly Run[]): void {
  for (const plan of structurePlans(relation)) {
    const column = rows.columns.get(plan.attribute);
    if (plan.kind !== 'vectors' || plan.embedded || column === undefined) continue;
    let expected = declaredDimension(relation, plan) || storedDimension(runs, plan.index.oid);
    for (let row = 0; row < rows.length; row++) {
      const datum = column.get(row);
      if (!(datum instanceof Float32Array)) continue;
      if (expected === 0) expected = datum.length;
      if (datum.length !== expected) {
        throw new SqlError('data_exception', `expected ${expected} dimensions, not ${datum.length}`);
      }
    }
  }
}

function storedDimension(runs: readonly Run[], index: number): number {
  for (const { source } of runs) {
    const dimension =
      source instanceof Head || source instanceof Segment ? source.dimension(index, 'vectors') : 0;
    if (dimension > 0) return dimension;
  }
  return 0;
}
