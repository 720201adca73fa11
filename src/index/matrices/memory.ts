/**
 * Matrices of one part in WebAssembly memory: entries (the matrices' rows) as floats, and in a segment also
 * as int8 codes and as signs. A head grows at the end of the memory; a segment is laid out once.
 *
 * Order: scratch (job, ranges, sums, query, table), records of codes, signs with their scales, floats.
 */
import { assert } from '../../assert.ts';
import { SqlError } from '../../errors.ts';
import { instantiateKernels, type Kernels, PAGE_BYTES, sharedMemory } from '../kernels.ts';
import { LANES, SCALE_ONE, type SignLayout, signLayout, type SignQuery, signQuery } from './signs.ts';
import type { QueryRows } from './query-rows.ts';

/** Matrices compared in one call of a kernel. */
export const BLOCK_ROWS = 256;
const TRAILER_BYTES = 16;
/** Query rows come in pieces of so many bytes. */
const QUERY_BYTES = 64 * 1024;
const QUERY_ROWS_MAX = 512;
/** Ratings of 256 entries by four rows of a query, and what is the largest of each row. */
const RATINGS_BYTES = 256 * 16 + 64;
const JOB = 0;
const RANGES = 64;
const SUMS = RANGES + BLOCK_ROWS * 8;
const SCALES = SUMS + BLOCK_ROWS * 8;
const RATINGS = SCALES + QUERY_ROWS_MAX * 16;
const WEIGHTS = RATINGS + RATINGS_BYTES;
const QUERY = WEIGHTS + 64;
const TABLE = QUERY + QUERY_BYTES;

const MEMORY_BYTES_MAX = 65_535 * PAGE_BYTES;
const SUM_MAX = 32_767;
/** Entries that signs are learned from. */
const SAMPLE_MAX = 4096;

export class MatrixMemory {
  readonly dimension: number;
  /** Bytes of an entry's codes, of its record, and of its floats. */
  readonly stride: number;
  readonly recordBytes: number;
  readonly floatStride: number;
  /** The largest error of quantising, and the largest norm, of an entry; the largest scale of its signs. */
  #bounds = { error: 0, norm: 0, scale: 0 };
  /** As `encodeSigns` reads it. */
  readonly #signs: Float32Array;
  readonly #memory = sharedMemory(1);
  readonly #kernels: Kernels = instantiateKernels(this.#memory);
  /** Room for codes and signs of so many entries. */
  readonly #coded: number;
  readonly #layout: SignLayout;
  #entries = 0;

  /** @param coded entries that will be quantised: all there will be, or 0. */
  constructor(dimension: number, coded: number) {
    this.dimension = dimension;
    this.stride = Math.ceil(dimension / 32) * 32;
    this.recordBytes = this.stride + TRAILER_BYTES;
    this.floatStride = Math.ceil(dimension / 4) * 16;
    this.#coded = coded;
    this.#layout = signLayout(dimension);
    this.#signs = new Float32Array((1 + this.#layout.planes) * this.#layout.width);
    this.#reserve(coded);
  }

  get bytes(): number {
    return this.#memory.buffer.byteLength;
  }

  get entries(): number {
    return this.#entries;
  }

  /** True when there are codes; signs too, once `addSigns` was called. */
  get hasCodes(): boolean {
    return this.#coded > 0 && this.#coded === this.#entries;
  }

  /** Adds matrices' rows, `dimension` floats each. */
  append(values: Float32Array): void {
    const { dimension } = this;
    const count = values.length / dimension;
    this.#reserve(this.#entries + count);
    for (let i = 0; i < count; i++) {
      this.#floatsOf(this.#entries + i).set(values.subarray(i * dimension, (i + 1) * dimension));
      if (this.#coded > 0) this.#quantise(this.#entries + i);
    }
    this.#entries += count;
  }

  #quantise(entry: number): void {
    const record = this.#records + entry * this.recordBytes;
    const floats = this.#floats + entry * this.floatStride;
    const error = this.#kernels.quantise(floats, record, this.dimension, this.stride);
    const norm = new DataView(this.#memory.buffer, record + this.stride).getFloat64(8, true);
    this.#bounds.error = Math.max(this.#bounds.error, error);
    this.#bounds.norm = Math.max(this.#bounds.norm, norm);
  }

  /** Makes signs of all entries, when all are there. */
  addSigns(): void {
    assert(this.#coded === this.#entries, 'signs are made of all entries');
    const { planes } = this.#layout;
    for (let plane = -1; plane < planes; plane++) this.#learnSigns(plane);
    const scales = new Float64Array(this.#entries);
    for (let entry = 0; entry < this.#entries; entry++) scales[entry] = this.#encode(entry, planes);
    const largest = scales.reduce((most, scale) => Math.max(most, scale), 0);
    const kept = new Int16Array(this.#memory.buffer, this.#signScales, this.#entries);
    for (const [entry, scale] of scales.entries()) {
      kept[entry] = largest > 0 ? Math.round((scale / largest) * SCALE_ONE) : 0;
    }
    this.#bounds.scale = largest;
  }

  /** Learns a plane's weights from what the planes before it leave of some entries; -1: their mean. */
  #learnSigns(plane: number): void {
    const { width } = this.#layout;
    const sums = new Float64Array(width);
    const rest = new Float32Array(this.#memory.buffer, TABLE, width);
    const step = Math.max(1, this.#entries / SAMPLE_MAX);
    const count = Math.ceil(this.#entries / step);
    for (let i = 0; i < count; i++) {
      const scale = this.#encode(Math.floor(i * step), Math.max(0, plane));
      for (let at = 0; at < width; at++) {
        const x = rest[at] as number;
        if (plane < 0) sums[at] = (sums[at] as number) + x / count;
        else if (scale > 0) sums[at] = (sums[at] as number) + Math.abs(x) / scale / count;
      }
    }
    this.#signs.set(sums, (1 + plane) * width);
    new Float32Array(this.#memory.buffer, QUERY, this.#signs.length).set(this.#signs);
  }

  /** Sets an entry's bits by the model at QUERY, and leaves what they leave at TABLE. @returns its scale */
  #encode(entry: number, planes: number): number {
    const { width, words } = this.#layout;
    const bits = this.#bits + 4 * entry * words;
    new Uint32Array(this.#memory.buffer, bits, words).fill(0);
    const floats = this.#floats + entry * this.floatStride;
    return this.#kernels.encodeSigns(floats, QUERY, TABLE, width, planes, bits);
  }

  #floatsOf(entry: number): Float32Array {
    return new Float32Array(this.#memory.buffer, this.#floats + entry * this.floatStride, this.dimension);
  }

  /** Floats of entries [from, to), without padding; a copy. */
  values(from: number, to: number): Float32Array {
    const values = new Float32Array((to - from) * this.dimension);
    for (let entry = from; entry < to; entry++) {
      values.set(this.#floatsOf(entry), (entry - from) * this.dimension);
    }
    return values;
  }

  /** MaxSim of up to BLOCK_ROWS matrices. @param ranges first entry and end of each, none empty. */
  compare(query: QueryRows, ranges: Uint32Array): Float64Array {
    const { floatStride, stride } = this;
    const sums = this.#begin(ranges);
    // A multiple of four rows; head and segment add up in the same pieces, so that sums are the same.
    const piece = Math.min(QUERY_ROWS_MAX, Math.floor(QUERY_BYTES / (floatStride + 2 * stride) / 4) * 4);
    for (let from = 0; from < query.count; from += piece) {
      const rows = Math.min(piece, query.count - from);
      const floats = query.floats.subarray((from * floatStride) / 4, ((from + rows) * floatStride) / 4);
      new Float32Array(this.#memory.buffer, QUERY, floats.length).set(floats);
      if (this.hasCodes) this.#compareByCodes(query, from, rows, sums.length);
      else this.#kernels.maxSim(this.#floats, floatStride, RANGES, sums.length, QUERY, rows, SUMS);
    }
    return sums.slice();
  }

  #compareByCodes(query: QueryRows, from: number, rows: number, count: number): void {
    const { buffer } = this.#memory;
    const { stride, floatStride } = this;
    const queryCodes = QUERY + rows * floatStride;
    const codes = query.codes.subarray(from * stride, (from + rows) * stride);
    new Int16Array(buffer, queryCodes, codes.length).set(codes);
    const scales = new Float64Array(buffer, SCALES, 2 * rows);
    for (let row = 0; row < rows; row++) {
      scales[2 * row] = query.scales[from + row] as number;
      scales[2 * row + 1] = this.#boundOf(query, from + row);
    }
    const job = [this.#floats, floatStride, this.#records, stride, RANGES, QUERY, queryCodes, rows];
    new Uint32Array(buffer, JOB, 11).set([...job, SCALES, RATINGS, SUMS]);
    this.#kernels.maxSimByCodes(JOB, count);
  }

  /** How far a row's rating by codes may be from its product with an entry (Cauchy–Schwarz). */
  #boundOf({ norms, errors }: QueryRows, row: number): number {
    const { error, norm } = this.#bounds;
    const [rowError, rowNorm] = [errors[row] as number, norms[row] as number];
    const length = rowNorm + rowError;
    return rowError * norm + length * error + 1e-6 * length * (norm + error);
  }

  /** Rows of a query as `estimate` takes them, some at a time. */
  *signQueries(query: QueryRows): Generator<SignQuery> {
    for (let from = 0; from < query.count; from += LANES) {
      yield signQuery(this.#signs, this.#layout, query, from);
    }
  }

  /**
   * Estimates of the rows of a query added to the MaxSim of up to BLOCK_ROWS matrices, but for a number that is
   * the same for all.
   *
   * @param ranges as in `compare`
   */
  estimate({ bits, weights, unit }: SignQuery, ranges: Uint32Array): Float64Array {
    const { buffer } = this.#memory;
    const { words } = this.#layout;
    const sums = this.#begin(ranges);
    new Int16Array(buffer, QUERY, bits.length).set(bits);
    this.#kernels.fillSignTable(QUERY, words, TABLE);
    new Float32Array(buffer, WEIGHTS, LANES).set(weights);
    // Sums of all words, times this, just fit 16 bits.
    const factor = Math.floor(SUM_MAX / (127 * words));
    const job = [this.#bits, words, this.#signScales, factor, RANGES, TABLE, WEIGHTS, SUMS];
    new Uint32Array(buffer, JOB, job.length).set(job);
    this.#kernels.estimateMaxSim(JOB, sums.length);
    // A product of 16-bit numbers is kept by its upper half.
    const whole = (unit * this.#bounds.scale * 2 ** 15) / SCALE_ONE / factor;
    return sums.map((sum) => sum * whole);
  }

  /** Writes the ranges. @returns sums, all zero, that the kernels add to */
  #begin(ranges: Uint32Array): Float64Array {
    const { buffer } = this.#memory;
    new Uint32Array(buffer, RANGES, ranges.length).set(ranges);
    return new Float64Array(buffer, SUMS, ranges.length / 2).fill(0);
  }

  /** Views of what is to be stored, and what `load` takes. */
  sections(): ReadonlyMap<string, Uint8Array> {
    const { buffer } = this.#memory;
    const { error, norm, scale } = this.#bounds;
    return new Map([
      ['records', new Uint8Array(buffer, this.#records, this.#coded * this.recordBytes)],
      ['bits', new Uint8Array(buffer, this.#bits, 4 * this.#coded * this.#layout.words)],
      ['scales', new Uint8Array(buffer, this.#signScales, 2 * this.#coded)],
      ['signs', new Uint8Array(this.#signs.buffer)],
      ['entries', new Uint8Array(buffer, this.#floats, this.#entries * this.floatStride)],
      ['bounds', new Uint8Array(Float64Array.of(error, norm, scale).buffer)],
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
    const [error, norm, scale] = new Float64Array((sections.get('bounds') as Uint8Array).slice().buffer);
    memory.#bounds = { error: error as number, norm: norm as number, scale: scale as number };
    return memory;
  }

  get #records(): number {
    return Math.ceil((TABLE + this.#layout.tableBytes) / 64) * 64;
  }

  get #bits(): number {
    return this.#records + this.#coded * this.recordBytes;
  }

  get #signScales(): number {
    return this.#bits + 4 * this.#coded * this.#layout.words;
  }

  get #floats(): number {
    return Math.ceil((this.#signScales + 2 * this.#coded) / 64) * 64;
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
