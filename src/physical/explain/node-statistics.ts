/** Measurements of EXPLAIN ANALYZE for one plan node; the executor fills them in, `explain.ts` shows them. */
export interface NodeStatistics {
  rows: number;
  /** Times the node was started: once, or once a row under a lateral join or a correlated subquery. */
  loops: number;
  /** Until the first row, and in all, its inputs included. */
  startMs: number;
  totalMs: number;
  /** Rows looked at by a scan before its filter. */
  scanned: number;
  readonly arms: ArmStatistics[];
  /** Query texts that were embedded for the node; within its times. */
  readonly embeddings?: EmbeddingStatistics[];
  /** Rows of a ranked scan that were no candidates of any index and had to be ranked one by one. */
  readThrough?: number;
  /** Rows of a filtered scan for which indexes were asked, and those that pass. */
  filtered?: { rows: number; passed: number };
  /** Held of rows at a time, at most; absent where none were. */
  memoryBytes?: number;
  /** Rows that went to disk, where some did. */
  spill?: SpillStatistics;
}

export interface SpillStatistics {
  /** How a sort went on; absent for hashing. */
  readonly sort?: 'external merge';
  /** Parts that rows were hashed to, the one in memory among them. */
  readonly batches?: number;
  readonly memoryBytes?: number;
  /** At most at a time. */
  readonly diskBytes: number;
}

export interface EmbeddingStatistics {
  readonly model: string;
  readonly ms: number;
  /** The vector was at hand. */
  readonly cached: boolean;
}

export interface ArmStatistics {
  /** How parts were searched: several where they differ. */
  readonly strategies: Set<string>;
  /** Rows that the index gave. */
  candidates: number;
  /** Entries of the index that were compared with the query, and rows then scored exactly. */
  compared: number;
  rescored: number;
  ms: number;
}
