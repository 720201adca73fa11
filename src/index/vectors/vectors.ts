/**
 * Dense vectors of one part: an exact scan over int8 codes, rescored in float32, and for large segments a
 * graph. One thing to know: the scan is proven exact. The best rows by codes are rescored; when the k-th
 * exact score does not beat the worst candidate by more than quantising can be wrong, more candidates are
 * taken, in the end all rows.
 */
import { assert } from '../../assert.ts';
import { runTask } from '../../task.ts';
import type { Datum } from '../../types/datum.ts';
import type { Vector } from '../../types/column/vector.ts';
import { countBits } from '../../types/column/bitset.ts';
import { FewVectors } from './few-vectors.ts';
import type { RowExplanation } from '../explanation.ts';
import type { Passages } from '../request.ts';
import { type GraphOptions, type Heritage, makeGraph } from './graph-make.ts';
import { SqlError } from '../../errors.ts';
import type {
  SearchRange,
  GraphFact,
  HeadStructure,
  Hits,
  PagedBytes,
  StoredStructure,
  StructureInput,
  StructureLoad,
  StructureQuery,
} from '../structure.ts';
import { noHits } from '../top-rows.ts';
import { graphArrays, VectorGraph } from './graph.ts';
import { findNearest } from './search.ts';
import { VectorJob } from './job.ts';
import { type Chunk, VectorMemory } from './memory.ts';
import { differentDimensions, type Measure, toValue, type VectorQuery } from './query.ts';

/** A head's chunk: about this many bytes, between these numbers of entries. */
const HEAD_CHUNK_BYTES = 2 * 1024 * 1024;
const HEAD_CHUNK_ENTRIES_MIN = 64;
const HEAD_CHUNK_ENTRIES_MAX = 4096;
const HEAD_CHUNK_ROWS = 4096;

export class VectorsStructure implements HeadStructure {
  readonly kind = 'vectors';
  readonly dimension: number;
  readonly #floats: 'memory' | PagedBytes | null;
  #memory: VectorMemory | null = null;
  /** The first rows, until there are more; null: `#memory` has all. */
  #few: FewVectors | null;
  #graph: VectorGraph | null = null;
  #rowCount = 0;

  /** @param floats where they are kept; null: nowhere, nothing is scored exactly. */
  constructor(dimension: number, floats: 'memory' | PagedBytes | null = 'memory') {
    this.dimension = dimension;
    this.#floats = floats;
    this.#few = new FewVectors(dimension);
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  get bytes(): number {
    return this.#memory?.bytes ?? this.#few?.bytes ?? 0;
  }

  /** Room for exactly this many in one chunk: segments are made so. */
  reserve(rows: number, entries: number): void {
    assert(this.#memory === null, 'reserved before the first row');
    this.#few = null;
    this.#memory = new VectorMemory(this.dimension, this.#floats, { rows, entries });
    this.#memory.addChunk(0, rows, entries);
  }

  append(input: StructureInput): void {
    assert(input.kind === 'vectors', 'vectors take vectors');
    if ('values' in input) this.#appendValues(input.values);
    else for (const passages of input.passages) this.#appendPassages(passages);
  }

  /** Adds a row with `count` vectors, dimension floats each. */
  appendRow(floats: Float32Array, count: number): void {
    if (floats.length !== count * this.dimension) {
      throw differentDimensions(this.dimension, floats.length / count);
    }
    if (this.#few?.takes(count)) {
      this.#few.add(floats);
    } else {
      this.#leaveFew();
      this.#memory ??= new VectorMemory(this.dimension, this.#floats);
      this.#memory.appendRow(this.#chunkFor(this.#memory, count), floats);
    }
    this.#rowCount++;
  }

  /** Adds a row with the codes of a row of another structure, or one without vectors. */
  appendRowOf(source: VectorsStructure | null, row: number): void {
    const memory = this.#memory;
    const [chunk] = memory?.chunks ?? [];
    assert(memory !== null && chunk !== undefined, 'room is reserved');
    const from = source === null ? null : source.#readable();
    if (source !== null && from !== null) {
      memory.addEntriesOf(from, from.chunkOf(row), source.entriesOf(row));
    }
    memory.addRow(chunk);
    this.#rowCount++;
  }

  /** Lets the error bounds cover the vectors of another structure. */
  widenBounds(source: VectorsStructure): void {
    const from = source.#readable();
    if (from !== null) this.#memory?.widenBounds(from);
  }

  /** Vectors of one row. */
  countOf(row: number): number {
    const [from, to] = this.entriesOf(row);
    return to - from;
  }

  /** From now on all rows are in a memory that grows. */
  #leaveFew(): void {
    if (this.#few === null) return;
    const { rows } = this.#few;
    this.#few = null;
    this.#rowCount = 0;
    for (const floats of rows) this.appendRow(floats, floats.length / this.dimension);
  }

  /** Memory that the kernels read; null where there are no rows. */
  #readable(): VectorMemory | null {
    return this.#few === null || this.#few.rows.length === 0 ? this.#memory : this.#few.memory();
  }

  search(query: StructureQuery, { count, mask, limit, signal }: SearchRange): Hits | Promise<Hits> {
    const prepared = this.#checked(query);
    const memory = this.#readable();
    const end = Math.min(limit, this.#rowCount);
    const wanted = countBits(mask, end);
    const nowhere = prepared.measure === 'cosine' && prepared.norm === 0;
    if (memory === null || count <= 0 || wanted === 0 || nowhere) return noHits('no rows');
    const part = { memory, graph: end < this.#rowCount ? null : this.#graph, end, wanted };
    return runTask(findNearest(part, { query: prepared, count: Math.min(count, wanted), mask, signal }));
  }

  score(query: StructureQuery, rows: Uint32Array): Float64Array {
    const prepared = this.#checked(query);
    const scores = new Float64Array(rows.length).fill(Number.NaN);
    const memory = this.#readable();
    if (memory === null || (prepared.measure === 'cosine' && prepared.norm === 0)) return scores;
    using job = new VectorJob(memory, prepared, 0, null);
    job.score(rows, scores);
    for (let i = 0; i < scores.length; i++) scores[i] = toValue(prepared, scores[i] as number);
    return scores;
  }

  /** The passages that give rows their scores: of unit length, so that the nearest has the largest product. */
  explain(query: StructureQuery, rows: Uint32Array): readonly RowExplanation[] {
    const { floats: wanted } = this.#checked(query);
    return Array.from(rows, (row) => {
      const { count, floats } = this.rowFloats(row);
      const products = Array.from({ length: count }, (_, passage) => {
        const own = floats.subarray(passage * this.dimension, (passage + 1) * this.dimension);
        return own.reduce((sum, value, i) => sum + value * (wanted[i] as number), 0);
      });
      return { kind: 'passage', passage: products.indexOf(Math.max(...products)), count };
    });
  }

  /** Vectors of one row, `count × dimension` floats; a copy. */
  rowFloats(row: number): { count: number; floats: Float32Array } {
    const few = this.#few?.rows[row];
    if (few !== undefined) return { count: few.length / this.dimension, floats: few };
    const memory = this.#memory;
    if (memory === null) return { count: 0, floats: new Float32Array(0) };
    const [from, to] = this.entriesOf(row);
    return { count: to - from, floats: memory.entryFloats(memory.chunkOf(row), from, to) };
  }

  /** Vectors in all rows. */
  get entryCount(): number {
    if (this.#few !== null) return this.#few.entryCount;
    return this.#memory?.chunks.reduce((sum, chunk) => sum + chunk.entries, 0) ?? 0;
  }

  sections(): ReadonlyMap<string, Uint8Array> {
    const memory = this.#readable() ?? new VectorMemory(this.dimension, this.#floats);
    if (memory.chunks.length === 0) memory.addChunk(0, 0, 0);
    const [chunk] = memory.chunks;
    if (memory.chunks.length === 1 && chunk !== undefined && chunk.rowCapacity === this.#rowCount) {
      return new Map([...memory.sections(chunk), ...(this.#graph?.sections() ?? [])]);
    }
    return this.#compact().sections();
  }

  /** Room for what `sections` gave; codes and norms are stored, so nothing is computed anew. */
  static open(dimension: number, measure: Measure, stored: StoredStructure): StructureLoad {
    const { memory, chunk } = VectorMemory.forStored(dimension, stored);
    const layout = VectorGraph.place(memory, chunk, stored.sizes);
    const targets = new Map([
      ...memory.arrays(chunk),
      ...(layout === null ? [] : graphArrays(memory, layout)),
    ]);
    for (const [name, { length }] of targets) {
      if (stored.sizes.get(name) !== length) {
        throw new SqlError('index_corrupted', `section "${name}" of a vector index is damaged`);
      }
    }
    return {
      targets,
      finish() {
        memory.readBounds(chunk);
        const structure = new VectorsStructure(dimension, stored.floats);
        structure.#few = null;
        structure.#memory = memory;
        structure.#rowCount = stored.rowCount;
        structure.#graph = layout && VectorGraph.of(memory, chunk, measure, layout);
        return structure;
      },
    };
  }

  /** Bytes of the codes of all vectors: what a scan reads. */
  get codeBytes(): number {
    return this.entryCount * (this.#memory?.recordBytes ?? 0);
  }

  get graph(): VectorGraph | null {
    return this.#graph;
  }

  /** First entry of a row in its chunk, and of the row after it. */
  entriesOf(row: number): readonly [number, number] {
    const memory = this.#readable();
    return memory === null ? [0, 0] : memory.entriesOf(memory.chunkOf(row), row);
  }

  get graphFact(): GraphFact | null {
    return this.#graph?.fact ?? null;
  }

  /** Makes the graph of a segment that is complete; computes for a long time. */
  addGraph(options: GraphOptions, heritage: Heritage | null): void {
    const memory = this.#memory;
    const [chunk] = memory?.chunks ?? [];
    assert(memory !== null && chunk !== undefined && memory.chunks.length === 1, 'a segment has one chunk');
    this.#graph = makeGraph(memory, chunk, options, heritage);
  }

  release(): void {
    this.#few = null;
    this.#memory = null;
    this.#graph = null;
    this.#rowCount = 0;
  }

  /** A query prepared for vectors of another dimension would be compared with whatever lies beside. */
  #checked(query: StructureQuery): VectorQuery {
    const prepared = query as VectorQuery;
    if (prepared.floats.length === this.dimension) return prepared;
    throw differentDimensions(this.dimension, prepared.floats.length);
  }

  #appendValues(values: Vector): void {
    for (let row = 0; row < values.length; row++) {
      const value: Datum = values.get(row);
      assert(value === null || value instanceof Float32Array, 'a vector column holds float32 vectors');
      if (value === null) this.appendRow(new Float32Array(0), 0);
      else this.appendRow(value, 1);
    }
  }

  #appendPassages(passages: Passages | null): void {
    if (passages === null) this.appendRow(new Float32Array(0), 0);
    else this.appendRow(passages.vectors, passages.count);
  }

  #chunkFor(memory: VectorMemory, entries: number): Chunk {
    const last = memory.chunks.at(-1);
    if (last && last.rows < last.rowCapacity && last.entries + entries <= last.entryCapacity) return last;
    const fit = Math.floor(HEAD_CHUNK_BYTES / (memory.stride + memory.floatStride + 12));
    const capacity = Math.min(Math.max(fit, HEAD_CHUNK_ENTRIES_MIN), HEAD_CHUNK_ENTRIES_MAX);
    return memory.addChunk(this.#rowCount, HEAD_CHUNK_ROWS, Math.max(capacity, entries));
  }

  /** All chunks as one, without floats; codes are copied, not computed anew. */
  #compact(): VectorsStructure {
    const compact = new VectorsStructure(this.dimension, null);
    compact.reserve(this.#rowCount, this.entryCount);
    for (let row = 0; row < this.#rowCount; row++) compact.appendRowOf(this, row);
    compact.widenBounds(this);
    return compact;
  }
}
