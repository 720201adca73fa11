/**
 * Things of one kind that a segment has in memory, by name: known to the memory budget, which lets go of those
 * not used for the longest. What is on its way there is brought once.
 */
import type { Memory, Resident } from '../memory.ts';

interface Held<T> extends Resident {
  readonly value: T;
}

export class ResidentMap<T> {
  readonly #memory: Memory;
  readonly #kind: Resident['kind'];
  readonly #held = new Map<string, Held<T>>();
  readonly #loading = new Map<string, Promise<void>>();

  constructor(memory: Memory, kind: Resident['kind']) {
    this.#memory = memory;
    this.#kind = kind;
  }

  has(name: string): boolean {
    return this.#held.has(name);
  }

  /** Undefined when it is not in memory; without a use that the budget counts. */
  peek(name: string): T | undefined {
    return this.#held.get(name)?.value;
  }

  /** Undefined when it is not in memory. */
  use(name: string): T | undefined {
    const held = this.#held.get(name);
    if (held !== undefined) this.#memory.use(held);
    return held?.value;
  }

  /** Adds unless there: somebody else may have brought it meanwhile. @returns what is there now. */
  add(name: string, value: T, bytes: number): T {
    const before = this.#held.get(name);
    return before === undefined ? this.replace(name, value, bytes) : before.value;
  }

  replace(name: string, value: T, bytes: number): T {
    const before = this.#held.get(name);
    if (before !== undefined) this.#memory.remove(before);
    const drop = (): void => void this.#held.delete(name);
    const held: Held<T> = { kind: this.#kind, bytes, value, drop };
    this.#held.set(name, held);
    this.#memory.add(held);
    return value;
  }

  /** Work that is under way is waited for, not begun again. */
  bring(name: string, work: () => Promise<void>): Promise<void> {
    let loading = this.#loading.get(name);
    if (loading === undefined) {
      loading = work().finally(() => this.#loading.delete(name));
      this.#loading.set(name, loading);
    }
    return loading;
  }

  names(): readonly string[] {
    return [...this.#held.keys()];
  }

  values(): readonly T[] {
    return Array.from(this.#held.values(), ({ value }) => value);
  }

  clear(): void {
    for (const held of this.#held.values()) this.#memory.remove(held);
    this.#held.clear();
  }
}
