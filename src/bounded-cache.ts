/**
 * Caches that never grow beyond what they may. BoundedCache forgets what was not used for the longest; QuickCache
 * forgets all at once, so that a hit costs one look-up and nothing more.
 */
import { LRUCache } from 'lru-cache';

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

/** `lru-cache` with a bound in both units, of which the newest entry is free; this is the one file that knows it. */
export class BoundedCache<K extends object | string | number, V extends object | number | string> {
  readonly sizeMax: number;
  readonly #entriesMax: number;
  readonly #entries: LRUCache<K, V>;
  #hits = 0;
  #misses = 0;
  #evictions = 0;

  constructor({ entriesMax = Infinity, sizeMax = Infinity, sizeOf = () => 0 }: Bounds<K, V>) {
    this.sizeMax = sizeMax;
    this.#entriesMax = entriesMax;
    // Its own bounds refuse an entry that alone is too large, reserve room for `max` entries, and know no size 0.
    const sizeCalculation = (value: V, key: K): number => 1 + sizeOf(value, key);
    this.#entries = new LRUCache({ maxSize: Number.MAX_SAFE_INTEGER, sizeCalculation });
  }

  get(key: K): V | undefined {
    const found = this.#entries.get(key);
    if (found === undefined) this.#misses++;
    else this.#hits++;
    return found;
  }

  set(key: K, value: V): void {
    this.#entries.set(key, value);
    while (this.#entries.size > 1 && (this.size > this.sizeMax || this.#entries.size > this.#entriesMax)) {
      this.#entries.pop();
      this.#evictions++;
    }
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  get size(): number {
    return this.#entries.calculatedSize - this.#entries.size;
  }

  get figures(): CacheFigures {
    const { size: entries } = this.#entries;
    return { entries, hits: this.#hits, misses: this.#misses, evictions: this.#evictions };
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
