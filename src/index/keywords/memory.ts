/**
 * A large keyword segment in WebAssembly memory: its sections, laid out once, and scratch areas that searches
 * borrow. A small one is searched without: every such memory reserves 8 GB of addresses.
 */
import { SqlError } from '../../errors.ts';
import { shareBytes } from '../shared-bytes.ts';
import { instantiateKernels, type Kernels, PAGE_BYTES, sharedMemory } from '../kernels.ts';

/** Rows that `any` adds scores up for at a time; a multiple of 8. */
export const WINDOW_ROWS = 4096;
/** Sections of as many bytes are worth a memory. */
export const KERNEL_BYTES_MIN = 1024 * 1024;

const ALIGNMENT = 64;
const MEMORY_BYTES_MAX = 65_535 * PAGE_BYTES;

export interface Scratch {
  readonly address: number;
  readonly size: number;
}

export class KeywordMemory {
  readonly kernels: Kernels;
  /** To be filled, by name; they stay where they are. */
  readonly sections: ReadonlyMap<string, Uint8Array>;
  /** Address of WINDOW_ROWS f32, all zero between two calls of a kernel. */
  readonly window: number;
  /** All of the memory. */
  words: Uint32Array = new Uint32Array(0);
  floats: Float64Array = new Float64Array(0);
  readonly #memory: WebAssembly.Memory;
  readonly #free: Scratch[] = [];
  #end = ALIGNMENT;

  /** @param sizes of the sections in bytes. @throws SqlError 53200 when they exceed 4 GiB. */
  constructor(sizes: ReadonlyMap<string, number>) {
    const room = WINDOW_ROWS * 4 + PAGE_BYTES;
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size + 2 * ALIGNMENT, room);
    this.#memory = sharedMemory(Math.ceil(bytes / PAGE_BYTES));
    this.#renewViews();
    this.kernels = instantiateKernels(this.#memory);
    const sections = new Map<string, Uint8Array>();
    for (const [name, size] of sizes) {
      // Kernels read up to 16 bytes behind what they need.
      const address = this.#allocate(size + 16);
      sections.set(name, new Uint8Array(this.#memory.buffer, address, size));
    }
    this.sections = sections;
    this.window = this.#allocate(WINDOW_ROWS * 4);
  }

  get bytes(): number {
    return this.words.byteLength;
  }

  /** Room of at least `size` bytes with anything in it, until `giveBack`. */
  borrow(size: number): Scratch {
    const at = this.#free.findIndex((area) => area.size >= size);
    if (at >= 0) return this.#free.splice(at, 1)[0] as Scratch;
    const rounded = 2 ** Math.ceil(Math.log2(Math.max(size, 4096)));
    return { address: this.#allocate(rounded), size: rounded };
  }

  giveBack(area: Scratch): void {
    this.#free.push(area);
  }

  #allocate(size: number): number {
    const address = this.#end;
    const end = address + Math.ceil(size / ALIGNMENT) * ALIGNMENT;
    if (end > MEMORY_BYTES_MAX) {
      throw new SqlError('out_of_memory', 'keywords of one segment exceed 4 GiB');
    }
    const missing = end - this.words.byteLength;
    if (missing > 0) {
      this.#memory.grow(Math.ceil(missing / PAGE_BYTES));
      this.#renewViews();
    }
    this.#end = end;
    return address;
  }

  #renewViews(): void {
    this.words = new Uint32Array(this.#memory.buffer);
    this.floats = new Float64Array(this.#memory.buffer);
  }
}

/** Where the sections of a segment are to be put: in memory of the kernels when they are large. */
export function sectionTargets(
  sizes: ReadonlyMap<string, number>,
  kernelBytesMin: number,
): { readonly sections: ReadonlyMap<string, Uint8Array>; readonly memory: KeywordMemory | null } {
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  if (bytes >= kernelBytesMin) {
    const memory = new KeywordMemory(sizes);
    return { sections: memory.sections, memory };
  }
  const empty = ([name, size]: [string, number]) => [name, shareBytes(new Uint8Array(size))] as const;
  return { sections: new Map([...sizes].map(empty)), memory: null };
}
