/**
 * Guards: decisions that depend on the data that an operator meets, and are taken part by part as it runs. The physical
 * plan says which ways there are, a guard whether one pays here. All of them stand in this table.
 */
export const GUARDS = {
  /** A list of keys is looked up where a part has at least so many rows for each of them. */
  rowsPerLookup: 100,
  /** An order gives a part's rows where they are at most one in so many; fetching a row costs that of reading so many. */
  rowsPerFetch: 32,
  /** Rows of an order that are looked at first, when a LIMIT wants the first ones. */
  firstRows: 256,
  /** Trigrams give a part's rows where they are at most this share of it. */
  textShareMax: 1 / 4,
  /** A part's rows are read one by one where fewer than one in so many is wanted, else all are decoded. */
  sparseReads: 4,
  /** Filtered rows go to an aggregate under a mask where more than this share of them passes, else they are copied. */
  maskedShareMin: 1 / 4,
  /** Bits of a filter are kept for lists of so many elements as parameters; hashing longer ones would take milliseconds. */
  maskListMax: 20_000,
  /** A batch that all operators together dealt with in less may be followed by a larger one, */
  quickBatchMs: 0.7,
  /** and one that took longer is followed by a smaller one. */
  slowBatchMs: 2,
  /** Candidates that each of several arms of a ranking gives first, */
  firstCandidates: 64,
  /** and by how much more are asked for where they do not decide; */
  deeper: 4,
  /** a part is read through where more than one row in so many would have to be a candidate. */
  readThrough: 8,
} as const;
