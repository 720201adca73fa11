/**
 * `a[1][2]`, `a[1:2]` and `j['key']`, read and assigned. Follows PostgreSQL's parse_node.c
 * (transformContainerSubscripts) and arraysubs.c.
 */
import { SqlError } from '../../../errors.ts';
import { arrayDatum } from '../../../types/composite/array.ts';
import { OID } from '../../../types/oids.ts';
import { findTypeByOid, formatType } from '../../../types/registry.ts';
import type { TypeRef } from '../../../types/type.ts';
import type { Expr, Subscript } from '../../ast.ts';
import { arrayTypeOf, coerce, isUnknown } from './coerce.ts';
import { BOOLEAN, type Expression, INTEGER, literal, TEXT } from '../draft.ts';
import { bindExpression } from '../context.ts';
import { callFunction } from './arguments.ts';
import { compare } from './operators.ts';
import type { Level } from '../level.ts';
import { typeOnly } from '../state.ts';

type SubscriptExpr = Extract<Expr, { kind: 'subscript' }>;

/** All subscripts in a row are one access; with a slice among them all are slices. */
export function bindSubscript(level: Level, expr: SubscriptExpr): Expression {
  const steps: Subscript[] = [];
  let container: Expr = expr;
  let more = true;
  while (more && container.kind === 'subscript') {
    steps.unshift(container);
    more = container.continues;
    container = container.input;
  }
  const input = bindExpression(level, container);
  const { at } = expr;
  if (input.type.oid === OID.jsonb) {
    return steps.reduce((value, step) => jsonSubscript(level, value, { step, at }), input);
  }
  const [only] = steps;
  if (input.type.oid === OID.name && only?.lower && !only.slice && steps.length === 1) {
    return characterAt(level, input, { key: bindExpression(level, only.lower), at });
  }
  const type = elementType(input);
  if (steps.some(({ slice }) => slice)) {
    const { lower, upper, given } = boundsOf(level, steps);
    const args = [input, lower, upper, given];
    return { ...callFunction(level, { name: 'array_slice', args, at }), type: input.type };
  }
  const indexes = steps.flatMap(({ lower }) => (lower ? [arrayIndex(level, lower)] : []));
  return { ...callFunction(level, { name: 'array_subscript', args: [input, ...indexes], at }), type };
}

/** A name is an array of its bytes, counted from 0. */
function characterAt(
  level: Level,
  input: Expression,
  { key, at }: { readonly key: Expression; readonly at: number },
): Expression {
  const one = literal(1, INTEGER);
  const place = compare(level, { operator: '+', left: asIndex(level, key), right: one, at });
  const text = coerce(level.state, input, { type: TEXT, context: 'implicit' });
  const character = callFunction(level, { name: 'substring', args: [text, place, one], at });
  return coerce(level.state, character, { type: typeOnly(OID.char), context: 'explicit' });
}

interface BoundSlice {
  readonly lower: Expression;
  readonly upper: Expression;
  /** A letter for each dimension: which of its bounds are written (`value/subscript.ts`). */
  readonly given: Expression;
}

/** `[i]` beside slices is `[1:i]`. */
function boundsOf(level: Level, steps: readonly Subscript[]): BoundSlice {
  const none = literal(null, INTEGER);
  const bounds = steps.map(({ slice, lower, upper }) => {
    const first = lower ? arrayIndex(level, lower) : none;
    if (!slice) return { lower: literal(1, INTEGER), upper: first, letter: 'b' };
    const last = upper ? arrayIndex(level, upper) : none;
    return { lower: first, upper: last, letter: lower ? (upper ? 'b' : 'l') : upper ? 'u' : 'n' };
  });
  return {
    lower: integers(bounds.map((bound) => bound.lower)),
    upper: integers(bounds.map((bound) => bound.upper)),
    given: literal(bounds.map(({ letter }) => letter).join(''), TEXT),
  };
}

const integers = (elements: readonly Expression[]): Expression => ({
  kind: 'array',
  elements,
  type: arrayTypeOf(INTEGER, 0),
});

/** @throws SqlError 42804 for what has no elements. */
function elementType(input: Expression, at = 0): TypeRef {
  const element = findTypeByOid(input.type.oid)?.elementOid;
  if (element) return { oid: element, modifier: input.type.modifier };
  throw new SqlError(
    'datatype_mismatch',
    `cannot subscript type ${formatType(typeOnly(input.type.oid))} because it does not support subscripting`,
    { position: input.at || at },
  );
}

const arrayIndex = (level: Level, key: Expr): Expression => asIndex(level, bindExpression(level, key));

function asIndex(level: Level, key: Expression): Expression {
  const fail = (): SqlError =>
    new SqlError('datatype_mismatch', 'array subscript must have type integer', { position: key.at });
  return coerce(level.state, key, { type: INTEGER, context: 'assignment', fail });
}

function jsonSubscript(
  level: Level,
  input: Expression,
  { step, at }: { readonly step: Subscript; readonly at: number },
): Expression {
  if (step.slice || !step.lower) throw noJsonSlice((step.upper ?? step.lower)?.at ?? at);
  const key = bindExpression(level, step.lower);
  const typed = isUnknown(key) ? coerce(level.state, key, { type: TEXT, context: 'implicit' }) : key;
  if (!mayBePlace(typed)) return compare(level, { operator: '->', left: input, right: typed, at });
  const path: Expression = { kind: 'array', elements: [typed], type: arrayTypeOf(TEXT, at) };
  return compare(level, { operator: '#>', left: input, right: path, at });
}

/** A text that reads as a number is a place where there is an array. */
const mayBePlace = (key: Expression): boolean =>
  key.type.oid === OID.text && !(key.kind === 'literal' && !/^\s*[+-]?\d+$/.test(String(key.value)));

// ───────────────────────────── assignment ─────────────────────────────

/** Type of a value assigned to these elements. @throws SqlError 42804. */
function assignedType({ base, steps, at }: Elements): TypeRef {
  const element = elementType(base, at);
  return steps.some(({ slice }) => slice) ? base.type : element;
}

interface Elements {
  readonly column: string;
  /** The array before; NULL is one without elements. */
  readonly base: Expression;
  readonly steps: readonly Subscript[];
  readonly value: Expression;
  readonly at: number;
}

/** Assigned value, of the elements' type. @throws SqlError 42804, 0A000. */
export function elementValue(level: Level, elements: Elements): Expression {
  const { base, column, value, at } = elements;
  const what = `subscripted assignment to "${column}"`;
  return coerce(level.state, value, {
    type: base.type.oid === OID.jsonb ? base.type : assignedType(elements),
    context: 'assignment',
    fail: (from, to) =>
      new SqlError('datatype_mismatch', `${what} requires type ${to} but expression is of type ${from}`, {
        position: at || undefined,
        hint: 'You will need to rewrite or cast the expression.',
      }),
  });
}

/** The array with other elements. @throws SqlError 42804, 0A000. */
export function assignElements(level: Level, elements: Elements): Expression {
  const { base, steps, at } = elements;
  const value = elementValue(level, elements);
  if (base.type.oid === OID.jsonb) return assignJson(level, { base, steps, value, at });
  const empty = literal(arrayDatum(elementType(base).oid, []), base.type);
  const array: Expression = { kind: 'coalesce', args: [base, empty], type: base.type };
  const slice = steps.some((step) => step.slice);
  const bounds = slice ? Object.values(boundsOf(level, steps)) : [indexes(level, steps)];
  const name = slice ? 'array_assign_slice' : 'array_assign';
  return { ...callFunction(level, { name, args: [array, value, ...bounds], at }), type: base.type };
}

/** A number among the subscripts is a place of an array. @throws SqlError 0A000 for slices. */
function assignJson(level: Level, { base, steps, value, at }: Omit<Elements, 'column'>): Expression {
  const keys = steps.map((step) => {
    if (step.slice || !step.lower) throw noJsonSlice((step.upper ?? step.lower)?.at ?? at);
    return bindExpression(level, step.lower);
  });
  const path = keys.map((key) => coerce(level.state, key, { type: TEXT, context: 'explicit' }));
  const [first] = keys;
  const isPlace = first !== undefined && findTypeByOid(first.type.oid)?.category === 'N';
  const array: Expression = { kind: 'array', elements: path, type: arrayTypeOf(TEXT, at) };
  const args = [base, value, array, literal(isPlace, BOOLEAN)];
  return callFunction(level, { name: 'jsonb_assign', args, at });
}

const noJsonSlice = (position: number): SqlError =>
  new SqlError('datatype_mismatch', 'jsonb subscript does not support slices', { position });

const indexes = (level: Level, steps: readonly Subscript[]): Expression =>
  integers(steps.flatMap(({ lower }) => (lower ? [arrayIndex(level, lower)] : [])));
