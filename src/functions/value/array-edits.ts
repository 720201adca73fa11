/**
 * Arrays made of another or of nothing: filled, in another order, cut short. Parts of the first dimension
 * keep together. Source: PostgreSQL 18, section 9.19.
 */
import { present } from '../../assert.ts';
import { SqlError } from '../../errors.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import { findType, typeByOid } from '../../types/registry.ts';
import { checkValueBytes, weightOf } from '../../types/weight.ts';
import type { FunctionContext, ScalarFunction, SetFunction } from '../function.ts';
import { scalar } from '../row.ts';

const ELEMENTS_MAX = 134_217_727;
/** At least. */
const ELEMENT_BYTES = 24;

/** @throws SqlError 22004, 2202E, 54000. */
function filled(
  oid: number,
  value: Datum,
  lengths: ArrayDatum | null,
  lowerBounds: ArrayDatum | null,
): Datum {
  if (lengths === null) {
    throw new SqlError('null_value_not_allowed', 'dimension array or low bound array cannot be null');
  }
  if (lengths.dimensions.length > 1 || (lowerBounds?.dimensions.length ?? 0) > 1) {
    throw new SqlError('array_subscript_error', 'wrong number of array subscripts', {
      detail: 'Dimension array must be one dimensional.',
    });
  }
  const numbers = (array: ArrayDatum): number[] => {
    if (array.elements.includes(null)) {
      throw new SqlError('null_value_not_allowed', 'dimension values cannot be null');
    }
    return array.elements as number[];
  };
  const sizes = numbers(lengths);
  const bounds = lowerBounds === null ? sizes.map(() => 1) : numbers(lowerBounds);
  if (bounds.length !== sizes.length) {
    throw new SqlError('array_subscript_error', 'wrong number of array subscripts', {
      detail: 'Low bound array has different size than dimensions array.',
    });
  }
  if (sizes.length === 0 || sizes.includes(0)) return arrayDatum(oid, []);
  const count = sizes.reduce((product, size) => product * size, 1);
  if (count < 0 || count > ELEMENTS_MAX || sizes.some((size) => size < 0)) {
    const message = `array size exceeds the maximum allowed (${ELEMENTS_MAX})`;
    throw new SqlError('program_limit_exceeded', message);
  }
  checkValueBytes(count * (ELEMENT_BYTES + weightOf(value)));
  return {
    datum: 'array',
    elementType: oid,
    dimensions: sizes.map((length, i) => ({ length, lowerBound: bounds[i] ?? 1 })),
    elements: new Array<Datum>(count).fill(value),
  };
}

/** One row for each of these: a polymorphic function does not learn its element's type. */
const FILLABLE = [
  'text',
  'int4',
  'int8',
  'float8',
  'numeric',
  'bool',
  'date',
  'timestamp',
  'timestamptz',
  'uuid',
];

const fills = FILLABLE.flatMap((type): ScalarFunction[] => {
  const { oid } = present(findType(type), `type ${type}`);
  const common = {
    name: 'array_fill',
    returns: `_${type}`,
    strict: false,
    summary: 'An array of equal elements, of given lengths and lower bounds.',
  } as const;
  const value = `NULL::${type}`;
  return [
    {
      ...common,
      args: [type, '_int4'],
      example: [`SELECT array_fill(${value}, ARRAY[2])`, '{NULL,NULL}'],
      evaluate: (element: Datum, lengths: ArrayDatum | null) => filled(oid, element, lengths, null),
    },
    {
      ...common,
      args: [type, '_int4', '_int4'],
      example: [`SELECT array_fill(${value}, ARRAY[1], ARRAY[3])`, '[3:3]={NULL}'],
      evaluate: (element: Datum, lengths: ArrayDatum | null, bounds: ArrayDatum | null) => {
        if (bounds !== null) return filled(oid, element, lengths, bounds);
        throw new SqlError('null_value_not_allowed', 'dimension array or low bound array cannot be null');
      },
    },
  ];
});

/** Parts of the first dimension, each with its elements. */
function slices({ dimensions, elements }: ArrayDatum): Datum[][] {
  const count = dimensions[0]?.length ?? 0;
  const size = count === 0 ? 0 : elements.length / count;
  return Array.from({ length: count }, (_, i) => elements.slice(i * size, (i + 1) * size));
}

function ofSlices(array: ArrayDatum, chosen: readonly Datum[][], lowerBound: number): ArrayDatum {
  if (chosen.length === 0) return arrayDatum(array.elementType, []);
  const dimensions = [{ length: chosen.length, lowerBound }, ...array.dimensions.slice(1)];
  return { ...array, dimensions, elements: chosen.flat() };
}

/** The first `count` of a random order (Fisher and Yates). */
function drawn(context: FunctionContext, array: ArrayDatum, count: number): Datum[][] {
  const all = slices(array);
  for (let i = 0; i < count; i++) {
    const other = i + Math.floor(context.random() * (all.length - i));
    [all[i], all[other]] = [all[other] as Datum[], all[i] as Datum[]];
  }
  return all.slice(0, count);
}

const lowerBoundOf = (array: ArrayDatum): number => array.dimensions[0]?.lowerBound ?? 1;

function sortedArray(array: ArrayDatum, descending: boolean, nullsFirst: boolean): ArrayDatum {
  const type = typeByOid(array.elementType);
  const compare = type.compare?.bind(type);
  if (compare === undefined) {
    const message = `could not identify a comparison function for type ${type.displayName}`;
    throw new SqlError('undefined_function', message);
  }
  const order = (a: Datum, b: Datum): number => {
    if (a === null || b === null) return a === b ? 0 : (a === null) === nullsFirst ? -1 : 1;
    return descending ? compare(b, a) : compare(a, b);
  };
  const chosen = slices(array).sort((a, b) => {
    const at = a.findIndex((element, i) => order(element, b[i] as Datum) !== 0);
    return at === -1 ? 0 : order(a[at] as Datum, b[at] as Datum);
  });
  return ofSlices(array, chosen, lowerBoundOf(array));
}

/** @throws SqlError 2202E */
function trimArray(array: ArrayDatum, count: number): ArrayDatum {
  const [first, ...inner] = array.dimensions;
  const length = first?.length ?? 0;
  if (count < 0 || count > length) {
    throw new SqlError('array_subscript_error', `number of elements to trim must be between 0 and ${length}`);
  }
  const width = inner.reduce((product, dimension) => product * dimension.length, 1);
  const elements = array.elements.slice(0, (length - count) * width);
  if (first === undefined || elements.length === 0) return arrayDatum(array.elementType, []);
  const lengths = [length - count, ...inner.map((dimension) => dimension.length)];
  return { ...array, elements, dimensions: lengths.map((size) => ({ length: size, lowerBound: 1 })) };
}

export const ARRAY_EDIT_FUNCTIONS: readonly ScalarFunction[] = [
  ...fills,
  {
    name: 'array_shuffle',
    args: ['anyarray'],
    returns: 'anyarray',
    volatility: 'volatile',
    effect: 'none',
    effort: 1,
    summary: 'The elements of the first dimension in a random order.',
    example: ['SELECT array_length(array_shuffle(ARRAY[1, 2, 3]), 1)', '3'],
    evaluateIn: (context, array: ArrayDatum) =>
      ofSlices(array, drawn(context, array, slices(array).length), lowerBoundOf(array)),
  },
  {
    name: 'array_sample',
    args: ['anyarray', 'int4'],
    returns: 'anyarray',
    volatility: 'volatile',
    effect: 'none',
    effort: 1,
    summary: 'So many elements of the first dimension, drawn at random.',
    example: ['SELECT array_length(array_sample(ARRAY[1, 2, 3], 2), 1)', '2'],
    evaluateIn: (context, array: ArrayDatum, count: number) => {
      const most = slices(array).length;
      if (count >= 0 && count <= most) return ofSlices(array, drawn(context, array, count), 1);
      const message = `sample size must be between 0 and ${most}`;
      throw new SqlError('invalid_parameter_value', message);
    },
  },
  {
    name: 'array_sort',
    args: ['anyarray'],
    returns: 'anyarray',
    summary: 'The elements of the first dimension in order, NULLs last.',
    example: ['SELECT array_sort(ARRAY[2, 3, 1])', '{1,2,3}'],
    evaluate: (array: ArrayDatum) => sortedArray(array, false, false),
  },
  {
    name: 'array_sort',
    args: ['anyarray', 'bool'],
    returns: 'anyarray',
    summary: 'The elements in order, or from last to first with NULLs before them.',
    example: ['SELECT array_sort(ARRAY[2, 3, 1], true)', '{3,2,1}'],
    evaluate: (array: ArrayDatum, descending: boolean) => sortedArray(array, descending, descending),
  },
  {
    name: 'array_sort',
    args: ['anyarray', 'bool', 'bool'],
    returns: 'anyarray',
    summary: 'The elements in order or from last to first, with NULLs first or last.',
    example: ['SELECT array_sort(ARRAY[2, NULL, 1], false, true)', '{NULL,1,2}'],
    evaluate: sortedArray,
  },
  scalar('trim_array(anyarray, int4) anyarray', {
    summary: 'The array without its last elements.',
    example: ['SELECT trim_array(ARRAY[1, 2, 3, 4], 2)', '{1,2}'],
    evaluate: trimArray,
  }),
  scalar('array_reverse(anyarray) anyarray', {
    summary: 'The elements in opposite order.',
    example: ['SELECT array_reverse(ARRAY[1, 2, 3])', '{3,2,1}'],
    evaluate: (array: ArrayDatum) => ofSlices(array, slices(array).toReversed(), lowerBoundOf(array)),
  }),
];

export const ARRAY_SETS: readonly SetFunction[] = [
  {
    name: '_pg_expandarray',
    args: ['anyarray'],
    returns: 'record',
    columns: [
      { name: 'x', type: 'anyelement' },
      { name: 'n', type: 'int4' },
    ],
    summary: "An array's elements with their numbers (information_schema).",
    example: ['SELECT n FROM information_schema._pg_expandarray(ARRAY[7])', '1'],
    rows: (_, array: ArrayDatum) => array.elements.map((element, i) => [element, i + 1]),
  },
];
