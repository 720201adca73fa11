/**
 * Predicate of a scan, told to a transaction that remembers its reads: the values that its filter allows in
 * columns. Rows outside of these may come and go without a matter.
 */
import type { Task } from '../../task.ts';
import { columnByAttribute } from '../../catalog/model.ts';
import type { ColumnBounds } from '../../engine/engine.ts';
import { columnCondition, isOrdered } from '../../plan/column-condition.ts';
import type { Scan } from '../../plan/plan.ts';
import { isEverything, keyBounds } from './order-bounds.ts';
import type { Run } from '../state.ts';

export function* rememberScan(plan: Scan, run: Run): Task<void> {
  const { snapshot } = run;
  if (snapshot.remembersReads) snapshot.remember(plan.relation, plan.partition, yield* boundsOf(plan, run));
}

function* boundsOf({ relation, columns, filter }: Scan, run: Run): Task<ColumnBounds[]> {
  const described = run.snapshot.catalog.relations.get(relation);
  const conditions = filter === null ? [] : filter.kind === 'and' ? filter.args : [filter];
  const asked = new Set(conditions.map((condition) => columnCondition(condition)?.column));
  const bounds: ColumnBounds[] = [];
  for (const position of asked) {
    const attribute = position === undefined ? undefined : columns[position];
    if (position === undefined || attribute === undefined || described === undefined) continue;
    const type = columnByAttribute(described, attribute)?.type.oid;
    if (type === undefined || !isOrdered(type)) continue;
    const found = yield* keyBounds(conditions, position, run);
    if (found !== null && !isEverything(found)) bounds.push({ attribute, ...found });
  }
  return bounds;
}
