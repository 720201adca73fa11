/**
 * The layout of one vectors structure in its shared WebAssembly memory: chunks of entries that never move,
 * and scratch areas that searches borrow. A segment is one chunk of exactly its size; a head adds chunks.
 *
 * Bytes of a chunk, each array aligned to 64: starts (u32, rows + 1), records (an entry's int8 codes, its
 * scale, the sum of its codes and its norm, so that comparing touches one place), floats (f32, padded).
 */
import { assert } from '../assert.ts';
import { SqlError } from '../errors.ts';
import { instantiateKernels, type Kernels, PAGE_BYTES, sharedMemory } from './kernels.ts';

const ALIGNMENT = 64;
/** Of a record, after its codes: scale (f32), sum of codes (i32), norm (f64). */
const TRAILER_BYTES = 16;
const MEMORY_BYTES_MAX = 65_536 * PAGE_BYTES - PAGE_BYTES;

export interface Chunk {
  /** The part's row that is row 0 here. */
  readonly rowBase: number;
  readonly rowCapacity: number;
  readonly entryCapacity: number;
  rows: number;
  entries: number;
  /** Addresses of the arrays. */
  readonly starts: number;
  readonly records: number;
  readonly floats: number;
  /** Three f64: the largest relative error, error and norm. */
  readonly bounds: number;
}

export interface Scratch {
  readonly address: number;
  readonly size: number;
}

function layoutOf(dimension: number): { stride: number; recordBytes: number; floatStride: number } {
  const stride = Math.ceil(dimension / 32) * 32;
  return { stride, recordBytes: stride + TRAILER_BYTES, floatStride: Math.ceil(dimension / 4) * 16 };
}

export class VectorMemory {
  readonly kernels: Kernels;
  /** Bytes of one entry's codes, of its record, and of its floats. */
  readonly stride: number;
  readonly recordBytes: number;
  readonly floatStride: number;
  readonly chunks: Chunk[] = [];
  /** For the error bound: the largest quantisation error relative to the vector's norm, and absolute. */
  largestRelativeError = 0;
  largestError = 0;
  largestNorm = 0;
  readonly dimension: number;
  readonly #memory: WebAssembly.Memory;
  readonly #free: Scratch[] = [];
  /** Address 0 stands for "none". */
  #end = ALIGNMENT;

  /** @param room what a chunk is made for at once, so that the memory need not grow. */
  constructor(dimension: number, room = { rows: 0, entries: 0 }) {
    this.dimension = dimension;
    const { stride, recordBytes, floatStride } = layoutOf(dimension);
    this.stride = stride;
    this.recordBytes = recordBytes;
    this.floatStride = floatStride;
    const bytes = (room.rows + 1) * 4 + room.entries * (this.recordBytes + this.floatStride);
    this.#memory = sharedMemory(1 + Math.ceil(bytes / PAGE_BYTES));
    this.kernels = instantiateKernels(this.#memory);
  }

  /** One chunk with the bytes of `sections()`. @throws SqlError XX002 when they do not fit together. */
  static load(dimension: number, sections: ReadonlyMap<string, Uint8Array>, rowCount: number): VectorMemory {
    const { recordBytes } = layoutOf(dimension);
    const entries = (sections.get('records')?.length ?? 0) / recordBytes;
    const memory = new VectorMemory(dimension, { rows: rowCount, entries });
    const chunk = memory.addChunk(0, rowCount, entries);
    chunk.rows = rowCount;
    chunk.entries = entries;
    for (const [name, { address, size }] of memory.#arrays(chunk)) {
      const bytes = sections.get(name);
      if (bytes?.length !== size) {
        throw new SqlError('index_corrupted', `section "${name}" of a vector index is damaged`);
      }
      new Uint8Array(memory.buffer, address, size).set(bytes);
    }
    const bounds = new Float64Array(memory.buffer, chunk.bounds, 3);
    [memory.largestRelativeError, memory.largestError, memory.largestNorm] = bounds as unknown as [
      number,
      number,
      number,
    ];
    return memory;
  }

  get bytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /** For other threads. */
  get shared(): WebAssembly.Memory {
    return this.#memory;
  }

  /** Read anew after every growth; do not keep. */
  get buffer(): SharedArrayBuffer {
    return this.#memory.buffer as SharedArrayBuffer;
  }

  addChunk(rowBase: number, rowCapacity: number, entryCapacity: number): Chunk {
    const chunk: Chunk = {
      rowBase,
      rowCapacity,
      entryCapacity,
      rows: 0,
      entries: 0,
      starts: this.allocate((rowCapacity + 1) * 4),
      records: this.allocate(entryCapacity * this.recordBytes),
      floats: this.allocate(entryCapacity * this.floatStride),
      bounds: this.allocate(24),
    };
    this.chunks.push(chunk);
    return chunk;
  }

  /** The chunk that holds a row of the part. */
  chunkOf(row: number): Chunk {
    let low = 0;
    let high = this.chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.chunks[middle] as Chunk).rowBase <= row) low = middle;
      else high = middle - 1;
    }
    return this.chunks[low] as Chunk;
  }

  /** Adds a vector to the chunk's last row, which `addRow` ends. */
  addEntry(chunk: Chunk, vector: Float32Array): void {
    assert(chunk.entries < chunk.entryCapacity, 'the chunk has room for the vector');
    const entry = chunk.entries++;
    const floats = chunk.floats + entry * this.floatStride;
    const { buffer, dimension, stride } = this;
    new Float32Array(buffer, floats, vector.length).set(vector);
    const record = chunk.records + entry * this.recordBytes;
    const error = this.kernels.quantise(floats, record, dimension, stride);
    const norm = new DataView(buffer, record + stride).getFloat64(8, true);
    if (norm > 0) this.largestRelativeError = Math.max(this.largestRelativeError, error / norm);
    this.largestError = Math.max(this.largestError, error);
    this.largestNorm = Math.max(this.largestNorm, norm);
  }

  /** Adds the next row with all its vectors, dimension floats each. */
  appendRow(chunk: Chunk, floats: Float32Array): void {
    for (let at = 0; at < floats.length; at += this.dimension) {
      this.addEntry(chunk, floats.subarray(at, at + this.dimension));
    }
    this.addRow(chunk);
  }

  addRow(chunk: Chunk): void {
    assert(chunk.rows < chunk.rowCapacity, 'the chunk has room for the row');
    new Uint32Array(this.buffer, chunk.starts, chunk.rowCapacity + 1)[++chunk.rows] = chunk.entries;
  }

  /** Copies a chunk of another memory of the same dimension to the end of the first chunk here. */
  appendChunk(from: VectorMemory, chunk: Chunk): void {
    const [into] = this.chunks;
    assert(into !== undefined && into.rows + chunk.rows <= into.rowCapacity, 'room for the rows');
    assert(into.entries + chunk.entries <= into.entryCapacity, 'room for the vectors');
    const copy = (source: number, target: number, bytes: number): void => {
      const to = target + into.entries * bytes;
      new Uint8Array(this.buffer, to).set(new Uint8Array(from.buffer, source, chunk.entries * bytes));
    };
    copy(chunk.records, into.records, this.recordBytes);
    copy(chunk.floats, into.floats, this.floatStride);
    const ends = new Uint32Array(from.buffer, chunk.starts + 4, chunk.rows);
    const starts = new Uint32Array(this.buffer, into.starts, into.rowCapacity + 1);
    for (let row = 0; row < chunk.rows; row++) {
      starts[into.rows + row + 1] = into.entries + (ends[row] as number);
    }
    into.rows += chunk.rows;
    into.entries += chunk.entries;
    this.largestRelativeError = Math.max(this.largestRelativeError, from.largestRelativeError);
    this.largestError = Math.max(this.largestError, from.largestError);
    this.largestNorm = Math.max(this.largestNorm, from.largestNorm);
  }

  /** The vectors of a row of the part that lies in `chunk`. */
  rowFloats(chunk: Chunk, row: number): { count: number; floats: Float32Array } {
    const at = row - chunk.rowBase;
    const [from, to] = new Uint32Array(this.buffer, chunk.starts + at * 4, 2) as unknown as [number, number];
    const width = this.floatStride / 4;
    const padded = new Float32Array(this.buffer, chunk.floats + from * this.floatStride, (to - from) * width);
    if (width === this.dimension) return { count: to - from, floats: padded };
    const floats = new Float32Array((to - from) * this.dimension);
    for (let i = 0; i < to - from; i++) {
      floats.set(padded.subarray(i * width, i * width + this.dimension), i * this.dimension);
    }
    return { count: to - from, floats };
  }

  /** One vector; a copy. */
  entryFloats(chunk: Chunk, entry: number): Float32Array {
    return new Float32Array(this.buffer, chunk.floats + entry * this.floatStride, this.dimension).slice();
  }

  /** Views of a full chunk's arrays by name. */
  sections(chunk: Chunk): ReadonlyMap<string, Uint8Array> {
    new Float64Array(this.buffer, chunk.bounds, 3).set([
      this.largestRelativeError,
      this.largestError,
      this.largestNorm,
    ]);
    const views = new Map<string, Uint8Array>();
    for (const [name, { address, size }] of this.#arrays(chunk)) {
      views.set(name, new Uint8Array(this.buffer, address, size));
    }
    return views;
  }

  #arrays(chunk: Chunk): ReadonlyMap<string, { address: number; size: number }> {
    return new Map([
      ['starts', { address: chunk.starts, size: (chunk.rows + 1) * 4 }],
      ['records', { address: chunk.records, size: chunk.entries * this.recordBytes }],
      ['floats', { address: chunk.floats, size: chunk.entries * this.floatStride }],
      ['bounds', { address: chunk.bounds, size: 24 }],
    ]);
  }

  /** Room of at least `size` bytes with anything in it, until `giveBack`. */
  borrow(size: number): Scratch {
    const at = this.#free.findIndex((area) => area.size >= size);
    if (at >= 0) return this.#free.splice(at, 1)[0] as Scratch;
    const rounded = 2 ** Math.ceil(Math.log2(Math.max(size, 1024)));
    return { address: this.allocate(rounded), size: rounded };
  }

  giveBack(area: Scratch): void {
    this.#free.push(area);
  }

  /** Zero-filled room that stays until the memory goes. */
  allocate(size: number): number {
    const address = this.#end;
    const end = address + Math.ceil(size / ALIGNMENT) * ALIGNMENT;
    if (end > MEMORY_BYTES_MAX) {
      throw new SqlError('out_of_memory', 'vectors of one segment exceed 4 GiB', {
        hint: 'Split the rows over several segments.',
      });
    }
    const missing = end - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE_BYTES));
    assert(end <= this.#memory.buffer.byteLength, 'memory grew');
    this.#end = end;
    return address;
  }
}
