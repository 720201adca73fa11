/**
 * Binds scalar expressions: one table over the kinds of the syntax tree. Operators, functions, aggregates, ranking and
 * subqueries are in files of their own. Follows PostgreSQL's parse_expr.c.
 */
import { notSupported, SqlError } from '../../../errors.ts';
import { OID } from '../../../types/oids.ts';
import { findTypeByOid, formatType } from '../../../types/registry.ts';
import type { Expr } from '../../ast.ts';
import { bindGrouping } from './aggregate.ts';
import { arrayTypeOf, coerce, coerceBoolean, isUnknown, parameter, settleUnknown, unify } from './coerce.ts';
import { BOOLEAN, branch, type Expression, integerLiteral, isNull, literal, UNKNOWN } from '../draft.ts';
import { checkOrder } from '../equality.ts';
import { alikeWithMixed } from './mixed.ts';
import { bindFunction } from './functions.ts';
import { callFunction } from './arguments.ts';
import { checkCollation, typeOf } from '../names.ts';
import {
  bindBetween,
  bindDistinct,
  bindIn,
  bindInConstants,
  bindLike,
  bindOperator,
  bindQuantified,
  compare,
  noValue,
} from './operators.ts';
import { fieldNamed, rowTypeFields } from './record.ts';
import { castToRow } from './row-cast.ts';
import { expandStar, resolveColumn, resolveItem, wholeRow } from '../scope.ts';
import type { Level } from '../level.ts';
import { located, typeOnly } from '../state.ts';
import { bindSubquery } from './subquery.ts';
import { constantsOf } from './constants.ts';
import { bindSubscript } from './subscripts.ts';
import { bindExpression } from '../context.ts';

/** Binds one expression; unknown literals and parameters may still be of type unknown. */
export function bindAnyExpression(level: Level, expr: Expr): Expression {
  const bind = BINDERS[expr.kind] as (level: Level, expr: Expr) => Expression;
  const bound = bind(level, expr);
  const { trace } = level.state;
  if (trace && !trace.bound.has(expr)) trace.bound.set(expr, bound);
  return bound;
}

const BINDERS: { readonly [K in Expr['kind']]: (level: Level, expr: Expr & { kind: K }) => Expression } = {
  integer: (_, { text, at }) => integerLiteral(text, at),
  decimal: (level, { text, at }) => parsedLiteral(level, text, OID.numeric, at),
  string: (_, { value, at }) => literal(value, UNKNOWN, at),
  bits: (level, { value, at }) => parsedLiteral(level, value, OID.bit, at),
  boolean: (_, { value, at }) => literal(value, BOOLEAN, at),
  null: (_, { at }) => literal(null, UNKNOWN, at),
  slot: (level, { column }) => constantsOf(level, column),
  default: (_, { at }) => {
    throw new SqlError('syntax_error', 'DEFAULT is not allowed in this context', { position: at });
  },
  parameter: ({ state }, { number, at }) => parameter(state, number, at),
  column: (level, { path, at }) => resolveColumn(level, path, at),
  star: (level, { path, at }) => bindRowStar(level, path, at),
  operator: bindOperator,
  and: bindLogical,
  or: bindLogical,
  not: bindNot,
  is: bindTest,
  distinct: bindDistinct,
  'in constants': bindInConstants,
  in: bindIn,
  like: bindLike,
  between: bindBetween,
  quantified: bindQuantified,
  case: bindCase,
  coalesce: bindVariadic,
  greatest: bindVariadic,
  least: bindVariadic,
  nullif: bindNullif,
  cast: bindCast,
  collate: bindCollate,
  function: bindFunction,
  array: bindArray,
  row: bindRow,
  subscript: bindSubscript,
  field: bindField,
  subquery: bindSubquery,
  grouping: bindGrouping,
  special: bindSpecial,
  'current of': (_, { at }) => {
    throw notSupported('WHERE CURRENT OF', { position: at });
  },
};

type Of<K extends Expr['kind']> = Extract<Expr, { kind: K }>;

function parsedLiteral(level: Level, text: string, oid: number, at: number): Expression {
  return coerce(level.state, literal(text, UNKNOWN, at), { type: typeOnly(oid), context: 'explicit' });
}

/** AND and OR as the grammar nests them, made flat so that long chains do not recurse. */
function bindLogical(level: Level, expr: Of<'and' | 'or'>): Expression {
  const what = `argument of ${expr.kind.toUpperCase()}`;
  const args = expr.args.map((arg) => coerceBoolean(level.state, bindExpression(level, arg), what));
  return { kind: expr.kind, args, type: BOOLEAN, at: expr.at };
}

/** NOT IN and NOT EXISTS are kept in the subquery, where the optimizer finds anti joins. */
function bindNot(level: Level, expr: Of<'not'>): Expression {
  const input = coerceBoolean(level.state, bindExpression(level, expr.input), 'argument of NOT');
  if (input.kind === 'subquery' && (input.form === 'in' || input.form === 'exists')) {
    return { ...input, negated: !input.negated };
  }
  return { kind: 'not', input, type: BOOLEAN, at: expr.at };
}

function bindTest(level: Level, expr: Of<'is'>): Expression {
  const bound = bindExpression(level, expr.input);
  const { test, negated, at } = expr;
  if (test === 'null') return bindNullTest(bound, negated, at);
  const what = `argument of IS ${negated ? 'NOT ' : ''}${test.toUpperCase()}`;
  return { kind: 'is', input: coerceBoolean(level.state, bound, what), test, negated, type: BOOLEAN, at };
}

/** A row is null when every field is, and not null when no field is; a field that is a row of NULLs is none. */
function bindNullTest(bound: Expression, negated: boolean, at: number): Expression {
  if (bound.kind === 'row' && bound.fields.length > 0) {
    const tests = bound.fields.map((field) => noValue(field, negated));
    return { kind: 'and', args: tests, type: BOOLEAN, at };
  }
  return { kind: 'is', input: bound, test: 'null', negated, type: BOOLEAN, at };
}

function bindCase(level: Level, expr: Of<'case'>): Expression {
  const state = level.state;
  const operand = expr.operand && bindExpression(level, expr.operand);
  const whens = expr.branches.map((branch) => {
    const when = bindExpression(level, branch.when);
    if (!operand) return coerceBoolean(state, when, 'argument of CASE/WHEN');
    return compare(level, { operator: '=', left: operand, right: when, at: branch.when.at });
  });
  const thens = expr.branches.map((branch) => bindExpression(level, branch.then));
  const otherwise = expr.otherwise && bindExpression(level, expr.otherwise);
  // PostgreSQL looks at ELSE first, so that its position is not the one blamed.
  const results = alikeWithMixed(level, [otherwise ?? literal(null, UNKNOWN), ...thens], expr.at);
  const unified = unify(state, results, 'CASE');
  const branches = whens.map((when, i) => branch(when, unified.expressions[i + 1] ?? when));
  return {
    kind: 'case',
    branches,
    otherwise: otherwise ? (unified.expressions[0] ?? null) : null,
    type: unified.type,
    at: expr.at,
  };
}

/**
 * `CASE WHEN a = b THEN NULL ELSE a END`, by the standard's own definition; `a` as it is compared, but for dates
 * and times, which PostgreSQL compares as they are.
 */
function bindNullif(level: Level, expr: Of<'nullif'>): Expression {
  const { at } = expr;
  const left = settleUnknown(level.state, bindExpression(level, expr.left));
  const right = bindExpression(level, expr.right);
  const when = compare(level, { operator: '=', left, right, at });
  const times = findTypeByOid(left.type.oid)?.category === 'D';
  const value = (!times && when.kind === 'call' && when.args[0]) || left;
  const branches = [branch(when, literal(null, value.type))];
  return { kind: 'case', branches, otherwise: value, type: value.type, at };
}

function bindVariadic(level: Level, expr: Of<'coalesce' | 'greatest' | 'least'>): Expression {
  const args = expr.args.map((arg) => bindExpression(level, arg));
  const bound = alikeWithMixed(level, args, expr.at);
  const { type, expressions } = unify(level.state, bound, expr.kind.toUpperCase());
  if (expr.kind === 'coalesce') return { kind: 'coalesce', args: expressions, type, at: expr.at };
  checkOrder(type);
  if (findTypeByOid(type.oid)?.category === 'A') return extremeArray(level, expr, expressions);
  const values: Expression = {
    kind: 'array',
    elements: expressions,
    type: arrayTypeOf(type, expr.at),
    at: expr.at,
  };
  const name = expr.kind === 'greatest' ? 'greatest_of' : 'least_of';
  return { ...callFunction(level, { name, args: [values], at: expr.at }), type };
}

/** Arrays are compared two at a time: an array of them would be one of more dimensions. */
function extremeArray(
  level: Level,
  { kind, at }: Of<'coalesce' | 'greatest' | 'least'>,
  values: readonly Expression[],
): Expression {
  const operator = kind === 'greatest' ? '>=' : '<=';
  return values.reduce((left, right) => ({
    kind: 'case',
    branches: [
      branch(isNull(left), right),
      branch(isNull(right), left),
      branch(compare(level, { operator, left, right, at }), left),
    ],
    otherwise: right,
    type: left.type,
    at,
  }));
}

/** Every collation there is compares bytes, so that the value stays as it is. */
function bindCollate(level: Level, expr: Of<'collate'>): Expression {
  const input = bindExpression(level, expr.input);
  const category = findTypeByOid(input.type.oid)?.category;
  if (!isUnknown(input) && category !== 'S' && category !== 'A') {
    const type = formatType(typeOnly(input.type.oid));
    throw new SqlError('datatype_mismatch', `collations are not supported by type ${type}`, {
      position: expr.at,
    });
  }
  checkCollation(expr.collation, expr.at);
  return input;
}

function bindCast(level: Level, expr: Of<'cast'>): Expression {
  const fields = rowTypeFields(level.state, expr.type);
  if (fields) return castToRow(level.state, bindExpression(level, expr.input), { ...expr, fields });
  const type = located(expr.type.at, () => typeOf(level.state.context, expr.type));
  const input = isEmptyArray(expr.input) ? emptyArray(expr.input.at) : bindExpression(level, expr.input);
  const undeclared = input.kind === 'column' && level.state.columns.get(input.id)?.undeclared;
  if (undeclared && input.type.oid === OID.jsonb && type.oid !== OID.jsonb) {
    const text = callFunction(level, { name: 'undeclared_cast', args: [input], at: expr.at });
    return coerce(level.state, text, { type, context: 'explicit', at: expr.at });
  }
  return coerce(level.state, input, { type, context: 'explicit', at: expr.at });
}

/** `ARRAY[]`, `ARRAY[[], []]`. */
const isEmptyArray = (expr: Expr): boolean => expr.kind === 'array' && expr.elements.every(isEmptyArray);

function emptyArray(at: number): Expression {
  return { kind: 'array', elements: [], type: typeOnly(OID.anyarray), at };
}

function bindArray(level: Level, expr: Of<'array'>): Expression {
  if (expr.elements.length === 0) {
    throw new SqlError('indeterminate_datatype', 'cannot determine type of empty array', {
      position: expr.at,
      hint: 'Explicitly cast to the desired type, for example ARRAY[]::integer[].',
    });
  }
  const bound = expr.elements.map((element) => bindExpression(level, element));
  const { type, expressions } = unify(level.state, bound, 'ARRAY');
  return { kind: 'array', elements: expressions, type: arrayTypeOf(type, expr.at), at: expr.at };
}

function bindRow(level: Level, expr: Of<'row'>): Expression {
  const fields = expr.fields.flatMap((field) => {
    if (field.kind !== 'star') return [bindExpression(level, field)];
    return expandStar(level, field.path, field.at).map(({ expression }) => expression);
  });
  return { kind: 'row', fields, type: typeOnly(OID.record), at: expr.at };
}

function bindRowStar(level: Level, path: readonly string[], at: number): Expression {
  const item = path.length > 0 ? resolveItem(level, path, at) : undefined;
  if (!item) {
    throw new SqlError('syntax_error', 'row expansion via "*" is not supported here', { position: at });
  }
  return wholeRow(level, item, at);
}

function bindField(level: Level, expr: Of<'field'>): Expression {
  const row = bindExpression(level, expr.input);
  if (expr.input.kind === 'column' && (row.kind === 'row' || row.kind === 'case')) {
    return resolveColumn(level, [...expr.input.path, expr.field], expr.at);
  }
  return { ...fieldNamed(level.state, row, { name: expr.field, at: expr.at }), at: expr.at };
}

/** CURRENT_DATE and its kin are functions of the registry by their lower-case names. */
function bindSpecial(level: Level, expr: Of<'special'>): Expression {
  if (expr.name === 'merge_action') return mergeAction(level, expr.at);
  const call = callFunction(level, { name: expr.name, args: [], at: expr.at });
  if (expr.precision === null) return call;
  return coerce(level.state, call, {
    type: { oid: call.type.oid, modifier: expr.precision },
    context: 'explicit',
  });
}

/** @throws SqlError 42601 outside of a MERGE's RETURNING. */
function mergeAction(level: Level, position: number): Expression {
  for (let scope: Level | null = level; scope; scope = scope.parent) {
    if (scope.mergeAction) return { ...scope.mergeAction, at: position };
  }
  const message = 'MERGE_ACTION() can only be used in the RETURNING list of a MERGE command';
  throw new SqlError('syntax_error', message, { position });
}
