/**
 * One search's work order for the vector kernels: a block of fields in scratch memory, whose offsets are
 * those at the top of `wasm/vectors.ts`, followed by the query, keys of candidates, rows and scores.
 */
import type { Chunk, Scratch, VectorMemory } from './memory.ts';
import type { VectorQuery } from './query.ts';

const JOB_BYTES = 128;
/** Rows scored in one call of the kernel. */
export const SCORE_ROWS_MAX = 1024;
/** Floats gathered from disk for one call of the kernel; one row may have more. */
const GATHERED_BYTES = 256 * 1024;

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
  /** The memory when the job was made: it may grow, and what the job has in it stays there. */
  readonly #buffer: SharedArrayBuffer;
  readonly #once: boolean;
  readonly #addresses: { queryCodes: number; queryFloats: number; rows: number; out: number; keys: number };

  /**
   * @param kept candidates to keep at least, 0 when only `score` is wanted.
   * @param once `score` goes through so many rows that their floats will hardly be wanted again soon.
   */
  constructor(
    memory: VectorMemory,
    query: VectorQuery,
    kept: number,
    mask: Uint32Array | null,
    once = false,
  ) {
    this.query = query;
    this.#once = once;
    this.#memory = memory;
    const queryCodes = JOB_BYTES;
    const queryFloats = queryCodes + memory.stride * 2;
    const rows = queryFloats + memory.stride * 4;
    const out = rows + SCORE_ROWS_MAX * 4;
    const keys = out + SCORE_ROWS_MAX * 8;
    const bitset = keys + 2 * kept * 8;
    this.#scratch = memory.borrow(bitset + (mask?.byteLength ?? 0));
    this.#buffer = memory.buffer;
    const base = this.#scratch.address;
    this.#addresses = {
      queryCodes: base + queryCodes,
      queryFloats: base + queryFloats,
      rows: base + rows,
      out: base + out,
      keys: base + keys,
    };
    this.#writeQuery(query);
    if (mask !== null) new Uint32Array(this.#buffer, base + bitset, mask.length).set(mask);
    const fields = new DataView(this.#buffer, base, JOB_BYTES);
    const write = (at: number, value: number): void => fields.setUint32(at, value, true);
    write(20, memory.stride);
    write(24, memory.floatStride);
    write(28, MEASURES[query.measure]);
    write(36, mask === null ? 0 : base + bitset);
    write(40, this.#addresses.queryCodes);
    write(44, this.#addresses.queryFloats);
    fields.setFloat32(48, query.measure === 'cosine' ? query.scale / query.norm : query.scale, true);
    write(52, this.#addresses.keys);
    write(56, kept);
    write(60, 0);
    fields.setFloat64(64, query.norm, true);
    fields.setFloat32(72, -Infinity, true);
  }

  /** Scans rows [from, to) of the part, all in one chunk; calls go upwards. */
  scan(chunk: Chunk, from: number, to: number): void {
    this.#useChunk(chunk);
    this.#memory.kernels.scan(this.#scratch.address, from - chunk.rowBase, to - chunk.rowBase);
  }

  /** Exact goodness of ascending rows of the part into `out`; NaN where a row has no vector. */
  score(rows: Uint32Array, out: Float64Array): void {
    if (this.#memory.floats === 'memory') this.#rate('score', rows, out);
    else this.#scoreGathered(rows, out);
  }

  /** Goodness by codes, as `scan` finds it. */
  approximate(rows: Uint32Array, out: Float64Array): void {
    this.#rate('approximateRows', rows, out);
    for (let i = 0; i < rows.length; i++) out[i] = (out[i] as number) - this.#shift;
  }

  /** Constant that the kernels leave out of a squared distance by codes, as it is the same for every row. */
  get #shift(): number {
    return this.query.measure === 'euclidean' ? this.query.norm ** 2 : 0;
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
      this.#callKernel(kernel, rows.subarray(from, to), out.subarray(from));
      from = to;
    }
  }

  /** Brings the floats of some rows into scratch memory at a time. */
  #scoreGathered(rows: Uint32Array, out: Float64Array): void {
    const memory = this.#memory;
    const chunk = memory.chunks[0] as Chunk;
    const entriesMost = Math.max(1, Math.floor(GATHERED_BYTES / memory.floatStride));
    for (let from = 0; from < rows.length; ) {
      let [to, count] = [from, 0];
      while (to < rows.length && to - from < SCORE_ROWS_MAX) {
        const [first, end] = memory.entriesOf(chunk, rows[to] as number);
        if (count > 0 && count + end - first > entriesMost) break;
        count += end - first;
        to++;
      }
      const scratch = memory.borrow(count * memory.floatStride);
      let address = scratch.address;
      for (let i = from; i < to; i++) {
        address = memory.gather(memory.entriesOf(chunk, rows[i] as number), address, this.#once);
      }
      this.#useChunk(chunk, scratch.address);
      this.#callKernel('score', rows.subarray(from, to), out.subarray(from));
      memory.giveBack(scratch);
      from = to;
    }
  }

  #callKernel(kernel: 'score' | 'approximateRows', rows: Uint32Array, out: Float64Array): void {
    const { kernels } = this.#memory;
    new Uint32Array(this.#buffer, this.#addresses.rows, rows.length).set(rows);
    kernels[kernel](this.#scratch.address, this.#addresses.rows, rows.length, this.#addresses.out);
    out.set(new Float64Array(this.#buffer, this.#addresses.out, rows.length));
  }

  /** Rows kept so far with their goodness by codes, in no order; others are at most as good as `cutoff`. */
  candidates(): Rated & { readonly cutoff: number } {
    const fields = new DataView(this.#buffer, this.#scratch.address, JOB_BYTES);
    const count = fields.getUint32(60, true);
    const keys = new Int32Array(this.#buffer, this.#addresses.keys, 2 * count);
    const rows = new Uint32Array(count);
    const bits = new Int32Array(count);
    for (let i = 0; i < count; i++) {
      rows[i] = ~(keys[2 * i] as number);
      // Back from an integer of the same order.
      const ordered = (keys[2 * i + 1] as number) ^ 0x8000_0000;
      bits[i] = ordered < 0 ? ordered ^ 0x7fff_ffff : ordered;
    }
    const shift = this.#shift;
    const goodness = new Float64Array(new Float32Array(bits.buffer));
    for (let i = 0; i < count; i++) goodness[i] = (goodness[i] as number) - shift;
    return { rows, goodness, cutoff: fields.getFloat32(72, true) - shift };
  }

  [Symbol.dispose](): void {
    this.#memory.giveBack(this.#scratch);
  }

  #writeQuery(query: VectorQuery): void {
    const { stride } = this.#memory;
    const codes = new Int16Array(this.#buffer, this.#addresses.queryCodes, stride);
    codes.fill(0).set(query.codes);
    const floats = new Float32Array(this.#buffer, this.#addresses.queryFloats, stride);
    floats.fill(0).set(query.floats);
  }

  /** @param gathered address of the floats of the rows to be scored; 0: all are in the chunk. */
  #useChunk(chunk: Chunk, gathered = 0): void {
    const fields = new DataView(this.#buffer, this.#scratch.address, JOB_BYTES);
    fields.setUint32(0, chunk.starts, true);
    fields.setUint32(4, chunk.records, true);
    fields.setUint32(8, gathered === 0 ? 0 : 1, true);
    fields.setUint32(16, gathered === 0 ? chunk.floats : gathered, true);
    fields.setUint32(32, chunk.rowBase, true);
  }
}
