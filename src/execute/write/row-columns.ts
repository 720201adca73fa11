/** The columns of written rows in the order of their relation. */
import type { Column } from '../../catalog/model.ts';
import type { NewRows } from '../../engine/engine.ts';
import { constantVector, type Vector } from '../../types/column/vector.ts';
import { typeByOid } from '../../types/registry.ts';

/** The relation's columns in attribute order as vectors; those without values are NULL. */
export function rowColumns(columns: readonly Column[], values: NewRows['columns'], length: number): Vector[] {
  return columns.map((column) => {
    const kind = typeByOid(column.type.oid).vector;
    const vector = values.get(column.attribute);
    return vector === undefined || vector.kind !== kind ? constantVector(kind, null, length) : vector;
  });
}
