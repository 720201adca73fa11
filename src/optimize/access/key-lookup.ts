/**
 * A scan whose filter gives every column of a unique index a constant reads one row by that index (more where they
 * share a deferrable key that is not checked yet); what of the filter is the key is not asked again.
 */
import { columnByAttribute, type Index, type Relation } from '../../catalog/model.ts';
import { functionById } from '../../functions/registry.ts';
import type { Expression } from '../../plan/expression.ts';
import type { Plan, Scan } from '../../plan/plan.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import type { TypeRef } from '../../types/type.ts';
import { allOf, conjuncts, isFixed } from '../conditions.ts';
import type { OptimizerContext, Rule } from '../rule.ts';

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
    if (key === null) continue;
    const asked = new Set(key.map(({ condition }) => condition));
    // A ranking (`hybrid()`) is searched by its filter: the key is a condition like others there.
    const left = conjuncts(scan.filter).filter((condition) => !asked.has(condition));
    const filter = scan.arms.length > 0 ? scan.filter : allOf(left);
    return { ...scan, filter, lookup: { index: index.oid, key: key.map(({ value }) => value) } };
  }
  return scan;
}

/** A column's value, in the column's type, and the condition that gives it. */
interface Equality {
  readonly value: Expression;
  readonly condition: Expression;
}

function keyOf(index: Index, values: ReadonlyMap<number, Equality>): Equality[] | null {
  const key: Equality[] = [];
  for (const attribute of index.columns) {
    const equality = values.get(attribute);
    if (equality === undefined) return null;
    key.push(equality);
  }
  return key.length === 0 ? null : key;
}

/** By attribute number. */
function equalities(scan: Scan, relation: Relation): ReadonlyMap<number, Equality> {
  const values = new Map<number, Equality>();
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
      if (fitting !== null) values.set(attribute, { value: fitting, condition });
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
