/**
 * The layout of one vectors structure in its shared WebAssembly memory: chunks of entries that never move,
 * and scratch areas that searches borrow. A segment is one chunk of exactly its size; a head adds chunks.
 *
 * Bytes of a chunk, each array aligned to 64: starts (u32, rows + 1), records (an entry's int8 codes, its
 * scale, the sum of its codes and its norm, so that comparing touches one place), floats (f32, padded). The
 * floats of a segment stay on disk: exact scoring gathers those of its candidates.
 */
import { assert } from '../../assert.ts';
import { SqlError } from '../../errors.ts';
import { instantiateKernels, type Kernels, PAGE_BYTES, sharedMemory } from '../kernels.ts';
import type { PagedBytes, StoredStructure } from '../structure.ts';

const ALIGNMENT = 64;
/** Bytes of a record after its codes: scale (f32), sum of codes (i32), norm (f64). */
export const TRAILER_BYTES = 16;
const MEMORY_BYTES_MAX = 65_536 * PAGE_BYTES - PAGE_BYTES;

export interface Chunk {
  /** The part's row that is row 0 here. */
  readonly rowBase: number;
  readonly rowCapacity: number;
  readonly entryCapacity: number;
  rows: number;
  entries: number;
  /** The first entry of each row, and at last the end of them; read anywhere, at `starts`. */
  readonly rowStarts: Uint32Array;
  /** Addresses of the arrays. */
  readonly starts: number;
  readonly records: number;
  /** 0: they are on disk, or nowhere. */
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
  /** Where the floats are: in this memory, on disk, or (null) nowhere. */
  readonly floats: 'memory' | PagedBytes | null;
  readonly #memory: WebAssembly.Memory;
  readonly #free: Scratch[] = [];
  /** Address 0 stands for "none". */
  #end = ALIGNMENT;

  /** @param room what a chunk is made for at once, so that the memory need not grow. */
  constructor(
    dimension: number,
    floats: 'memory' | PagedBytes | null,
    room: { readonly rows: number; readonly entries: number } = { rows: 0, entries: 0 },
  ) {
    this.dimension = dimension;
    this.floats = floats;
    const { stride, recordBytes, floatStride } = layoutOf(dimension);
    this.stride = stride;
    this.recordBytes = recordBytes;
    this.floatStride = floatStride;
    const entryBytes = recordBytes + (floats === 'memory' ? floatStride : 0);
    const bytes = (room.rows + 1) * 4 + room.entries * entryBytes;
    this.#memory = sharedMemory(1 + Math.ceil(bytes / PAGE_BYTES));
    this.kernels = instantiateKernels(this.#memory);
  }

  /** One full chunk whose `arrays` are to be filled with what is stored; then `readBounds`. */
  static forStored(
    dimension: number,
    { sizes, rowCount, floats }: StoredStructure,
  ): { memory: VectorMemory; chunk: Chunk } {
    const entries = (sizes.get('records') ?? 0) / layoutOf(dimension).recordBytes;
    const memory = new VectorMemory(dimension, floats, { rows: rowCount, entries });
    const chunk = memory.addChunk(0, rowCount, entries);
    chunk.rows = rowCount;
    chunk.entries = entries;
    return { memory, chunk };
  }

  readBounds(chunk: Chunk): void {
    const bounds = new Float64Array(this.buffer, chunk.bounds, 3);
    [this.largestRelativeError, this.largestError, this.largestNorm] = bounds as unknown as [
      number,
      number,
      number,
    ];
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
    const starts = this.allocate((rowCapacity + 1) * 4);
    const chunk: Chunk = {
      rowBase,
      rowCapacity,
      entryCapacity,
      rows: 0,
      entries: 0,
      // Shared memory that has grown is still the same memory to a view made before.
      rowStarts: new Uint32Array(this.buffer, starts, rowCapacity + 1),
      starts,
      records: this.allocate(entryCapacity * this.recordBytes),
      floats: this.floats === 'memory' ? this.allocate(entryCapacity * this.floatStride) : 0,
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
    const { dimension, stride } = this;
    const scratch = chunk.floats === 0 ? this.borrow(this.floatStride) : null;
    const floats = scratch?.address ?? chunk.floats + entry * this.floatStride;
    new Float32Array(this.buffer, floats, vector.length).set(vector);
    const record = chunk.records + entry * this.recordBytes;
    const error = this.kernels.quantise(floats, record, dimension, stride);
    if (scratch !== null) this.giveBack(scratch);
    const norm = new DataView(this.buffer, record + stride).getFloat64(8, true);
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
    chunk.rowStarts[++chunk.rows] = chunk.entries;
  }

  /** Adds the codes of entries [from, to) of another memory of the same dimension to the chunk's last row. */
  addEntriesOf(source: VectorMemory, { records }: Chunk, [from, to]: readonly [number, number]): void {
    const [into] = this.chunks;
    assert(into !== undefined && into.entries + to - from <= into.entryCapacity, 'room for the vectors');
    const size = this.recordBytes;
    const copied = new Uint8Array(source.buffer, records + from * size, (to - from) * size);
    new Uint8Array(this.buffer, into.records + into.entries * size, copied.length).set(copied);
    into.entries += to - from;
  }

  /** Lets the bounds cover the entries of another memory. */
  widenBounds(from: VectorMemory): void {
    this.largestRelativeError = Math.max(this.largestRelativeError, from.largestRelativeError);
    this.largestError = Math.max(this.largestError, from.largestError);
    this.largestNorm = Math.max(this.largestNorm, from.largestNorm);
  }

  /** First entry of a row of the part that lies in `chunk`, and of the row after it. */
  entriesOf(chunk: Chunk, row: number): readonly [number, number] {
    const at = row - chunk.rowBase;
    return [chunk.rowStarts[at] as number, chunk.rowStarts[at + 1] as number];
  }

  /** Vectors of entries [from, to), one after another; a copy. */
  entryFloats(chunk: Chunk, from: number, to: number): Float32Array {
    const { dimension, floats } = this;
    const copy = new Float32Array((to - from) * dimension);
    if (floats === 'memory') {
      for (let entry = from; entry < to; entry++) {
        const at = chunk.floats + entry * this.floatStride;
        copy.set(new Float32Array(this.buffer, at, dimension), (entry - from) * dimension);
      }
    } else if (to > from) {
      assert(floats !== null, 'floats are read where they are');
      floats.read(from * dimension * 4, new Uint8Array(copy.buffer), false);
    }
    return copy;
  }

  /**
   * Puts floats that are on disk at an address, padded as the kernels want them.
   * @param entries [from, to).
   * @returns the address behind them.
   */
  gather([from, to]: readonly [number, number], address: number, once: boolean): number {
    const { dimension, floats, floatStride } = this;
    assert(floats !== 'memory' && floats !== null, 'floats on disk');
    const bytes = dimension * 4;
    const end = address + (to - from) * floatStride;
    if (bytes === floatStride) {
      floats.read(from * bytes, new Uint8Array(this.buffer, address, end - address), once);
      return end;
    }
    new Uint8Array(this.buffer, address, end - address).fill(0);
    for (let entry = from; entry < to; entry++) {
      const at = address + (entry - from) * floatStride;
      floats.read(entry * bytes, new Uint8Array(this.buffer, at, bytes), once);
    }
    return end;
  }

  /** Vector that the codes of an entry stand for: the original but for the error of quantising. */
  dequantised(chunk: Chunk, entry: number): Float32Array {
    const record = chunk.records + entry * this.recordBytes;
    const scale = new DataView(this.buffer, record + this.stride).getFloat32(0, true);
    return Float32Array.from(new Int8Array(this.buffer, record, this.dimension), (code) => code * scale);
  }

  /** Views of a full chunk's arrays by name. */
  sections(chunk: Chunk): ReadonlyMap<string, Uint8Array> {
    const bounds = [this.largestRelativeError, this.largestError, this.largestNorm];
    new Float64Array(this.buffer, chunk.bounds, 3).set(bounds);
    return this.arrays(chunk);
  }

  /** As `sections`, to be filled with what is stored. */
  arrays(chunk: Chunk): ReadonlyMap<string, Uint8Array> {
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
