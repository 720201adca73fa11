/**
 * `a[i]` and `a[i:j]` of arrays, read and assigned, which the binder turns into these calls. Subscripts count from
 * each dimension's lower bound. Source: arrayfuncs.c of PostgreSQL 18 (array_get_slice, array_set_element,
 * array_set_slice).
 */
import { SqlError } from '../../errors.ts';
import { ARRAY_ELEMENTS_MAX } from '../../limits.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import type { ScalarFunction } from '../function.ts';

type Dimension = ArrayDatum['dimensions'][number];

/** As many subscripts as dimensions give an element; any other number NULL. */
function element(array: ArrayDatum, subscripts: ArrayDatum): Datum {
  const at = placeOf(array.dimensions, subscripts.elements);
  return at === undefined ? null : (array.elements[at] ?? null);
}

/** Undefined outside of the array, and for a number of subscripts that is not that of dimensions. */
function placeOf(dimensions: readonly Dimension[], subscripts: readonly Datum[]): number | undefined {
  if (subscripts.length !== dimensions.length) return undefined;
  let at = 0;
  for (const [i, { length, lowerBound }] of dimensions.entries()) {
    const subscript = subscripts[i];
    if (typeof subscript !== 'number') return undefined;
    const offset = subscript - lowerBound;
    if (offset < 0 || offset >= length) return undefined;
    at = at * length + offset;
  }
  return at;
}

/** Bounds as they are written, by dimension. `given`: a letter each, of `both`, `lower`, `upper`, `none`. */
interface Bounds {
  readonly lower: ArrayDatum;
  readonly upper: ArrayDatum;
  readonly given: string;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

const hasLower = (letter: string | undefined): boolean => letter === 'b' || letter === 'l';
const hasUpper = (letter: string | undefined): boolean => letter === 'b' || letter === 'u';

function hasNullBound({ lower, upper, given }: Bounds): boolean {
  return [...given].some(
    (letter, i) =>
      (hasLower(letter) && lower.elements[i] === null) || (hasUpper(letter) && upper.elements[i] === null),
  );
}

/** The subscripts of a dimension that are meant; those left out are the array's own. */
function spanOf({ lower, upper, given }: Bounds, i: number, { length, lowerBound }: Dimension): Span {
  const from = hasLower(given[i]) ? (lower.elements[i] as number) : lowerBound;
  const to = hasUpper(given[i]) ? (upper.elements[i] as number) : lowerBound + length - 1;
  return { from, to };
}

/** The parts within the array, their lower bounds 1; empty where there is none, NULL for a NULL bound. */
function slice(
  array: ArrayDatum | null,
  lower: ArrayDatum,
  upper: ArrayDatum,
  given: string,
): ArrayDatum | null {
  const bounds = { lower, upper, given };
  if (array === null || hasNullBound(bounds)) return null;
  const { dimensions } = array;
  const spans = dimensions.map((dimension, i): Span => {
    const { from, to } = spanOf(bounds, i, dimension);
    const last = dimension.lowerBound + dimension.length - 1;
    return { from: Math.max(from, dimension.lowerBound), to: Math.min(to, last) };
  });
  if (given.length > dimensions.length || spans.some(({ from, to }) => from > to)) {
    return arrayDatum(array.elementType, []);
  }
  const elements: Datum[] = [];
  eachPlace(dimensions, spans, (place) => elements.push(array.elements[place] ?? null));
  return {
    ...array,
    elements,
    dimensions: spans.map(({ from, to }) => ({ length: to - from + 1, lowerBound: 1 })),
  };
}

/** Places of the elements within the spans, in order. */
function eachPlace(
  dimensions: readonly Dimension[],
  spans: readonly Span[],
  visit: (place: number) => void,
): void {
  const walk = (depth: number, base: number): void => {
    const { length, lowerBound } = dimensions[depth] as Dimension;
    const { from, to } = spans[depth] as Span;
    for (let i = from - lowerBound; i <= to - lowerBound; i++) {
      if (depth === dimensions.length - 1) visit(base * length + i);
      else walk(depth + 1, base * length + i);
    }
  };
  walk(0, 0);
}

const wrong = (message: string, detail?: string): SqlError =>
  new SqlError('array_subscript_error', message, { detail });

const nullSubscript = (): SqlError =>
  new SqlError('null_value_not_allowed', 'array subscript in assignment must not be null');

/** An array of one dimension that reaches from one subscript to another, NULLs where nothing was. */
function extended(array: ArrayDatum, from: number, to: number): ArrayDatum {
  const { length, lowerBound } = array.dimensions[0] as Dimension;
  const before = Math.max(0, lowerBound - from);
  const behind = Math.max(0, to - (lowerBound + length - 1));
  if (before === 0 && behind === 0) return array;
  checkSize(before + length + behind);
  const nulls = (count: number): null[] => new Array<null>(count).fill(null);
  return {
    ...array,
    elements: [...nulls(before), ...array.elements, ...nulls(behind)],
    dimensions: [{ length: before + length + behind, lowerBound: lowerBound - before }],
  };
}

function checkSize(count: number): void {
  if (count <= ARRAY_ELEMENTS_MAX) return;
  const message = `array size exceeds the maximum allowed (${ARRAY_ELEMENTS_MAX})`;
  throw new SqlError('program_limit_exceeded', message);
}

/** @throws SqlError 22004, 2202E. */
function assignElement(array: ArrayDatum, value: Datum, { elements: subscripts }: ArrayDatum): ArrayDatum {
  if (subscripts.includes(null)) throw nullSubscript();
  const wanted = subscripts as readonly number[];
  if (array.dimensions.length === 0) {
    return {
      ...array,
      elements: [value],
      dimensions: wanted.map((lowerBound) => ({ length: 1, lowerBound })),
    };
  }
  if (wanted.length !== array.dimensions.length) throw wrong('wrong number of array subscripts');
  const [only = 0] = wanted;
  const grown = wanted.length === 1 ? extended(array, only, only) : array;
  const place = placeOf(grown.dimensions, wanted);
  if (place === undefined) throw wrong('array subscript out of range');
  return { ...grown, elements: grown.elements.with(place, value) };
}

/** @throws SqlError 22004, 2202E. */
function assignSlice(
  array: ArrayDatum,
  value: ArrayDatum | null,
  lower: ArrayDatum,
  upper: ArrayDatum,
  given: string,
): ArrayDatum {
  const bounds = { lower, upper, given };
  if (hasNullBound(bounds)) throw nullSubscript();
  if (value === null) return array;
  if (array.dimensions.length === 0) return newSlice(array, value, bounds);
  if (given.length > array.dimensions.length) throw wrong('wrong number of array subscripts');
  const spans = array.dimensions.map((dimension, i) => spanOf(bounds, i, dimension));
  if (spans.some(({ from, to }, i) => from > to && i < given.length)) {
    throw wrong('upper bound cannot be less than lower bound');
  }
  const [first = { from: 1, to: 1 }] = spans;
  const grown = spans.length === 1 ? extended(array, first.from, first.to) : array;
  const outside = grown.dimensions.some(({ length, lowerBound }, i) => {
    const { from, to } = spans[i] as Span;
    return from < lowerBound || to >= lowerBound + length;
  });
  if (outside) throw wrong('array subscript out of range');
  const elements = [...grown.elements];
  checkSource(value, spans);
  let next = 0;
  eachPlace(grown.dimensions, spans, (place) => {
    elements[place] = value.elements[next++] ?? null;
  });
  return { ...grown, elements };
}

/** Into an array without elements: the slice says all its bounds. */
function newSlice(array: ArrayDatum, value: ArrayDatum, { lower, upper, given }: Bounds): ArrayDatum {
  if ([...given].some((letter) => letter !== 'b')) {
    throw wrong(
      'array slice subscript must provide both boundaries',
      'When assigning to a slice of an empty array value, slice boundaries must be fully specified.',
    );
  }
  const spans = [...given].map((_, i): Span => {
    return { from: lower.elements[i] as number, to: upper.elements[i] as number };
  });
  if (spans.some(({ from, to }) => from > to)) throw wrong('upper bound cannot be less than lower bound');
  const count = checkSource(value, spans);
  return {
    ...array,
    elements: value.elements.slice(0, count),
    dimensions: spans.map(({ from, to }) => ({ length: to - from + 1, lowerBound: from })),
  };
}

/** @returns how many elements the spans hold. */
function checkSource(value: ArrayDatum, spans: readonly Span[]): number {
  const count = spans.reduce((product, { from, to }) => product * (to - from + 1), 1);
  checkSize(count);
  if (value.elements.length < count) throw wrong('source array too small');
  return count;
}

const subscript = (array: string, returns: string, example: string): ScalarFunction => ({
  name: 'array_subscript',
  effort: 0,
  args: [array, '...int4'],
  returns,
  summary: 'The element at these subscripts: a[i].',
  example: [`SELECT ${example}`, '20'],
  evaluate: element,
});

export const SUBSCRIPT_FUNCTIONS: readonly ScalarFunction[] = [
  subscript('anyarray', 'anyelement', '(ARRAY[10, 20])[2]'),
  subscript('int2vector', 'int2', "('10 20'::int2vector)[1]"),
  subscript('oidvector', 'oid', "('10 20'::oidvector)[1]"),
  {
    name: 'array_slice',
    args: ['anyarray', '_int4', '_int4', 'text'],
    returns: 'anyarray',
    strict: false,
    summary: 'The elements from one subscript to another: a[i:j].',
    example: ['SELECT (ARRAY[10, 20, 30])[2:3]', '{20,30}'],
    evaluate: slice,
  },
  {
    name: 'array_assign',
    args: ['anyarray', 'anyelement', '_int4'],
    returns: 'anyarray',
    strict: false,
    summary: 'The array with another element at these subscripts: SET a[i] = value.',
    example: ['SELECT array_assign(ARRAY[10, 20], 30, ARRAY[4])', '{10,20,NULL,30}'],
    evaluate: assignElement,
  },
  {
    name: 'array_assign_slice',
    args: ['anyarray', 'anyarray', '_int4', '_int4', 'text'],
    returns: 'anyarray',
    strict: false,
    summary: 'The array with other elements between these subscripts: SET a[i:j] = values.',
    example: ["SELECT array_assign_slice(ARRAY[10, 20], ARRAY[3, 4], ARRAY[2], ARRAY[3], 'b')", '{10,3,4}'],
    evaluate: assignSlice,
  },
];
