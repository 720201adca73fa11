/**
 * Undeclared columns of collections: compared by value class (number, text, boolean, time), where a
 * mismatch is NULL and not an error; and the types that values written to them are kept in.
 */
import { SqlError } from '../../../errors.ts';
import { OID } from '../../../types/oids.ts';
import { arrayOf, findTypeByOid } from '../../../types/registry.ts';
import type { TypeRef } from '../../../types/type.ts';
import { coerce, isUnknown } from './coerce.ts';
import { BOOLEAN, type Expression, literal, TEXT } from '../draft.ts';
import { callFunction } from './arguments.ts';
import type { Level } from '../level.ts';
import { typeOnly } from '../state.ts';

type ValueClass = 'number' | 'text' | 'boolean' | 'time' | 'json' | 'other';

const COMPARISONS = new Set(['=', '<>', '<', '<=', '>', '>=']);
const PATTERNS = new Set(['~~', '!~~', '~~*', '!~~*', '~', '!~', '~*', '!~*']);
const ARITHMETIC = new Set(['+', '-', '*', '/', '%']);

interface Pair {
  readonly operator: string;
  readonly left: Expression;
  readonly right: Expression;
  readonly at: number;
}

export function isUndeclared(level: Level, expression: Expression): boolean {
  return expression.kind === 'column' && level.state.columns.get(expression.id)?.undeclared === true;
}

function valueClass(type: TypeRef): ValueClass {
  if (type.oid === OID.jsonb) return 'json';
  switch (findTypeByOid(type.oid)?.category) {
    case 'N':
      return 'number';
    case 'S':
      return 'text';
    case 'B':
      return 'boolean';
    case 'D':
      return 'time';
    default:
      return 'other';
  }
}

/** The operands made comparable, or NULL when their classes differ. */
export function byValueClass(
  level: Level,
  pair: Pair,
): Expression | { readonly left: Expression; readonly right: Expression } {
  const { operator, at } = pair;
  const same = COMPARISONS.has(operator);
  if (!same && !PATTERNS.has(operator) && !ARITHMETIC.has(operator)) return pair2(pair.left, pair.right);
  const left = typed(level, pair.left, pair.right);
  const right = typed(level, pair.right, pair.left);
  if (!left || !right) return literal(null, BOOLEAN, at);
  const wanted = PATTERNS.has(operator) ? 'text' : undefined;
  const leftClass = valueClass(left.type);
  const rightClass = valueClass(right.type);
  if (leftClass === 'other' || rightClass === 'other') return pair2(left, right);
  if (leftClass === rightClass && (wanted === undefined || leftClass === wanted)) return pair2(left, right);
  const target = wanted ?? (leftClass === 'json' ? rightClass : leftClass);
  if (ARITHMETIC.has(operator) && target !== 'number') return pair2(left, right);
  const first = inClass(level, left, target);
  const second = inClass(level, right, target);
  return first && second ? pair2(first, second) : literal(null, BOOLEAN, at);
}

function pair2(left: Expression, right: Expression): { left: Expression; right: Expression } {
  return { left, right };
}

/** A literal or parameter without a type takes the other side's, as far as it reads as such. */
function typed(level: Level, side: Expression, other: Expression): Expression | undefined {
  if (!isUnknown(side) || isUnknown(other)) return side;
  const type = other.type.oid === OID.jsonb ? TEXT : typeOnly(other.type.oid);
  try {
    return coerce(level.state, side, { type, context: 'implicit' });
  } catch (error) {
    if (error instanceof SqlError && side.kind === 'literal') return undefined;
    throw error;
  }
}

/** Functions of `value/undeclared.ts` that read one class out of a mixed column. */
const READERS = {
  number: 'undeclared_number',
  text: 'undeclared_text',
  boolean: 'undeclared_boolean',
  time: 'undeclared_time',
} as const;

function inClass(level: Level, side: Expression, target: ValueClass): Expression | undefined {
  const own = valueClass(side.type);
  if (own === target) return side;
  if (own !== 'json' || target === 'json' || target === 'other') return undefined;
  return callFunction(level, { name: READERS[target], args: [side], at: side.at ?? 0 });
}

/** The type in which an undeclared value is kept. */
export function keptType(type: TypeRef): TypeRef {
  const element = findTypeByOid(type.oid)?.elementOid;
  if (element && findTypeByOid(type.oid)?.category === 'A') {
    const array = arrayOf(keptType(typeOnly(element)).oid);
    return typeOnly(array?.oid ?? type.oid);
  }
  switch (type.oid) {
    case OID.int2:
    case OID.int4:
      return typeOnly(OID.int8);
    case OID.float4:
    case OID.numeric:
      return typeOnly(OID.float8);
    case OID.varchar:
    case OID.bpchar:
    case OID.name:
    case OID.unknown:
      return TEXT;
    case OID.timestamp:
      return typeOnly(OID.timestamptz);
    case OID.json:
      return typeOnly(OID.jsonb);
    default:
      return findTypeByOid(type.oid)?.category === 'E' ? TEXT : typeOnly(type.oid);
  }
}

/** The type of a column whose documents hold both: numbers widen, all else is jsonb. */
export function mixedType(left: TypeRef, right: TypeRef): TypeRef {
  if (left.oid === right.oid) return left;
  const numbers: readonly number[] = [OID.int8, OID.float8];
  if (numbers.includes(left.oid) && numbers.includes(right.oid)) return typeOnly(OID.float8);
  return typeOnly(OID.jsonb);
}
