/**
 * Matrices of one part in WebAssembly memory: entries (the matrices' rows) as floats, and in a segment also
 * as int8 codes. A head grows at the end of the memory; a segment is laid out once.
 *
 * Order: scratch (ranges, sums, scales, query), codes if there are any, floats.
 */
import { assert } from '../assert.ts';
import { SqlError } from '../errors.ts';
import { instantiateKernels, type Kernels, PAGE_BYTES, sharedMemory } from './kernels.ts';

/** Matrices compared in one call of a kernel. */
export const BLOCK_ROWS = 256;
const TRAILER_BYTES = 16;
/** Query rows come in pieces of so many bytes. */
const QUERY_BYTES = 64 * 1024;
const QUERY_ROWS_MAX = 512;
const RANGES = 64;
const SUMS = RANGES + BLOCK_ROWS * 8;
const SCALES = SUMS + BLOCK_ROWS * 8;
const QUERY = SCALES + QUERY_ROWS_MAX * 8;
const DATA = QUERY + QUERY_BYTES;

const MEMORY_BYTES_MAX = 65_535 * PAGE_BYTES;

/** Rows of a query matrix as the kernels read them: int16 codes (× scale) and padded floats. */
export interface QueryRows {
  readonly count: number;
  /** Each of `floatStride / 4` floats. */
  readonly floats: Float32Array;
  /** Each of `stride` codes. */
  readonly codes: Int16Array;
  readonly scales: Float64Array;
}

export class MatrixMemory {
  readonly dimension: number;
  /** Bytes of an entry's codes, of its record, and of its floats. */
  readonly stride: number;
  readonly recordBytes: number;
  readonly floatStride: number;
  /** The largest error of quantising, and the largest norm, of an entry. */
  largestError = 0;
  largestNorm = 0;
  readonly #memory = sharedMemory(1);
  readonly #kernels: Kernels = instantiateKernels(this.#memory);
  /** Room for codes of so many entries. */
  readonly #coded: number;
  #entries = 0;

  /** @param coded entries that will be quantised: all there will be, or 0. */
  constructor(dimension: number, coded: number) {
    this.dimension = dimension;
    this.stride = Math.ceil(dimension / 32) * 32;
    this.recordBytes = this.stride + TRAILER_BYTES;
    this.floatStride = Math.ceil(dimension / 4) * 16;
    this.#coded = coded;
    this.#reserve(coded);
  }

  get bytes(): number {
    return this.#memory.buffer.byteLength;
  }

  get entries(): number {
    return this.#entries;
  }

  get hasCodes(): boolean {
    return this.#coded > 0 && this.#coded === this.#entries;
  }

  /** Adds matrices' rows, `dimension` floats each. */
  append(values: Float32Array): void {
    const { dimension } = this;
    const count = values.length / dimension;
    this.#reserve(this.#entries + count);
    for (let i = 0; i < count; i++) {
      const at = this.#floats + (this.#entries + i) * this.floatStride;
      const row = values.subarray(i * dimension, (i + 1) * dimension);
      new Float32Array(this.#memory.buffer, at, dimension).set(row);
      if (this.#coded > 0) this.#quantise(this.#entries + i, at);
    }
    this.#entries += count;
  }

  #quantise(entry: number, floats: number): void {
    const record = DATA + entry * this.recordBytes;
    const error = this.#kernels.quantise(floats, record, this.dimension, this.stride);
    const norm = new DataView(this.#memory.buffer, record + this.stride).getFloat64(8, true);
    this.largestError = Math.max(this.largestError, error);
    this.largestNorm = Math.max(this.largestNorm, norm);
  }

  /** Floats of entries [from, to), without padding; a copy. */
  values(from: number, to: number): Float32Array {
    const values = new Float32Array((to - from) * this.dimension);
    for (let entry = from; entry < to; entry++) {
      const at = this.#floats + entry * this.floatStride;
      values.set(new Float32Array(this.#memory.buffer, at, this.dimension), (entry - from) * this.dimension);
    }
    return values;
  }

  /** MaxSim of up to BLOCK_ROWS matrices. @param ranges first entry and end of each, none empty. */
  compare(kind: 'floats' | 'codes', query: QueryRows, ranges: Uint32Array): Float64Array {
    const { buffer } = this.#memory;
    const count = ranges.length / 2;
    new Uint32Array(buffer, RANGES, ranges.length).set(ranges);
    const sums = new Float64Array(buffer, SUMS, count).fill(0);
    const rowBytes = kind === 'floats' ? this.floatStride : 2 * this.stride;
    const piece = Math.min(QUERY_ROWS_MAX, Math.floor(QUERY_BYTES / rowBytes));
    for (let from = 0; from < query.count; from += piece) {
      const rows = Math.min(piece, query.count - from);
      if (kind === 'floats') this.#compareFloats(query, { from, rows, count });
      else this.#compareCodes(query, { from, rows, count });
    }
    return sums.slice();
  }

  #compareFloats(query: QueryRows, { from, rows, count }: Piece): void {
    const width = this.floatStride / 4;
    const floats = query.floats.subarray(from * width, (from + rows) * width);
    new Float32Array(this.#memory.buffer, QUERY, floats.length).set(floats);
    this.#kernels.maxSim(this.#floats, this.floatStride, RANGES, count, QUERY, rows, SUMS);
  }

  #compareCodes(query: QueryRows, { from, rows, count }: Piece): void {
    const { buffer } = this.#memory;
    const codes = query.codes.subarray(from * this.stride, (from + rows) * this.stride);
    new Int16Array(buffer, QUERY, codes.length).set(codes);
    new Float64Array(buffer, SCALES, rows).set(query.scales.subarray(from, from + rows));
    this.#kernels.maxSimCodes(DATA, this.stride, RANGES, count, QUERY, SCALES, rows, SUMS);
  }

  /** Views of what is to be stored, and what `load` takes. */
  sections(): ReadonlyMap<string, Uint8Array> {
    const { buffer } = this.#memory;
    return new Map([
      ['records', new Uint8Array(buffer, DATA, this.#coded * this.recordBytes)],
      ['entries', new Uint8Array(buffer, this.#floats, this.#entries * this.floatStride)],
      ['bounds', new Uint8Array(Float64Array.of(this.largestError, this.largestNorm).buffer)],
    ]);
  }

  /** @throws SqlError XX002 when the sections do not fit together. */
  static load(dimension: number, sections: ReadonlyMap<string, Uint8Array>, entries: number): MatrixMemory {
    const memory = new MatrixMemory(dimension, entries);
    memory.#entries = entries;
    for (const [name, view] of memory.sections()) {
      const bytes = sections.get(name);
      if (bytes?.length !== view.length) {
        throw new SqlError('index_corrupted', `section "${name}" of a multi-vector index is damaged`);
      }
      view.set(bytes);
    }
    const bounds = new Float64Array((sections.get('bounds') as Uint8Array).slice().buffer);
    memory.largestError = bounds[0] as number;
    memory.largestNorm = bounds[1] as number;
    return memory;
  }

  get #floats(): number {
    return Math.ceil((DATA + this.#coded * this.recordBytes) / 64) * 64;
  }

  #reserve(entries: number): void {
    const end = this.#floats + entries * this.floatStride;
    if (end > MEMORY_BYTES_MAX) {
      throw new SqlError('out_of_memory', 'matrices of one segment exceed 4 GiB');
    }
    const { byteLength } = this.#memory.buffer;
    assert(this.#coded === 0 || entries <= this.#coded, 'a segment has room for its entries');
    // A head doubles, a segment takes what it needs.
    const wanted = this.#coded > 0 ? end : Math.min(MEMORY_BYTES_MAX, Math.max(end, 2 * byteLength));
    if (end > byteLength) this.#memory.grow(Math.ceil((wanted - byteLength) / PAGE_BYTES));
  }
}

/** Query rows in one call of a kernel, and matrices compared. */
interface Piece {
  readonly from: number;
  readonly rows: number;
  readonly count: number;
}
