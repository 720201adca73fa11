/**
 * The inverted lists of sparse vectors: for every index that occurs, the rows that have it, with values.
 * One thing to know: stored lists are ordered by impact. A list is cut into tiers of falling size of values,
 * each half the one before, and the rows of a tier ascend; a search that has seen the upper tiers knows what
 * the rest can still add (Anh, de Kretser, Moffat 2001: vector-space ranking with impact-ordered lists).
 */
import { assert } from '../../assert.ts';
import { SqlError } from '../../errors.ts';
import type { SparseDatum } from '../../types/datum.ts';

/** Rows, ascending, with the value each has at one index. */
export interface Tier {
  readonly rows: Uint32Array;
  readonly values: Float32Array;
  /** Bounds of the values. */
  readonly least: number;
  readonly greatest: number;
}

export interface SparseLists {
  readonly rowCount: number;
  readonly bytes: number;
  /** The dimension of the vectors; 0: they have none. */
  readonly dimension: number;
  /** The list of one index, in no more than TIERS_MAX tiers; none where no row has it. */
  tiers(index: number): readonly Tier[];
  /** Indexes that occur, in ascending order. */
  indices(): Uint32Array;
  /** Sums of the squares and of the sizes of a row's values; NaN where the row is NULL. */
  readonly squares: Float64Array;
  readonly sizes: Float64Array;
}

const TIERS_MAX = 4;
/** Shorter lists are one tier. */
const TIERED_ROWS_MIN = 128;
const NO_TIERS: readonly Tier[] = [];

// ───────────────────────────── growing ─────────────────────────────

class GrowingList {
  #rows = new Uint32Array(4);
  #values = new Float32Array(4);
  #length = 0;
  #least = Infinity;
  #greatest = -Infinity;

  push(row: number, value: number): void {
    if (this.#length === this.#rows.length) {
      this.#rows = grown(this.#rows, new Uint32Array(2 * this.#length));
      this.#values = grown(this.#values, new Float32Array(2 * this.#length));
    }
    this.#rows[this.#length] = row;
    this.#values[this.#length++] = value;
    this.#least = Math.min(this.#least, value);
    this.#greatest = Math.max(this.#greatest, value);
  }

  get tier(): Tier {
    return {
      rows: this.#rows.subarray(0, this.#length),
      values: this.#values.subarray(0, this.#length),
      least: this.#least,
      greatest: this.#greatest,
    };
  }
}

function grown<T extends Uint32Array | Float32Array | Float64Array>(from: T, into: T): T {
  into.set(from);
  return into;
}

/** Lists of a head: rows come in order, so each is one tier. */
export class GrowingLists implements SparseLists {
  readonly #lists = new Map<number, GrowingList>();
  #dimension: number;
  #rowCount = 0;
  #postings = 0;
  squares = new Float64Array(256);
  sizes = new Float64Array(256);

  constructor(dimension: number) {
    this.#dimension = dimension;
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  get dimension(): number {
    return this.#dimension;
  }

  get bytes(): number {
    return 16 * this.squares.length + 12 * this.#postings + 128 * this.#lists.size;
  }

  tiers(index: number): readonly Tier[] {
    const list = this.#lists.get(index);
    return list === undefined ? NO_TIERS : [list.tier];
  }

  indices(): Uint32Array {
    return Uint32Array.from(this.#lists.keys()).sort();
  }

  /** Null: the row is NULL. */
  append(vector: SparseDatum | null): void {
    const row = this.#rowCount++;
    if (row === this.squares.length) {
      this.squares = grown(this.squares, new Float64Array(2 * row));
      this.sizes = grown(this.sizes, new Float64Array(2 * row));
    }
    const { squares, sizes } = vector === null ? NULL_TOTALS : totals(vector.values);
    this.squares[row] = squares;
    this.sizes[row] = sizes;
    if (vector === null) return;
    this.#dimension ||= vector.dimension;
    this.#postings += vector.indices.length;
    for (let i = 0; i < vector.indices.length; i++) {
      const index = vector.indices[i] as number;
      let list = this.#lists.get(index);
      if (list === undefined) {
        list = new GrowingList();
        this.#lists.set(index, list);
      }
      list.push(row, vector.values[i] as number);
    }
  }
}

const NULL_TOTALS = { squares: Number.NaN, sizes: Number.NaN };

/** Sums in the order of the indexes. */
export function totals(values: Float32Array): { squares: number; sizes: number } {
  let squares = 0;
  let sizes = 0;
  for (const value of values) {
    squares += value * value;
    sizes += Math.abs(value);
  }
  return { squares, sizes };
}

// ───────────────────────────── stored ─────────────────────────────

/** The arrays of stored lists, by the name of their section. */
interface Arrays {
  readonly dimension: Uint32Array;
  /** Indexes that occur, ascending. */
  readonly indices: Uint32Array;
  /** The first tier of each index, and one more. */
  readonly tierStarts: Uint32Array;
  /** The first posting of each tier, and one more. */
  readonly postingStarts: Uint32Array;
  /** Least and greatest value of each tier. */
  readonly bounds: Float32Array;
  readonly rows: Uint32Array;
  readonly values: Float32Array;
  readonly squares: Float64Array;
  readonly sizes: Float64Array;
}

/** Lists of a segment. */
export class StoredLists implements SparseLists {
  readonly #arrays: Arrays;

  constructor(arrays: Arrays) {
    this.#arrays = arrays;
  }

  /** @throws SqlError XX002 when the sections do not fit together. */
  static load(sections: ReadonlyMap<string, Uint8Array>, rowCount: number): StoredLists {
    const words = (name: keyof Arrays): Uint32Array => {
      const { buffer, byteOffset, length } = sectionOf(sections, name);
      return new Uint32Array(buffer, byteOffset, length / 4);
    };
    const singles = (name: keyof Arrays): Float32Array => {
      const { buffer, byteOffset, length } = sectionOf(sections, name);
      return new Float32Array(buffer, byteOffset, length / 4);
    };
    const doubles = (name: keyof Arrays): Float64Array => {
      const { buffer, byteOffset, length } = sectionOf(sections, name);
      return new Float64Array(buffer, byteOffset, length / 8);
    };
    const arrays: Arrays = {
      dimension: words('dimension'),
      indices: words('indices'),
      tierStarts: words('tierStarts'),
      postingStarts: words('postingStarts'),
      bounds: singles('bounds'),
      rows: words('rows'),
      values: singles('values'),
      squares: doubles('squares'),
      sizes: doubles('sizes'),
    };
    const tiers = arrays.tierStarts[arrays.indices.length];
    const postings = arrays.postingStarts[tiers ?? -1];
    if (postings !== arrays.rows.length || arrays.squares.length !== rowCount) throw damaged('rows');
    return new StoredLists(arrays);
  }

  get rowCount(): number {
    return this.#arrays.squares.length;
  }

  get dimension(): number {
    return this.#arrays.dimension[0] as number;
  }

  get bytes(): number {
    return Object.values(this.#arrays).reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  get squares(): Float64Array {
    return this.#arrays.squares;
  }

  get sizes(): Float64Array {
    return this.#arrays.sizes;
  }

  indices(): Uint32Array {
    return this.#arrays.indices;
  }

  tiers(index: number): readonly Tier[] {
    const { indices, tierStarts, postingStarts, bounds, rows, values } = this.#arrays;
    const at = seek(indices, 0, index);
    if (indices[at] !== index) return NO_TIERS;
    const tiers: Tier[] = [];
    for (let tier = tierStarts[at] as number; tier < (tierStarts[at + 1] as number); tier++) {
      const [from, to] = [postingStarts[tier] as number, postingStarts[tier + 1] as number];
      tiers.push({
        rows: rows.subarray(from, to),
        values: values.subarray(from, to),
        least: bounds[2 * tier] as number,
        greatest: bounds[2 * tier + 1] as number,
      });
    }
    return tiers;
  }

  sections(): ReadonlyMap<string, Uint8Array> {
    return new Map(
      Object.entries(this.#arrays).map(([name, { buffer, byteOffset, byteLength }]) => [
        name,
        new Uint8Array(buffer, byteOffset, byteLength),
      ]),
    );
  }
}

function sectionOf(sections: ReadonlyMap<string, Uint8Array>, name: string): Uint8Array {
  const bytes = sections.get(name);
  if (bytes === undefined) throw damaged(name);
  return bytes;
}

function damaged(name: string): SqlError {
  return new SqlError('index_corrupted', `section "${name}" of a sparse vector index is damaged`);
}

/** The first place from `from` on whose value is not below `value`, by steps that double. */
export function seek(ascending: Uint32Array, from: number, value: number): number {
  let step = 1;
  let low = from;
  let high = from;
  while (high < ascending.length && (ascending[high] as number) < value) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  high = Math.min(high, ascending.length);
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// ───────────────────────────── merging ─────────────────────────────

interface MergedInput {
  readonly lists: SparseLists;
  /** New row of each; -1: none. */
  readonly rowMap: Int32Array;
}

/** Lists of several parts as one, ordered by impact. */
export function mergeLists(inputs: readonly MergedInput[], rowCount: number): StoredLists {
  const writer = new ListWriter(inputs, rowCount);
  const indices = new Set(inputs.flatMap(({ lists }) => [...lists.indices()]));
  for (const index of Uint32Array.from(indices).sort()) writer.add(index);
  return writer.finish();
}

class ListWriter {
  readonly #inputs: readonly MergedInput[];
  readonly #squares: Float64Array;
  readonly #sizes: Float64Array;
  readonly #indices: number[] = [];
  readonly #tierStarts: number[] = [0];
  readonly #postingStarts: number[] = [0];
  readonly #bounds: number[] = [];
  #rows: Uint32Array;
  #values: Float32Array;
  #postings = 0;

  constructor(inputs: readonly MergedInput[], rowCount: number) {
    this.#inputs = inputs;
    this.#squares = new Float64Array(rowCount).fill(Number.NaN);
    this.#sizes = new Float64Array(rowCount).fill(Number.NaN);
    for (const { lists, rowMap } of inputs) {
      for (const [row, to] of rowMap.entries()) {
        if (to < 0) continue;
        this.#squares[to] = lists.squares[row] as number;
        this.#sizes[to] = lists.sizes[row] as number;
      }
    }
    this.#rows = new Uint32Array(1024);
    this.#values = new Float32Array(1024);
  }

  add(index: number): void {
    const postings = this.#kept(index);
    if (postings.length === 0) return;
    const largest = postings.reduce((most, { value }) => Math.max(most, Math.abs(value)), 0);
    const tiers = postings.length < TIERED_ROWS_MIN ? 1 : TIERS_MAX;
    for (let tier = 0; tier < tiers; tier++) {
      this.#addTier(postings.filter(({ value }) => tierOf(Math.abs(value) / largest, tiers) === tier));
    }
    this.#indices.push(index);
    this.#tierStarts.push(this.#postingStarts.length - 1);
  }

  finish(): StoredLists {
    return new StoredLists({
      dimension: Uint32Array.of(Math.max(0, ...this.#inputs.map(({ lists }) => lists.dimension))),
      indices: Uint32Array.from(this.#indices),
      tierStarts: Uint32Array.from(this.#tierStarts),
      postingStarts: Uint32Array.from(this.#postingStarts),
      bounds: Float32Array.from(this.#bounds),
      rows: this.#rows.slice(0, this.#postings),
      values: this.#values.slice(0, this.#postings),
      squares: this.#squares,
      sizes: this.#sizes,
    });
  }

  /** Entries of all inputs, by new row. */
  #kept(index: number): { readonly row: number; readonly value: number }[] {
    const postings: { row: number; value: number }[] = [];
    for (const { lists, rowMap } of this.#inputs) {
      for (const { rows, values } of lists.tiers(index)) {
        for (let i = 0; i < rows.length; i++) {
          const row = rowMap[rows[i] as number] as number;
          if (row >= 0) postings.push({ row, value: values[i] as number });
        }
      }
    }
    return postings.sort((a, b) => a.row - b.row);
  }

  #addTier(postings: readonly { readonly row: number; readonly value: number }[]): void {
    if (postings.length === 0) return;
    const end = this.#postings + postings.length;
    assert(end < 2 ** 32, 'postings of a segment are numbered by 32 bits');
    if (end > this.#rows.length) {
      this.#rows = grown(this.#rows, new Uint32Array(Math.max(end, 2 * this.#rows.length)));
      this.#values = grown(this.#values, new Float32Array(this.#rows.length));
    }
    let least = Infinity;
    let greatest = -Infinity;
    for (const { row, value } of postings) {
      this.#rows[this.#postings] = row;
      this.#values[this.#postings++] = value;
      least = Math.min(least, value);
      greatest = Math.max(greatest, value);
    }
    this.#bounds.push(least, greatest);
    this.#postingStarts.push(end);
  }
}

/** @param share of the list's largest value. */
function tierOf(share: number, tiers: number): number {
  return Math.min(tiers - 1, Math.max(0, Math.ceil(-Math.log2(share)) - 1));
}
