/**
 * A map that never changes, and gives others that differ in an entry without copying all of it: a whole map below, shared by
 * all that came of it, and few entries above. One thing to know: an edit costs the root of its size, so that ten thousand
 * of them are no hundred million.
 */

/** Entries above, at the least, before they become part of the map below. */
const ABOVE_COUNT_MIN = 32;

const GONE = Symbol('gone');

export class LayeredMap<K, V> implements ReadonlyMap<K, V> {
  readonly #below: ReadonlyMap<K, V>;
  /** In place of those below, or new ones. */
  readonly #above: ReadonlyMap<K, V | typeof GONE>;
  readonly size: number;

  private constructor(
    below: ReadonlyMap<K, V>,
    above: ReadonlyMap<K, V | typeof GONE> = new Map(),
    size = below.size,
  ) {
    this.#below = below;
    this.#above = above;
    this.size = size;
  }

  /** @param map is not changed from then on. */
  static of<K, V>(map: ReadonlyMap<K, V>): LayeredMap<K, V> {
    return map instanceof LayeredMap ? map : new LayeredMap(map);
  }

  /** Where it stands in the order stays what it was; a new one is the last. */
  with(key: K, value: V): LayeredMap<K, V> {
    return this.#changed(new Map(this.#above).set(key, value), this.has(key) ? 0 : 1);
  }

  without(key: K): LayeredMap<K, V> {
    if (!this.has(key)) return this;
    const above = new Map(this.#above);
    if (this.#below.has(key)) above.set(key, GONE);
    else above.delete(key);
    return this.#changed(above, -1);
  }

  #changed(above: ReadonlyMap<K, V | typeof GONE>, by: number): LayeredMap<K, V> {
    const size = this.size + by;
    const changed = new LayeredMap(this.#below, above, size);
    const isMuch = above.size > Math.max(ABOVE_COUNT_MIN, Math.sqrt(this.#below.size));
    return isMuch ? new LayeredMap(new Map(changed)) : changed;
  }

  get(key: K): V | undefined {
    const found = this.#above.get(key);
    if (found === GONE) return undefined;
    return found === undefined && !this.#above.has(key) ? this.#below.get(key) : found;
  }

  has(key: K): boolean {
    const found = this.#above.get(key);
    if (found === GONE) return false;
    return found !== undefined || this.#above.has(key) || this.#below.has(key);
  }

  *entries(): MapIterator<[K, V]> {
    for (const [key, value] of this.#below) {
      const found = this.#above.has(key) ? this.#above.get(key) : value;
      if (found !== GONE) yield [key, found as V];
    }
    for (const [key, value] of this.#above) {
      if (value !== GONE && !this.#below.has(key)) yield [key, value];
    }
  }

  *keys(): MapIterator<K> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): MapIterator<V> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.entries();
  }

  forEach(each: (value: V, key: K, map: ReadonlyMap<K, V>) => void): void {
    for (const [key, value] of this.entries()) each(value, key, this);
  }
}
