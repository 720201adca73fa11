/** Casts of matrices: between their element types, and from two-dimensional arrays. */
import { SqlError } from '../../errors.ts';
import type { ArrayDatum, Datum, MatrixDatum, NumericDatum } from '../../types/datum.ts';
import { ELEMENT_FORMATS, type ElementKind } from '../../types/vector/element-format.ts';
import { matrixDatum } from '../../types/vector/matrix.ts';
import { numericToNumber } from '../../types/number/numeric.ts';
import { checkElement } from '../../types/vector/dense-vector.ts';
import type { Cast } from '../function.ts';

const KINDS: readonly (readonly [string, ElementKind])[] = [
  ['f32_matrix', 'f32'],
  ['f16_matrix', 'f16'],
  ['f8_matrix', 'f8'],
  ['u8_matrix', 'u8'],
  ['i8_matrix', 'i8'],
];

/** @throws SqlError 22003, 22P02 */
function rounded(matrix: MatrixDatum, kind: ElementKind, type: string): MatrixDatum {
  const { round } = ELEMENT_FORMATS[kind];
  return { ...matrix, values: matrix.values.map((value) => round(value, type)) };
}

function numberOf(element: Datum, type: string): number {
  if (element === null) throw new SqlError('null_value_not_allowed', 'array must not contain nulls');
  const value =
    typeof element === 'object' && 'digits' in element
      ? numericToNumber(element as NumericDatum)
      : Number(element);
  return checkElement(value, type);
}

/** @throws SqlError 22000, 22003, 22004, 54000 */
function ofArray({ dimensions, elements }: ArrayDatum, kind: ElementKind, type: string): MatrixDatum {
  const [rows, columns] = dimensions;
  if (rows === undefined || columns === undefined || dimensions.length > 2) {
    throw new SqlError('data_exception', 'array must be 2-D');
  }
  const { round } = ELEMENT_FORMATS[kind];
  const values = elements.map((element) => round(numberOf(element, type), type));
  const width = columns.length;
  return matrixDatum(
    Array.from({ length: rows.length }, (_, row) => values.slice(row * width, (row + 1) * width)),
    type,
  );
}

export const MATRIX_CASTS: readonly Cast[] = KINDS.flatMap(([type, kind]): Cast[] => [
  ...['_int4', '_float4', '_float8', '_numeric'].map(
    (from): Cast => ({
      from,
      to: type,
      context: 'assignment',
      evaluate: (array: ArrayDatum) => ofArray(array, kind, type),
    }),
  ),
  ...KINDS.filter(([from]) => from !== type).map(
    ([from]): Cast => ({
      from,
      to: type,
      context: type === 'f32_matrix' ? 'implicit' : 'assignment',
      evaluate: (matrix: MatrixDatum) => rounded(matrix, kind, type),
    }),
  ),
]);
