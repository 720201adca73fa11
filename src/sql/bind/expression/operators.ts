/**
 * Operators: resolved by name and types, with row values taken apart and undeclared columns compared by
 * value class (`undeclared.ts`). Follows PostgreSQL's parse_oper.c and transformAExpr*.
 */
import { assert } from '../../../assert.ts';
import { SqlError } from '../../../errors.ts';
import { commonType, resolveOperator } from '../../../functions/resolve.ts';
import { OID } from '../../../types/oids.ts';
import { arrayOf, findTypeByOid, formatType } from '../../../types/registry.ts';
import type { Datum } from '../../../types/datum.ts';
import type { TypeRef } from '../../../types/type.ts';
import type { Expr } from '../../ast.ts';
import { listedItems, listedTexts } from '../../map/constants.ts';
import { coerce, isUnknown, settleUnknown } from './coerce.ts';
import { and, BOOLEAN, branch, type Expression, isNull, literal, or, TEXT, TRUE, UNKNOWN } from '../draft.ts';
import { bindExpression } from '../context.ts';
import { callFunction, scalarCall } from './arguments.ts';
import type { Level } from '../level.ts';
import { typeOnly } from '../state.ts';
import {
  alikeElements,
  byValueClass,
  elementsByValueClass,
  elementsGoByClass,
  goesByClass,
  isMixed,
  isMixedList,
  isUndeclared,
  readAsClass,
} from './undeclared.ts';

type Of<K extends Expr['kind']> = Extract<Expr, { kind: K }>;

export interface Operation {
  readonly operator: string;
  readonly left: Expression | null;
  readonly right: Expression;
  readonly at: number;
}

/** The operator of a syntax node. */
export function bindOperator(level: Level, expr: Of<'operator'>): Expression {
  const right = bindExpression(level, expr.right);
  if (expr.left === null && expr.operator === '-' && right.kind === 'literal') {
    const negative = negateLiteral(right, expr.at);
    if (negative) return negative;
  }
  if (expr.left === null && expr.operator === '+' && findTypeByOid(right.type.oid)?.category === 'N')
    return right;
  const left = expr.left && bindExpression(level, expr.left);
  return operate(level, { operator: expr.operator, left, right, at: expr.at });
}

/** `-1` is a constant, so that it can be folded into types, lookups and defaults. */
function negateLiteral(right: Expression & { kind: 'literal' }, at: number): Expression | undefined {
  const { value } = right;
  if (typeof value === 'number' && right.type.oid === OID.int4 && value !== 0) {
    return literal(-value, right.type, at);
  }
  if (typeof value === 'bigint' && right.type.oid === OID.int8) {
    return value === -9223372036854775808n ? undefined : literal(-value, right.type, at);
  }
  if (typeof value === 'object' && value && 'datum' in value && value.datum === 'numeric' && !value.special) {
    return literal({ ...value, digits: -value.digits }, right.type, at);
  }
  return undefined;
}

/** A comparison or any other operator over bound operands. @throws SqlError 42883, 42725. */
export function operate(level: Level, operation: Operation): Expression {
  const { operator, left, right, at } = operation;
  // A table's row is one value, in which NULLs are equal; ROW(…) stands for its fields.
  if (left?.kind === 'row' && right.kind === 'row' && !left.names && !right.names) {
    return compareRows(level, { operator, left, right, at });
  }
  if (left && operator === '@>' && isMixedList(level, left) && findTypeByOid(right.type.oid)?.elementOid) {
    return apply(level, { operator, left, right: asJsonb(level, right, at), at });
  }
  if (left === null && operator === '-' && isMixed(level, right)) {
    return apply(level, { ...operation, right: readAsClass(level, right, 'number') });
  }
  if (left && goesByClass(level, { operator, left, right })) {
    const adapted = byValueClass(level, { operator, left, right, at });
    if ('kind' in adapted) return adapted;
    return apply(level, { operator, left: adapted.left, right: adapted.right, at });
  }
  return apply(level, operation);
}

/** `operate` for what has two sides. */
export function compare(level: Level, operation: Operation & { left: Expression }): Expression {
  return operate(level, operation);
}

function apply(level: Level, operation: Operation): Expression {
  const { operator, left, right, at } = operation;
  const found = resolveOperator(operator, left ? left.type.oid : null, right.type.oid, at);
  const args: Expression[] = [];
  const { context } = found;
  if (left && found.left) args.push(coerce(level.state, left, { type: found.left, context }));
  args.push(coerce(level.state, right, { type: found.right, context }));
  return scalarCall(found.id, args, found.returns, at);
}

interface RowComparison {
  readonly operator: string;
  readonly left: Expression & { kind: 'row' };
  readonly right: Expression & { kind: 'row' };
  readonly at: number;
}

/** Row by row: = is all equal, <> any different, an order goes by the first pair that differs. */
function compareRows(level: Level, rows: RowComparison): Expression {
  const { operator, left, right, at } = rows;
  if (left.fields.length !== right.fields.length) {
    throw new SqlError('syntax_error', 'unequal number of entries in row expressions', { position: at });
  }
  if (left.fields.length === 0) {
    throw new SqlError('feature_not_supported', 'cannot compare rows of zero length', { position: at });
  }
  const pairs = left.fields.map((field, i) => ({ left: field, right: right.fields[i] ?? field, at }));
  if (operator === '=') return and(pairs.map((pair) => compare(level, { operator, ...pair })));
  if (operator === '<>') return or(pairs.map((pair) => compare(level, { operator, ...pair })));
  const strict = operator.replace('=', '');
  if (strict !== '<' && strict !== '>') {
    throw new SqlError(
      'feature_not_supported',
      `could not determine interpretation of row comparison operator ${operator}`,
      {
        position: at,
        hint: 'Row comparison operators must be associated with btree operator families.',
      },
    );
  }
  return pairs.reduceRight<Expression | null>((rest, pair, i) => {
    const last = i === pairs.length - 1;
    const first = compare(level, { operator: last ? operator : strict, ...pair });
    return rest ? or([first, and([compare(level, { operator: '=', ...pair }), rest])]) : first;
  }, null) as Expression;
}

export function bindDistinct(level: Level, expr: Of<'distinct'>): Expression {
  const left = bindExpression(level, expr.left);
  const right = bindExpression(level, expr.right);
  const distinct = isDistinct(level, { operator: '<>', left, right, at: expr.at });
  return expr.negated ? { kind: 'not', input: distinct, type: BOOLEAN, at: expr.at } : distinct;
}

/** IS DISTINCT FROM: CASE WHEN l IS NULL THEN r IS NOT NULL WHEN r IS NULL THEN true ELSE l <> r END. */
function isDistinct(level: Level, pair: Operation & { left: Expression }): Expression {
  const { left, right, at } = pair;
  if (left.kind === 'row' && right.kind === 'row' && left.fields.length === right.fields.length) {
    return or(
      left.fields.map((field, i) => {
        return isDistinct(level, { operator: '<>', left: field, right: right.fields[i] ?? field, at });
      }),
    );
  }
  if (right.kind === 'literal' && right.value === null)
    return noValue(settleUnknown(level.state, left), true);
  if (left.kind === 'literal' && left.value === null) return noValue(settleUnknown(level.state, right), true);
  const differs = compare(level, pair);
  const sides = differs.kind === 'call' ? differs.args : [left, right];
  return {
    kind: 'case',
    branches: [
      branch(noValue(sides[0] ?? left), noValue(sides[1] ?? right, true)),
      branch(noValue(sides[1] ?? right), TRUE),
    ],
    otherwise: differs,
    type: BOOLEAN,
    at,
  };
}

/** NULL itself: IS NULL is also true of a row of NULLs. */
export const noValue = (input: Expression, negated = false): Expression =>
  input.type.oid === OID.record
    ? { kind: 'is', input, test: 'unknown', negated, type: BOOLEAN }
    : isNull(input, negated);

export function bindIn(level: Level, expr: Of<'in'>): Expression {
  const input = bindExpression(level, expr.input);
  const items = expr.items.map((item) => bindExpression(level, item));
  const list = input.kind === 'row' || isUndeclared(level, input) ? undefined : listOf(level, input, items);
  if (list) return { ...list, negated: expr.negated, at: expr.at };
  const tests = items.map((item) => compare(level, { operator: '=', left: input, right: item, at: expr.at }));
  const any = or(tests);
  return expr.negated ? { kind: 'not', input: any, type: BOOLEAN, at: expr.at } : any;
}

/** The list as one array; as its items where they cannot have one type. */
export function bindInConstants(level: Level, expr: Of<'in constants'>): Expression {
  const input = bindExpression(level, expr.input);
  const texts = listedTexts(expr.list);
  const joined = expr.list.kind === 'string' ? (texts[0] ?? '') : longest(texts);
  const [first] = listedItems({ ...expr.list, joined }, expr.at);
  const whole = input.kind === 'row' || isUndeclared(level, input) || first === undefined;
  const list = whole ? undefined : listOf(level, input, [bindExpression(level, first)]);
  const type = list?.items[0]?.type;
  const arrayType = type && arrayOf(type.oid);
  if (list === undefined || type === undefined || arrayType === undefined) {
    return bindIn(level, { ...expr, kind: 'in', items: listedItems(expr.list, expr.at) });
  }
  const elements = texts.map((text) => constantOf(level, text, type, expr.at));
  const dimensions = [{ length: elements.length, lowerBound: 1 }];
  const array = { datum: 'array', elementType: type.oid, dimensions, elements } as const;
  const any: Expression = {
    kind: 'quantified',
    operator: list.equals,
    quantifier: 'any',
    left: list.input,
    array: literal(array, typeOnly(arrayType.oid), expr.at),
    type: BOOLEAN,
    at: expr.at,
  };
  return expr.negated ? { kind: 'not', input: any, type: BOOLEAN, at: expr.at } : any;
}

/** The integer whose type holds all of them, give or take a sign. */
function longest(texts: readonly string[]): string {
  let longest = '0';
  for (const text of texts) {
    const digits = text.startsWith('-') ? text.slice(1) : text;
    if (digits.length > longest.length || (digits.length === longest.length && digits > longest)) {
      longest = digits;
    }
  }
  return longest;
}

/** @throws SqlError of the type's input. */
function constantOf(level: Level, text: string, type: TypeRef, at: number): Datum {
  const made = coerce(level.state, literal(text, UNKNOWN, at), { type, context: 'explicit' });
  assert(made.kind === 'literal', 'a constant of a known type is read at once');
  return made.value;
}

/** The list in one type, or undefined when there is none (then each item is compared on its own). */
function listOf(
  level: Level,
  input: Expression,
  items: readonly Expression[],
): (Expression & { kind: 'in' }) | undefined {
  const known = [input, ...items].filter((item) => !isUnknown(item)).map((item) => item.type.oid);
  let type = TEXT;
  try {
    if (known.length > 0) type = typeOnly(commonType(known, 'IN', 0));
  } catch (error) {
    if (error instanceof SqlError) return undefined;
    throw error;
  }
  const operator = resolveOperator('=', type.oid, type.oid, input.at ?? 0);
  const cast = (item: Expression): Expression => {
    const plain = coerce(level.state, item, { type, context: 'implicit' });
    return operator.left ? coerce(level.state, plain, { type: operator.left, context: 'implicit' }) : plain;
  };
  return {
    kind: 'in',
    input: cast(input),
    items: items.map(cast),
    negated: false,
    equals: operator.id,
    type: BOOLEAN,
  };
}

const LIKE_OPERATORS = { like: '~~', ilike: '~~*', similar: '~' } as const;

export function bindLike(level: Level, expr: Of<'like'>): Expression {
  const left = bindExpression(level, expr.input);
  const pattern = bindExpression(level, expr.pattern);
  const escaped = expr.escape && bindExpression(level, expr.escape);
  const name = expr.operator === 'similar' ? 'similar_to_escape' : 'like_escape';
  const args = escaped ? [pattern, escaped] : [pattern];
  const right =
    escaped || expr.operator === 'similar' ? callFunction(level, { name, args, at: expr.at }) : pattern;
  const operator = `${expr.negated ? '!' : ''}${LIKE_OPERATORS[expr.operator]}`;
  return operate(level, { operator, left, right, at: expr.at });
}

export function bindBetween(level: Level, expr: Of<'between'>): Expression {
  const input = bindExpression(level, expr.input);
  const low = bindExpression(level, expr.low);
  const high = bindExpression(level, expr.high);
  const at = expr.at;
  const within = (from: Expression, to: Expression): Expression => {
    return and([
      compare(level, { operator: '>=', left: input, right: from, at }),
      compare(level, { operator: '<=', left: input, right: to, at }),
    ]);
  };
  const outside = (from: Expression, to: Expression): Expression => {
    return or([
      compare(level, { operator: '<', left: input, right: from, at }),
      compare(level, { operator: '>', left: input, right: to, at }),
    ]);
  };
  if (!expr.symmetric) return expr.negated ? outside(low, high) : within(low, high);
  return expr.negated
    ? and([outside(low, high), outside(high, low)])
    : or([within(low, high), within(high, low)]);
}

/** `left op ANY|ALL (array)`. */
export function bindQuantified(level: Level, expr: Of<'quantified'>): Expression {
  const { operator, quantifier, at } = expr;
  const left = bindExpression(level, expr.left);
  const array = bindExpression(level, expr.array);
  const bound = { operator, quantifier, left, array, at };
  if (operator === '=' && quantifier === 'any' && isMixedList(level, array)) {
    return operate(level, { operator: '@>', left: array, right: asJsonb(level, left, at), at });
  }
  const kinds = isUndeclared(level, left) ? alikeElements(level, { operator, left, right: array, at }) : null;
  if (kinds === null) return quantify(level, bound);
  // Values of another class are NULL, so that one of these says it.
  const args = kinds.map((one) => quantify(level, { ...bound, left: one.left, array: one.right }));
  return { kind: 'coalesce', args, type: BOOLEAN, at };
}

const asJsonb = (level: Level, value: Expression, at: number): Expression =>
  callFunction(level, { name: 'to_jsonb', args: [settleUnknown(level.state, value)], at });

interface Quantified extends Pick<Of<'quantified'>, 'operator' | 'quantifier' | 'at'> {
  readonly left: Expression;
  readonly array: Expression;
}

function quantify(level: Level, expr: Quantified): Expression {
  const { state } = level;
  const { at } = expr;
  let { left, array } = expr;
  if (elementsGoByClass(level, { operator: expr.operator, left, right: array })) {
    const adapted = elementsByValueClass(level, { operator: expr.operator, left, right: array, at });
    if ('kind' in adapted) return adapted;
    ({ left, right: array } = adapted);
  }
  if (isUnknown(array)) {
    const element = isUnknown(left) ? OID.text : left.type.oid;
    array = coerce(state, array, {
      type: typeOnly(arrayOf(element)?.oid ?? OID.anyarray),
      context: 'implicit',
    });
  }
  const element = findTypeByOid(array.type.oid)?.elementOid;
  if (!element) {
    throw new SqlError('wrong_object_type', 'op ANY/ALL (array) requires array on right side', {
      position: at,
    });
  }
  const found = resolveOperator(expr.operator, left.type.oid, element, at);
  if (found.returns.oid !== OID.bool) {
    throw new SqlError('wrong_object_type', 'op ANY/ALL (array) requires operator to yield boolean', {
      position: at,
      detail: `It gives ${formatType(found.returns)}.`,
    });
  }
  const elements = typeOnly(
    found.right.oid === element ? array.type.oid : (arrayOf(found.right.oid)?.oid ?? array.type.oid),
  );
  return {
    kind: 'quantified',
    operator: found.id,
    quantifier: expr.quantifier,
    left: found.left ? coerce(state, left, { type: found.left, context: 'implicit' }) : left,
    array: coerce(state, array, { type: elements, context: 'implicit' }),
    type: BOOLEAN,
    at,
  };
}
