/**
 * Reads the sections of one segment. Most come into memory as a whole; wide ones (`paged`) are read in ranges,
 * through the cache of blocks.
 */
import type { PagedBytes } from '../../../index/structure.ts';
import { BLOCK_BYTES } from '../../../limits.ts';
import { sharedBytes } from './column.ts';
import type { Memory } from '../memory.ts';
import { damaged } from '../commit/format.ts';
import { numberKey, type Records } from '../commit/records.ts';
import { type PackedAs, unpackBlock } from './packing.ts';

/** Stored description of a section besides its blocks. */
export interface SectionRecord {
  readonly name: string;
  readonly size: number;
  /** Bytes of its blocks; absent: BLOCK_BYTES. */
  readonly block?: number;
  /** Bytes that it takes on disk, packed (`packing.ts`); absent: it lies there as it is. */
  readonly packed?: number;
  /** Form in which it is packed; absent: as it is. */
  readonly packedAs?: NonNullable<PackedAs>;
}

/** Blocks of a paged section are numbered below this in the cache. */
const SECTION_BLOCKS_MAX = 2 ** 24;

interface Section extends SectionRecord {
  readonly number: number;
  readonly block: number;
}

/** Parts of the engine that reading a segment needs. */
export interface SegmentContext {
  readonly records: Records;
  readonly memory: Memory;
  /** Gives the event loop a turn when it is time. */
  readonly pause: () => Promise<void>;
}

export class SectionReader {
  readonly #context: SegmentContext;
  readonly #segment: number;
  readonly #sections = new Map<string, Section>();

  constructor(context: SegmentContext, segment: number, sections: readonly SectionRecord[]) {
    this.#context = context;
    this.#segment = segment;
    for (const [number, section] of sections.entries()) {
      this.#sections.set(section.name, { block: BLOCK_BYTES, ...section, number });
    }
  }

  has(name: string): boolean {
    return this.#sections.has(name);
  }

  /** Sizes of the sections whose names begin so, by the rest of their names. */
  sizes(prefix: string): ReadonlyMap<string, number> {
    const sizes = new Map<string, number>();
    for (const { name, size } of this.#sections.values()) {
      if (name.startsWith(prefix)) sizes.set(name.slice(prefix.length), size);
    }
    return sizes;
  }

  /** All of a section, in shared memory, at once. */
  read(name: string): Uint8Array {
    const bytes = sharedBytes(this.#section(name).size);
    this.fillNow(name, bytes);
    return bytes;
  }

  /** As `read`, giving way to others between the blocks. */
  async load(name: string): Promise<Uint8Array> {
    const bytes = sharedBytes(this.#section(name).size);
    await this.fill(name, bytes);
    return bytes;
  }

  fillNow(name: string, into: Uint8Array): void {
    const section = this.#section(name);
    for (let at = 0; at < section.size; at += section.block) {
      into.set(this.#readBlock(section, at / section.block), at);
    }
  }

  async fill(name: string, into: Uint8Array): Promise<void> {
    const section = this.#section(name);
    for (let at = 0; at < section.size; at += section.block) {
      into.set(this.#readBlock(section, at / section.block), at);
      await this.#context.pause();
    }
  }

  /** A section to be read in ranges. */
  paged(name: string): PagedBytes {
    const section = this.#section(name);
    const { blocks } = this.#context.memory;
    const first = this.#context.memory.newSection() * SECTION_BLOCKS_MAX;
    let last: { readonly block: number; readonly bytes: Uint8Array } | null = null;
    const blockOf = (block: number, once: boolean): Uint8Array => {
      if (last?.block === block) return last.bytes;
      let bytes = blocks.get(first + block);
      if (bytes === undefined) {
        bytes = this.#readBlock(section, block);
        if (!once) blocks.set(first + block, bytes);
      }
      if (once) last = { block, bytes };
      return bytes;
    };
    return {
      size: section.size,
      read: (offset, into, once) => {
        if (offset + into.length > section.size) throw this.#damaged(`section "${name}"`);
        for (let done = 0; done < into.length; ) {
          const at = offset + done;
          const block = Math.floor(at / section.block);
          const start = at - block * section.block;
          const piece = blockOf(block, once).subarray(start, start + into.length - done);
          into.set(piece, done);
          done += piece.length;
        }
        if (!once) last = null;
      },
    };
  }

  #section(name: string): Section {
    const section = this.#sections.get(name);
    if (section === undefined) throw this.#damaged(`section "${name}"`);
    return section;
  }

  #readBlock({ name, number, size, block, packed, packedAs }: Section, index: number): Uint8Array {
    const { records } = this.#context;
    const key = numberKey(this.#segment, number, index);
    const sealed = records.store.borrow('blocks', key);
    const what = `block ${index} of section "${name}"`;
    if (sealed === undefined) throw this.#damaged(what);
    const wanted = Math.min(block, size - index * block);
    let plain: Uint8Array;
    try {
      plain = records.open('blocks', key, sealed);
      if (packed !== undefined && plain.length < wanted) plain = unpackBlock(plain, wanted, packedAs);
    } catch {
      throw this.#damaged(what);
    }
    if (plain.length !== wanted) throw this.#damaged(what);
    return plain;
  }

  #damaged(what: string): Error {
    return damaged(`${what} of segment ${this.#segment}`, this.#context.records.store.name);
  }
}
