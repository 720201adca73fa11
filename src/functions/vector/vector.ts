/** pgvector's operators and functions on dense vectors. Source: pgvector 0.8, src/vector.c. */
import { SqlError } from '../../errors.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import { denseVector } from '../../types/vector/dense-vector.ts';
import { differentDimensions } from '../../types/vector/dimension.ts';
import { ELEMENT_FORMATS, type ElementKind } from '../../types/vector/element-format.ts';
import { OID } from '../../types/oids.ts';
import type { AggregateFunction, Cast, Operator, ScalarFunction } from '../function.ts';

type Dense = 'vector' | 'halfvec';
type Measure = (a: Float32Array, b: Float32Array) => number;

/** Types with pgvector's operators; all other dense types have them by a cast to `vector`. */
const TYPES: readonly Dense[] = ['vector', 'halfvec'];
const ELEMENTS = { vector: 'f32', halfvec: 'f16' } as const;

/** @throws SqlError 22000 */
function checkDimensions(type: string, a: Float32Array, b: Float32Array): void {
  if (a.length !== b.length) throw differentDimensions(type, a.length, b.length);
}

function sumOver(a: Float32Array, b: Float32Array, term: (x: number, y: number) => number): number {
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

const checked =
  (type: string, measure: Measure): Measure =>
  (a, b) => {
    checkDimensions(type, a, b);
    return measure(a, b);
  };

/** Numbers computed as elements of a type. @throws SqlError 22003 */
function elements(type: Dense, values: Float32Array | Float64Array): Float32Array {
  const { quick } = ELEMENT_FORMATS[ELEMENTS[type]];
  const result = Float32Array.from(values, quick);
  if (result.every(Number.isFinite)) return result;
  throw new SqlError('numeric_value_out_of_range', 'value out of range: overflow');
}

/** @throws SqlError 22000, 22003 */
function eachOf(
  type: Dense,
  a: Float32Array,
  b: Float32Array,
  step: (x: number, y: number) => number,
): Float32Array {
  checkDimensions(type, a, b);
  return elements(
    type,
    Float64Array.from(a, (x, i) => step(x, b[i] as number)),
  );
}

/** @throws SqlError 22000, 22003 */
function product(type: Dense, a: Float32Array, b: Float32Array): Float32Array {
  const result = eachOf(type, a, b, (x, y) => x * y);
  if (result.every((x, i) => x !== 0 || a[i] === 0 || b[i] === 0)) return result;
  throw new SqlError('numeric_value_out_of_range', 'value out of range: underflow');
}

function normalize(type: Dense, a: Float32Array): Float32Array {
  const length = norm(a);
  return length === 0
    ? a.map(() => 0)
    : elements(
        type,
        Float64Array.from(a, (x) => x / length),
      );
}

const A = "'[1,2]'";
const B = "'[3,4]'";

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
  type: Dense,
  [name, , summary, result, evaluate]: (typeof MEASURES)[number],
): ScalarFunction => ({
  name,
  args: [type, type],
  returns: 'float8',
  summary,
  example: [`SELECT ${name}(${A}::${type}, ${B}::${type})`, result],
  evaluate: checked(type, evaluate),
});

const operatorRow = (
  type: Dense,
  [, operator, summary, result, evaluate]: (typeof MEASURES)[number],
): Operator => ({
  name: operator ?? '',
  left: type,
  right: type,
  returns: 'float8',
  commutator: operator ?? '',
  summary,
  example: [`SELECT ${A}::${type} ${operator} ${B}::${type}`, result],
  evaluate: checked(type, evaluate),
});

type Elementwise = (type: Dense, a: Float32Array, b: Float32Array) => Float32Array;

const ELEMENTWISE: readonly (readonly [string, string, string, Elementwise])[] = [
  ['+', '[4,6]', 'Element by element, the sums.', (type, a, b) => eachOf(type, a, b, (x, y) => x + y)],
  [
    '-',
    '[-2,-2]',
    'Element by element, the differences.',
    (type, a, b) => eachOf(type, a, b, (x, y) => x - y),
  ],
  ['*', '[3,8]', 'Element by element, the products.', product],
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
      evaluate: (a: Float32Array, b: Float32Array) => step(type, a, b),
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
    evaluate: (a: Float32Array) => normalize(type, a),
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

/** Dense types and what their elements are. */
const ELEMENT_KINDS: readonly (readonly [string, ElementKind])[] = [
  ['vector', 'f32'],
  ['halfvec', 'f16'],
  ['f8_vector', 'f8'],
  ['u8_vector', 'u8'],
  ['i8_vector', 'i8'],
];

/** float32 holds the elements of every other type, and halfvec is pgvector's to be cast to. */
const isImplicit = (from: string, to: string): boolean =>
  to === 'vector' || `${from} ${to}` === 'vector halfvec';

/** Their casts are pgvector's, which has none from bigint[]. */
const isPgvector = (type: string): boolean => type === 'vector' || type === 'halfvec';

export const VECTOR_CASTS: readonly Cast[] = ELEMENT_KINDS.flatMap(([type, kind]): Cast[] => [
  ...['_int4', '_float4', '_float8', '_numeric', ...(isPgvector(type) ? [] : ['_int8'])].map(
    (from): Cast => ({
      from,
      to: type,
      context: 'assignment',
      evaluate: (array: ArrayDatum) => denseVector(toVector(array), kind, type),
    }),
  ),
  {
    from: type,
    to: '_float4',
    context: type === 'vector' ? 'implicit' : 'assignment',
    evaluate: (value: Float32Array): Datum => arrayDatum(OID.float4, Array.from(value)),
  },
  ...ELEMENT_KINDS.filter(([from]) => from !== type).map(
    ([from]): Cast => ({
      from,
      to: type,
      context: isImplicit(from, type) ? 'implicit' : 'assignment',
      evaluate: (value: Float32Array) => (type === 'vector' ? value : denseVector(value, kind, type)),
    }),
  ),
]);

interface VectorSum {
  sum: Float64Array | null;
  count: number;
}

const addTo = (type: Dense, state: VectorSum, value: Float32Array): VectorSum => {
  if (state.sum === null) state.sum = Float64Array.from(value);
  else {
    if (state.sum.length !== value.length) {
      throw differentDimensions(type, state.sum.length, value.length);
    }
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
    step: (state: VectorSum, value: Float32Array) => addTo(type, state, value),
    final: ({ sum, count }: VectorSum) =>
      sum === null ? null : elements(type, name === 'sum' ? sum : sum.map((value) => value / count)),
  })),
);
