/** Sizes that decide when the head becomes a segment, when segments are merged, and what stays in memory. */
export interface EngineSettings {
  /** A head of this many rows or bytes becomes a segment. */
  readonly headRows: number;
  readonly headBytes: number;
  /** Rows of one commit are stored in pieces of this size. */
  readonly stagedBytes: number;
  /** Rows of transactions that have not ended are written ahead past this; null: a share of the memory. */
  readonly ownBytes: number | null;
  /** So many small commits, and so many bytes of them, are kept as they came (`commit/journal.ts`). */
  readonly journalCommits: number;
  readonly journalBytes: number;
  /** A head that nothing was written to for this long becomes a segment when it has `idleRows`. 0: never. */
  readonly idleMs: number;
  readonly idleRows: number;
  /** This many neighbouring segments of about one size are merged into one. */
  readonly mergeCount: number;
  /** Segments of this size are not merged any more. */
  readonly segmentRowsMax: number;
  /** No column and no structure of a segment becomes larger: offsets are of 32 bits. */
  readonly segmentBytesMax: number;
  /** A segment whose vectors' codes are of this many bytes gets a graph; null: where it pays. */
  readonly graphBytesMin: number | null;
  /** A transaction with so many locks keeps those of further rows as bits. */
  readonly singleLocks: number;
  /** For rows, structures and the cache of blocks together (`memory.ts`). */
  readonly memoryBytes: number;
}

export const DEFAULT_ENGINE_SETTINGS: EngineSettings = {
  headRows: 10_000,
  headBytes: 32 * 1024 * 1024,
  stagedBytes: 16 * 1024 * 1024,
  ownBytes: null,
  journalCommits: 1024,
  journalBytes: 4 * 1024 * 1024,
  idleMs: 30_000,
  idleRows: 2_000,
  mergeCount: 4,
  segmentRowsMax: 1_000_000,
  segmentBytesMax: 3.5 * 2 ** 30,
  graphBytesMin: null,
  singleLocks: 256,
  memoryBytes: 1024 ** 3,
};
