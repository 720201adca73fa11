/**
 * A store that lives in memory: the oracle for LMDB in tests, and the base of the faulty twin. Entries lie in
 * one sorted array, found by binary search.
 */
import { type Entry, type KeyRange, type Operation, SPACES, type Space, type Store } from './store.ts';

interface Held {
  /** Space byte and key as a Latin-1 string, whose order is the bytes' order. */
  readonly name: string;
  readonly value: Uint8Array;
}

export class MemoryStore implements Store {
  readonly name: string = 'memory';
  #entries: Held[];

  constructor(image: readonly Held[] = []) {
    this.#entries = [...image];
  }

  get(space: Space, key: Uint8Array): Uint8Array | undefined {
    const name = nameOf(space, key);
    const held = this.#entries[this.#position(name)];
    return held?.name === name ? held.value.slice() : undefined;
  }

  borrow(space: Space, key: Uint8Array): Uint8Array | undefined {
    return this.get(space, key);
  }

  scan(space: Space, range: KeyRange): readonly Entry[] {
    return this.#range(space, range).map((held) => ({ key: keyOf(held), value: held.value.slice() }));
  }

  scanKeys(space: Space, range: KeyRange): readonly Uint8Array[] {
    return this.#range(space, range).map(keyOf);
  }

  async write(operations: readonly Operation[]): Promise<void> {
    this.apply(operations);
  }

  space(): { bytes: number; free: number } {
    return { bytes: 0, free: 0 };
  }

  async compact(): Promise<void> {}

  async close(): Promise<void> {}

  /** All operations at once, seen by the next read. */
  apply(operations: readonly Operation[]): void {
    for (const operation of operations) {
      const name = nameOf(operation.space, operation.key);
      const at = this.#position(name);
      const there = this.#entries[at]?.name === name ? 1 : 0;
      if (operation.kind === 'remove') this.#entries.splice(at, there);
      else if (there === 1) this.#entries[at] = { name, value: operation.value.slice() };
      else this.#entries.splice(at, 0, { name, value: operation.value.slice() });
    }
  }

  /** What is stored, for a second store to start from. */
  image(): readonly Held[] {
    return [...this.#entries];
  }

  #range(space: Space, range: KeyRange): readonly Held[] {
    const start = this.#position(nameOf(space, range.from ?? new Uint8Array(0)));
    const end =
      range.to === undefined
        ? this.#position(String.fromCharCode(SPACES[space] + 1))
        : this.#position(nameOf(space, range.to));
    return this.#entries.slice(start, Math.min(end, start + (range.limit ?? this.#entries.length)));
  }

  /** Where `name` is or would be. */
  #position(name: string): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle] as Held).name < name) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function nameOf(space: Space, key: Uint8Array): string {
  return String.fromCharCode(SPACES[space]) + Buffer.from(key).toString('latin1');
}

function keyOf(held: Held): Uint8Array {
  return Buffer.from(held.name.slice(1), 'latin1');
}
