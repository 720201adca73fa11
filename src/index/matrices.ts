/**
 * Matrices of one part, compared by MaxSim (late interaction; Khattab, Zaharia 2020: ColBERT): for every row
 * of the query the largest dot product with a row of the matrix, summed.
 *
 * A first pass rates every matrix by int8 codes; the best of them are scored with floats. One thing to know:
 * unless the statement says how many candidates it wants, the answer is proven exact: candidates are scored
 * until the k-th score beats what quantising can have hidden. Small parts are scored at once.
 */
import { assert } from '../assert.ts';
import { SqlError } from '../errors.ts';
import { nextBit } from '../types/bitset.ts';
import { differentDimensions } from '../types/dimension.ts';
import type { MatrixDatum } from '../types/datum.ts';
import { BLOCK_ROWS, MatrixMemory, type QueryRows } from './matrix-memory.ts';
import {
  type HeadStructure,
  type Hits,
  type MergeInput,
  type StructureInput,
  type StructureMethod,
  type StructureQuery,
  TIES_MAX,
} from './structure.ts';
import { takeTurn } from './time-slice.ts';
import { cutAtTies, noHits, TopRows } from './top-rows.ts';
import { quantiseQuery } from './vector-query.ts';

/** Products summed between two turns of the event loop, about 2 ms: of codes, and of floats. */
const CODE_PRODUCTS_PER_TURN = 32 * 1024 * 1024;
const FLOAT_PRODUCTS_PER_TURN = 6 * 1024 * 1024;
/** Below this a first pass saves nothing. */
const EXACT_PRODUCTS_MAX = 8 * 1024 * 1024;
const CANDIDATES_MIN = 128;

interface MatrixQuery extends StructureQuery {
  readonly kind: 'matrices';
  readonly dimension: number;
  readonly rows: QueryRows;
  /** Sum over the query's rows of the norms of their codes, and of what quantising lost. */
  readonly norms: number;
  readonly errors: number;
  /** Matrices to score exactly; 0: as many as the proof wants. */
  readonly candidates: number;
}

/** What is asked of a part. */
interface Search {
  readonly query: MatrixQuery;
  readonly count: number;
  /** Ascending. */
  readonly rows: Uint32Array;
  readonly signal: AbortSignal;
}

class MatricesStructure implements HeadStructure {
  readonly kind = 'matrices';
  readonly #memory: MatrixMemory;
  /** First entry of each row, and one more. */
  #starts: Uint32Array = new Uint32Array(256);
  #rowCount = 0;

  constructor(memory: MatrixMemory, starts: Uint32Array | null = null) {
    this.#memory = memory;
    if (starts === null) return;
    this.#starts = starts;
    this.#rowCount = starts.length - 1;
  }

  get dimension(): number {
    return this.#memory.dimension;
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  get bytes(): number {
    return this.#memory.bytes + this.#starts.byteLength;
  }

  append(input: StructureInput): void {
    assert('values' in input, 'matrices come as values');
    for (let row = 0; row < input.values.length; row++) {
      const matrix = input.values.get(row) as MatrixDatum | null;
      this.appendRow(matrix?.values ?? NO_FLOATS);
    }
  }

  /** @param values no floats where the row is NULL. */
  appendRow(values: Float32Array): void {
    this.#memory.append(values);
    if (++this.#rowCount === this.#starts.length) {
      const grown = new Uint32Array(2 * this.#rowCount);
      grown.set(this.#starts);
      this.#starts = grown;
    }
    this.#starts[this.#rowCount] = this.#memory.entries;
  }

  /** Vectors of a row, one after another; none where it is NULL. */
  rowValues(row: number): Float32Array {
    const [from, to] = this.#starts.subarray(row, row + 2);
    return this.#memory.values(from as number, to as number);
  }

  async search(
    query: StructureQuery,
    count: number,
    mask: Uint32Array | null,
    limit: number,
    signal: AbortSignal,
  ): Promise<Hits> {
    const prepared = this.#checked(query);
    const rows = this.#rowsOf(mask, Math.min(limit, this.#rowCount));
    if (count <= 0 || rows.length === 0) return noHits('no rows');
    const search = { query: prepared, count, rows, signal };
    const entries = this.#memory.entries * (rows.length / this.#rowCount);
    const products = entries * prepared.rows.count * this.dimension;
    if (!this.#memory.hasCodes || products <= EXACT_PRODUCTS_MAX) return this.#searchFloats(search);
    return this.#searchCodes(search);
  }

  score(query: StructureQuery, rows: Uint32Array): Float64Array {
    const prepared = this.#checked(query);
    const scores = new Float64Array(rows.length).fill(Number.NaN);
    const present = Uint32Array.from(rows.keys()).filter((at) => this.#has(rows[at] as number));
    const found = rows.length === present.length ? rows : present.map((at) => rows[at] as number);
    for (let start = 0; start < found.length; start += BLOCK_ROWS) {
      const block = this.#compare('floats', prepared, found.subarray(start, start + BLOCK_ROWS));
      for (const [i, score] of block.entries()) scores[present[start + i] as number] = score;
    }
    return scores;
  }

  sections(): ReadonlyMap<string, Uint8Array> {
    if (this.#memory.entries > 0 && !this.#memory.hasCodes) return this.#compact().sections();
    const starts = this.#starts.slice(0, this.#rowCount + 1);
    return new Map([...this.#memory.sections(), ['starts', new Uint8Array(starts.buffer)]]);
  }

  release(): void {
    this.#rowCount = 0;
  }

  /** With codes, as a segment keeps it. */
  #compact(): MatricesStructure {
    const { memory, rowCount } = { memory: this.#memory, rowCount: this.#rowCount };
    const compact = new MatricesStructure(new MatrixMemory(memory.dimension, memory.entries));
    for (let row = 0; row < rowCount; row++) compact.appendRow(this.rowValues(row));
    return compact;
  }

  async #searchCodes(search: Search): Promise<Hits> {
    const { query, count, rows } = search;
    const rated = await this.#rate('codes', search);
    const bound = this.#bound(query);
    const first = query.candidates > 0 ? Math.max(query.candidates, count) : 4 * count + CANDIDATES_MIN;
    for (let capacity = first; capacity < rows.length; capacity *= 4) {
      const top = new TopRows(capacity);
      for (let i = 0; i < rows.length; i++) top.push(rows[i] as number, rated[i] as number);
      const near = top.hits('').rows.sort();
      const found = await this.#best({ ...search, rows: near }, 'int8 MaxSim');
      const hits = { ...found, compared: rows.length, rescored: near.length };
      const last = hits.scores[count - 1];
      const proven = last !== undefined && last > top.threshold + bound;
      if (proven || query.candidates > 0) return hits;
    }
    return this.#searchFloats(search);
  }

  #searchFloats(search: Search): Promise<Hits> {
    return this.#best(search, 'exact MaxSim');
  }

  /** How far a rating by codes may be from the score (Cauchy–Schwarz, row by row of the query). */
  #bound({ norms, errors }: MatrixQuery): number {
    const { largestError, largestNorm } = this.#memory;
    return errors * largestNorm + norms * largestError + 1e-6 * norms * (largestNorm + largestError);
  }

  async #best(search: Search, strategy: string): Promise<Hits> {
    const scores = await this.#rate('floats', search);
    const top = new TopRows(Math.min(search.count + TIES_MAX, search.rows.length));
    for (let i = 0; i < scores.length; i++) top.push(search.rows[i] as number, scores[i] as number);
    return cutAtTies({ ...top.hits(strategy), compared: scores.length }, search.count);
  }

  /** Scores or ratings of rows that are not NULL. */
  async #rate(kind: 'floats' | 'codes', { query, rows, signal }: Search): Promise<Float64Array> {
    const rated = new Float64Array(rows.length);
    const perTurn = kind === 'codes' ? CODE_PRODUCTS_PER_TURN : FLOAT_PRODUCTS_PER_TURN;
    let products = 0;
    for (let start = 0; start < rows.length; start += BLOCK_ROWS) {
      const block = rows.subarray(start, start + BLOCK_ROWS);
      rated.set(this.#compare(kind, query, block), start);
      for (const row of block) products += this.#entriesOf(row) * query.rows.count * this.dimension;
      if (products < perTurn) continue;
      await takeTurn(signal);
      products = 0;
    }
    return rated;
  }

  #compare(kind: 'floats' | 'codes', { rows: query }: MatrixQuery, rows: Uint32Array): Float64Array {
    const ranges = new Uint32Array(2 * rows.length);
    for (const [i, row] of rows.entries()) {
      ranges[2 * i] = this.#starts[row] as number;
      ranges[2 * i + 1] = this.#starts[row + 1] as number;
    }
    return this.#memory.compare(kind, query, ranges);
  }

  /** Rows below `end` in the mask that are not NULL. */
  #rowsOf(mask: Uint32Array | null, end: number): Uint32Array {
    const rows = new Uint32Array(end);
    let length = 0;
    for (let row = 0; row < end; row++) {
      if (mask !== null) row = nextBit(mask, row, end);
      if (row < end && this.#has(row)) rows[length++] = row;
    }
    return rows.subarray(0, length);
  }

  #entriesOf(row: number): number {
    return (this.#starts[row + 1] as number) - (this.#starts[row] as number);
  }

  #has(row: number): boolean {
    return this.#entriesOf(row) > 0;
  }

  #checked(query: StructureQuery): MatrixQuery {
    const prepared = query as MatrixQuery;
    if (prepared.dimension === this.dimension) return prepared;
    throw differentDimensions('matrix', this.dimension, prepared.dimension);
  }
}

const NO_FLOATS = new Float32Array(0);

function loaded(dimension: number, sections: ReadonlyMap<string, Uint8Array>, rowCount: number) {
  const bytes = sections.get('starts');
  if (bytes?.length !== 4 * (rowCount + 1)) {
    throw new SqlError('index_corrupted', 'section "starts" of a multi-vector index is damaged');
  }
  const starts = new Uint32Array(bytes.slice().buffer);
  const memory = MatrixMemory.load(dimension, sections, starts[rowCount] as number);
  return new MatricesStructure(memory, starts);
}

function merged(dimension: number, inputs: readonly MergeInput[], rowCount: number): MatricesStructure {
  const sources = new Map<number, { structure: MatricesStructure; row: number }>();
  let entries = 0;
  for (const { structure, rowMap } of inputs) {
    assert(structure instanceof MatricesStructure, 'matrices merge with their like');
    for (const [row, to] of rowMap.entries()) {
      if (to < 0) continue;
      sources.set(to, { structure, row });
      entries += structure.rowValues(row).length / dimension;
    }
  }
  const into = new MatricesStructure(new MatrixMemory(dimension, entries));
  for (let row = 0; row < rowCount; row++) {
    const source = sources.get(row);
    into.appendRow(source?.structure.rowValues(source.row) ?? NO_FLOATS);
  }
  return into;
}

/** Query rows, quantised one by one and padded. */
function prepareQuery(matrix: MatrixDatum, candidates: number): MatrixQuery {
  const { rows: count, dimension, values } = matrix;
  const width = Math.ceil(dimension / 4) * 4;
  const stride = Math.ceil(dimension / 32) * 32;
  const rows: QueryRows = {
    count,
    floats: new Float32Array(count * width),
    codes: new Int16Array(count * stride),
    scales: new Float64Array(count),
  };
  let norms = 0;
  let errors = 0;
  for (let row = 0; row < count; row++) {
    const floats = values.subarray(row * dimension, (row + 1) * dimension);
    const { codes, scale, norm, error } = quantiseQuery(floats);
    rows.floats.set(floats, row * width);
    rows.codes.set(codes, row * stride);
    rows.scales[row] = scale;
    norms += norm + error;
    errors += error;
  }
  return { kind: 'matrices', higherIsBetter: true, dimension, rows, norms, errors, candidates };
}

export const MATRICES: StructureMethod = {
  dimensioned: true,

  head: ({ dimension }) => new MatricesStructure(new MatrixMemory(dimension, 0)),

  load: ({ dimension }, sections, rowCount) => loaded(dimension, sections, rowCount),

  merge: ({ dimension }, inputs, rowCount) => merged(dimension, inputs, rowCount),

  prepare(_, request): MatrixQuery {
    assert(request.kind === 'vector' && 'rows' in request.query, 'matrices are asked with a matrix');
    return prepareQuery(request.query, request.candidates ?? 0);
  },
};
