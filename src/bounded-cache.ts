/**
 * Caches that never grow beyond what they may. BoundedCache forgets what was not used for the longest; QuickCache
 * forgets all at once, so that a hit costs one look-up and nothing more.
 */

interface Bounds<K, V> {
  readonly entriesMax?: number;
  /** All entries together, in the unit of `sizeOf`. The newest entry stays, however large it is. */
  readonly sizeMax?: number;
  /** Always the same for an entry. */
  readonly sizeOf?: (value: V, key: K) => number;
}

interface CacheFigures {
  readonly entries: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
}

export class BoundedCache<K, V> {
  readonly sizeMax: number;
  readonly #entriesMax: number;
  readonly #sizeOf: (value: V, key: K) => number;
  /** In the order of their last use. */
  readonly #entries = new Map<K, V>();
  /**
   * Keys from the oldest on. One for all evictions: an iterator that begins anew passes over everything that has
   * been deleted since the map was last laid out, which took 8 times as long at 8,192 entries.
   */
  #oldest = this.#entries.keys();
  #newest: K | undefined;
  #size = 0;
  #hits = 0;
  #misses = 0;
  #evictions = 0;

  constructor({ entriesMax = Infinity, sizeMax = Infinity, sizeOf = () => 0 }: Bounds<K, V>) {
    this.#entriesMax = entriesMax;
    this.sizeMax = sizeMax;
    this.#sizeOf = sizeOf;
  }

  get(key: K): V | undefined {
    const found = this.#entries.get(key);
    if (found === undefined) {
      this.#misses++;
      return undefined;
    }
    this.#hits++;
    if (key !== this.#newest) {
      this.#entries.delete(key);
      this.#entries.set(key, found);
      this.#newest = key;
    }
    return found;
  }

  set(key: K, value: V): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#newest = key;
    this.#size += this.#sizeOf(value, key);
    while (this.#entries.size > 1 && (this.#size > this.sizeMax || this.#entries.size > this.#entriesMax)) {
      this.#evict();
    }
  }

  delete(key: K): void {
    const found = this.#entries.get(key);
    if (found === undefined) return;
    this.#size -= this.#sizeOf(found, key);
    this.#entries.delete(key);
    if (key === this.#newest) this.#newest = undefined;
  }

  clear(): void {
    this.#entries.clear();
    this.#newest = undefined;
    this.#size = 0;
  }

  get size(): number {
    return this.#size;
  }

  get figures(): CacheFigures {
    const { size: entries } = this.#entries;
    return { entries, hits: this.#hits, misses: this.#misses, evictions: this.#evictions };
  }

  #evict(): void {
    const { done, value } = this.#oldest.next();
    if (done === true) {
      this.#oldest = this.#entries.keys();
      return;
    }
    this.delete(value);
    this.#evictions++;
  }
}

export class QuickCache<K, V> {
  readonly #entriesMax: number;
  readonly #entries = new Map<K, V>();

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  /** @returns the value. */
  set<W extends V>(key: K, value: W): W {
    if (this.#entries.size >= this.#entriesMax) this.#entries.clear();
    this.#entries.set(key, value);
    return value;
  }
}
