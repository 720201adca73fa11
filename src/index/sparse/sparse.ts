/**
 * Sparse vectors of one part: inverted lists, which answer inner products exactly and early, and all other
 * measures exactly. A head's lists grow; a segment's are ordered by impact.
 */
import { assert } from '../../assert.ts';
import { differentDimensions } from '../../types/vector/dimension.ts';
import type { SparseDatum } from '../../types/datum.ts';
import type { VectorArmValue } from '../request.ts';
import { GrowingLists, mergeLists, type SparseLists, StoredLists } from './lists.ts';
import { scoreSparse, type SparseMeasure, type SparseQuery, searchSparse, sparseQuery } from './search.ts';
import type {
  SearchRange,
  HeadStructure,
  Hits,
  StructureInput,
  StructureMethod,
  StructureQuery,
} from '../structure.ts';

class SparseStructure implements HeadStructure {
  readonly kind = 'sparse';
  #lists: SparseLists;

  constructor(lists: SparseLists) {
    this.#lists = lists;
  }

  get lists(): SparseLists {
    return this.#lists;
  }

  get rowCount(): number {
    return this.#lists.rowCount;
  }

  get dimension(): number {
    return this.#lists.dimension;
  }

  get bytes(): number {
    return this.#lists.bytes;
  }

  append(input: StructureInput): void {
    assert('values' in input && this.#lists instanceof GrowingLists, 'rows come as values, to a head');
    for (let row = 0; row < input.values.length; row++) {
      this.#lists.append(input.values.get(row) as SparseDatum | null);
    }
  }

  async search(query: StructureQuery, { count, mask, limit, signal }: SearchRange): Promise<Hits> {
    const end = Math.min(limit, this.rowCount);
    return searchSparse(this.#lists, this.#checked(query), { count, mask, end, signal });
  }

  score(query: StructureQuery, rows: Uint32Array): Float64Array {
    return scoreSparse(this.#lists, this.#checked(query), rows);
  }

  sections(): ReadonlyMap<string, Uint8Array> {
    const { lists } = this;
    if (lists instanceof StoredLists) return lists.sections();
    const rowMap = Int32Array.from({ length: lists.rowCount }, (_, row) => row);
    return mergeLists([{ lists, rowMap }], lists.rowCount).sections();
  }

  release(): void {
    this.#lists = new GrowingLists(this.dimension);
  }

  #checked(query: StructureQuery): SparseQuery {
    const prepared = query as SparseQuery;
    const { dimension } = prepared.vector;
    if (dimension === 0 || this.dimension === 0 || dimension === this.dimension) return prepared;
    throw differentDimensions('sparsevec', this.dimension, dimension);
  }
}

const MEASURES: Readonly<Partial<Record<VectorArmValue, SparseMeasure>>> = {
  '<#>': 'dot_product',
  '<=>': 'cosine',
  '<->': 'euclidean',
  '<+>': 'l1',
};

export const SPARSE: StructureMethod = {
  dimensioned: false,

  head: ({ dimension }) => new SparseStructure(new GrowingLists(dimension)),

  load: (_, sections, rowCount) => new SparseStructure(StoredLists.load(sections, rowCount)),

  merge(_, inputs, rowCount) {
    const merged = inputs.map(({ structure, rowMap }) => {
      assert(structure instanceof SparseStructure, 'sparse vectors merge with their like');
      return { lists: structure.lists, rowMap };
    });
    return new SparseStructure(mergeLists(merged, rowCount));
  },

  prepare({ options }, request): SparseQuery {
    assert(request.kind === 'vector', 'sparse vectors answer vector requests');
    const { query, value } = request;
    const measure = value === 'metric' ? options.metric : MEASURES[value];
    assert(measure !== undefined && 'indices' in query, 'asked with a sparse vector and one of its measures');
    return sparseQuery(query, measure as SparseMeasure, value);
  },
};
