/** Edge cases of shortest output: ties, midpoints and powers of two, as PostgreSQL 18 prints them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatFloat4, formatFloat8 } from './float.ts';

test.each([
  [24754.5625, '24754.562'],
  [3423159.25, '3.4231592e+06'],
  [-88003184, '-8.8003184e+07'],
  [2 ** -96, '1.2621775e-29'],
  [2 ** -12, '0.00024414062'],
  [2 ** 87, '1.5474251e+26'],
  [2 ** -149, '1e-45'],
])('real %d', (value, text) => {
  expect(formatFloat4(value)).toBe(text);
});

test.each([
  [Number(108811851697502592n), '1.0881185169750259e+17'],
  [Number(-767208285610631936n), '-7.672082856106319e+17'],
  [1e15, '1e+15'],
  [0.1 + 0.2, '0.30000000000000004'],
])('double precision %d', (value, text) => {
  expect(formatFloat8(value)).toBe(text);
});

test('both read back as the same value', () => {
  fc.assert(
    fc.property(fc.float({ noNaN: true }), fc.double({ noNaN: true }), (small, large) => {
      expect(Math.fround(Number(formatFloat4(small)))).toBe(small);
      expect(Number(formatFloat8(large))).toBe(large);
    }),
  );
});
