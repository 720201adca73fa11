/** Precision of estimates of matrices: as many bits of a number, and as many numbers, as the index says. */
import { expect, it } from 'vitest';
import { LANES, signLayout, signQuery } from './signs.ts';

const DIMENSION = 8;

/** Places of bits that count for the first row of the query. */
function counted(limits: { readonly planesMax: number; readonly numbersMax: number }): readonly number[] {
  const layout = signLayout(DIMENSION);
  expect(layout.planes).toBe(4);
  const model = new Float32Array((1 + layout.planes) * layout.width).fill(0.5);
  const rows = {
    count: 1,
    floats: new Float32Array(DIMENSION).fill(1),
    codes: new Int16Array(32),
    scales: new Float64Array(1),
    norms: new Float64Array(1),
    errors: new Float64Array(1),
    ...limits,
  };
  const { bits } = signQuery(model, layout, rows, 0);
  return Array.from({ length: 32 * layout.words }, (_, bit) => bit).filter((bit) => bits[bit * LANES] !== 0);
}

const ALL = Number.POSITIVE_INFINITY;
const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, i) => from + i);

it('goes by all bits and numbers, or by as many as it may', () => {
  expect(counted({ planesMax: ALL, numbersMax: ALL })).toEqual(range(0, 32));
  expect(counted({ planesMax: 1, numbersMax: ALL })).toEqual(range(0, 8));
  expect(counted({ planesMax: 2, numbersMax: ALL })).toEqual(range(0, 16));
  expect(counted({ planesMax: 2, numbersMax: 3 })).toEqual([0, 1, 2, 8, 9, 10]);
});
