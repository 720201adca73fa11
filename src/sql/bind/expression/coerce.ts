/**
 * Types of expressions: unknown literals read through their type's parser, parameters that take the type
 * their context asks for, casts, and the common type of CASE, VALUES, UNION and their kin. Follows
 * PostgreSQL's parse_coerce.c.
 */
import { present } from '../../../assert.ts';
import { SqlError } from '../../../errors.ts';
import { commonType, resolveCast } from '../../../functions/resolve.ts';
import { isPolymorphic } from '../../../functions/resolve-casts.ts';
import { castById } from '../../../functions/registry.ts';
import { PARAMETERS_COUNT_MAX } from '../../../limits.ts';
import type { Literal } from '../../../plan/expression.ts';
import { OID } from '../../../types/oids.ts';
import { arrayOf, findTypeByOid, formatType, typeByOid } from '../../../types/registry.ts';
import type { TypeRef } from '../../../types/type.ts';
import { takesLongToRead } from '../../../types/weight.ts';
import { BOOLEAN, type Expression, literal, TEXT, UNKNOWN } from '../draft.ts';
import { constantsAs } from './constants.ts';
import { located, type State, typeOnly, type UnreadConstants } from '../state.ts';

export type CastContext = 'implicit' | 'assignment' | 'explicit';

export interface Target {
  readonly type: TypeRef;
  readonly context: CastContext;
  /** Position for errors; the expression's own when 0. */
  readonly at?: number;
  /** Error for a cast that is not allowed. */
  readonly fail?: (from: string, to: string, at: number) => SqlError;
}

/**
 * `$1`: an argument in the body of a function; else typed already, or unknown until its context tells.
 * @throws SqlError 42P02 out of range.
 */
export function parameter(state: State, number: number, at: number): Expression {
  if (state.functionArguments) {
    const value = state.functionArguments[number - 1];
    if (value) return { ...value, at };
    throw new SqlError('undefined_parameter', `there is no parameter $${number}`, { position: at });
  }
  if (number < 1 || number > PARAMETERS_COUNT_MAX) {
    throw new SqlError('undefined_parameter', `there is no parameter $${number}`, { position: at });
  }
  const index = number - 1;
  while (state.parameters.length < number) state.parameters.push(0);
  const known = state.parameters[index] ?? 0;
  const oid = known === 0 || known === OID.unknown ? OID.unknown : known;
  return { kind: 'parameter', index, type: typeOnly(oid), at };
}

export function isUnknown(expression: Expression): boolean {
  return expression.type.oid === OID.unknown;
}

/** The expression as `target.type`. @throws SqlError 42804, 42846, and what the type's parser raises. */
export function coerce(state: State, expression: Expression, target: Target): Expression {
  const result = convert(state, expression, target);
  state.trace?.coerced.set(expression, result);
  return result;
}

function convert(state: State, expression: Expression, target: Target): Expression {
  const at = target.at || expression.at || 0;
  if (expression.kind === 'literal' && isUnknown(expression))
    return readLiteral(state, expression, target, at);
  if (expression.kind === 'column' && isUnknown(expression)) {
    const unread = state.unread.get(expression.id);
    if (unread) return readConstants(state, unread, target);
  }
  if (expression.kind === 'parameter' && isUnknown(expression))
    return typedParameter(state, expression, target);
  if (expression.kind === 'array' && target.context !== 'implicit') {
    const elements = castElements(state, expression, target);
    if (elements) return elements;
  }
  if (isPolymorphic(target.type.oid)) return settleUnknown(state, expression);
  if (expression.type.oid === target.type.oid) {
    return target.context === 'explicit' && target.type.modifier === -1 && expression.kind !== 'cast'
      ? withoutModifier(expression)
      : withModifier(expression, target);
  }
  if (expression.kind === 'row' && target.type.oid === OID.record) return expression;
  const method = resolveCast(expression.type.oid, target.type.oid, target.context);
  if (method === null) throw castError(expression, target, target.at || leftmost(expression));
  const folded = expression.kind === 'literal' ? foldCast(expression, method, target) : undefined;
  if (folded) return withModifier(folded, target);
  // A cast does what its type says, so another type for its value is a cast of its own.
  if (method === 'none' && expression.kind !== 'parameter' && expression.kind !== 'cast') {
    return withModifier({ ...expression, type: typeOnly(target.type.oid) }, target);
  }
  const cast: Expression = {
    kind: 'cast',
    input: expression,
    method: method === 'none' ? 'modifier' : method,
    explicit: target.context === 'explicit',
    type: method === 'text' ? target.type : typeOnly(target.type.oid),
    at,
  };
  return method === 'text' ? cast : withModifier(cast, target);
}

/** A cast of a constant that needs nothing of the session is done now; one that fails, when it is run. */
function foldCast(expression: Literal, method: string, target: Target): Expression | undefined {
  const type = typeOnly(target.type.oid);
  const at = expression.at ?? 0;
  if (expression.value === null) return literal(null, type, at);
  if (method === 'none' || method === 'text' || method.startsWith('_')) return undefined;
  const { evaluate } = castById(method);
  if (!evaluate) return undefined;
  try {
    return literal(evaluate(expression.value as never), type, at);
  } catch (error) {
    if (error instanceof SqlError) return undefined;
    throw error;
  }
}

function readLiteral(
  state: State,
  expression: Expression & { kind: 'literal' },
  target: Target,
  at: number,
): Expression {
  const position = expression.at || at;
  if (target.type.oid === OID.unknown || isPolymorphic(target.type.oid)) {
    return { ...expression, type: typeOnly(OID.text) };
  }
  if (expression.value === null) return literal(null, target.type, position);
  const type = typeByOid(target.type.oid);
  if (takesLongToRead(type, String(expression.value).length)) {
    const text = { ...expression, type: typeOnly(OID.text) };
    return { kind: 'cast', input: text, method: 'text', explicit: true, type: target.type, at: position };
  }
  const { modifier } = target.type;
  // As in PostgreSQL only an interval is read with its modifier; others are read, then fitted.
  const read = target.type.oid === OID.interval ? modifier : -1;
  const text = String(expression.value);
  const value = located(position, () => type.parse(text, read, state.context.settings));
  return withModifier(literal(value, typeOnly(target.type.oid), position), target);
}

/** Constants of long VALUES as a type: like a literal, but when they are run. */
function readConstants(state: State, { draft, column }: UnreadConstants, target: Target): Expression {
  const constants = present(draft.rows.columns[column], 'constants');
  const { oid, modifier } = target.type;
  const asText = (): Expression => constantsAs(state, draft, { column, type: TEXT });
  if (oid === OID.unknown || isPolymorphic(oid)) return asText();
  if (takesLongToRead(typeByOid(oid), constants.longest)) {
    const input = asText();
    return { kind: 'cast', input, method: 'text', explicit: true, type: target.type, at: input.at ?? 0 };
  }
  const type = oid === OID.interval ? { oid, modifier } : typeOnly(oid);
  return withModifier(constantsAs(state, draft, { column, type }), target);
}

function typedParameter(
  state: State,
  expression: Expression & { kind: 'parameter' },
  target: Target,
): Expression {
  const wanted = isPolymorphic(target.type.oid) ? OID.text : target.type.oid;
  if (wanted === OID.unknown) return expression;
  const known = state.parameters[expression.index] ?? 0;
  if (known !== 0 && known !== OID.unknown && known !== wanted) {
    throw new SqlError(
      'ambiguous_parameter',
      `inconsistent types deduced for parameter $${expression.index + 1}`,
      {
        detail: `${formatType(typeOnly(known))} versus ${formatType(typeOnly(wanted))}`,
        position: expression.at,
      },
    );
  }
  state.parameters[expression.index] = wanted;
  return withModifier({ ...expression, type: typeOnly(wanted) }, target);
}

/** ARRAY[…]::t[] casts the elements, so that an empty or unknown one takes the type. */
function castElements(
  state: State,
  expression: Expression & { kind: 'array' },
  target: Target,
): Expression | undefined {
  const element = findTypeByOid(target.type.oid)?.elementOid;
  if (!element) return undefined;
  const inner: Target = { ...target, type: { oid: element, modifier: target.type.modifier } };
  const nested = expression.elements.some(
    (item) => item.kind === 'array' || findTypeByOid(item.type.oid)?.category === 'A',
  );
  const elements = expression.elements.map((item) => coerce(state, item, nested ? target : inner));
  return { ...expression, elements, type: typeOnly(target.type.oid) };
}

function withModifier(expression: Expression, target: Target): Expression {
  const { oid, modifier } = target.type;
  if (modifier === -1 || modifier === expression.type.modifier || isPolymorphic(oid)) return expression;
  const type = findTypeByOid(oid);
  if (!type?.coerce) return { ...expression, type: target.type };
  if (expression.kind === 'literal' && expression.value !== null && oid === expression.type.oid) {
    const { value } = expression;
    const fitted = type.coerce(value, modifier, target.context === 'explicit');
    return { ...expression, value: fitted, type: target.type };
  }
  return {
    kind: 'cast',
    input: expression,
    method: 'modifier',
    explicit: target.context === 'explicit',
    type: target.type,
    at: expression.at ?? 0,
  };
}

/** `n::numeric` of a numeric(5,2): the value as it is, its type without the length. */
function withoutModifier(expression: Expression): Expression {
  const { oid, modifier } = expression.type;
  return modifier === -1 || oid === OID.record ? expression : { ...expression, type: typeOnly(oid) };
}

function castError(expression: Expression, target: Target, at: number): SqlError {
  const from = formatType(typeOnly(expression.type.oid));
  const to = formatType(typeOnly(target.type.oid));
  if (target.fail) return target.fail(from, to, at);
  return new SqlError('cannot_coerce', `cannot cast type ${from} to ${to}`, { position: at });
}

/** Where an expression begins in the text: `a` of `a + 1`. */
function leftmost(expression: Expression): number {
  let first = expression.at || Number.MAX_SAFE_INTEGER;
  const parts = Object.entries(expression).filter(([field]) => field !== 'plan' && field !== 'type');
  for (const part of parts.flatMap(([, value]) => value as unknown)) {
    if (typeof part !== 'object' || part === null || !('kind' in part && 'type' in part)) continue;
    first = Math.min(first, leftmost(part as Expression) || first);
  }
  return first === Number.MAX_SAFE_INTEGER ? 0 : first;
}

/** WHERE, AND, CASE WHEN …: @param what as PostgreSQL says it (`argument of WHERE`). */
export function coerceBoolean(state: State, expression: Expression, what: string): Expression {
  return coerce(state, expression, {
    type: BOOLEAN,
    context: 'assignment',
    fail: (from, _to, at) =>
      new SqlError('datatype_mismatch', `${what} must be type boolean, not type ${from}`, { position: at }),
  });
}

/** LIMIT, OFFSET, frame offsets. */
export function coerceInteger(state: State, expression: Expression, what: string): Expression {
  return coerce(state, expression, {
    type: typeOnly(OID.int8),
    context: 'assignment',
    fail: (from, _to, at) =>
      new SqlError('datatype_mismatch', `${what} must be type bigint, not type ${from}`, { position: at }),
  });
}

/** Literals and parameters that nothing has typed are text. */
export function settleUnknown(state: State, expression: Expression): Expression {
  if (expression.kind === 'row') {
    return { ...expression, fields: expression.fields.map((field) => settleUnknown(state, field)) };
  }
  return isUnknown(expression) ? coerce(state, expression, { type: TEXT, context: 'implicit' }) : expression;
}

/** All expressions as one type. @param what CASE, COALESCE, VALUES, UNION … for the error. */
export function unify(
  state: State,
  expressions: readonly Expression[],
  what: string,
): { readonly type: TypeRef; readonly expressions: readonly Expression[] } {
  const type = commonTypeOf(expressions, what);
  const unified = expressions.map((expression) =>
    coerce(state, expression, {
      type,
      context: 'implicit',
      fail: (from, to, at) =>
        new SqlError('cannot_coerce', `${what} could not convert type ${from} to ${to}`, { position: at }),
    }),
  );
  return { type, expressions: unified };
}

/** The common type, with the modifier when all have the same. */
export function commonTypeOf(expressions: readonly Expression[], what: string): TypeRef {
  const known = expressions.filter((expression) => !isUnknown(expression));
  const first = known[0];
  if (!first) return expressions.length === 0 ? UNKNOWN : TEXT;
  if (known.every((expression) => expression.type.oid === first.type.oid)) {
    const same = expressions.every((expression) => expression.type.modifier === first.type.modifier);
    return same ? first.type : typeOnly(first.type.oid);
  }
  let seen = first.type.oid;
  for (const expression of known) {
    seen = commonType([seen, expression.type.oid], what, leftmost(expression));
  }
  return typeOnly(seen);
}

/** Arrays of arrays are arrays of more dimensions. */
export function arrayTypeOf(element: TypeRef, at: number): TypeRef {
  if (
    findTypeByOid(element.oid)?.category === 'A' &&
    element.oid !== OID.int2vector &&
    element.oid !== OID.oidvector
  ) {
    return element;
  }
  const array = arrayOf(element.oid);
  if (array) return { oid: array.oid, modifier: element.modifier };
  throw new SqlError(
    'undefined_object',
    `could not find array type for data type ${formatType(typeOnly(element.oid))}`,
    { position: at },
  );
}
