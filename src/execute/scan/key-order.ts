/** The order of a relation's primary key, by which ties of a ranking are decided. */
import { present } from '../../assert.ts';
import { columnByAttribute, primaryKey, type Relation } from '../../catalog/model.ts';
import type { SortKey } from '../../plan/plan.ts';
import type { ScanSource } from './scan-rows.ts';

/** Attribute numbers of the primary key: what ties of a ranking are ordered by. */
export function keyAttributes({ plan, run }: ScanSource): readonly number[] {
  const relation = present(run.snapshot.catalog.relations.get(plan.relation), `relation ${plan.relation}`);
  return primaryKey(relation)?.columns ?? [];
}

const keyOrders = new WeakMap<Relation, readonly SortKey[]>();

/** Ascending sort keys for columns of the primary key's types. */
export function keyOrder(source: ScanSource): readonly SortKey[] {
  const { plan, run } = source;
  const relation = present(run.snapshot.catalog.relations.get(plan.relation), `relation ${plan.relation}`);
  let order = keyOrders.get(relation);
  if (order === undefined) {
    order = keyAttributes(source).map((attribute): SortKey => {
      const { type } = present(columnByAttribute(relation, attribute), `attribute ${attribute}`);
      return { expression: { kind: 'column', index: 0, type }, descending: false, nullsFirst: false };
    });
    keyOrders.set(relation, order);
  }
  return order;
}
