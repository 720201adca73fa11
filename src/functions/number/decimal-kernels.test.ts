/** Numerics in doubles against the same numerics one by one. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DecimalSum } from '../../execute/group/decimal-sum.ts';
import type { NumericDatum } from '../../types/datum.ts';
import {
  addNumeric,
  compareNumeric,
  divideNumeric,
  multiplyNumeric,
  numericOf,
  subtractNumeric,
} from '../../types/number/numeric.ts';
import { NUMERIC, receiveDecimals } from '../../types/number/numeric-type.ts';
import { ObjectVector } from '../../types/column/object-vector.ts';
import { decimalComparison, decimalKernel } from './decimal-kernels.ts';

const digits = fc.oneof(
  fc.bigInt({ min: -1_000_000n, max: 1_000_000n }),
  fc.bigInt({ min: -(2n ** 60n), max: 2n ** 60n }),
  fc.constantFrom(0n, 2n ** 53n - 1n, 1n - 2n ** 53n, 2n ** 53n, 99_999_999n),
);
const column = fc
  .tuple(fc.nat(12), fc.array(fc.option(digits), { minLength: 1, maxLength: 8 }))
  .map(([scale, values]) => values.map((value) => (value === null ? null : numericOf(value, scale))));

function vectorOfNumerics(values: readonly (NumericDatum | null)[]): ObjectVector {
  const nulls = values.includes(null) ? Uint8Array.from(values, (value) => (value === null ? 1 : 0)) : null;
  return new ObjectVector(values, nulls);
}

const rowsOf = (vector: { get(row: number): unknown }, length: number): unknown[] =>
  Array.from({ length }, (_, row) => vector.get(row));

test.each([
  ['+', addNumeric],
  ['-', subtractNumeric],
  ['*', multiplyNumeric],
] as const)('%s', (operator, step) => {
  const kernel = decimalKernel(operator, step);
  fc.assert(
    fc.property(column, column, (left, right) => {
      const length = Math.min(left.length, right.length);
      const [a, b] = [vectorOfNumerics(left.slice(0, length)), vectorOfNumerics(right.slice(0, length))];
      const expected = Array.from({ length }, (_, row) => {
        const [first, second] = [left[row] ?? null, right[row] ?? null];
        return first === null || second === null ? null : step(first, second);
      });
      expect(rowsOf(kernel([a, b], length), length)).toEqual(expected);
    }),
  );
});

test('comparison', () => {
  const kernel = decimalComparison([1, 1, 0], compareNumeric);
  fc.assert(
    fc.property(column, column, (left, right) => {
      const length = Math.min(left.length, right.length);
      const [a, b] = [vectorOfNumerics(left.slice(0, length)), vectorOfNumerics(right.slice(0, length))];
      const expected = Array.from({ length }, (_, row) => {
        const [first, second] = [left[row] ?? null, right[row] ?? null];
        return first === null || second === null ? null : compareNumeric(first, second) <= 0;
      });
      expect(rowsOf(kernel([a, b], length), length)).toEqual(expected);
    }),
  );
});

test('sums and means, also of unlike scales', () => {
  fc.assert(
    fc.property(fc.array(column, { minLength: 1, maxLength: 4 }), (columns) => {
      const [sum, mean] = [new DecimalSum(false), new DecimalSum(true)];
      const present = columns.flat().filter((value) => value !== null);
      for (const accumulator of [sum, mean]) {
        accumulator.grow(1);
        for (const values of columns)
          accumulator.step(new Int32Array(values.length), [vectorOfNumerics(values)]);
      }
      const total = present.length === 0 ? null : present.reduce((a, b) => addNumeric(a, b));
      expect(sum.result().get(0)).toEqual(total);
      const expected = total && divideNumeric(total, numericOf(BigInt(present.length)));
      expect(mean.result().get(0)).toEqual(expected);
    }),
  );
});

test('the binary form, read without a datum each', () => {
  fc.assert(
    fc.property(column, (values) => {
      const pieces = values.map((value) => (value === null ? new Uint8Array(0) : NUMERIC.send(value)));
      const offsets = new Uint32Array(pieces.length + 1);
      pieces.forEach((piece, row) => {
        offsets[row + 1] = (offsets[row] as number) + piece.length;
      });
      const { nulls } = vectorOfNumerics(values);
      const decimals = receiveDecimals(Buffer.concat(pieces), offsets, nulls);
      if (decimals === null) return;
      expect(rowsOf(ObjectVector.fromDecimals(decimals, nulls), values.length)).toEqual(values);
    }),
  );
});
