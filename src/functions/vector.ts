/** pgvector's operators and functions on dense vectors. Source: pgvector 0.8, src/vector.c. */
import { SqlError } from '../errors.ts';
import { arrayDatum } from '../types/array.ts';
import type { ArrayDatum, Datum } from '../types/datum.ts';
import { OID } from '../types/oids.ts';
import type { AggregateFunction, Cast, Operator, ScalarFunction } from './function.ts';

type Measure = (a: Float32Array, b: Float32Array) => number;

/** @throws SqlError 22000 */
function checkDimensions(a: Float32Array, b: Float32Array): void {
  if (a.length === b.length) return;
  throw new SqlError('data_exception', `different vector dimensions ${a.length} and ${b.length}`);
}

function sumOver(a: Float32Array, b: Float32Array, term: (x: number, y: number) => number): number {
  checkDimensions(a, b);
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += term(a[i] as number, b[i] as number);
  return sum;
}

const innerProduct: Measure = (a, b) => sumOver(a, b, (x, y) => x * y);
const squaredDistance: Measure = (a, b) => sumOver(a, b, (x, y) => (x - y) ** 2);
const distance: Measure = (a, b) => Math.sqrt(squaredDistance(a, b));
const taxicab: Measure = (a, b) => sumOver(a, b, (x, y) => Math.abs(x - y));
const norm = (a: Float32Array): number => Math.sqrt(innerProduct(a, a));

const cosineDistance: Measure = (a, b) => {
  const similarity = innerProduct(a, b) / Math.sqrt(innerProduct(a, a) * innerProduct(b, b));
  return 1 - Math.max(-1, Math.min(1, similarity));
};

function eachOf(
  a: Float32Array,
  b: Float32Array,
  step: Measure | ((x: number, y: number) => number),
): Float32Array {
  checkDimensions(a, b);
  const of = step as (x: number, y: number) => number;
  const result = Float32Array.from(a, (x, i) => of(x, b[i] as number));
  if (result.every(Number.isFinite)) return result;
  throw new SqlError('numeric_value_out_of_range', 'value out of range: overflow');
}

function normalize(a: Float32Array): Float32Array {
  const length = norm(a);
  return length === 0 ? a.slice() : a.map((x) => x / length);
}

const A = "'[1,2]'";
const B = "'[3,4]'";
const TYPES = ['vector', 'halfvec'] as const;

const MEASURES: readonly (readonly [string, string | null, string, string, Measure])[] = [
  ['l2_distance', '<->', 'The Euclidean distance.', '2.8284271247461903', distance],
  ['cosine_distance', '<=>', 'One less the cosine of the angle.', '0.01613008990009257', cosineDistance],
  ['l1_distance', '<+>', 'The sum of the differences.', '4', taxicab],
  ['inner_product', null, 'The inner product.', '11', innerProduct],
  [
    'vector_negative_inner_product',
    '<#>',
    'The negative inner product.',
    '-11',
    (a, b) => -innerProduct(a, b),
  ],
];

const functionRow = (
  type: string,
  [name, , summary, result, evaluate]: (typeof MEASURES)[number],
): ScalarFunction => ({
  name,
  args: [type, type],
  returns: 'float8',
  summary,
  example: [`SELECT ${name}(${A}::${type}, ${B}::${type})`, result],
  evaluate,
});

const operatorRow = (
  type: string,
  [, operator, summary, result, evaluate]: (typeof MEASURES)[number],
): Operator => ({
  name: operator ?? '',
  left: type,
  right: type,
  returns: 'float8',
  commutator: operator ?? '',
  summary,
  example: [`SELECT ${A}::${type} ${operator} ${B}::${type}`, result],
  evaluate,
});

const ELEMENTWISE: readonly (readonly [string, string, string, (x: number, y: number) => number])[] = [
  ['+', '[4,6]', 'Element by element, the sums.', (x, y) => x + y],
  ['-', '[-2,-2]', 'Element by element, the differences.', (x, y) => x - y],
  ['*', '[3,8]', 'Element by element, the products.', (x, y) => x * y],
];

export const VECTOR_OPERATORS: readonly Operator[] = TYPES.flatMap((type) => [
  ...MEASURES.filter(([, operator]) => operator !== null).map((measure) => operatorRow(type, measure)),
  ...ELEMENTWISE.map(
    ([name, result, summary, step]): Operator => ({
      name,
      left: type,
      right: type,
      returns: type,
      summary,
      example: [`SELECT ${A}::${type} ${name} ${B}::${type}`, result],
      evaluate: (a: Float32Array, b: Float32Array) => eachOf(a, b, step),
    }),
  ),
]);

export const VECTOR_FUNCTIONS: readonly ScalarFunction[] = TYPES.flatMap((type): ScalarFunction[] => [
  ...MEASURES.filter(([name]) => !name.startsWith('vector_')).map((measure) => functionRow(type, measure)),
  {
    name: 'vector_dims',
    args: [type],
    returns: 'int4',
    summary: 'The number of dimensions.',
    example: [`SELECT vector_dims(${A}::${type})`, '2'],
    evaluate: (a: Float32Array) => a.length,
  },
  {
    name: type === 'vector' ? 'vector_norm' : 'l2_norm',
    args: [type],
    returns: 'float8',
    summary: 'The Euclidean length.',
    example: [`SELECT ${type === 'vector' ? 'vector_norm' : 'l2_norm'}('[3,4]'::${type})`, '5'],
    evaluate: norm,
  },
  {
    name: 'l2_normalize',
    args: [type],
    returns: type,
    summary: 'The vector with length 1.',
    example: [`SELECT l2_normalize('[0,4]'::${type})`, '[0,1]'],
    evaluate: normalize,
  },
]);

/** @throws SqlError 22000, 22004. */
export function toVector(array: ArrayDatum): Float32Array {
  if (array.dimensions.length > 1) throw new SqlError('data_exception', 'array must be 1-D');
  if (array.elements.length === 0)
    throw new SqlError('data_exception', 'vector must have at least 1 dimension');
  return Float32Array.from(array.elements, (element) => {
    if (element === null) throw new SqlError('null_value_not_allowed', 'array must not contain nulls');
    const value =
      typeof element === 'object' && 'digits' in element
        ? Number(element.digits) / 10 ** element.scale
        : Number(element);
    if (Number.isFinite(value)) return value;
    throw new SqlError(
      'data_exception',
      `${Number.isNaN(value) ? 'NaN' : 'infinite value'} not allowed in vector`,
    );
  });
}

export const VECTOR_CASTS: readonly Cast[] = TYPES.flatMap((type): Cast[] => [
  ...['_int4', '_float4', '_float8', '_numeric'].map(
    (from): Cast => ({ from, to: type, context: 'assignment', evaluate: toVector }),
  ),
  {
    from: type,
    to: '_float4',
    context: type === 'vector' ? 'implicit' : 'assignment',
    evaluate: (value: Float32Array): Datum => arrayDatum(OID.float4, Array.from(value)),
  },
  {
    from: type,
    to: type === 'vector' ? 'halfvec' : 'vector',
    context: 'implicit',
    evaluate: (value: Float32Array) => value,
  },
]);

interface VectorSum {
  sum: Float64Array | null;
  count: number;
}

const addTo = (state: VectorSum, value: Float32Array): VectorSum => {
  if (state.sum === null) state.sum = Float64Array.from(value);
  else {
    for (let i = 0; i < value.length; i++) state.sum[i] = (state.sum[i] as number) + (value[i] as number);
  }
  state.count++;
  return state;
};

export const VECTOR_AGGREGATES: readonly AggregateFunction[] = TYPES.flatMap((type) =>
  (['sum', 'avg'] as const).map((name) => ({
    name,
    args: [type],
    returns: type,
    summary: `The ${name === 'sum' ? 'sum' : 'mean'} of the vectors, element by element.`,
    example: [
      `SELECT ${name}(v) FROM (VALUES ('[1,2]'::${type}), ('[3,4]'::${type})) AS t(v)`,
      name === 'sum' ? '[4,6]' : '[2,3]',
    ],
    init: (): VectorSum => ({ sum: null, count: 0 }),
    step: addTo,
    final: ({ sum, count }: VectorSum) =>
      sum === null ? null : Float32Array.from(sum, (value) => (name === 'sum' ? value : value / count)),
  })),
);
