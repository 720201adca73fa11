/**
 * Dense vectors of one part: an exact scan over int8 codes, rescored in float32. One thing to know: the scan
 * is proven exact. The best rows by codes are rescored; when the k-th exact score does not beat the worst
 * candidate by more than quantising can be wrong, more candidates are taken, in the end all rows.
 */
import { assert } from '../assert.ts';
import type { Datum } from '../types/datum.ts';
import type { Vector } from '../types/vector.ts';
import { countBits, nextBit } from './bitset.ts';
import type { Passages } from './request.ts';
import type { HeadStructure, Hits, StructureInput, StructureQuery } from './structure.ts';
import { takeTurn } from './time-slice.ts';
import { noHits, TopRows } from './top-rows.ts';
import { SCORE_ROWS_MAX, VectorJob } from './vector-job.ts';
import { type Chunk, VectorMemory } from './vector-memory.ts';
import { differentDimensions, errorBound, toValue, type VectorQuery } from './vector-query.ts';

/** Codes scanned, and floats scored, between two turns of the event loop: about 1 ms each. */
const SCAN_BYTES_PER_TURN = 16 * 1024 * 1024;
const SCORE_BYTES_PER_TURN = 8 * 1024 * 1024;
/** A head's chunk: about this many bytes, between these numbers of entries. */
const HEAD_CHUNK_BYTES = 2 * 1024 * 1024;
const HEAD_CHUNK_ENTRIES_MIN = 64;
const HEAD_CHUNK_ENTRIES_MAX = 4096;
const HEAD_CHUNK_ROWS = 4096;
/** Rescoring 256 rows costs 20 µs; with 32, two of three searches on clustered vectors had to scan again. */
const CANDIDATES_MIN = 256;
/** Too small a share of rows to be worth a scan of codes first. */
const CANDIDATES_SHARE_MAX = 1 / 4;

export class VectorsStructure implements HeadStructure {
  readonly kind = 'vectors';
  readonly #dimension: number;
  #memory: VectorMemory | null = null;
  #rowCount = 0;

  constructor(dimension: number) {
    this.#dimension = dimension;
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  get bytes(): number {
    return this.#memory?.bytes ?? 0;
  }

  /** Room for exactly this many in one chunk: segments are made so. */
  reserve(rows: number, entries: number): void {
    assert(this.#memory === null, 'reserved before the first row');
    this.#memory = new VectorMemory(this.#dimension);
    this.#memory.addChunk(0, rows, entries);
  }

  append(input: StructureInput): void {
    assert(input.kind === 'vectors', 'vectors take vectors');
    if ('values' in input) this.#appendValues(input.values);
    else for (const passages of input.passages) this.#appendPassages(passages);
  }

  /** Adds a row with `count` vectors, dimension floats each. */
  appendRow(floats: Float32Array, count: number): void {
    if (floats.length !== count * this.#dimension) {
      throw differentDimensions(this.#dimension, floats.length / count);
    }
    this.#memory ??= new VectorMemory(this.#dimension);
    const memory = this.#memory;
    const chunk = this.#chunkFor(memory, count);
    for (let i = 0; i < count; i++) {
      const source = floats.subarray(i * this.#dimension, (i + 1) * this.#dimension);
      memory.addEntry(chunk, source);
    }
    memory.addRow(chunk);
    this.#rowCount++;
  }

  async search(
    query: StructureQuery,
    count: number,
    mask: Uint32Array | null,
    limit: number,
    signal: AbortSignal,
  ): Promise<Hits> {
    const prepared = this.#checked(query);
    const memory = this.#memory;
    const end = Math.min(limit, this.#rowCount);
    const wanted = mask === null ? end : countBits(mask, end);
    const nowhere = prepared.measure === 'cosine' && prepared.norm === 0;
    if (memory === null || count <= 0 || wanted === 0 || nowhere) return noHits('no rows');
    const search: Search = { query: prepared, count: Math.min(count, wanted), mask, end, signal };
    const most = prepared.measure === 'l1' ? 0 : wanted * CANDIDATES_SHARE_MAX;
    for (let capacity = 4 * count + CANDIDATES_MIN; capacity < most; capacity *= 8) {
      const hits = await this.#searchCodes(memory, search, capacity);
      if (hits !== null) return hits;
    }
    return this.#searchFloats(memory, search);
  }

  score(query: StructureQuery, rows: Uint32Array): Float64Array {
    const prepared = this.#checked(query);
    const scores = new Float64Array(rows.length).fill(Number.NaN);
    if (this.#memory === null || (prepared.measure === 'cosine' && prepared.norm === 0)) return scores;
    using job = new VectorJob(this.#memory, prepared, 0, null);
    this.#scoreRows(this.#memory, job, rows, scores);
    for (let i = 0; i < scores.length; i++) scores[i] = toValue(prepared, scores[i] as number);
    return scores;
  }

  /** Vectors of one row, `count × dimension` floats; a view that later appends leave valid. */
  rowFloats(row: number): { count: number; floats: Float32Array } {
    if (this.#memory === null) return { count: 0, floats: new Float32Array(0) };
    return this.#memory.rowFloats(this.#chunkOf(this.#memory, row), row);
  }

  /** Vectors in all rows. */
  get entryCount(): number {
    return this.#memory?.chunks.reduce((sum, chunk) => sum + chunk.entries, 0) ?? 0;
  }

  sections(): ReadonlyMap<string, Uint8Array> {
    const memory = this.#memory ?? new VectorMemory(this.#dimension);
    if (memory.chunks.length === 0) memory.addChunk(0, 0, 0);
    const [chunk] = memory.chunks;
    if (memory.chunks.length === 1 && chunk !== undefined && chunk.rowCapacity === this.#rowCount) {
      return memory.sections(chunk);
    }
    return this.#compact(memory).sections();
  }

  /** Takes over what `sections` gave; codes and norms are stored, so nothing is computed anew. */
  load(sections: ReadonlyMap<string, Uint8Array>, rowCount: number): void {
    assert(this.#memory === null, 'loads once');
    this.#memory = VectorMemory.load(this.#dimension, sections, rowCount);
    this.#rowCount = rowCount;
  }

  release(): void {
    this.#memory = null;
    this.#rowCount = 0;
  }

  /** A query prepared for vectors of another dimension would be compared with whatever lies beside. */
  #checked(query: StructureQuery): VectorQuery {
    const prepared = query as VectorQuery;
    if (prepared.floats.length === this.#dimension) return prepared;
    throw differentDimensions(this.#dimension, prepared.floats.length);
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

  #chunkOf(memory: VectorMemory, row: number): Chunk {
    let low = 0;
    let high = memory.chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((memory.chunks[middle] as Chunk).rowBase <= row) low = middle;
      else high = middle - 1;
    }
    return memory.chunks[low] as Chunk;
  }

  /** All chunks as one; codes are copied, not computed anew. */
  #compact(memory: VectorMemory): VectorsStructure {
    const compact = new VectorsStructure(this.#dimension);
    compact.reserve(this.#rowCount, this.entryCount);
    for (const chunk of memory.chunks) compact.#memory?.appendChunk(memory, chunk);
    compact.#rowCount = this.#rowCount;
    return compact;
  }

  /** Null when `capacity` candidates do not prove the answer. */
  async #searchCodes(memory: VectorMemory, search: Search, capacity: number): Promise<Hits | null> {
    const { query, count, mask, end, signal } = search;
    const words = mask === null ? null : maskWords(mask, end);
    using job = new VectorJob(memory, query, capacity, words);
    const rowsPerTurn = Math.max(1024, Math.floor(SCAN_BYTES_PER_TURN / memory.stride));
    let left = rowsPerTurn;
    for (const chunk of memory.chunks) {
      const chunkEnd = Math.min(end, chunk.rowBase + chunk.rows);
      for (let row = chunk.rowBase; row < chunkEnd; ) {
        if (left <= 0) {
          await takeTurn(signal);
          left = rowsPerTurn;
        }
        const stop = Math.min(chunkEnd, row + left);
        job.scan(chunk, row, stop);
        left -= stop - row;
        row = stop;
      }
    }
    const { rows, cutoff } = job.candidates();
    const scores = new Float64Array(rows.length);
    this.#scoreRows(memory, job, rows, scores);
    const top = new TopRows(count);
    for (let i = 0; i < rows.length; i++) top.push(rows[i] as number, scores[i] as number);
    const proven = cutoff === -Infinity || top.threshold > cutoff + errorBound(query, memory);
    return proven ? top.hits('int8 scan', (goodness) => toValue(query, goodness)) : null;
  }

  async #searchFloats(memory: VectorMemory, search: Search): Promise<Hits> {
    const { query, count, mask, end, signal } = search;
    using job = new VectorJob(memory, query, 0, null);
    const top = new TopRows(count);
    const rowsPerTurn = Math.max(64, Math.floor(SCORE_BYTES_PER_TURN / memory.floatStride));
    const rows = new Uint32Array(Math.min(SCORE_ROWS_MAX, rowsPerTurn));
    const scores = new Float64Array(rows.length);
    let left = rowsPerTurn;
    for (let row = 0; row < end; ) {
      let length = 0;
      for (; length < rows.length; row++) {
        row = mask === null ? row : nextBit(mask, row, end);
        if (row >= end) break;
        rows[length++] = row;
      }
      this.#scoreRows(memory, job, rows.subarray(0, length), scores);
      for (let i = 0; i < length; i++) {
        const score = scores[i] as number;
        if (!Number.isNaN(score)) top.push(rows[i] as number, score);
      }
      left -= length;
      if (left <= 0) {
        await takeTurn(signal);
        left = rowsPerTurn;
      }
    }
    return top.hits('exact scan', (goodness) => toValue(query, goodness));
  }

  /** Exact goodness of ascending rows. */
  #scoreRows(memory: VectorMemory, job: VectorJob, rows: Uint32Array, out: Float64Array): void {
    for (let from = 0; from < rows.length; ) {
      const chunk = this.#chunkOf(memory, rows[from] as number);
      const chunkEnd = chunk.rowBase + chunk.rows;
      let to = from + 1;
      const most = Math.min(rows.length, from + SCORE_ROWS_MAX);
      while (to < most && (rows[to] as number) < chunkEnd) to++;
      job.score(chunk, rows.subarray(from, to), out.subarray(from, to));
      from = to;
    }
  }
}

interface Search {
  readonly query: VectorQuery;
  readonly count: number;
  readonly mask: Uint32Array | null;
  readonly end: number;
  readonly signal: AbortSignal;
}

/** The words that cover rows [0, end), zeros where the mask is shorter. */
function maskWords(mask: Uint32Array, end: number): Uint32Array {
  const words = new Uint32Array(Math.ceil(end / 32));
  words.set(mask.subarray(0, words.length));
  return words;
}
