/** A layered map is the map that it stands for, whatever was done to it, and none of those before changes. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LayeredMap } from './layered-map.ts';

const step = fc.record({ key: fc.integer({ min: 0, max: 120 }), value: fc.option(fc.nat(), { nil: null }) });

it('is as a map that is copied at each change, but for where one stands that came back', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      let plain: ReadonlyMap<number, number> = new Map([[1, 1]]);
      let layered = LayeredMap.of(plain);
      const before = new Map<LayeredMap<number, number>, ReadonlyMap<number, number>>();
      for (const { key, value } of steps) {
        before.set(layered, plain);
        const next = new Map(plain);
        if (value === null) next.delete(key);
        else next.set(key, value);
        plain = next;
        layered = value === null ? layered.without(key) : layered.with(key, value);
      }
      before.set(layered, plain);
      for (const [one, wanted] of before) {
        expect(new Map(one)).toEqual(wanted);
        expect(one.size).toBe(wanted.size);
        for (const key of [0, 1, 60])
          expect([one.get(key), one.has(key)]).toEqual([wanted.get(key), wanted.has(key)]);
      }
    }),
    { numRuns: 50 },
  );
});

it('keeps the order of a map', () => {
  let map = LayeredMap.of(new Map<number, string>([[5, 'a']]));
  for (let i = 100; i > 0; i--) map = map.with(i, String(i));
  expect([...map.keys()].slice(0, 4)).toEqual([5, 100, 99, 98]);
  expect([...map.values()].at(0)).toBe('5');
});
