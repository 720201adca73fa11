/** Plans that texts may share which differ in numbers (`sql/parse/shape.ts`). */
import { OID } from '../types/oids.ts';
import type { TypeRef } from '../types/type.ts';
import type { Expression } from './expression.ts';
import type { Plan } from './plan.ts';
import { planChildren, planExpressions, visitExpression } from './walk.ts';

/**
 * True when no value of a parameter makes another plan better, as rows are found by their keys if any are read, and
 * none fails before a row is there: a constant is cast when the statement is planned.
 */
export function servesShape(plan: Plan): boolean {
  if (plan.kind === 'scan' && (plan.lookup === null || plan.arms.length > 0)) return false;
  let serves = true;
  for (const expression of planExpressions(plan)) {
    visitExpression(expression, (part) => {
      if (part.kind === 'cast' && isGiven(part) && !isWider(part.type)) serves = false;
    });
  }
  return serves && planChildren(plan).every(servesShape);
}

/** A parameter, cast or not. */
const isGiven = (value: Expression): boolean =>
  value.kind === 'cast' ? isGiven(value.input) : value.kind === 'parameter';

const WIDER: readonly number[] = [OID.int8, OID.numeric, OID.float8];

const isWider = ({ oid, modifier }: TypeRef): boolean => WIDER.includes(oid) && modifier === -1;
