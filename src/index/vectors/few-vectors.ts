/**
 * The vectors of a small head as plain floats. A collection may have thousands of partitions with a few rows
 * each: a WebAssembly memory for every one of them would reserve 8 GB of addresses and make every growth of
 * any of them slower (V8 goes through all shared memories), so that one is made for a search and kept only
 * until the garbage collector wants it.
 */
import { VectorMemory } from './memory.ts';

/** More vectors or rows than this have a memory of their own. */
const FEW = 64;

export class FewVectors {
  readonly rows: Float32Array[] = [];
  entryCount = 0;
  readonly #dimension: number;
  #made: WeakRef<VectorMemory> | null = null;

  constructor(dimension: number) {
    this.#dimension = dimension;
  }

  get bytes(): number {
    return 4 * this.entryCount * this.#dimension;
  }

  /** True when a row of so many vectors may be added. */
  takes(count: number): boolean {
    return this.rows.length < FEW && this.entryCount + count <= FEW;
  }

  /** @param floats count × dimension; copied. */
  add(floats: Float32Array): void {
    this.rows.push(floats.slice());
    this.entryCount += floats.length / this.#dimension;
    this.#made = null;
  }

  /** All rows in one chunk, for the kernels. */
  memory(): VectorMemory {
    const known = this.#made?.deref();
    if (known !== undefined) return known;
    const room = { rows: this.rows.length, entries: this.entryCount };
    const memory = new VectorMemory(this.#dimension, 'memory', room);
    const chunk = memory.addChunk(0, room.rows, room.entries);
    for (const floats of this.rows) memory.appendRow(chunk, floats);
    this.#made = new WeakRef(memory);
    return memory;
  }
}
