/**
 * The graph of a segment's vectors (HNSW, `wasm/graph.ts`): its arrays in the vectors' shared memory, and
 * the searches over it. It is laid out before the first insert, as the levels of all entries are drawn then.
 */
import { assert } from '../../assert.ts';
import { SqlError } from '../../errors.ts';
import { type GraphHits, GraphJob } from './graph-job.ts';
import type { GraphArrays, GraphLayout } from './graph-layout.ts';
import type { GraphFact } from '../structure.ts';
import type { Chunk, VectorMemory } from './memory.ts';
import type { Measure, VectorQuery } from './query.ts';

const TOP_BYTES = 64;
const TOP_FIGURES = 16;
export const LEVEL_MAX = 16;
const EF_DEFAULT = 100;

export class VectorGraph implements GraphArrays {
  readonly layout: GraphLayout;
  readonly chunk: Chunk;
  readonly measure: Measure;
  readonly rows: number;
  readonly memory: VectorMemory;

  private constructor(memory: VectorMemory, chunk: Chunk, measure: Measure, layout: GraphLayout) {
    this.memory = memory;
    this.chunk = chunk;
    this.measure = measure;
    this.layout = layout;
    this.rows = rowsOfEntries(memory, chunk);
  }

  /** Room for a graph over the entries of `chunk`, none of them inserted. */
  static lay(
    memory: VectorMemory,
    chunk: Chunk,
    measure: Measure,
    m: number,
    levels: Uint8Array,
  ): VectorGraph {
    assert(levels.length === chunk.entries, 'a level an entry');
    const layout = allocate(
      memory,
      m,
      chunk.entries,
      levels.reduce((sum, level) => sum + level, 0),
    );
    new Uint8Array(memory.buffer, layout.levels, levels.length).set(levels);
    const upper = new Uint32Array(memory.buffer, layout.upper, levels.length);
    let next = 0;
    for (let entry = 0; entry < levels.length; entry++) {
      upper[entry] = next;
      next += levels[entry] as number;
    }
    new Int32Array(memory.buffer, layout.top, 1)[0] = -1;
    const graph = new VectorGraph(memory, chunk, measure, layout);
    graph.tune(EF_DEFAULT, 0);
    return graph;
  }

  /** Room for the sections of a graph, to be filled; null when there are none. @throws SqlError XX002. */
  static place(memory: VectorMemory, chunk: Chunk, sizes: ReadonlyMap<string, number>): GraphLayout | null {
    const links = sizes.get('links');
    const pool = sizes.get('pool');
    if (links === undefined || pool === undefined || chunk.entries === 0) return null;
    const m = (links / chunk.entries / 4 - 1) / 2;
    const pooled = pool / poolBytes(m);
    if (!Number.isInteger(m) || m < 1 || !Number.isInteger(pooled)) {
      throw new SqlError('index_corrupted', 'section "links" of a vector index is damaged');
    }
    return allocate(memory, m, chunk.entries, pooled);
  }

  /** The graph in the arrays of `place`. */
  static of(memory: VectorMemory, chunk: Chunk, measure: Measure, layout: GraphLayout): VectorGraph {
    return new VectorGraph(memory, chunk, measure, layout);
  }

  /** Results a search keeps in view when the statement does not say: measured when the graph was made. */
  get ef(): number {
    return this.#figures()[0] as number;
  }

  /** Entries such a search compares with its query. */
  get comparedUsually(): number {
    return this.#figures()[1] as number;
  }

  get fact(): GraphFact {
    return { entries: this.layout.entries, m: this.layout.m, efSearch: this.ef };
  }

  tune(ef: number, compared: number): void {
    this.#figures().set([ef, compared]);
  }

  /**
   * The best entries among those whose row is in the mask.
   * @param comparedMax the search gives up there: `compared` tells.
   */
  search(
    query: VectorQuery,
    { ef, mask, comparedMax }: { ef: number; mask: Uint32Array | null; comparedMax: number },
  ): GraphHits {
    using job = new GraphJob(this, { ef, comparedMax, mask });
    job.ask(query);
    return job.search();
  }

  /** The rows of entries, ascending, each once: a matrix or list column has several entries a row. */
  rowsOf(entries: Uint32Array): Uint32Array {
    if (this.rows === 0) return entries.slice().sort();
    const rowOf = new Uint32Array(this.memory.buffer, this.rows, this.layout.entries);
    const rows = entries.map((entry) => rowOf[entry] as number).sort();
    return rows.filter((row, i) => i === 0 || row !== rows[i - 1]);
  }

  sections(): ReadonlyMap<string, Uint8Array> {
    return graphArrays(this.memory, this.layout);
  }

  #figures(): Float64Array {
    return new Float64Array(this.memory.buffer, this.layout.top + TOP_FIGURES, 2);
  }
}

export function linkBytes(m: number): number {
  return (2 * m + 1) * 4;
}

export function poolBytes(m: number): number {
  return (m + 1) * 4;
}

/** One of m^l entries is on level l or above (the paper's choice). */
export function drawLevel(m: number, random: () => number): number {
  return Math.min(LEVEL_MAX, Math.floor(-Math.log(1 - random()) / Math.log(m)));
}

function allocate(memory: VectorMemory, m: number, entries: number, pooled: number): GraphLayout {
  return {
    m,
    entries,
    pooled,
    links: memory.allocate(entries * linkBytes(m)),
    levels: memory.allocate(entries),
    upper: memory.allocate(entries * 4),
    pool: memory.allocate(pooled * poolBytes(m)),
    top: memory.allocate(TOP_BYTES),
  };
}

/** Views of a graph's arrays by the names of their sections. */
export function graphArrays(
  { buffer }: VectorMemory,
  { m, entries, pooled, ...at }: GraphLayout,
): ReadonlyMap<string, Uint8Array> {
  return new Map([
    ['links', new Uint8Array(buffer, at.links, entries * linkBytes(m))],
    ['levels', new Uint8Array(buffer, at.levels, entries)],
    ['upper', new Uint8Array(buffer, at.upper, entries * 4)],
    ['pool', new Uint8Array(buffer, at.pool, pooled * poolBytes(m))],
    ['top', new Uint8Array(buffer, at.top, TOP_BYTES)],
  ]);
}

/** 0 when every row has exactly one entry. */
function rowsOfEntries(memory: VectorMemory, chunk: Chunk): number {
  const starts = chunk.rowStarts.subarray(0, chunk.rows + 1);
  if (chunk.rows === chunk.entries && starts.every((start, row) => start === row)) return 0;
  const address = memory.allocate(chunk.entries * 4);
  const rows = new Uint32Array(memory.buffer, address, chunk.entries);
  for (let row = 0; row < chunk.rows; row++) rows.fill(row, starts[row], starts[row + 1]);
  return address;
}
