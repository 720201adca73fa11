/**
 * What searches need of an inverted index, whichever form it has: the head's growing lists or a segment's
 * compressed blocks.
 */

/** A cursor's row after the last one; larger than every row. */
export const END = 0xffffffff;

/** Walks the rows that hold one term, ascending; it stands on the first one when made. */
export interface PostingsCursor {
  /** Rows in the whole list. */
  readonly count: number;
  /** Bounds over the whole list: the largest frequency, the shortest field. */
  readonly largestFrequency: number;
  readonly shortestLength: number;
  /** The current row, or END. */
  row: number;
  /** Occurrences in the current row. */
  frequency(): number;
  /** Ascending word positions in the current row; valid until the cursor moves. */
  positions(): readonly number[];
  next(): void;
  /** To the first row at or after `row`. */
  seek(row: number): void;
  /** Bounds of the block that would hold `row`, without decoding it; null past the end. */
  blockAt(row: number): BlockBounds | null;
}

export interface BlockBounds {
  readonly lastRow: number;
  readonly largestFrequency: number;
  readonly shortestLength: number;
}

/** Figures of the rows that have at least one term. */
export interface FieldStatistics {
  readonly documents: number;
  readonly length: number;
}

/** One part's inverted index. */
export interface InvertedIndex {
  readonly rowCount: number;
  /** Terms in each row; 0: none, or NULL. */
  lengthOf(row: number): number;
  /** Null when no row holds the term. */
  cursor(term: string): PostingsCursor | null;
  /** All terms as UTF-8, ascending bytewise. */
  terms(): Iterable<Uint8Array>;
  /** Over all rows. */
  readonly statistics: FieldStatistics;
}
