/** Equalities between the two sides of a join become its hash keys. */
import { functionById } from '../../functions/registry.ts';
import type { Expression } from '../../plan/expression.ts';
import type { Join, Plan } from '../../plan/plan.ts';
import { shiftColumns } from '../../plan/free-references.ts';
import { typeByOid } from '../../types/registry.ts';
import { allOf, columnsRead, conjuncts, isMovable } from '../conditions.ts';
import type { Rule } from '../rule.ts';

export const joinKeys: Rule = {
  name: 'join-keys',
  summary: 'Joins by hash where the condition has equalities between the two sides.',
  rewrite: (plan) => (plan.kind === 'join' ? withKeys(plan) : plan),
};

type Key = Join['keys'][number];

/** The join with the equalities of its condition as keys. */
export function withKeys(join: Join): Plan {
  if (join.lateral || join.condition === null) return join;
  const width = join.left.output.length;
  const keys: Key[] = [];
  const kept: Expression[] = [];
  for (const condition of conjuncts(join.condition)) {
    const key = keyOf(condition, width);
    if (key === null) kept.push(condition);
    else keys.push(key);
  }
  if (keys.length === 0) return join;
  return {
    ...join,
    join: join.join === 'cross' ? 'inner' : join.join,
    keys: [...join.keys, ...keys],
    condition: allOf(kept),
  };
}

function keyOf(condition: Expression, width: number): Key | null {
  if (condition.kind !== 'call' || functionById(condition.function).name !== '=') return null;
  const [first, second] = condition.args;
  if (first === undefined || second === undefined || !isMovable(condition)) return null;
  const firstSide = sideOf(first, width);
  const secondSide = sideOf(second, width);
  if (firstSide === 'left' && secondSide === 'right') {
    return { left: first, right: shiftColumns(second, -width), equals: condition.function };
  }
  if (firstSide !== 'right' || secondSide !== 'left') return null;
  return {
    left: second,
    right: shiftColumns(first, -width),
    equals: exchanged(condition.function, first, second),
  };
}

function sideOf(expression: Expression, width: number): 'left' | 'right' | null {
  const columns = [...columnsRead(expression)];
  if (columns.length === 0) return null;
  if (columns.every((index) => index < width)) return 'left';
  return columns.every((index) => index >= width) ? 'right' : null;
}

/** `=(int8,int4)` for `=(int4,int8)`; the same id where both sides are of one type. */
function exchanged(id: string, first: Expression, second: Expression): string {
  if (first.type.oid === second.type.oid) return id;
  const match = /^=\((\w+),(\w+)\)$/.exec(id);
  return match === null
    ? `=(${typeByOid(second.type.oid).name},${typeByOid(first.type.oid).name})`
    : `=(${match[2]},${match[1]})`;
}
