/** Small functions of arrays, numbers, texts and UUIDs. Source: PostgreSQL 18, sections 9.3, 9.4, 9.14, 9.19, 9.28. */
import { present } from '../assert.ts';
import { SqlError } from '../errors.ts';
import { arrayDatum } from '../types/composite/array.ts';
import type { ArrayDatum, Datum, NumericDatum } from '../types/datum.ts';
import {
  multiplyNumeric,
  numericOf,
  parseNumeric,
  roundNumeric,
  trimScale,
} from '../types/number/numeric.ts';
import { findType, typeByOid } from '../types/registry.ts';
import { checkValueBytes, weightOf } from '../types/weight.ts';
import type { FunctionContext, ScalarFunction } from './function.ts';

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

const SIZE = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*([a-z]*)\s*$/i;
const UNITS: Readonly<Record<string, bigint>> = {
  '': 1n,
  b: 1n,
  bytes: 1n,
  kb: 1n << 10n,
  mb: 1n << 20n,
  gb: 1n << 30n,
  tb: 1n << 40n,
  pb: 1n << 50n,
};

/** @throws SqlError 22023 with what units there are. */
function sizeBytes(text: string): bigint {
  const [, number, unit = ''] = SIZE.exec(text) ?? [];
  if (number === undefined) throw new SqlError('invalid_parameter_value', `invalid size: "${text}"`);
  const factor = UNITS[unit.toLowerCase()];
  if (factor === undefined) {
    throw new SqlError('invalid_parameter_value', `invalid size: "${text}"`, {
      detail: `Invalid size unit: "${unit}".`,
      hint: 'Valid units are "bytes", "B", "kB", "MB", "GB", "TB", and "PB".',
    });
  }
  return roundNumeric(multiplyNumeric(parseNumeric(number), numericOf(factor))).digits;
}

const VERSION_DIGIT = 14;
const hasVersion = (uuid: string): boolean => /[89ab]/.test(uuid[19] ?? '');
/** Between 1582-10-15 and 2000-01-01, and between 1970-01-01 and then. */
const GREGORIAN_MICROS = 13_165_977_600_000_000n;
const UNIX_MICROS = 946_684_800_000_000n;

/** When a UUID of version 1 or 7 was made. */
function uuidTime(uuid: string): bigint | null {
  if (!hasVersion(uuid)) return null;
  const digits = uuid.replaceAll('-', '');
  if (uuid[VERSION_DIGIT] === '7') return BigInt(`0x${digits.slice(0, 12)}`) * 1000n - UNIX_MICROS;
  if (uuid[VERSION_DIGIT] !== '1') return null;
  const ticks = BigInt(`0x${digits.slice(13, 16)}${digits.slice(8, 12)}${digits.slice(0, 8)}`);
  return ticks / 10n - GREGORIAN_MICROS;
}

export const EVERYDAY_FUNCTIONS: readonly ScalarFunction[] = [
  ...fills,
  {
    name: 'array_shuffle',
    args: ['anyarray'],
    returns: 'anyarray',
    volatility: 'volatile',
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
  {
    name: 'min_scale',
    args: ['numeric'],
    returns: 'int4',
    summary: 'How many decimals the value needs.',
    example: ['SELECT min_scale(8.4100)', '2'],
    evaluate: (value: NumericDatum) => (value.special === undefined ? trimScale(value).scale : null),
  },
  {
    name: 'random_normal',
    args: ['float8', 'float8'],
    argNames: ['mean', 'stddev'],
    defaults: ['0', '1'],
    returns: 'float8',
    volatility: 'volatile',
    summary: 'A random number of a normal distribution.',
    example: ['SELECT random_normal(5, 0)', '5'],
    evaluateIn: (context, mean: number, deviation: number) =>
      mean +
      deviation * Math.sqrt(-2 * Math.log(1 - context.random())) * Math.cos(2 * Math.PI * context.random()),
  },
  {
    name: 'pg_size_bytes',
    args: ['text'],
    returns: 'int8',
    summary: 'A size with its unit as a number of bytes.',
    example: ["SELECT pg_size_bytes('5 kB')", '5120'],
    evaluate: sizeBytes,
  },
  {
    name: 'uuid_extract_version',
    args: ['uuid'],
    returns: 'int2',
    summary: "A UUID's version; NULL for variants that have none.",
    example: ["SELECT uuid_extract_version('41db1265-8bc1-4ab3-992f-885799a4af1d')", '4'],
    evaluate: (uuid: string) => (hasVersion(uuid) ? Number.parseInt(uuid[VERSION_DIGIT] ?? '', 16) : null),
  },
  {
    name: 'uuid_extract_timestamp',
    args: ['uuid'],
    returns: 'timestamptz',
    summary: 'When a UUID of version 1 or 7 was made.',
    example: ["SELECT uuid_extract_timestamp('019535d9-3df7-79fb-b466-fa907fa17f9e') > '2025-01-01'", 't'],
    evaluate: uuidTime,
  },
];
