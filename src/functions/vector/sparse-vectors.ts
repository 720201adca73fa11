/** pgvector on sparse vectors and bit strings, and parts of dense ones. Source: pgvector 0.8. */
import { SqlError } from '../../errors.ts';
import { DIMENSION_MAX } from '../../limits.ts';
import { bitsDatum } from '../../types/text/bit-string.ts';
import type { ArrayDatum, BitsDatum, SparseDatum } from '../../types/datum.ts';
import { denseVector } from '../../types/vector/dense-vector.ts';
import { differentDimensions } from '../../types/vector/dimension.ts';
import { ELEMENT_FORMATS } from '../../types/vector/element-format.ts';
import { sparseDatum } from '../../types/vector/sparse-vector.ts';
import type { Cast, Operator, ScalarFunction } from '../function.ts';
import { infix, scalar } from '../row.ts';
import { toVector } from './vector.ts';

/** Sums `term` over all indices that either vector has. @throws SqlError 22000 */
function sumOver(a: SparseDatum, b: SparseDatum, term: (x: number, y: number) => number): number {
  if (a.dimension !== b.dimension) throw differentDimensions('sparsevec', a.dimension, b.dimension);
  let sum = 0;
  let [i, j] = [0, 0];
  while (i < a.indices.length || j < b.indices.length) {
    const left = a.indices[i] ?? Number.POSITIVE_INFINITY;
    const right = b.indices[j] ?? Number.POSITIVE_INFINITY;
    sum += term(left <= right ? (a.values[i++] as number) : 0, right <= left ? (b.values[j++] as number) : 0);
  }
  return sum;
}

type Measure = (a: SparseDatum, b: SparseDatum) => number;
const product: Measure = (a, b) => sumOver(a, b, (x, y) => x * y);
const norm = (a: SparseDatum): number => Math.sqrt(product(a, a));
const cosine: Measure = (a, b) =>
  1 - Math.max(-1, Math.min(1, product(a, b) / Math.sqrt(product(a, a) * product(b, b))));

const A = "'{1:1,2:2}/3'::sparsevec";
const B = "'{1:3,3:4}/3'::sparsevec";

const MEASURES: readonly (readonly [string, string | null, string, string, Measure])[] = [
  [
    'l2_distance',
    '<->',
    'The Euclidean distance.',
    '4.898979485566356',
    (a, b) => Math.sqrt(sumOver(a, b, (x, y) => (x - y) ** 2)),
  ],
  ['cosine_distance', '<=>', 'One less the cosine of the angle.', '0.7316718427000253', cosine],
  [
    'l1_distance',
    '<+>',
    'The sum of the differences.',
    '8',
    (a, b) => sumOver(a, b, (x, y) => Math.abs(x - y)),
  ],
  ['inner_product', null, 'The inner product.', '3', product],
  ['sparsevec_negative_inner_product', '<#>', 'The negative inner product.', '-3', (a, b) => -product(a, b)],
];

/** @throws SqlError 22000 */
function checkLengths(a: BitsDatum, b: BitsDatum): void {
  if (a.length !== b.length) throw differentDimensions('bit', a.length, b.length);
}

function bitCount(a: BitsDatum, b: BitsDatum, of: (x: number, y: number) => number): number {
  checkLengths(a, b);
  return a.bytes.reduce((sum, byte, i) => {
    return (
      sum +
      of(byte, b.bytes[i] ?? 0)
        .toString(2)
        .replaceAll('0', '').length
    );
  }, 0);
}

type BitMeasure = (a: BitsDatum, b: BitsDatum) => number;
const hamming: BitMeasure = (a, b) => bitCount(a, b, (x, y) => x ^ y);
const jaccard: BitMeasure = (a, b) => {
  const both = bitCount(a, b, (x, y) => x & y);
  return both === 0 ? 1 : 1 - both / bitCount(a, b, (x, y) => x | y);
};
const BIT_MEASURES: readonly (readonly [string, string, string, string, BitMeasure])[] = [
  ['hamming_distance', '<~>', 'The number of bits that differ.', '2', hamming],
  ['jaccard_distance', '<%>', 'One less the share of common bits.', '0.6666666666666667', jaccard],
];

/** The bits of a binary vector. */
const bitsOf = (bytes: Uint8Array): BitsDatum => ({ datum: 'bits', length: 8 * bytes.length, bytes });

export const SPARSE_VECTOR_OPERATORS: readonly Operator[] = [
  ...['sparsevec', 'f32_sparse_vector'].flatMap((type) =>
    MEASURES.flatMap(([, operator, summary, result, evaluate]) =>
      operator === null
        ? []
        : [
            infix(`${type} ${operator} ${type} float8`, {
              commutator: operator,
              summary,
              example: [`SELECT ${A} ${operator} ${B}`.replaceAll('::sparsevec', `::${type}`), result],
              evaluate,
            }),
          ],
    ),
  ),
  ...BIT_MEASURES.flatMap(([, operator, summary, result, evaluate]) => [
    infix(`bit ${operator} bit float8`, {
      commutator: operator,
      summary,
      example: [`SELECT B'110' ${operator} B'011'`, result],
      evaluate,
    }),
    infix(`binary_vector ${operator} binary_vector float8`, {
      commutator: operator,
      summary,
      example: [`SELECT '[6]'::binary_vector ${operator} '[3]'::binary_vector`, result],
      evaluate: (a: Uint8Array, b: Uint8Array) => evaluate(bitsOf(a), bitsOf(b)),
    }),
  ]),
  ...(['vector', 'halfvec'] as const).map((type) =>
    infix(`${type} || ${type} ${type}`, {
      summary: 'One vector after the other.',
      example: [`SELECT '[1,2]'::${type} || '[3]'::${type}`, '[1,2,3]'],
      evaluate: (a: Float32Array, b: Float32Array) => Float32Array.from([...a, ...b]),
    }),
  ),
];

/** pgvector's: start from 1, cut to what there is. @throws SqlError 22000 */
function subvector(vector: Float32Array, start: number, count: number): Float32Array {
  const cut = vector.slice(Math.max(0, start - 1), Math.max(0, start - 1 + count));
  if (cut.length > 0) return cut;
  throw new SqlError('data_exception', 'vector must have at least 1 dimension');
}

export const SPARSE_VECTOR_FUNCTIONS: readonly ScalarFunction[] = [
  ...MEASURES.filter(([name]) => !name.startsWith('sparsevec')).map(([name, , summary, result, evaluate]) =>
    scalar(`${name}(sparsevec, sparsevec) float8`, {
      summary,
      example: [`SELECT ${name}(${A}, ${B})`, result],
      evaluate,
    }),
  ),
  ...BIT_MEASURES.map(([name, , summary, result, evaluate]) =>
    scalar(`${name}(bit, bit) float8`, {
      summary,
      example: [`SELECT ${name}(B'110', B'011')`, result],
      evaluate,
    }),
  ),
  scalar('l2_norm(sparsevec) float8', {
    summary: 'The Euclidean length.',
    example: ["SELECT l2_norm('{1:3,2:4}/2'::sparsevec)", '5'],
    evaluate: norm,
  }),
  scalar('l2_normalize(sparsevec) sparsevec', {
    summary: 'The vector with length 1.',
    example: ["SELECT l2_normalize('{2:4}/2'::sparsevec)", '{2:1}/2'],
    evaluate: (a: SparseDatum) => {
      const length = norm(a);
      const pairs = Array.from(
        a.indices,
        (index, i) => [index, (a.values[i] as number) / (length || 1)] as const,
      );
      return sparseDatum(a.dimension, pairs);
    },
  }),
  scalar('f32_sparse_vector(_int8, _float8) f32_sparse_vector', {
    summary: 'A sparse vector of indices, from 0, and as many values.',
    example: ['SELECT f32_sparse_vector(ARRAY[0, 7], ARRAY[1, 0.5])', '{1:1,8:0.5}'],
    evaluate: (indices: ArrayDatum, values: ArrayDatum) => sparseOf('f32_sparse_vector', indices, values),
  }),
  scalar('u8_sparse_vector(_int8, _int8) u8_sparse_vector', {
    summary: 'A sparse vector of indices, from 0, and as many values from 0 to 255.',
    example: ['SELECT u8_sparse_vector(ARRAY[0, 7], ARRAY[1, 255])', '{1:1,8:255}'],
    evaluate: (indices: ArrayDatum, values: ArrayDatum) => sparseOf('u8_sparse_vector', indices, values),
  }),
  ...(['vector', 'halfvec'] as const).flatMap((type) => [
    scalar(`binary_quantize(${type}) bit`, {
      summary: 'A bit for each element: whether it is positive.',
      example: [`SELECT binary_quantize('[1,-2,0.5]'::${type})`, '101'],
      evaluate: (vector: Float32Array) => bitsDatum(Array.from(vector, (x) => (x > 0 ? '1' : '0')).join('')),
    }),
    scalar(`subvector(${type}, int4, int4) ${type}`, {
      summary: 'So many elements from a position on.',
      example: [`SELECT subvector('[1,2,3,4]'::${type}, 2, 2)`, '[2,3]'],
      evaluate: subvector,
    }),
  ]),
];

/** @throws SqlError 22000, 22003, 22004, 54000 */
function sparseOf(
  name: 'f32_sparse_vector' | 'u8_sparse_vector',
  indices: ArrayDatum,
  values: ArrayDatum,
): SparseDatum {
  const [places, numbers] = [indices.elements, values.elements];
  if (places.length !== numbers.length) {
    const message = `${name} takes as many values as indices, not ${numbers.length} and ${places.length}`;
    throw new SqlError('data_exception', message);
  }
  const { round } = ELEMENT_FORMATS[name === 'f32_sparse_vector' ? 'f32' : 'u8'];
  const pairs = places.map((place, i) => {
    const value = numbers[i] ?? null;
    if (place === null || value === null) {
      throw new SqlError('null_value_not_allowed', 'array must not contain nulls');
    }
    return [Number(place), round(Number(value), name)] as const;
  });
  return sparseDatum(0, pairs, name);
}

/** Bytes, eight bits each. @throws SqlError 22000, 22003, 22004 */
const toBinary = (array: ArrayDatum): Uint8Array =>
  Uint8Array.from(denseVector(toVector(array), 'u8', 'binary_vector'));

const toSparse = (dense: Float32Array): SparseDatum =>
  sparseDatum(
    dense.length,
    Array.from(dense, (value, index) => [index, value] as const),
  );

/** @throws SqlError 22003, 54000 */
function toDense(sparse: SparseDatum, type: 'vector' | 'halfvec'): Float32Array {
  if (sparse.dimension > DIMENSION_MAX) {
    throw new SqlError('program_limit_exceeded', `${type} cannot have more than ${DIMENSION_MAX} dimensions`);
  }
  const dense = new Float32Array(sparse.dimension);
  for (const [i, index] of sparse.indices.entries()) dense[index] = sparse.values[i] as number;
  return denseVector(dense, type === 'vector' ? 'f32' : 'f16', type);
}

/** @throws SqlError 22000 */
function bounded(sparse: SparseDatum): SparseDatum {
  if (sparse.dimension > 0) return sparse;
  throw new SqlError('data_exception', 'sparsevec must have at least 1 dimension');
}

/** @throws SqlError 22003, 22P02 */
function wholeValues({ dimension, indices, values }: SparseDatum): SparseDatum {
  const { round } = ELEMENT_FORMATS.u8;
  const pairs = Array.from(
    indices,
    (index, i) => [index, round(values[i] as number, 'u8_sparse_vector')] as const,
  );
  return sparseDatum(dimension, pairs, 'u8_sparse_vector');
}

export const SPARSE_VECTOR_CASTS: readonly Cast[] = [
  ...(['vector', 'halfvec'] as const).flatMap((type): Cast[] => [
    { from: type, to: 'sparsevec', context: 'implicit', evaluate: toSparse },
    {
      from: 'sparsevec',
      to: type,
      context: 'assignment',
      evaluate: (sparse: SparseDatum) => toDense(sparse, type),
    },
  ]),
  ...['_int4', '_float4', '_float8', '_numeric'].map(
    (from): Cast => ({
      from,
      to: 'sparsevec',
      context: 'assignment',
      evaluate: (array: ArrayDatum) => toSparse(toVector(array)),
    }),
  ),
  {
    from: 'sparsevec',
    to: 'f32_sparse_vector',
    context: 'implicit',
    evaluate: (value: SparseDatum) => value,
  },
  {
    from: 'u8_sparse_vector',
    to: 'f32_sparse_vector',
    context: 'implicit',
    evaluate: (value: SparseDatum) => value,
  },
  { from: 'f32_sparse_vector', to: 'sparsevec', context: 'assignment', evaluate: bounded },
  { from: 'f32_sparse_vector', to: 'u8_sparse_vector', context: 'assignment', evaluate: wholeValues },
  ...['_int2', '_int4', '_int8'].map(
    (from): Cast => ({ from, to: 'binary_vector', context: 'assignment', evaluate: toBinary }),
  ),
  {
    from: 'u8_vector',
    to: 'binary_vector',
    context: 'assignment',
    evaluate: (bytes: Float32Array) => Uint8Array.from(bytes),
  },
  { from: 'binary_vector', to: 'bit', context: 'assignment', evaluate: bitsOf },
  { from: 'bit', to: 'binary_vector', context: 'assignment', evaluate: ({ bytes }: BitsDatum) => bytes },
  { from: 'binary_vector', to: 'bytea', context: 'assignment', evaluate: (bytes: Uint8Array) => bytes },
  { from: 'bytea', to: 'binary_vector', context: 'assignment', evaluate: (bytes: Uint8Array) => bytes },
];
