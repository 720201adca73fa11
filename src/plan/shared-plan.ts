/** Plans that texts may share which differ in their literals (`sql/parse/shape.ts`). */
import { OID } from '../types/oids.ts';
import type { Datum } from '../types/datum.ts';
import type { TypeRef } from '../types/type.ts';
import type { Expression } from './expression.ts';
import type { Plan } from './plan.ts';
import { planChildren, planExpressions, visitExpression } from './walk.ts';

/** True when rows are found by their keys, if any are read: then no value makes another plan better. */
export function readsByKey(plan: Plan): boolean {
  if (plan.kind === 'scan' && (plan.lookup === null || plan.arms.length > 0)) return false;
  let reads = true;
  for (const expression of planExpressions(plan)) {
    visitExpression(expression, ({ kind }) => {
      if (kind === 'subquery') reads = false;
    });
  }
  return reads && planChildren(plan).every(readsByKey);
}

/** Where something stands in the text, and what follows from what is compared. */
const APART: ReadonlySet<string> = new Set(['at', 'maskParameters']);

/**
 * True when a plan with parameters is one with their values in their place: same nodes, functions and types. What a
 * constant alone decides (it was folded, or cast, or gave another way to find rows) makes it another plan.
 */
export function isSamePlan(shared: unknown, written: unknown, values: readonly Datum[]): boolean {
  if (shared === written) return true;
  if (typeof shared !== 'object' || typeof written !== 'object') return Object.is(shared, written);
  if (shared === null || written === null) return false;
  if (isKind(written, 'literal') && (isKind(shared, 'parameter') || isKind(shared, 'cast'))) {
    return isSameValue(shared as Expression, written as Literal, values);
  }
  if (Array.isArray(shared) || ArrayBuffer.isView(shared)) return isSameList(shared, written, values);
  if (shared instanceof Map || shared instanceof Set) {
    return isSameList(
      [...shared],
      written instanceof Map || written instanceof Set ? [...written] : written,
      values,
    );
  }
  const [left, right] = [shared as Fields, written as Fields];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every((name) => APART.has(name) || isSamePlan(left[name], right[name], values));
}

type Literal = Extract<Expression, { kind: 'literal' }>;
type Fields = Readonly<Record<string, unknown>>;

const isKind = (node: object, kind: string): boolean => 'kind' in node && node.kind === kind;

function isSameList(shared: unknown, written: unknown, values: readonly Datum[]): boolean {
  const [left, right] = [shared as ArrayLike<unknown>, written as ArrayLike<unknown>];
  if (left.constructor !== right.constructor || left.length !== right.length) return false;
  for (let i = 0; i < left.length; i++) if (!isSamePlan(left[i], right[i], values)) return false;
  return true;
}

/** A constant is cast when the statement is planned: only where no cast fails is it the same later. */
function isSameValue(shared: Expression, { type, value }: Literal, values: readonly Datum[]): boolean {
  if (shared.type.oid !== type.oid || shared.type.modifier !== type.modifier) return false;
  if (shared.kind === 'parameter') return isSamePlan(values[shared.index] ?? null, value, []);
  return isGiven(shared) && isWider(shared.type);
}

/** A parameter, cast or not. */
const isGiven = (value: Expression): boolean =>
  value.kind === 'cast' ? isGiven(value.input) && isWider(value.type) : value.kind === 'parameter';

const WIDER: readonly number[] = [OID.int8, OID.numeric, OID.float8];

const isWider = ({ oid, modifier }: TypeRef): boolean => WIDER.includes(oid) && modifier === -1;
