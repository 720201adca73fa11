/** A scan whose filter gives every column of a unique index a constant reads one row by that index. */
import { columnByAttribute, type Index, type Relation } from '../catalog/model.ts';
import { functionById } from '../functions/registry.ts';
import type { Expression } from '../plan/expression.ts';
import type { Plan, Scan } from '../plan/plan.ts';
import { OID } from '../types/oids.ts';
import { typeByOid } from '../types/registry.ts';
import type { TypeRef } from '../types/type.ts';
import { conjuncts, isFixed } from './conditions.ts';
import type { OptimizerContext, Rule } from './rule.ts';

export const keyLookup: Rule = {
  name: 'key-lookup',
  summary: 'Reads a row by its unique key instead of scanning for it.',
  rewrite: (plan, context) => (plan.kind === 'scan' ? withLookup(plan, context) : plan),
};

function withLookup(scan: Scan, { catalog }: OptimizerContext): Plan {
  if (scan.lookup !== null || scan.topK !== null || scan.filter === null) return scan;
  const relation = catalog.relations.get(scan.relation);
  if (relation === undefined) return scan;
  const values = equalities(scan, relation);
  for (const index of relation.indexes) {
    if (!index.unique && !index.primary) continue;
    const key = keyOf(index, values);
    if (key !== null) return { ...scan, lookup: { index: index.oid, key } };
  }
  return scan;
}

function keyOf(index: Index, values: ReadonlyMap<number, Expression>): Expression[] | null {
  const key: Expression[] = [];
  for (const attribute of index.columns) {
    const value = values.get(attribute);
    if (value === undefined) return null;
    key.push(value);
  }
  return key.length === 0 ? null : key;
}

/** Fixed values by attribute number, of the column's own type. */
function equalities(scan: Scan, relation: Relation): ReadonlyMap<number, Expression> {
  const values = new Map<number, Expression>();
  for (const condition of conjuncts(scan.filter)) {
    if (condition.kind !== 'call' || functionById(condition.function).name !== '=') continue;
    const [first, second] = condition.args;
    if (first === undefined || second === undefined) continue;
    for (const [column, value] of [
      [first, second],
      [second, first],
    ] as const) {
      if (column.kind !== 'column' || column.index >= scan.columns.length || !isFixed(value)) continue;
      const attribute = scan.columns[column.index] as number;
      const type = columnByAttribute(relation, attribute)?.type;
      const fitting = type === undefined ? null : asType(value, type);
      if (fitting !== null) values.set(attribute, fitting);
    }
  }
  return values;
}

const TEXTS: ReadonlySet<number> = new Set([OID.text, OID.varchar, OID.name, OID.unknown]);
const WIDTHS: ReadonlyMap<number, number> = new Map([
  [OID.int2, 2],
  [OID.int4, 4],
  [OID.int8, 8],
]);

/** The value in the key's type; null where that could change it. */
function asType(value: Expression, type: TypeRef): Expression | null {
  if (value.type.oid === type.oid) return value;
  if (TEXTS.has(value.type.oid) && TEXTS.has(type.oid)) return value;
  const from = WIDTHS.get(value.type.oid);
  const to = WIDTHS.get(type.oid);
  if (from === undefined || to === undefined || from > to) return null;
  const method = `${typeByOid(value.type.oid).name}->${typeByOid(type.oid).name}`;
  return { kind: 'cast', input: value, method, explicit: false, type: { oid: type.oid, modifier: -1 } };
}
