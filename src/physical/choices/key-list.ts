/** `key IN (…)` and `key = ANY (array)` on a unique column: a look-up a key, where a relation has many more rows. */
import { functionById } from '../../functions/registry.ts';
import { isConstant } from '../../plan/columns-read.ts';
import type { Expression } from '../../plan/expression.ts';
import { typeByOid } from '../../types/registry.ts';
import type { Choice, ChoiceContext } from '../choice.ts';
import type { Scan, ScanWay } from '../physical.ts';

export const keyList: Choice = {
  name: 'key-list',
  summary: 'Looks up each key of a list instead of scanning for them.',
  choose: (plan, context) => {
    if (plan.kind !== 'scan' || plan.lookup !== null) return plan;
    const lists = plan.conditions.flatMap(({ expression }) => listOf(plan, expression, context));
    return lists.length === 0 ? plan : { ...plan, ways: [...lists, ...plan.ways] };
  },
};

function listOf(scan: Scan, condition: Expression, context: ChoiceContext): readonly ScanWay[] {
  const found = keysOf(condition);
  const index = found && uniqueIndex(scan, found.column, context);
  return found && index !== null ? [{ kind: 'key list', index, condition, keys: found.keys }] : [];
}

interface KeyList {
  readonly column: Expression & { readonly kind: 'column' };
  readonly keys: readonly Expression[] | Expression;
}

function keysOf(condition: Expression): KeyList | null {
  if (condition.kind === 'in' && !condition.negated) {
    const { input: column, items: keys } = condition;
    const same = keys.every((key) => key.type.oid === column.type.oid && isConstant(key));
    return column.kind === 'column' && same ? { column, keys } : null;
  }
  if (condition.kind !== 'quantified' || condition.quantifier !== 'any') return null;
  const { left, array, operator } = condition;
  if (left.kind !== 'column' || !isConstant(array) || functionById(operator).name !== '=') return null;
  if (typeByOid(array.type.oid).elementOid !== left.type.oid) return null;
  return { column: left, keys: array };
}

/** OID of a unique index on that column alone. */
function uniqueIndex(
  { relation, columns }: Scan,
  { index, type }: KeyList['column'],
  { catalog }: ChoiceContext,
): number | null {
  const attribute = columns[index];
  const described = catalog.relations.get(relation);
  const column = described?.columns.find((candidate) => candidate.attribute === attribute);
  if (attribute === undefined || column?.type.oid !== type.oid) return null;
  const fits = described?.indexes.find(
    (one) => (one.unique || one.primary) && one.columns.length === 1 && one.columns[0] === attribute,
  );
  return fits?.oid ?? null;
}
