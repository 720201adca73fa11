/**
 * One search's work order for the vector kernels: a block of fields in scratch memory, whose offsets are
 * those at the top of `wasm/vectors.ts`, followed by the query, the candidate heap, rows and scores.
 */
import type { Chunk, Scratch, VectorMemory } from './vector-memory.ts';
import type { VectorQuery } from './vector-query.ts';

const JOB_BYTES = 128;
/** Rows scored in one call of the kernel. */
export const SCORE_ROWS_MAX = 1024;

/** Measures as the kernels number them. */
export const MEASURES = { cosine: 0, dot_product: 1, euclidean: 2, l1: 3 } as const;

/** Rows beside what is known of each. */
export interface Rated {
  readonly rows: Uint32Array;
  readonly goodness: Float64Array;
}

export class VectorJob implements Disposable {
  readonly query: VectorQuery;
  readonly #memory: VectorMemory;
  readonly #scratch: Scratch;
  readonly #capacity: number;
  readonly #addresses: { queryCodes: number; queryFloats: number; rows: number; out: number; heap: number };

  /** @param capacity candidates to keep, 0 when only `score` is wanted. */
  constructor(memory: VectorMemory, query: VectorQuery, capacity: number, mask: Uint32Array | null) {
    this.query = query;
    this.#memory = memory;
    this.#capacity = capacity;
    const queryCodes = JOB_BYTES;
    const queryFloats = queryCodes + memory.stride * 2;
    const rows = queryFloats + memory.floatStride;
    const out = rows + SCORE_ROWS_MAX * 4;
    const heap = out + SCORE_ROWS_MAX * 8;
    const bitset = heap + capacity * 8;
    this.#scratch = memory.borrow(bitset + (mask?.byteLength ?? 0));
    const base = this.#scratch.address;
    this.#addresses = {
      queryCodes: base + queryCodes,
      queryFloats: base + queryFloats,
      rows: base + rows,
      out: base + out,
      heap: base + heap,
    };
    this.#writeQuery(query);
    if (mask !== null) new Uint32Array(memory.buffer, base + bitset, mask.length).set(mask);
    const fields = new DataView(memory.buffer, base, JOB_BYTES);
    const write = (at: number, value: number): void => fields.setUint32(at, value, true);
    write(20, memory.stride);
    write(24, memory.floatStride);
    write(28, MEASURES[query.measure]);
    write(36, mask === null ? 0 : base + bitset);
    write(40, this.#addresses.queryCodes);
    write(44, this.#addresses.queryFloats);
    fields.setFloat32(48, query.scale, true);
    write(52, this.#addresses.heap);
    write(56, capacity);
    write(60, 0);
    fields.setFloat64(64, query.norm, true);
  }

  /** Scans rows [from, to) of the part, all in one chunk; calls go upwards. */
  scan(chunk: Chunk, from: number, to: number): void {
    this.#useChunk(chunk);
    this.#memory.kernels.scan(this.#scratch.address, from - chunk.rowBase, to - chunk.rowBase);
  }

  /** Exact goodness of ascending rows of the part into `out`; NaN where a row has no vector. */
  score(rows: Uint32Array, out: Float64Array): void {
    this.#rate('score', rows, out);
  }

  /** Goodness by codes, as `scan` finds it. */
  approximate(rows: Uint32Array, out: Float64Array): void {
    this.#rate('approximateRows', rows, out);
  }

  #rate(kernel: 'score' | 'approximateRows', rows: Uint32Array, out: Float64Array): void {
    const memory = this.#memory;
    for (let from = 0; from < rows.length; ) {
      const chunk = memory.chunkOf(rows[from] as number);
      const chunkEnd = chunk.rowBase + chunk.rows;
      const most = Math.min(rows.length, from + SCORE_ROWS_MAX);
      let to = from + 1;
      while (to < most && (rows[to] as number) < chunkEnd) to++;
      this.#useChunk(chunk);
      new Uint32Array(memory.buffer, this.#addresses.rows, to - from).set(rows.subarray(from, to));
      memory.kernels[kernel](this.#scratch.address, this.#addresses.rows, to - from, this.#addresses.out);
      out.set(new Float64Array(memory.buffer, this.#addresses.out, to - from), from);
      from = to;
    }
  }

  /** Rows kept so far with their goodness by codes, in no order; the least of them when no more fit. */
  candidates(): Rated & { readonly cutoff: number } {
    const count = new DataView(this.#memory.buffer, this.#scratch.address, JOB_BYTES).getUint32(60, true);
    const heap = new DataView(this.#memory.buffer, this.#addresses.heap, this.#capacity * 8);
    const rows = new Uint32Array(count);
    const goodness = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      goodness[i] = heap.getFloat32(i * 8, true);
      rows[i] = heap.getUint32(i * 8 + 4, true);
    }
    const full = count === this.#capacity && count > 0;
    return { rows, goodness, cutoff: full ? (goodness[0] as number) : -Infinity };
  }

  [Symbol.dispose](): void {
    this.#memory.giveBack(this.#scratch);
  }

  #writeQuery(query: VectorQuery): void {
    const { buffer, stride, floatStride } = this.#memory;
    const codes = new Int16Array(buffer, this.#addresses.queryCodes, stride);
    codes.fill(0).set(query.codes);
    const floats = new Float32Array(buffer, this.#addresses.queryFloats, floatStride / 4);
    floats.fill(0).set(query.floats);
  }

  #useChunk(chunk: Chunk): void {
    const fields = new DataView(this.#memory.buffer, this.#scratch.address, JOB_BYTES);
    fields.setUint32(0, chunk.starts, true);
    fields.setUint32(4, chunk.records, true);
    fields.setUint32(16, chunk.floats, true);
    fields.setUint32(32, chunk.rowBase, true);
  }
}
