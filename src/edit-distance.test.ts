/** Edit distances, against their definition. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DistanceTable } from './edit-distance.ts';

const distance = (a: string, b: string, most: number, swaps = true): number =>
  new DistanceTable(b, { swaps }).distanceTo(a, most);

it('counts swaps once and stops early', () => {
  expect(distance('machine', 'machnie', 2)).toBe(1);
  expect(distance('machine', 'machnie', 2, false)).toBe(2);
  expect(distance('kitten', 'sitting', 3)).toBe(3);
  expect(distance('kitten', 'sitting', 2)).toBe(3);
  expect(distance('', 'ab', 2)).toBe(2);
});

/** Levenshtein's, as it is defined. */
function defined(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const [restA, restB] = [a.slice(1), b.slice(1)];
  const change = defined(restA, restB) + (a[0] === b[0] ? 0 : 1);
  return Math.min(change, defined(restA, b) + 1, defined(a, restB) + 1);
}

it('is that of the definition, one table for many candidates', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 5 });
  fc.assert(
    fc.property(word, fc.array(word), (wanted, candidates) => {
      const table = new DistanceTable(wanted, { swaps: false });
      for (const candidate of candidates) {
        expect(table.distanceTo(candidate, 9)).toBe(defined(wanted, candidate));
        expect(table.distanceTo(candidate, 1)).toBe(Math.min(2, defined(wanted, candidate)));
      }
    }),
  );
});
