/**
 * Undeclared columns of collections, and paths into them (`nest['x']['y']`): compared by value class (number, text,
 * boolean, time), where a mismatch is NULL and not an error; and the types that values written to them are kept in.
 * So is a path into any jsonb column with a value that PostgreSQL has no operator for: `meta['year'] > 1990`.
 */
import { SqlError } from '../../../errors.ts';
import { functionById } from '../../../functions/registry.ts';
import { OID } from '../../../types/oids.ts';
import { arrayOf, findTypeByOid } from '../../../types/registry.ts';
import type { TypeRef } from '../../../types/type.ts';
import { arrayTypeOf, coerce, isUnknown } from './coerce.ts';
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
  if (expression.kind === 'literal') return expression.absent !== undefined;
  if (isChoice(expression)) return choicesOf(expression).some((choice) => isUndeclared(level, choice));
  const column = pathBase(expression) ?? expression;
  return column.kind === 'column' && level.state.columns.get(column.id)?.undeclared === true;
}

/** True when its type is known only when a value is read. */
export function isMixed(level: Level, expression: Expression): boolean {
  if (expression.type.oid !== OID.jsonb) return false;
  if (isUndeclared(level, expression) || pathBase(expression) !== undefined) return true;
  return isChoice(expression) && choicesOf(expression).some((choice) => isMixed(level, choice));
}

type Choice = Extract<Expression, { kind: 'coalesce' | 'case' }>;

/** COALESCE and CASE over undeclared columns are as these. */
const isChoice = (expression: Expression): expression is Choice =>
  expression.kind === 'coalesce' || expression.kind === 'case';

function choicesOf(expression: Choice): readonly Expression[] {
  if (expression.kind === 'coalesce') return expression.args;
  const { branches, otherwise } = expression;
  return [...branches.map(({ then }) => then), ...(otherwise === null ? [] : [otherwise])];
}

const STEPS: ReadonlySet<string> = new Set(['->', '#>']);

/** Base of a path that gives jsonb; undefined where it is none. */
function pathBase(expression: Expression): Expression | undefined {
  let base = expression;
  while (base.kind === 'call' && base.type.oid === OID.jsonb && STEPS.has(functionById(base.function).name)) {
    base = base.args[0] as Expression;
  }
  return base === expression ? undefined : base;
}

/** True when both sides go by value class. */
export function goesByClass(level: Level, { operator, left, right }: Omit<Pair, 'at'>): boolean {
  if (isUndeclared(level, left) || isUndeclared(level, right)) return true;
  if (ARITHMETIC.has(operator) && isMixed(level, left) && isMixed(level, right)) return true;
  return isPathWith(operator, left, right.type) || isPathWith(operator, right, left.type, true);
}

/** The same where the right side is an array: one that is written, or a parameter. */
export function elementsGoByClass(level: Level, { operator, left, right }: Omit<Pair, 'at'>): boolean {
  if (isUndeclared(level, left) || isUndeclared(level, right)) return true;
  const element = findTypeByOid(right.type.oid)?.elementOid;
  return isPathWith(operator, left, typeOnly(element || OID.unknown));
}

/** A path into jsonb beside a value that is compared with none in PostgreSQL. */
function isPathWith(operator: string, path: Expression, type: TypeRef, isRight = false): boolean {
  if (path.type.oid !== OID.jsonb || pathBase(path) === undefined) return false;
  if (PATTERNS.has(operator)) return true;
  // `jsonb - integer` takes an element away.
  if (ARITHMETIC.has(operator)) {
    return valueClass(type) === 'number' && (operator !== '-' || isRight || !isPlace(type));
  }
  return COMPARISONS.has(operator) && type.oid !== OID.unknown && isClass(valueClass(type));
}

const isPlace = ({ oid }: TypeRef): boolean => oid === OID.int4 || oid === OID.int2;

const isClass = (one: ValueClass): one is keyof typeof READERS => Object.hasOwn(READERS, one);

export function valueClass(type: TypeRef): ValueClass {
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
  if (same) {
    if (readsAlike(pair.left, pair.right)) return pair2(pair.left, alike(level, pair.left, pair.right));
    if (readsAlike(pair.right, pair.left)) return pair2(alike(level, pair.right, pair.left), pair.right);
  }
  const left = typed(level, pair.left, { ...pair, other: pair.right });
  const right = typed(level, pair.right, { ...pair, other: pair.left });
  if (!left || !right) return literal(null, BOOLEAN, at);
  const wanted = PATTERNS.has(operator) ? 'text' : undefined;
  const leftClass = valueClass(left.type);
  const rightClass = valueClass(right.type);
  if (leftClass === 'other' || rightClass === 'other') return pair2(left, right);
  const isMoment = (one: ValueClass, other: ValueClass): boolean =>
    same && one === 'time' && other === 'number';
  if (isMoment(leftClass, rightClass)) return pair2(milliseconds(level, left), right);
  if (isMoment(rightClass, leftClass)) return pair2(left, milliseconds(level, right));
  const isAlike = leftClass === rightClass && !(ARITHMETIC.has(operator) && leftClass === 'json');
  if (isAlike && (wanted === undefined || leftClass === wanted)) return pair2(left, right);
  const other = leftClass === 'json' ? rightClass : leftClass;
  const target = wanted ?? (ARITHMETIC.has(operator) && other === 'json' ? 'number' : other);
  if (ARITHMETIC.has(operator) && target !== 'number') return pair2(left, right);
  const first = inClass(level, left, target);
  const second = inClass(level, right, target);
  return first && second ? pair2(first, second) : literal(null, BOOLEAN, at);
}

/** A time beside a number is the number that clients read it as. */
const milliseconds = (level: Level, time: Expression): Expression =>
  callFunction(level, { name: 'undeclared_milliseconds', args: [time], at: time.at ?? 0 });

/** A path says nothing of a type: a constant or parameter without one is read as what each document holds there. */
const readsAlike = (path: Expression, side: Expression): boolean =>
  isUnknown(side) && pathBase(path) !== undefined && !(side.kind === 'literal' && side.value === null);

function alike(level: Level, path: Expression, side: Expression): Expression {
  const text = coerce(level.state, side, { type: TEXT, context: 'implicit' });
  return callFunction(level, { name: 'undeclared_alike', args: [path, text], at: side.at ?? 0 });
}

function pair2(left: Expression, right: Expression): { left: Expression; right: Expression } {
  return { left, right };
}

/** A literal or parameter without a type takes the other side's, as far as it reads as such; a pattern is a text. */
function typed(
  level: Level,
  side: Expression,
  { operator, other }: { readonly operator: string; readonly other: Expression },
): Expression | undefined {
  if (!isUnknown(side) || isUnknown(other)) return side;
  if (other.type.oid === OID.jsonb && ARITHMETIC.has(operator)) {
    return coerce(level.state, side, { type: typeOnly(OID.numeric), context: 'implicit' });
  }
  if (other.type.oid === OID.jsonb || PATTERNS.has(operator))
    return coerce(level.state, side, { type: TEXT, context: 'implicit' });
  const own = typeOnly(other.type.oid);
  // '1.5' is a number beside integers, too.
  const types = valueClass(own) === 'number' ? [own, typeOnly(OID.numeric)] : [own];
  if (side.kind !== 'literal') return coerce(level.state, side, { type: own, context: 'implicit' });
  for (const type of types) {
    const read = readAs(level, side, type);
    if (read !== undefined) return read;
  }
  return undefined;
}

/** The classes that a value is read as, in the order in which functions are looked for. */
export const VALUE_CLASSES = ['number', 'text', 'boolean', 'time'] as const;

/** jsonb as values of the class, NULL for others. */
export function readAsClass(
  level: Level,
  value: Expression,
  target: (typeof VALUE_CLASSES)[number],
): Expression {
  return callFunction(level, { name: READERS[target], args: [value], at: value.at ?? 0 });
}

/** A constant that `contains()` looks for in a list: a text where it does not read as an element, which is in none then. */
export function wantedElement(level: Level, array: Expression, side: Expression): Expression {
  const element = findTypeByOid(array.type.oid)?.elementOid;
  if (!element || side.kind !== 'literal' || !isUnknown(side) || side.value === null) return side;
  return (
    readAs(level, side, typeOnly(element)) ?? coerce(level.state, side, { type: TEXT, context: 'implicit' })
  );
}

/** True for a column in which some documents hold lists, and others single values: jsonb, which has an element or is it. */
export function isMixedList(level: Level, array: Expression): boolean {
  return array.type.oid === OID.jsonb && isUndeclared(level, array);
}

/** Undefined for a constant that does not read as the type. */
function readAs(level: Level, side: Expression, type: TypeRef): Expression | undefined {
  try {
    return coerce(level.state, side, { type, context: 'implicit' });
  } catch (error) {
    if (error instanceof SqlError) return undefined;
    throw error;
  }
}

/** A path beside several constants without a type: by each class that its values may have; null: by one. */
export function alikeElements(
  level: Level,
  { operator, left, right: array, at }: Pair,
): readonly { readonly left: Expression; readonly right: Expression }[] | null {
  if (!COMPARISONS.has(operator) || !readsAlike(left, array)) return null;
  const texts = coerce(level.state, array, { type: arrayTypeOf(TEXT, at), context: 'implicit' });
  const call = (name: string, arg: Expression): Expression => callFunction(level, { name, args: [arg], at });
  return [
    pair2(call(READERS.text, left), texts),
    pair2(call(READERS.number, left), call('undeclared_numbers', texts)),
    pair2(call(READERS.boolean, left), call('undeclared_booleans', texts)),
  ];
}

/** `left op ANY (array)` by the class of the elements; NULL where it is not the other side's. */
export function elementsByValueClass(
  level: Level,
  { operator, left, right: array, at }: Pair,
): Expression | { readonly left: Expression; readonly right: Expression } {
  const element = isUnknown(left) || left.type.oid === OID.jsonb || PATTERNS.has(operator) ? TEXT : left.type;
  const wanted = typeOnly(arrayOf(element.oid)?.oid ?? OID.anyarray);
  const isConstant = isUnknown(array) && array.kind === 'literal';
  const typedArray = isConstant
    ? readAs(level, array, wanted)
    : isUnknown(array)
      ? coerce(level.state, array, { type: wanted, context: 'implicit' })
      : array;
  if (typedArray === undefined) return literal(null, BOOLEAN, at);
  const type = findTypeByOid(typedArray.type.oid)?.elementOid;
  if (!type) return pair2(left, typedArray);
  const side = isUnknown(left)
    ? coerce(level.state, left, { type: typeOnly(type), context: 'implicit' })
    : left;
  const target = valueClass(typeOnly(type));
  if (!isClass(target) || valueClass(side.type) === 'other') return pair2(side, typedArray);
  const adapted = inClass(level, side, target);
  return adapted === undefined ? literal(null, BOOLEAN, at) : pair2(adapted, typedArray);
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
