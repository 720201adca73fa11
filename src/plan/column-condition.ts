/**
 * Conditions on one column that say which run of its order a row lies in: what an index on the column can
 * answer. The optimizer, the executor and EXPLAIN ask here, so that they agree.
 */
import { waits } from '../functions/function.ts';
import { functionById } from '../functions/registry.ts';
import { OID } from '../types/oids.ts';
import { typeByOid } from '../types/registry.ts';
import type { ColumnReference, Expression } from './expression.ts';
import { visitExpression } from './walk.ts';

export type RangeOperator = '=' | '<' | '<=' | '>' | '>=';

/** Tests of a condition on its column. All values are the same for every row. */
export type ColumnTest =
  | { readonly kind: 'compare'; readonly operator: RangeOperator; readonly value: Expression }
  | { readonly kind: 'in'; readonly items: readonly Expression[] }
  | { readonly kind: 'any'; readonly array: Expression }
  /** LIKE: the pattern may begin with characters that stand for themselves. */
  | { readonly kind: 'like'; readonly pattern: Expression }
  | { readonly kind: 'null' };

export interface ColumnCondition {
  /** Position in the scan's output. */
  readonly column: number;
  readonly test: ColumnTest;
}

const MIRRORED: Readonly<Record<RangeOperator, RangeOperator>> = {
  '=': '=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

/** Types that compare with each other as numbers do, and those that compare by code points. */
const FAMILIES: readonly ReadonlySet<number>[] = [
  new Set([OID.int2, OID.int4, OID.int8, OID.float4, OID.float8, OID.numeric]),
  new Set([OID.text, OID.varchar, OID.name, OID.unknown]),
];

/** Types with an order that is kept (`column/order-key.ts`). */
export function isOrdered(type: number): boolean {
  const { vector } = typeByOid(type);
  if (vector !== 'text' && vector !== 'object') return true;
  return (
    type === OID.numeric ||
    type === OID.text ||
    type === OID.varchar ||
    type === OID.name ||
    type === OID.uuid
  );
}

/** Null for conditions of another shape. */
export function columnCondition(condition: Expression): ColumnCondition | null {
  switch (condition.kind) {
    case 'call':
      return callCondition(condition.function, condition.args);
    case 'in': {
      const { input, items, negated } = condition;
      if (negated || input.kind !== 'column' || !items.every((item) => fits(input, item))) return null;
      return { column: input.index, test: { kind: 'in', items } };
    }
    case 'quantified': {
      const { left, array, quantifier, operator } = condition;
      if (quantifier !== 'any' || left.kind !== 'column' || functionById(operator).name !== '=') return null;
      if (typeByOid(array.type.oid).elementOid !== left.type.oid || !isValue(array)) return null;
      return { column: left.index, test: { kind: 'any', array } };
    }
    case 'is': {
      const { input, test, negated } = condition;
      if (test !== 'null' || negated || input.kind !== 'column') return null;
      return { column: input.index, test: { kind: 'null' } };
    }
    default:
      return null;
  }
}

function callCondition(id: string, args: readonly Expression[]): ColumnCondition | null {
  const { name } = functionById(id);
  const [left, right] = args;
  if (left === undefined || right === undefined || args.length > 2) return null;
  if (name === '~~' && left.kind === 'column' && isText(left) && isValue(right)) {
    return { column: left.index, test: { kind: 'like', pattern: right } };
  }
  if (!isRangeOperator(name)) return null;
  if (left.kind === 'column' && fits(left, right)) {
    return { column: left.index, test: { kind: 'compare', operator: name, value: right } };
  }
  if (right.kind !== 'column' || !fits(right, left)) return null;
  return { column: right.index, test: { kind: 'compare', operator: MIRRORED[name], value: left } };
}

const isRangeOperator = (name: string): name is RangeOperator => name in MIRRORED;

const isText = ({ type }: Expression): boolean => type.oid === OID.text || type.oid === OID.varchar;

/** A value whose order key can be held against the column's. */
function fits(column: ColumnReference, value: Expression): boolean {
  const [a, b] = [column.type.oid, value.type.oid];
  return isValue(value) && (a === b || FAMILIES.some((family) => family.has(a) && family.has(b)));
}

/** The same for every row, and may be computed more than once. */
export function isValue(expression: Expression): boolean {
  let value = true;
  visitExpression(expression, (part) => {
    if (part.kind === 'column' || part.kind === 'subquery') value = false;
    if (part.kind !== 'call') return;
    const callable = functionById(part.function);
    if (callable.volatility === 'volatile' || waits(callable)) value = false;
  });
  return value;
}
