/** Array functions and operators. Source: PostgreSQL 18, section 9.19 "Array Functions and Operators". */
import { SqlError } from '../../errors.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import { noEquality } from '../../types/type-errors.ts';
import type { Operator, ScalarFunction } from '../function.ts';

type Key = string | number | bigint | boolean;

/** Equality of elements by their type's hash key. @throws SqlError 42883 for those that cannot be equal. */
function keyOf(array: ArrayDatum): (element: Datum) => Key | null {
  const type = typeByOid(array.elementType);
  const { hashKey } = type;
  if (hashKey === undefined) throw noEquality(type);
  return (element) => (element === null ? null : hashKey(element));
}

function keysOf(array: ArrayDatum): Set<Key | null> {
  return new Set(array.elements.map(keyOf(array)));
}

/** NULLs are equal to nothing, so they are never contained. */
function contains(a: ArrayDatum, b: ArrayDatum): boolean {
  const keys = keysOf(a);
  const key = keyOf(b);
  return b.elements.every((element) => element !== null && keys.has(key(element)));
}

function overlaps(a: ArrayDatum, b: ArrayDatum): boolean {
  const keys = keysOf(a);
  const key = keyOf(b);
  return b.elements.some((element) => element !== null && keys.has(key(element)));
}

/** One-dimensional, with the lower bound of the original. */
function rebuilt(array: ArrayDatum, elements: readonly Datum[]): ArrayDatum {
  const made = arrayDatum(array.elementType, elements);
  const lowerBound = array.dimensions[0]?.lowerBound ?? 1;
  return { ...made, dimensions: made.dimensions.map(({ length }) => ({ length, lowerBound })) };
}

function concatenate(a: ArrayDatum | null, b: ArrayDatum | null): ArrayDatum | null {
  if (a === null || b === null) return a ?? b;
  if (a.dimensions.length === 0) return b;
  if (b.dimensions.length === 0) return a;
  const elements = [...a.elements, ...b.elements];
  const [firstA, ...innerA] = a.dimensions;
  const [firstB, ...innerB] = b.dimensions;
  const sameShape = (x: ArrayDatum['dimensions'], y: ArrayDatum['dimensions']): boolean =>
    x.length === y.length &&
    x.every(({ length, lowerBound: first }, i) => length === y[i]?.length && first === y[i]?.lowerBound);
  const lowerBound = firstA?.lowerBound ?? 1;
  if (sameShape(innerA, innerB)) {
    const length = (firstA?.length ?? 0) + (firstB?.length ?? 0);
    return { ...a, elements, dimensions: [{ length, lowerBound }, ...innerA] };
  }
  if (sameShape(innerA, b.dimensions)) {
    return { ...a, elements, dimensions: [{ length: (firstA?.length ?? 0) + 1, lowerBound }, ...innerA] };
  }
  if (sameShape(a.dimensions, innerB)) {
    return { ...b, elements, dimensions: [{ length: (firstB?.length ?? 0) + 1, lowerBound: 1 }, ...innerB] };
  }
  throw new SqlError('array_subscript_error', 'cannot concatenate incompatible arrays', {
    detail: 'Arrays with differing dimensions are not compatible for concatenation.',
  });
}

function onlyOneDimension(array: ArrayDatum, what: string): void {
  if (array.dimensions.length > 1) {
    throw new SqlError('feature_not_supported', `${what} multidimensional arrays is not supported`);
  }
}

/** Where a value is, by subscript; NULL can be searched for. */
function positionsOf(array: ArrayDatum, value: Datum, from = Number.NEGATIVE_INFINITY): number[] {
  onlyOneDimension(array, 'searching for elements in');
  const key = keyOf(array);
  const wanted = key(value);
  const lowerBound = array.dimensions[0]?.lowerBound ?? 1;
  return array.elements.flatMap((element, i) => {
    return key(element) === wanted && i + lowerBound >= from ? [i + lowerBound] : [];
  });
}

function withoutValue(array: ArrayDatum | null, value: Datum): ArrayDatum | null {
  if (array === null) return null;
  onlyOneDimension(array, 'removing elements from');
  const key = keyOf(array);
  const wanted = key(value);
  return rebuilt(
    array,
    array.elements.filter((element) => key(element) !== wanted),
  );
}

function replaceValue(array: ArrayDatum | null, from: Datum, to: Datum): ArrayDatum | null {
  if (array === null) return null;
  const key = keyOf(array);
  const wanted = key(from);
  return { ...array, elements: array.elements.map((element) => (key(element) === wanted ? to : element)) };
}

const dimension = (array: ArrayDatum, number: number): ArrayDatum['dimensions'][number] | undefined =>
  number < 1 ? undefined : array.dimensions[number - 1];

/** @throws SqlError 22000 for an array of several dimensions. */
function checkFlat({ dimensions }: ArrayDatum): void {
  if (dimensions.length <= 1) return;
  throw new SqlError('data_exception', 'argument must be empty or one-dimensional array');
}

function append(array: ArrayDatum, value: Datum): ArrayDatum {
  checkFlat(array);
  return rebuilt(array, [...array.elements, value]);
}

/** The lower bound stays. */
function prepend(value: Datum, array: ArrayDatum): ArrayDatum {
  checkFlat(array);
  return rebuilt(array, [value, ...array.elements]);
}

const dims = (array: ArrayDatum): string | null =>
  array.dimensions.length === 0
    ? null
    : array.dimensions.map(({ length, lowerBound }) => `[${lowerBound}:${lowerBound + length - 1}]`).join('');

type Evaluate = NonNullable<ScalarFunction['evaluate']>;

/** `signature` is `name(arg, …) result`. */
function row(
  signature: string,
  summary: string,
  example: ScalarFunction['example'],
  evaluate: Evaluate,
  strict: boolean | 'empty for NULL' = true,
): ScalarFunction {
  const [, name = '', args = '', returns = ''] = /^(\w+)\(([^)]*)\) (\S+)$/.exec(signature) ?? [];
  const nulls = strict === true ? {} : { strict: false, ...(strict && { emptyForNull: true as const }) };
  return { name, args: args.split(', '), returns, summary, example, evaluate, ...nulls };
}

const AC = 'anycompatiblearray';

/** They look at the dimensions alone. */
const MEASURES: ReadonlySet<string> = new Set([
  'array_length',
  'array_lower',
  'array_upper',
  'array_ndims',
  'array_dims',
  'cardinality',
]);

export const ARRAY_FUNCTIONS: readonly ScalarFunction[] = [
  row(
    'array_length(anyarray, int4) int4',
    'The length of a dimension.',
    ['SELECT array_length(ARRAY[1,2,3], 1)', '3'],
    (a: ArrayDatum, n: number) => dimension(a, n)?.length ?? null,
  ),
  row(
    'array_lower(anyarray, int4) int4',
    'The lower bound of a dimension.',
    ["SELECT array_lower('[0:2]={1,2,3}'::int4[], 1)", '0'],
    (a: ArrayDatum, n: number) => dimension(a, n)?.lowerBound ?? null,
  ),
  row(
    'array_upper(anyarray, int4) int4',
    'The upper bound of a dimension.',
    ['SELECT array_upper(ARRAY[1,8,3,7], 1)', '4'],
    (a: ArrayDatum, n: number) => {
      const found = dimension(a, n);
      return found === undefined ? null : found.lowerBound + found.length - 1;
    },
  ),
  row(
    'array_ndims(anyarray) int4',
    'The number of dimensions.',
    ['SELECT array_ndims(ARRAY[[1,2,3],[4,5,6]])', '2'],
    (a: ArrayDatum) => a.dimensions.length || null,
  ),
  row(
    'array_dims(anyarray) text',
    'The dimensions as text.',
    ['SELECT array_dims(ARRAY[[1,2,3],[4,5,6]])', '[1:2][1:3]'],
    dims,
  ),
  row(
    'cardinality(anyarray) int4',
    'The number of elements.',
    ['SELECT cardinality(ARRAY[[1,2],[3,4]])', '4'],
    (a: ArrayDatum) => a.elements.length,
  ),
  row(
    `array_append(${AC}, anycompatible) ${AC}`,
    'The array with a value at its end.',
    ['SELECT array_append(ARRAY[1,2], 3)', '{1,2,3}'],
    append,
    'empty for NULL',
  ),
  row(
    `array_prepend(anycompatible, ${AC}) ${AC}`,
    'The array with a value before its start.',
    ['SELECT array_prepend(1, ARRAY[2,3])', '{1,2,3}'],
    prepend,
    'empty for NULL',
  ),
  row(
    `array_cat(${AC}, ${AC}) ${AC}`,
    'One array after the other.',
    ['SELECT array_cat(ARRAY[1,2,3], ARRAY[4,5])', '{1,2,3,4,5}'],
    concatenate,
    false,
  ),
  row(
    `array_position(${AC}, anycompatible) int4`,
    'Where a value is first.',
    ["SELECT array_position(ARRAY['sun','mon','tue'], 'mon')", '2'],
    (a: ArrayDatum | null, v: Datum) => (a === null ? null : (positionsOf(a, v)[0] ?? null)),
    false,
  ),
  row(
    `array_position(${AC}, anycompatible, int4) int4`,
    'Where a value is first from a subscript on.',
    ["SELECT array_position(ARRAY['a','b','a'], 'a', 2)", '3'],
    (a: ArrayDatum | null, v: Datum, from: number) =>
      a === null ? null : (positionsOf(a, v, from)[0] ?? null),
    false,
  ),
  row(
    `array_positions(${AC}, anycompatible) _int4`,
    'Every place where a value is.',
    ["SELECT array_positions(ARRAY['A','A','B','A'], 'A')", '{1,2,4}'],
    (a: ArrayDatum | null, v: Datum) => (a === null ? null : arrayDatum(OID.int4, positionsOf(a, v))),
    false,
  ),
  row(
    `array_remove(${AC}, anycompatible) ${AC}`,
    'The array without a value.',
    ['SELECT array_remove(ARRAY[1,2,3,2], 2)', '{1,3}'],
    withoutValue,
    false,
  ),
  row(
    `array_replace(${AC}, anycompatible, anycompatible) ${AC}`,
    'The array with a value replaced.',
    ['SELECT array_replace(ARRAY[1,2,5,4], 5, 3)', '{1,2,3,4}'],
    replaceValue,
    false,
  ),
  row(
    'array_fields(anyarray) record',
    'The elements as fields of a row: what VARIADIC gives to a function of any types.',
    ["SELECT array_fields(ARRAY['a', 'b'])", '(a,b)'],
    ({ elementType, elements }: ArrayDatum) => {
      return { datum: 'record', types: elements.map(() => elementType), fields: elements };
    },
  ),
].map((each) => (MEASURES.has(each.name) ? { ...each, effort: 0 } : each));

function test(name: string, summary: string, example: string, evaluate: Evaluate): Operator {
  return {
    name,
    left: 'anyarray',
    right: 'anyarray',
    returns: 'bool',
    summary,
    example: [`SELECT ${example}`, 't'],
    evaluate,
  };
}

export const ARRAY_OPERATORS: readonly Operator[] = [
  {
    ...test(
      '@>',
      'Whether the left array has every element of the right one.',
      'ARRAY[1,4,3] @> ARRAY[3,1,3]',
      contains,
    ),
    commutator: '<@',
  },
  {
    ...test(
      '<@',
      'Whether the right array has every element of the left one.',
      'ARRAY[2,2,7] <@ ARRAY[1,7,4,2,6]',
      (a: ArrayDatum, b: ArrayDatum) => contains(b, a),
    ),
    commutator: '@>',
  },
  {
    ...test('&&', 'Whether the arrays have an element in common.', 'ARRAY[1,4,3] && ARRAY[2,1]', overlaps),
    commutator: '&&',
  },
  {
    name: '||',
    left: AC,
    right: AC,
    returns: AC,
    strict: false,
    summary: 'One array after the other.',
    example: ['SELECT ARRAY[1,2,3] || ARRAY[4,5]', '{1,2,3,4,5}'],
    evaluate: concatenate,
  },
  {
    name: '||',
    left: AC,
    right: 'anycompatible',
    returns: AC,
    strict: false,
    summary: 'The array with a value at its end.',
    example: ['SELECT ARRAY[1,2] || 3', '{1,2,3}'],
    emptyForNull: true,
    evaluate: append,
  },
  {
    name: '||',
    left: 'anycompatible',
    right: AC,
    returns: AC,
    strict: false,
    summary: 'The array with a value before its start.',
    example: ['SELECT 1 || ARRAY[2,3]', '{1,2,3}'],
    emptyForNull: true,
    evaluate: prepend,
  },
];
