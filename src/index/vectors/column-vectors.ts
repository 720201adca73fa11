/**
 * Vectors of a part that is older than their index: read from the column and compared one by one, so that
 * queries are answered exactly while the index is built. Slow, but it takes no memory and no time to make.
 */
import { TIES_MAX } from '../../limits.ts';
import { assert } from '../../assert.ts';
import { nextBit } from '../../types/column/bitset.ts';
import type { SearchRange, ColumnRows, Hits, Structure, StructureQuery } from '../structure.ts';
import { takeTurn } from '../../time-slice.ts';
import { cutAtTies, TopRows } from '../top-rows.ts';
import { differentDimensions, type Measure, toValue, type VectorQuery } from './query.ts';

/** Numbers compared between two turns of the event loop: about 2 ms. */
const NUMBERS_PER_TURN = 256 * 1024;

export class ColumnVectors implements Structure {
  readonly kind = 'vectors';
  readonly bytes = 0;
  readonly graph = null;
  readonly dimension: number;
  readonly #column: ColumnRows;

  constructor(column: ColumnRows, dimension: number) {
    this.#column = column;
    this.dimension = dimension;
  }

  get rowCount(): number {
    return this.#column.rowCount;
  }

  async search(query: StructureQuery, { count, mask, limit, signal }: SearchRange): Promise<Hits> {
    const prepared = query as VectorQuery;
    const end = Math.min(limit, this.rowCount);
    const top = new TopRows(count + TIES_MAX);
    const rowsPerTurn = Math.ceil(NUMBERS_PER_TURN / this.dimension);
    let compared = 0;
    for (let row = 0; row < end; row++) {
      row = mask === null ? row : nextBit(mask, row, end);
      if (row >= end) break;
      const goodness = this.#goodness(prepared, row);
      if (!Number.isNaN(goodness)) top.push(row, goodness);
      if (++compared % rowsPerTurn === 0) await takeTurn(signal);
    }
    const hits = top.hits('exact scan of the column', (goodness) => toValue(prepared, goodness));
    return cutAtTies({ ...hits, compared }, count);
  }

  score(query: StructureQuery, rows: Uint32Array): Float64Array {
    const prepared = query as VectorQuery;
    return Float64Array.from(rows, (row) => toValue(prepared, this.#goodness(prepared, row)));
  }

  rowFloats(row: number): { count: number; floats: Float32Array } {
    if (this.#column.isNull(row)) return { count: 0, floats: NO_FLOATS };
    return { count: 1, floats: this.#floats(row) };
  }

  countOf(row: number): number {
    return this.#column.isNull(row) ? 0 : 1;
  }

  /** Entries are not numbered: there is no graph to take over. */
  entriesOf(): readonly [number, number] {
    return [0, 0];
  }

  sections(): ReadonlyMap<string, Uint8Array> {
    return new Map();
  }

  release(): void {}

  #floats(row: number): Float32Array {
    const floats = this.#column.value(row);
    assert(floats instanceof Float32Array, 'a vector column holds float32 vectors');
    if (floats.length !== this.dimension) throw differentDimensions(this.dimension, floats.length);
    return floats;
  }

  #goodness({ measure, norm, floats }: VectorQuery, row: number): number {
    if (this.#column.isNull(row)) return Number.NaN;
    return compare(measure, floats, this.#floats(row), norm);
  }
}

const NO_FLOATS = new Float32Array(0);

/** As the kernels rate a vector: larger is better; NaN for the cosine of a zero vector. */
function compare(measure: Measure, query: Float32Array, stored: Float32Array, norm: number): number {
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < stored.length; i++) {
    const [a, b] = [query[i] as number, stored[i] as number];
    if (measure === 'euclidean') sum -= (a - b) ** 2;
    else if (measure === 'l1') sum -= Math.abs(a - b);
    else sum += a * b;
    squares += b * b;
  }
  if (measure !== 'cosine') return sum;
  return norm === 0 || squares === 0 ? Number.NaN : sum / (norm * Math.sqrt(squares));
}
