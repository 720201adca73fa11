/**
 * A work order for the graph kernels: a block of fields in scratch memory, whose offsets are those at the
 * top of `wasm/graph.ts`, followed by its heaps and bitsets.
 */
import type { GraphArrays } from './graph-layout.ts';
import { MEASURES } from './job.ts';
import type { Scratch, VectorMemory } from './memory.ts';
import type { VectorQuery } from './query.ts';

const JOB_BYTES = 128;
/** A query's 7-bit codes are these at most, shifted by 64. */
const CODE_MAX = 63;

interface JobOptions {
  /** Results a search keeps in view. */
  readonly ef: number;
  readonly comparedMax: number;
  /** One bit a row; null: every row. */
  readonly mask: Uint32Array | null;
  /** Locks of builders: address, and number of locks (a power of two). */
  readonly locks?: { readonly address: number; readonly count: number };
}

export interface GraphHits {
  /** Best first. */
  readonly entries: Uint32Array;
  /** Entries the query was compared with. */
  readonly compared: number;
}

export class GraphJob implements Disposable {
  readonly #memory: VectorMemory;
  readonly #scratch: Scratch;
  readonly #fields: DataView;
  readonly #query: number;
  readonly #sorted: number;

  constructor(graph: GraphArrays, options: JobOptions) {
    const { layout, chunk, memory } = graph;
    this.#memory = memory;
    const { ef, mask, comparedMax } = options;
    const listMax = 2 * layout.m + 1;
    const candidatesMax = Math.min(layout.entries, comparedMax) + 1;
    let size = JOB_BYTES;
    const place = (bytes: number): number => {
      const at = size;
      size += Math.ceil(bytes / 16) * 16;
      return at;
    };
    const visitedBytes = Math.ceil(layout.entries / 8);
    const at = {
      query: place(memory.stride),
      visited: place(visitedBytes),
      candidates: place(candidatesMax * 8),
      results: place(Math.max(ef, listMax) * 8),
      sorted: place(Math.max(ef, listMax) * 8),
      batch: place(listMax * 4),
      chosen: place(options.locks ? listMax * memory.stride : 0),
      chosenKeys: place(options.locks ? listMax * 8 : 0),
      mask: place(mask?.byteLength ?? 0),
    };
    this.#scratch = memory.borrow(size);
    const base = this.#scratch.address;
    if (mask !== null) new Uint32Array(memory.buffer, base + at.mask, mask.length).set(mask);
    this.#query = base + at.query;
    this.#sorted = base + at.sorted;
    this.#fields = new DataView(memory.buffer, base, JOB_BYTES);
    const fields = [
      [layout.links, layout.levels, layout.upper, layout.pool, layout.top, layout.m],
      [chunk.records, memory.stride, MEASURES[graph.measure], graph.rows, mask ? base + at.mask : 0],
      [base + at.visited, visitedBytes, base + at.candidates, candidatesMax, base + at.results, ef],
      [this.#query, 0, 0, comparedMax, this.#sorted, base + at.chosen, base + at.chosenKeys],
      [options.locks?.address ?? 0, (options.locks?.count ?? 1) - 1],
    ].flat();
    for (const [i, value] of fields.entries()) this.#fields.setUint32(i * 4, value, true);
    this.#fields.setUint32(112, base + at.batch, true);
  }

  /** Writes a query: 7-bit codes of its 16-bit ones. */
  ask(query: VectorQuery): void {
    const { buffer, stride } = this.#memory;
    let largest = 0;
    for (const code of query.codes) largest = Math.max(largest, Math.abs(code));
    const factor = largest > 0 ? CODE_MAX / largest : 0;
    const codes = new Uint8Array(buffer, this.#query, stride).fill(64);
    for (let i = 0; i < query.codes.length; i++)
      codes[i] = 64 + Math.round((query.codes[i] as number) * factor);
    this.#fields.setFloat32(72, factor > 0 ? query.scale / factor : 0, true);
    this.#fields.setFloat64(104, query.norm, true);
  }

  search(): GraphHits {
    const { kernels, buffer } = this.#memory;
    const count = kernels.searchGraph(this.#scratch.address);
    const keys = new Uint32Array(buffer, this.#sorted, 2 * count);
    const entries = new Uint32Array(count);
    for (let i = 0; i < count; i++) entries[i] = keys[2 * i] as number;
    return { entries, compared: this.#fields.getUint32(76, true) };
  }

  /** Where the kernels find it. */
  get address(): number {
    return this.#scratch.address;
  }

  [Symbol.dispose](): void {
    this.#memory.giveBack(this.#scratch);
  }
}
