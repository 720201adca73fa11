/**
 * Bit vectors of one part: packed bits in WebAssembly memory, compared by counting bits. Every search is an
 * exact scan: a row of 384 bits is three vector instructions' worth of loads, and a graph would have to
 * follow links through ties.
 */
import { TIES_MAX } from '../../limits.ts';
import { assert } from '../../assert.ts';
import { SqlError } from '../../errors.ts';
import { countBits, hasBit, nextBit, setBit } from '../../types/column/bitset.ts';
import { differentDimensions, dimensionOf } from '../../types/vector/dimension.ts';
import type { Datum } from '../../types/datum.ts';
import { instantiateKernels, type Kernels, PAGE_BYTES, sharedMemory } from '../kernels.ts';
import type { VectorDatum } from '../request.ts';
import type {
  SearchRange,
  HeadStructure,
  Hits,
  MergeInput,
  StructureInput,
  StructureMethod,
  StructureQuery,
} from '../structure.ts';
import { takeTurn } from '../../time-slice.ts';
import { cutAtTies, noHits, TopRows } from '../top-rows.ts';

const ALIGNMENT = 16;
/** Rows compared in one call of the kernel, and bytes between two turns of the event loop: about 1 ms. */
const BLOCK_ROWS = 1024;
const BYTES_PER_TURN = 8 * 1024 * 1024;
/** Where things lie: rows to compare, their distances, the query, then the vectors. */
const ROWS = ALIGNMENT;
const DISTANCES = ROWS + BLOCK_ROWS * 4;
const QUERY = DISTANCES + BLOCK_ROWS * 8;

type Measure = 'hamming' | 'jaccard';

interface BitsQuery extends StructureQuery {
  readonly kind: 'bits';
  readonly measure: Measure;
  readonly bytes: Uint8Array;
  readonly dimension: number;
}

class BitsStructure implements HeadStructure {
  readonly kind = 'bits';
  /** Bits of a bit string, bytes of a binary vector. */
  readonly dimension: number;
  readonly #memory = sharedMemory(1);
  readonly #kernels: Kernels = instantiateKernels(this.#memory);
  /** Bytes of one row; 0 before the first vector. */
  #stride = 0;
  /** One bit a row: 1 where it has a vector. */
  #present = new Uint32Array(32);
  #rowCount = 0;

  constructor(dimension: number) {
    this.dimension = dimension;
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  get bytes(): number {
    return this.#memory.buffer.byteLength;
  }

  append(input: StructureInput): void {
    assert('values' in input, 'bit vectors come as values');
    const { values } = input;
    const first = this.#rowCount;
    this.addRows(values.length);
    for (let row = 0; row < values.length; row++) {
      const value = values.get(row);
      if (value !== null) this.put(first + row, bytesOf(value));
    }
  }

  /** Rows at the end that are NULL until they are `put`. */
  addRows(count: number): void {
    this.#rowCount += count;
    const words = Math.ceil(this.#rowCount / 32);
    if (words > this.#present.length) {
      const grown = new Uint32Array(Math.max(words, 2 * this.#present.length));
      grown.set(this.#present);
      this.#present = grown;
    }
    this.#reserve();
  }

  put(row: number, bytes: Uint8Array): void {
    if (this.#stride === 0) {
      this.#stride = Math.ceil(bytes.length / ALIGNMENT) * ALIGNMENT;
      this.#reserve();
    }
    assert(bytes.length <= this.#stride, 'vectors are of one length');
    new Uint8Array(this.#memory.buffer, this.#data + row * this.#stride, bytes.length).set(bytes);
    setBit(this.#present, row);
  }

  /** A row's bytes, padded with zeros; null where it has none. */
  row(row: number): Uint8Array | null {
    if (!hasBit(this.#present, row)) return null;
    return new Uint8Array(this.#memory.buffer, this.#data + row * this.#stride, this.#stride);
  }

  async search(query: StructureQuery, { count, mask, limit, signal }: SearchRange): Promise<Hits> {
    const prepared = this.#checked(query);
    const end = Math.min(limit, this.#rowCount);
    const wanted = this.#wanted(mask, end);
    const most = countBits(wanted, end);
    if (count <= 0 || most === 0) return noHits('no rows');
    const top = new TopRows(Math.min(count + TIES_MAX, most));
    const rows = new Uint32Array(BLOCK_ROWS);
    const distances = new Float64Array(BLOCK_ROWS);
    let left = BYTES_PER_TURN;
    for (let row = nextBit(wanted, 0, end); row < end; ) {
      let length = 0;
      for (; length < BLOCK_ROWS && row < end; row = nextBit(wanted, row + 1, end)) rows[length++] = row;
      this.#compare(prepared, rows.subarray(0, length), distances);
      for (let i = 0; i < length; i++) top.push(rows[i] as number, -(distances[i] as number));
      left -= length * this.#stride;
      if (left > 0) continue;
      await takeTurn(signal);
      left = BYTES_PER_TURN;
    }
    const hits = top.hits('bit scan', (goodness) => 0 - goodness);
    return cutAtTies({ ...hits, compared: most }, count);
  }

  score(query: StructureQuery, rows: Uint32Array): Float64Array {
    const prepared = this.#checked(query);
    const scores = new Float64Array(rows.length);
    for (let start = 0; start < rows.length; start += BLOCK_ROWS) {
      this.#compare(prepared, rows.subarray(start, start + BLOCK_ROWS), scores.subarray(start));
    }
    for (let i = 0; i < rows.length; i++) {
      if (!hasBit(this.#present, rows[i] as number)) scores[i] = Number.NaN;
    }
    return scores;
  }

  sections(): ReadonlyMap<string, Uint8Array> {
    const size = this.#rowCount * this.#stride;
    const words = Math.ceil(this.#rowCount / 32);
    return new Map([
      ['bits', new Uint8Array(this.#memory.buffer, this.#data, size)],
      ['present', new Uint8Array(this.#present.buffer, 0, 4 * words)],
    ]);
  }

  /** Takes over what `sections` gave. @throws SqlError XX002 when they do not fit together. */
  load(sections: ReadonlyMap<string, Uint8Array>, rowCount: number): void {
    const bits = sections.get('bits');
    const present = sections.get('present');
    const stride = rowCount === 0 ? 0 : (bits?.length ?? 0) / rowCount;
    if (stride % ALIGNMENT !== 0 || present?.length !== 4 * Math.ceil(rowCount / 32)) {
      throw new SqlError('index_corrupted', 'sections of a bit vector index do not fit together');
    }
    this.#stride = stride;
    this.addRows(rowCount);
    if (bits !== undefined) new Uint8Array(this.#memory.buffer, this.#data, bits.length).set(bits);
    new Uint8Array(this.#present.buffer).set(present);
  }

  release(): void {
    this.#rowCount = 0;
    this.#stride = 0;
  }

  get #data(): number {
    return QUERY + this.#stride;
  }

  #reserve(): void {
    const missing = this.#data + this.#rowCount * this.#stride - this.#memory.buffer.byteLength;
    if (missing > 0)
      this.#memory.grow(Math.ceil((missing + this.#memory.buffer.byteLength / 2) / PAGE_BYTES));
  }

  #wanted(mask: Uint32Array | null, end: number): Uint32Array {
    const wanted = this.#present.slice(0, Math.ceil(end / 32));
    for (let word = 0; mask !== null && word < wanted.length; word++) {
      wanted[word] = (wanted[word] as number) & (mask[word] ?? 0);
    }
    return wanted;
  }

  /** Distances of at most BLOCK_ROWS rows, of any that are NULL too. */
  #compare({ measure, bytes }: BitsQuery, rows: Uint32Array, out: Float64Array): void {
    if (this.#stride === 0) return;
    const { buffer } = this.#memory;
    new Uint8Array(buffer, QUERY, this.#stride).fill(0).set(bytes);
    new Uint32Array(buffer, ROWS, rows.length).set(rows);
    this.#kernels[measure](this.#data, this.#stride, QUERY, ROWS, rows.length, DISTANCES);
    out.set(new Float64Array(buffer, DISTANCES, rows.length));
  }

  #checked(query: StructureQuery): BitsQuery {
    const prepared = query as BitsQuery;
    if (prepared.dimension === this.dimension) return prepared;
    throw differentDimensions('bit', this.dimension, prepared.dimension);
  }
}

/** The bytes of a bit string or a binary vector. */
function bytesOf(value: Datum | VectorDatum): Uint8Array {
  if (value instanceof Uint8Array) return value;
  assert(typeof value === 'object' && value !== null && 'datum' in value && value.datum === 'bits', 'bits');
  return value.bytes;
}

function merged(dimension: number, inputs: readonly MergeInput[], rowCount: number): BitsStructure {
  const into = new BitsStructure(dimension);
  into.addRows(rowCount);
  for (const { structure, rowMap } of inputs) {
    for (const [row, to] of rowMap.entries()) {
      const bytes = to < 0 ? null : (structure as BitsStructure).row(row);
      if (bytes !== null) into.put(to, bytes);
    }
  }
  return into;
}

const MEASURES: Readonly<Record<string, Measure>> = {
  hamming: 'hamming',
  jaccard: 'jaccard',
  '<~>': 'hamming',
  '<%>': 'jaccard',
};

export const BITS: StructureMethod = {
  dimensioned: true,

  head: ({ dimension }) => new BitsStructure(dimension),

  load({ dimension }, sections, rowCount) {
    const structure = new BitsStructure(dimension);
    structure.load(sections, rowCount);
    return structure;
  },

  merge: ({ dimension }, inputs, rowCount) => merged(dimension, inputs, rowCount),

  prepare({ options }, request): BitsQuery {
    assert(request.kind === 'vector', 'bit vectors answer vector requests');
    const { query, value } = request;
    const measure = MEASURES[value === 'metric' ? (options.metric ?? 'hamming') : value];
    assert(measure !== undefined, `bit vectors have no operator ${value}`);
    const bytes = bytesOf(query);
    return { kind: 'bits', higherIsBetter: false, measure, bytes, dimension: dimensionOf(query) };
  },
};
