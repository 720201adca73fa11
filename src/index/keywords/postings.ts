/**
 * Inverted index as searches see it, whichever form it has: the head's growing lists or a segment's
 * compressed blocks. Both are read a block of up to 128 rows at a time into the cursor's typed arrays, so that
 * the loops of a search meet one class only.
 */
import { firstNot } from '../../binary-search.ts';
import type { LengthNorm } from './bm25.ts';

/** A cursor's row after the last one; larger than every row. */
export const END = 0xffffffff;
/** Rows of a block; the last one of a list may have fewer. */
export const BLOCK_ROWS = 128;

/** One term's rows, ascending, in blocks; belongs to one cursor. */
export interface PostingsReader {
  /** Rows in the whole list. */
  readonly count: number;
  readonly blockCount: number;
  lastRow(block: number): number;
  /** At least the saturation of every row of the block, or (null) of the list. */
  saturationOf(block: number | null, norm: LengthNorm): number;
  /** @returns how many rows were written to `into`. */
  readRows(block: number, into: Uint32Array): number;
  /** Occurrences in each row of the block. */
  readFrequencies(block: number, into: Uint32Array): void;
  /** Replaces `into` by the ascending word positions in the block's row `at`. */
  readPositions(place: { block: number; at: number }, frequencies: Uint32Array, into: number[]): void;
}

/** Walks the rows that hold one term, ascending; it stands on the first one when made. */
export class PostingsCursor {
  readonly count: number;
  /** The current row, or END. */
  row = END;
  /** The decoded block, and the place in it: `rows[at]` is the current row. */
  block = -1;
  at = 0;
  size = 0;
  readonly rows: Uint32Array;
  readonly #reader: PostingsReader;
  readonly #blockCount: number;
  readonly #frequencies: Uint32Array;
  #frequenciesKnown = false;
  readonly #positions: number[] = [];

  /** @param block room for the decoded block: 2 × BLOCK_ROWS; it belongs to the cursor. */
  constructor(reader: PostingsReader, block: Uint32Array) {
    this.#reader = reader;
    this.rows = block.subarray(0, BLOCK_ROWS);
    this.#frequencies = block.subarray(BLOCK_ROWS, 2 * BLOCK_ROWS);
    this.count = reader.count;
    this.#blockCount = reader.blockCount;
    this.#load(0);
  }

  /** Occurrences in each row of the decoded block; valid until the cursor moves to another. */
  frequencies(): Uint32Array {
    if (!this.#frequenciesKnown) {
      this.#reader.readFrequencies(this.block, this.#frequencies);
      this.#frequenciesKnown = true;
    }
    return this.#frequencies;
  }

  /** Occurrences in the current row. */
  frequency(): number {
    return this.frequencies()[this.at] as number;
  }

  /** Ascending word positions in the current row; valid until asked again. */
  positions(): readonly number[] {
    this.#reader.readPositions(this, this.frequencies(), this.#positions);
    return this.#positions;
  }

  /** The last row of the decoded block. */
  get blockEnd(): number {
    return this.rows[this.size - 1] as number;
  }

  next(): void {
    if (++this.at < this.size) this.row = this.rows[this.at] as number;
    else this.#load(this.block + 1);
  }

  /** To the first row at or after `row`. */
  seek(row: number): void {
    if (this.row >= row) return;
    if (this.blockEnd < row) {
      this.#load(this.blockFor(row));
      if (this.row >= row) return;
    }
    const { rows } = this;
    const last = this.size - 8;
    let at = this.at;
    while (at < last && (rows[at + 7] as number) < row) at += 8;
    while ((rows[at] as number) < row) at++;
    this.at = at;
    this.row = rows[at] as number;
  }

  /** First block from the decoded one on whose last row is at or after `row`; gallops. */
  blockFor(row: number): number {
    const reader = this.#reader;
    let low = this.block;
    let step = 1;
    while (low + step < this.#blockCount && reader.lastRow(low + step) < row) {
      low += step;
      step *= 2;
    }
    let high = Math.min(low + step, this.#blockCount);
    while (low < high) {
      const middle = (low + high) >> 1;
      if (reader.lastRow(middle) < row) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** At least the saturation of every row of the block, or (null) of the list. */
  saturationOf(block: number | null, norm: LengthNorm): number {
    return this.#reader.saturationOf(block, norm);
  }

  get blockCount(): number {
    return this.#blockCount;
  }

  lastRowOf(block: number): number {
    return this.#reader.lastRow(block);
  }

  #load(block: number): void {
    this.at = 0;
    this.#frequenciesKnown = false;
    this.block = block;
    this.size = block < this.#blockCount ? this.#reader.readRows(block, this.rows) : 0;
    this.row = this.size > 0 ? (this.rows[0] as number) : END;
  }
}

/** Up to IMPACTS frequencies with the shortest field of the rows that have as many occurrences or more. */
export interface Impacts {
  readonly frequencies: readonly number[];
  readonly lengths: readonly number[];
}

/** Pairs kept of a block; with more, the pairs of the largest frequencies are joined. */
export const IMPACTS = 3;

/**
 * Bounds of the scores of a block, whatever k1 and b are: no row scores above the best of the pairs. Lucene
 * calls these competitive impacts.
 */
export function impactsOf(frequencies: readonly number[], lengths: readonly number[]): Impacts {
  if (frequencies.length === 1) return { frequencies, lengths };
  const shortest = new Map<number, number>();
  for (const [i, frequency] of frequencies.entries()) {
    const length = lengths[i] as number;
    if (length < (shortest.get(frequency) ?? END)) shortest.set(frequency, length);
  }
  const pairs: { frequency: number; length: number }[] = [];
  let least = END;
  for (const frequency of [...shortest.keys()].sort((a, b) => b - a)) {
    const length = shortest.get(frequency) as number;
    if (length >= least) continue;
    least = length;
    pairs.unshift({ frequency, length });
  }
  const most = pairs.at(-1)?.frequency ?? 0;
  const kept = pairs.slice(0, IMPACTS);
  if (pairs.length > IMPACTS) {
    const joined = pairs[IMPACTS - 1] as { length: number };
    kept[IMPACTS - 1] = { frequency: most, length: joined.length };
  }
  return {
    frequencies: kept.map(({ frequency }) => frequency),
    lengths: kept.map(({ length }) => length),
  };
}

/** Figures of the rows that have at least one term. */
export interface FieldStatistics {
  readonly documents: number;
  readonly length: number;
}

/** One part's inverted index. A key is a term, or marks a word as written (`words/written-key.ts`). */
export interface InvertedIndex {
  readonly rowCount: number;
  /** Terms in each row, stop words left out; 0: none, or NULL. It may be longer than there are rows. */
  readonly lengths: Uint32Array;
  /** Rows that hold what the key stands for. */
  countOf(key: string): number;
  /** Null when no row holds it. @param block room for it, as PostingsCursor says. */
  cursor(key: string, block?: Uint32Array): PostingsCursor | null;
  /** All terms as UTF-8, ascending bytewise. */
  readonly terms: TermList;
  /** True when the term at a place is itself a word as written, and the only one in its list. */
  isWord(place: number): boolean;
  /** All other words as they were written. */
  readonly words: WordList;
  /** Over all rows. */
  readonly statistics: FieldStatistics;
}

/** Terms by their place in bytewise order. */
export interface TermList {
  readonly count: number;
  at(place: number): Uint8Array;
  /** Bytewise order of the term at `place` and another one: negative, 0 or positive. */
  compare(place: number, other: Uint8Array): number;
  /** Rows of the list at `place`. */
  countAt(place: number): number;
}

/** Words as written, which may share the lists of terms. */
export interface WordList extends TermList {
  /** Place of the term whose list is the word's; -1: it has one of its own. */
  sharedTerm(place: number): number;
  cursor(place: number): PostingsCursor;
}

/** The first place from `from` to `to` whose term is at or after `wanted`. */
export function placeOf(terms: TermList, wanted: Uint8Array, from = 0, to = terms.count): number {
  return firstNot(from, to, (place) => terms.compare(place, wanted) < 0);
}
