/** Bounds, order and figures of caches; against a plain list. */
import { describe, expect, it } from 'vitest';
import { BoundedCache, QuickCache } from './bounded-cache.ts';
import { seededRandom } from './seeded-random.ts';

describe('BoundedCache', () => {
  it('keeps what was used last, as a list does, whatever is asked, put and taken out', () => {
    const random = seededRandom(7);
    const cache = new BoundedCache<number, number>({ entriesMax: 9, sizeMax: 60, sizeOf: (value) => value });
    let list: { key: number; value: number }[] = [];
    for (let step = 0; step < 20_000; step++) {
      const key = Math.floor(random() * 24);
      const at = list.findIndex((entry) => entry.key === key);
      const what = random();
      if (what < 0.5) {
        expect(cache.get(key)).toBe(list[at]?.value);
        if (at >= 0) list.push(...list.splice(at, 1));
      } else if (what < 0.9) {
        const value = Math.floor(random() * 20);
        cache.set(key, value);
        list = [...list.filter((entry) => entry.key !== key), { key, value }];
        while (list.length > 1 && (list.length > 9 || sizeOf(list) > 60)) list.shift();
      } else if (what < 0.999) {
        cache.delete(key);
        list = list.filter((entry) => entry.key !== key);
      } else {
        cache.clear();
        list = [];
      }
      expect([cache.figures.entries, cache.size]).toEqual([list.length, sizeOf(list)]);
    }
    expect(cache.figures.evictions).toBeGreaterThan(1_000);
  });

  it('keeps the newest entry, however large, and counts', () => {
    const cache = new BoundedCache<string, string>({ sizeMax: 3, sizeOf: (value) => value.length });
    cache.set('a', 'aa');
    cache.set('b', 'bbbbbb');
    expect([cache.get('a'), cache.get('b'), cache.size]).toEqual([undefined, 'bbbbbb', 6]);
    expect(cache.figures).toEqual({ entries: 1, hits: 1, misses: 1, evictions: 1 });
  });
});

const sizeOf = (list: readonly { value: number }[]): number =>
  list.reduce((sum, { value }) => sum + value, 0);

it('QuickCache forgets all when it is full', () => {
  const cache = new QuickCache<number, string>(2);
  expect([cache.set(1, 'a'), cache.set(2, 'b'), cache.get(1)]).toEqual(['a', 'b', 'a']);
  cache.set(3, 'c');
  expect([cache.get(1), cache.get(2), cache.get(3)]).toEqual([undefined, undefined, 'c']);
});
