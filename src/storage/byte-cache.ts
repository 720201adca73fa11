/** A cache of byte strings bounded by their size together: what was not asked for the longest goes first. */
export class ByteCache {
  readonly bytesMax: number;
  /** In the order of their last use. */
  readonly #held = new Map<number, Uint8Array>();
  #bytes = 0;
  #hits = 0;
  #misses = 0;
  #evictions = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  get(key: number): Uint8Array | undefined {
    const found = this.#held.get(key);
    if (found === undefined) {
      this.#misses++;
      return undefined;
    }
    this.#hits++;
    this.#held.delete(key);
    this.#held.set(key, found);
    return found;
  }

  /** Takes over `bytes`, which are not written to any more. */
  set(key: number, bytes: Uint8Array): void {
    this.delete(key);
    this.#held.set(key, bytes);
    this.#bytes += bytes.length;
    for (const oldest of this.#held.keys()) {
      if (this.#bytes <= this.bytesMax) break;
      this.delete(oldest);
      this.#evictions++;
    }
  }

  delete(key: number): void {
    this.#bytes -= this.#held.get(key)?.length ?? 0;
    this.#held.delete(key);
  }

  get figures(): { bytes: number; entries: number; hits: number; misses: number; evictions: number } {
    return {
      bytes: this.#bytes,
      entries: this.#held.size,
      hits: this.#hits,
      misses: this.#misses,
      evictions: this.#evictions,
    };
  }
}
