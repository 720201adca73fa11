/**
 * Matrices for late interaction, and binary_vector. A matrix is any number of rows of one dimension: text
 * `[[1,2],[3,4]]`, binary int32 rows, int32 dimension, elements row by row. BINARY_VECTOR(n) is n packed
 * bytes with text `[0,255]`.
 */
import { SqlError } from '../../errors.ts';
import { DIMENSION_MAX, MATRIX_DIMENSION_MAX } from '../../limits.ts';
import { compareBytes, expectBytes, expectBytesAtLeast, toHex, viewOf } from '../column/bytes.ts';
import type { MatrixDatum } from '../datum.ts';
import {
  checkDimension,
  checkElement,
  compareVectors,
  vectorTypeBase,
  parseElements,
} from './dense-vector.ts';
import { ELEMENT_FORMATS, type ElementKind } from './element-format.ts';
import type { SqlType } from '../type.ts';
import { invalidBinary, invalidText } from '../type-errors.ts';

type MatrixName = 'f32_matrix' | 'f16_matrix' | 'f8_matrix' | 'u8_matrix' | 'i8_matrix';

const HEADER_BYTES = 8;

/** @param rows each of the same length. @throws SqlError 22000, 54000. */
export function matrixDatum(rows: readonly ArrayLike<number>[], name = 'f32_matrix'): MatrixDatum {
  const dimension = rows[0]?.length ?? 0;
  if (dimension < 1) throw new SqlError('data_exception', `${name} must have at least 1 row and 1 dimension`);
  if (dimension > MATRIX_DIMENSION_MAX) {
    throw new SqlError(
      'program_limit_exceeded',
      `${name} cannot have more than ${MATRIX_DIMENSION_MAX} dimensions`,
    );
  }
  const values = new Float32Array(rows.length * dimension);
  rows.forEach((row, i) => {
    checkDimension(row.length, dimension);
    values.set(row, i * dimension);
  });
  return { datum: 'matrix', rows: rows.length, dimension, values };
}

function parseMatrix(text: string, name: MatrixName, kind: ElementKind): MatrixDatum {
  const shape = /^\s*\[\s*(\[.*\])\s*\]\s*$/s.exec(text);
  if (shape === null) {
    throw invalidText(name, text, { detail: 'Matrix contents must be rows: [[1,2],[3,4]].' });
  }
  const rows = (shape[1] as string).split(/(?<=\])\s*,\s*(?=\[)/);
  return matrixDatum(
    rows.map((row) => parseElements(row, name, ELEMENT_FORMATS[kind])),
    name,
  );
}

function formatMatrix(matrix: MatrixDatum, kind: ElementKind): string {
  const { format } = ELEMENT_FORMATS[kind];
  const rows = Array.from({ length: matrix.rows }, (_, i) => {
    const row = matrix.values.subarray(i * matrix.dimension, (i + 1) * matrix.dimension);
    return `[${Array.from(row, format).join(',')}]`;
  });
  return `[${rows.join(',')}]`;
}

function receiveMatrix(bytes: Uint8Array, name: MatrixName, kind: ElementKind): MatrixDatum {
  expectBytesAtLeast(bytes, HEADER_BYTES);
  const format = ELEMENT_FORMATS[kind];
  const view = viewOf(bytes);
  const rows = view.getInt32(0);
  const dimension = view.getInt32(4);
  if (rows < 1 || dimension < 1 || dimension > MATRIX_DIMENSION_MAX) throw invalidBinary();
  expectBytes(bytes, HEADER_BYTES + rows * dimension * format.bytes);
  const values = new Float32Array(rows * dimension);
  for (let i = 0; i < values.length; i++) {
    values[i] = checkElement(format.read(view, HEADER_BYTES + i * format.bytes), name);
  }
  return { datum: 'matrix', rows, dimension, values };
}

function sendMatrix({ rows, dimension, values }: MatrixDatum, kind: ElementKind): Uint8Array {
  const format = ELEMENT_FORMATS[kind];
  const bytes = new Uint8Array(HEADER_BYTES + values.length * format.bytes);
  const view = viewOf(bytes);
  view.setInt32(0, rows);
  view.setInt32(4, dimension);
  for (let i = 0; i < values.length; i++) {
    format.write(view, HEADER_BYTES + i * format.bytes, values[i] as number);
  }
  return bytes;
}

function matrixType(name: MatrixName, kind: ElementKind): SqlType {
  const checked = (matrix: MatrixDatum, modifier: number): MatrixDatum => {
    checkDimension(matrix.dimension, modifier);
    return matrix;
  };
  return {
    ...vectorTypeBase(name, MATRIX_DIMENSION_MAX),
    parse: (text, modifier) => checked(parseMatrix(text, name, kind), modifier),
    format: (datum) => formatMatrix(datum as MatrixDatum, kind),
    receive: (bytes, modifier) => checked(receiveMatrix(bytes, name, kind), modifier),
    send: (datum) => sendMatrix(datum as MatrixDatum, kind),
    compare: (a, b) => {
      const [x, y] = [a as MatrixDatum, b as MatrixDatum];
      return compareVectors(x.values, y.values) || x.dimension - y.dimension;
    },
    hashKey: (datum) => {
      const { dimension, values } = datum as MatrixDatum;
      return `${dimension}:${values.map((value) => value + 0).join()}`;
    },
    coerce: (datum, modifier) => checked(datum as MatrixDatum, modifier),
  };
}

export const MATRIX_TYPES: readonly SqlType[] = [
  matrixType('f32_matrix', 'f32'),
  matrixType('f16_matrix', 'f16'),
  matrixType('f8_matrix', 'f8'),
  matrixType('u8_matrix', 'u8'),
  matrixType('i8_matrix', 'i8'),
];

const BINARY = 'binary_vector';

function checkedBytes(bytes: Uint8Array, modifier: number): Uint8Array {
  checkDimension(bytes.length, modifier);
  return bytes;
}

/** The dimension counts bytes. Binary form: the bytes themselves. */
export const BINARY_VECTOR: SqlType = {
  ...vectorTypeBase(BINARY, DIMENSION_MAX),
  parse: (text, modifier) =>
    checkedBytes(Uint8Array.from(parseElements(text, BINARY, ELEMENT_FORMATS.u8)), modifier),
  format: (datum) => `[${(datum as Uint8Array).join(',')}]`,
  receive: (bytes, modifier) => {
    expectBytesAtLeast(bytes, 1);
    return checkedBytes(bytes.slice(), modifier);
  },
  send: (datum) => datum as Uint8Array,
  compare: (a, b) => compareBytes(a as Uint8Array, b as Uint8Array),
  hashKey: (datum) => toHex(datum as Uint8Array),
  coerce: (datum, modifier) => checkedBytes(datum as Uint8Array, modifier),
};
