/** A graph's arrays in shared memory. */
import type { Chunk, VectorMemory } from './memory.ts';
import type { Measure } from './query.ts';

/** Where the arrays of a graph lie; plain numbers, so that builders in other threads find them. */
export interface GraphLayout {
  /** Neighbours an entry is linked to; twice as many on the lowest level. */
  readonly m: number;
  readonly entries: number;
  /** A count and 2 m entries of level 0, u32 each, an entry. */
  readonly links: number;
  /** u8 an entry. */
  readonly levels: number;
  /** u32 an entry: the number of its first list in the pool. */
  readonly upper: number;
  /** Lists of the levels above: a count and m entries. */
  readonly pool: number;
  /** Lists in the pool. */
  readonly pooled: number;
  /** Entry point (i32, -1: none), its level, a lock; then f64: the usual ef, and what a search with it compares. */
  readonly top: number;
}

/** A graph as the kernels are told of it. */
export interface GraphArrays {
  readonly layout: GraphLayout;
  readonly chunk: Chunk;
  readonly measure: Measure;
  /** Address of u32 an entry, its row; 0 when entries are rows. */
  readonly rows: number;
  readonly memory: VectorMemory;
}
