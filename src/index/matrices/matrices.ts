/**
 * Matrices of one part, compared by MaxSim (late interaction; Khattab, Zaharia 2020: ColBERT): for every row
 * of the query the largest dot product with a row of the matrix, summed.
 *
 * A first pass estimates every matrix by the signs of its vectors; the best of them are scored exactly. One
 * thing to know: unless the statement says how many, candidates are scored, best estimate first, until the
 * next would have to be underestimated far more than those before it were. Small parts are scored at once.
 */
import { TIES_MAX } from '../../limits.ts';
import { assert } from '../../assert.ts';
import { SqlError } from '../../errors.ts';
import { nextBit } from '../../types/column/bitset.ts';
import { differentDimensions } from '../../types/vector/dimension.ts';
import type { MatrixDatum } from '../../types/datum.ts';
import { BLOCK_ROWS, MatrixMemory } from './memory.ts';
import type { QueryRows } from './query-rows.ts';
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
import { quantiseQuery } from '../vectors/query.ts';

/** Products summed between two turns of the event loop, about 2 ms: of signs, of codes, and of floats. */
const PRODUCTS_PER_TURN = { signs: 256 * 2 ** 20, codes: 24 * 2 ** 20, floats: 6 * 2 ** 20 };
/** Below this a first pass saves nothing. */
const EXACT_PRODUCTS_MAX = 8 * 1024 * 1024;
/** Matrices that are scored in any case, and the most of which the best estimates are sorted at once. */
const CANDIDATES_MIN = 128;
const SORTED_MIN = 1024;
/** Standard deviations by which the next candidate's estimate must be wrong. */
const DOUBT = 3;

interface MatrixQuery extends StructureQuery {
  readonly kind: 'matrices';
  readonly dimension: number;
  readonly rows: QueryRows;
  /** Matrices to score exactly; 0: as many as seem good enough. */
  readonly candidates: number;
}

/** Request to a part. */
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

  /** Number of a row's vectors, 0 where it is NULL. */
  entriesOf(row: number): number {
    return (this.#starts[row + 1] as number) - (this.#starts[row] as number);
  }

  /** Vectors of a row, one after another. */
  rowValues(row: number): Float32Array {
    const [from, to] = this.#starts.subarray(row, row + 2);
    return this.#memory.values(from as number, to as number);
  }

  async search(query: StructureQuery, { count, mask, limit, signal }: SearchRange): Promise<Hits> {
    const prepared = this.#checked(query);
    const rows = this.#rowsOf(mask, Math.min(limit, this.#rowCount));
    if (count <= 0 || rows.length === 0) return noHits('no rows');
    const search = { query: prepared, count, rows, signal };
    const entries = this.#memory.entries * (rows.length / this.#rowCount);
    const products = entries * prepared.rows.count * this.dimension;
    if (!this.#memory.hasCodes || products <= EXACT_PRODUCTS_MAX) return this.#searchAll(search);
    return this.#searchSigns(search);
  }

  score(query: StructureQuery, rows: Uint32Array): Float64Array {
    const prepared = this.#checked(query);
    const scores = new Float64Array(rows.length).fill(Number.NaN);
    const present = Uint32Array.from(rows.keys()).filter((at) => this.#has(rows[at] as number));
    const found = rows.length === present.length ? rows : present.map((at) => rows[at] as number);
    for (let start = 0; start < found.length; start += BLOCK_ROWS) {
      const block = this.#memory.compare(
        prepared.rows,
        this.#ranges(found.subarray(start, start + BLOCK_ROWS)),
      );
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
    compact.#memory.addSigns();
    return compact;
  }

  async #searchSigns(search: Search): Promise<Hits> {
    const { count, rows } = search;
    const { candidates } = search.query;
    const estimates = await this.#estimate(search);
    const top = new TopRows(Math.min(count + TIES_MAX, rows.length));
    const wanted = new TopRows(Math.min(count, rows.length));
    let order = bestFirst(estimates, Math.max(SORTED_MIN, 2 * count, candidates));
    let from = 0;
    let to = Math.min(rows.length, Math.max(count, candidates || Math.max(CANDIDATES_MIN, 2 * count)));
    for (;;) {
      const some = order.subarray(from, to);
      const scores = await this.#score({ ...search, rows: some.map((at) => rows[at] as number) });
      for (const [i, at] of some.entries()) {
        top.push(rows[at] as number, scores[i] as number);
        wanted.push(at, scores[i] as number);
      }
      if (to === rows.length || candidates > 0) break;
      if (to === order.length) order = bestFirst(estimates, 8 * to);
      const next = estimates[order[to] as number] as number;
      const errors = scores.map((score, i) => score - (estimates[some[i] as number] as number));
      if (wanted.threshold >= next + likelyMost(errors)) break;
      from = to;
      to = Math.min(order.length, Math.ceil(1.5 * to));
    }
    return cutAtTies({ ...top.hits('MaxSim, signs first'), compared: rows.length, rescored: to }, count);
  }

  async #searchAll(search: Search): Promise<Hits> {
    const { count, rows } = search;
    const scores = await this.#score(search);
    const top = new TopRows(Math.min(count + TIES_MAX, rows.length));
    for (const [i, row] of rows.entries()) top.push(row, scores[i] as number);
    return cutAtTies({ ...top.hits('exact MaxSim'), compared: rows.length }, count);
  }

  async #estimate(search: Search): Promise<Float64Array> {
    const estimates = new Float64Array(search.rows.length);
    for (const some of this.#memory.signQueries(search.query.rows)) {
      const turn = { queryRows: some.weights.length, products: PRODUCTS_PER_TURN.signs };
      const added = await this.#inTurns(search, turn, (ranges) => this.#memory.estimate(some, ranges));
      for (const [i, x] of added.entries()) estimates[i] = (estimates[i] as number) + x;
    }
    return estimates;
  }

  #score(search: Search): Promise<Float64Array> {
    const { rows } = search.query;
    const products = PRODUCTS_PER_TURN[this.#memory.hasCodes ? 'codes' : 'floats'];
    const turn = { queryRows: rows.count, products };
    return this.#inTurns(search, turn, (ranges) => this.#memory.compare(rows, ranges));
  }

  /** Compares rows that are not NULL, in turns. */
  async #inTurns(
    { rows, signal }: Search,
    turn: { readonly queryRows: number; readonly products: number },
    compare: (ranges: Uint32Array) => Float64Array,
  ): Promise<Float64Array> {
    signal.throwIfAborted();
    const compared = new Float64Array(rows.length);
    let products = 0;
    for (let start = 0, end = 0; start < rows.length; start = end) {
      while (end < rows.length && end < start + BLOCK_ROWS && products < turn.products) {
        products += this.entriesOf(rows[end++] as number) * turn.queryRows * this.dimension;
      }
      compared.set(compare(this.#ranges(rows.subarray(start, end))), start);
      if (products < turn.products) continue;
      await takeTurn(signal);
      products = 0;
    }
    return compared;
  }

  /** First entry and end of each row. */
  #ranges(rows: Uint32Array): Uint32Array {
    const ranges = new Uint32Array(2 * rows.length);
    for (const [i, row] of rows.entries()) {
      ranges[2 * i] = this.#starts[row] as number;
      ranges[2 * i + 1] = this.#starts[row + 1] as number;
    }
    return ranges;
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

  #has(row: number): boolean {
    return this.entriesOf(row) > 0;
  }

  #checked(query: StructureQuery): MatrixQuery {
    const prepared = query as MatrixQuery;
    if (prepared.dimension === this.dimension) return prepared;
    throw differentDimensions('matrix', this.dimension, prepared.dimension);
  }
}

const NO_FLOATS = new Float32Array(0);

/** Positions of the best estimates. */
function bestFirst(estimates: Float64Array, count: number): Uint32Array {
  const top = new TopRows(Math.min(count, estimates.length));
  for (const [at, estimate] of estimates.entries()) top.push(at, estimate);
  return top.hits('').rows;
}

/** Bound that one more of such numbers will hardly exceed. */
function likelyMost(numbers: Float64Array): number {
  const mean = numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  const variance = numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0) / numbers.length;
  return mean + DOUBT * Math.sqrt(variance);
}

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
      entries += structure.entriesOf(row);
    }
  }
  const memory = new MatrixMemory(dimension, entries);
  const into = new MatricesStructure(memory);
  for (let row = 0; row < rowCount; row++) {
    const source = sources.get(row);
    into.appendRow(source?.structure.rowValues(source.row) ?? NO_FLOATS);
  }
  memory.addSigns();
  return into;
}

type EstimateLimits = Pick<MatrixQuery, 'candidates'> & Pick<QueryRows, 'planesMax' | 'numbersMax'>;

/** The option `quantization` as bits of a number; `scalar` takes all there are. */
const BITS: Readonly<Record<string, number>> = { '1bit': 1, '2bit': 2 };

/** Query rows, quantised one by one and padded. */
function prepareQuery(matrix: MatrixDatum, { candidates, ...limits }: EstimateLimits): MatrixQuery {
  const { rows: count, dimension, values } = matrix;
  const width = Math.ceil(dimension / 4) * 4;
  const stride = Math.ceil(dimension / 32) * 32;
  const rows: QueryRows = {
    count,
    floats: new Float32Array(count * width),
    codes: new Int16Array(count * stride),
    scales: new Float64Array(count),
    norms: new Float64Array(count),
    errors: new Float64Array(count),
    ...limits,
  };
  for (let row = 0; row < count; row++) {
    const floats = values.subarray(row * dimension, (row + 1) * dimension);
    const { codes, scale, norm, error } = quantiseQuery(floats);
    rows.floats.set(floats, row * width);
    rows.codes.set(codes, row * stride);
    rows.scales[row] = scale;
    rows.norms[row] = norm;
    rows.errors[row] = error;
  }
  return { kind: 'matrices', higherIsBetter: true, dimension, rows, candidates };
}

export const MATRICES: StructureMethod = {
  dimensioned: true,

  head: ({ dimension }) => new MatricesStructure(new MatrixMemory(dimension, 0)),

  load: ({ dimension }, sections, rowCount) => loaded(dimension, sections, rowCount),

  merge: ({ dimension }, inputs, rowCount) => merged(dimension, inputs, rowCount),

  prepare({ options }, request): MatrixQuery {
    assert(request.kind === 'vector' && 'rows' in request.query, 'matrices are asked with a matrix');
    return prepareQuery(request.query, {
      candidates: request.candidates ?? Number(options.top_k ?? 0),
      planesMax: BITS[options.quantization ?? ''] ?? Number.POSITIVE_INFINITY,
      numbersMax: Number(options.width ?? Number.POSITIVE_INFINITY),
    });
  },
};
