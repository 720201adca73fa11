/**
 * Derived data of a segment's columns, made when first wanted, bounds or an order of their values, by attribute:
 * counted by the memory budget, and made anew when it had to go.
 */
import type { Memory } from '../memory.ts';
import { ResidentMap } from './resident-map.ts';

interface Derivation<T> {
  /** Null where a column has none. */
  make(attribute: number): Promise<T | null>;
  /** Bytes that it keeps in memory. */
  bytesOf(value: T): number;
}

export class DerivedColumns<T> {
  readonly #derivation: Derivation<T>;
  readonly #kept: ResidentMap<{ readonly value: T | null }>;
  readonly #making = new Map<number, Promise<T | null>>();

  constructor(memory: Memory, derivation: Derivation<T>) {
    this.#derivation = derivation;
    this.#kept = new ResidentMap(memory, 'order');
  }

  /** Whoever asks while it is made waits for the same; a failure is told to them and not kept. */
  get(attribute: number): Promise<T | null> {
    const known = this.#kept.use(String(attribute));
    if (known !== undefined) return Promise.resolve(known.value);
    let making = this.#making.get(attribute);
    if (making === undefined) {
      making = this.#make(attribute).finally(() => this.#making.delete(attribute));
      this.#making.set(attribute, making);
    }
    return making;
  }

  clear(): void {
    this.#kept.clear();
  }

  async #make(attribute: number): Promise<T | null> {
    const value = await this.#derivation.make(attribute);
    this.#kept.replace(String(attribute), { value }, value === null ? 0 : this.#derivation.bytesOf(value));
    return value;
  }
}
