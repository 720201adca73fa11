/**
 * The best rows that hold any term: MaxScore with block maxima, a window of rows at a time. Terms too weak to
 * lift a row over the k-th score together, by their bounds in the window, are looked at only where a stronger
 * one stands; the scores of several stronger ones are added up in an array over the window's rows.
 *
 * Sources: Turtle and Flood, "Query Evaluation: Strategies and Optimizations" (1995); Ding and Suel, "Faster
 * Top-k Document Retrieval Using Block-Max Indexes" (2011); Lucene's MaxScoreBulkScorer.
 */
import { hasBit } from '../../types/column/bitset.ts';
import type { LengthNorm } from './bm25.ts';
import type { KeywordSearch } from './query.ts';
import { BOUND_SLACK, firstRow, saturationBetween, scoreRow, type TermCursor } from './term-cursor.ts';
import type { TopRows } from '../top-rows.ts';
import { WINDOW_ROWS } from './window-scores.ts';

/** What a window costs beside its rows, in rows. */
const WINDOW_COST = 32;

export class Disjunction {
  readonly #search: KeywordSearch;
  readonly #norm: LengthNorm;
  readonly #lengths: Uint32Array;
  /** In the query's order, and by ascending bound. */
  readonly #terms: readonly TermCursor[];
  readonly #byBound: readonly TermCursor[];
  /** Sums of the bounds up to and with each term of `#byBound`: over all rows, and in the window. */
  readonly #sums: Float64Array;
  readonly #windowSums: Float64Array;
  readonly #top: TopRows;
  /** Whether every weight is positive; else bounds mean nothing and every row is scored. */
  readonly #prunable: boolean;
  /** Terms of `#byBound` before this one cannot lift a row over the threshold together. */
  #firstEssential = 0;

  constructor(search: KeywordSearch, terms: readonly TermCursor[], top: TopRows) {
    this.#search = search;
    this.#norm = search.query.norm;
    this.#lengths = search.index.lengths;
    this.#terms = terms;
    this.#prunable = terms.every(({ weight }) => weight >= 0);
    const bound = ({ weight, saturation }: TermCursor): number => weight * saturation;
    this.#byBound = [...terms].sort((a, b) => bound(a) - bound(b));
    this.#sums = new Float64Array(terms.length);
    this.#windowSums = new Float64Array(terms.length);
    let sum = 0;
    for (const [i, term] of this.#byBound.entries()) this.#sums[i] = sum += bound(term) * BOUND_SLACK;
    this.#top = top;
  }

  /** Looks at about `rows` rows. @returns true when done. */
  run(rows: number): boolean {
    const { limit } = this.#search;
    for (let left = rows; left > 0; left -= WINDOW_COST) {
      const from = firstRow(this.#byBound, this.#firstEssential);
      if (from >= limit) return true;
      const to = this.#windowEnd(from);
      const first = this.#firstOfWindow(from, to);
      if (first === this.#byBound.length - 1) left -= this.#scanOne(first, to);
      else if (first < this.#byBound.length) left -= this.#scanMany(first, from, to);
      for (let i = this.#firstEssential; i < this.#byBound.length; i++) {
        (this.#byBound[i] as TermCursor).cursor.seek(to + 1);
      }
      while (
        this.#firstEssential < this.#byBound.length &&
        (this.#sums[this.#firstEssential] as number) < this.#threshold
      ) {
        this.#firstEssential++;
      }
      if (this.#firstEssential === this.#byBound.length) return true;
    }
    return false;
  }

  get #threshold(): number {
    return this.#prunable ? this.#top.threshold : -Infinity;
  }

  /** No essential cursor leaves its decoded block in the window. */
  #windowEnd(from: number): number {
    const most = this.#byBound.length > 1 ? from + WINDOW_ROWS - 1 : Number.MAX_SAFE_INTEGER;
    let to = Math.min(this.#search.limit - 1, most);
    for (let i = this.#firstEssential; i < this.#byBound.length; i++) {
      const { cursor } = this.#byBound[i] as TermCursor;
      if (cursor.size > 0 && cursor.blockEnd < to) to = cursor.blockEnd;
    }
    return to;
  }

  /** The first term that is essential in the window; the number of terms when nothing there can enter. */
  #firstOfWindow(from: number, to: number): number {
    let sum = 0;
    let first = this.#byBound.length;
    for (let i = 0; i < this.#byBound.length; i++) {
      const term = this.#byBound[i] as TermCursor;
      sum += term.weight * saturationBetween(term, from, to) * BOUND_SLACK;
      this.#windowSums[i] = sum;
      if (first === this.#byBound.length && sum >= this.#threshold) first = i;
    }
    return this.#prunable ? first : 0;
  }

  /** One essential term: its rows are the candidates. @returns how many it had. */
  #scanOne(essential: number, to: number): number {
    const { cursor, weight } = this.#byBound[essential] as TermCursor;
    if (cursor.row > to) return 0;
    const { mask } = this.#search;
    const { rows, size, at: began } = cursor;
    const frequencies = cursor.frequencies();
    const { base, slope } = this.#norm;
    const lengths = this.#lengths;
    const rest = essential > 0 ? (this.#windowSums[essential - 1] as number) : 0;
    let threshold = this.#threshold;
    let at = began;
    for (; at < size; at++) {
      const row = rows[at] as number;
      if (row > to) break;
      if (mask !== null && !hasBit(mask, row)) continue;
      const frequency = frequencies[at] as number;
      const known = (weight * frequency) / (frequency + base + slope * (lengths[row] as number));
      if (known * BOUND_SLACK + rest < threshold) continue;
      if (!this.#mayEnter(row, known, essential - 1)) continue;
      this.#enter(row);
      threshold = this.#threshold;
    }
    return at - began;
  }

  /** Several essential terms: their scores are added up over the window. @returns postings read. */
  #scanMany(first: number, from: number, to: number): number {
    let read = 0;
    const { scores, touched } = this.#search.window.open();
    for (let i = first; i < this.#byBound.length; i++) {
      read += this.#addUp(this.#byBound[i] as TermCursor, from, to);
    }
    const { mask } = this.#search;
    const rest = first > 0 ? (this.#windowSums[first - 1] as number) : 0;
    const words = ((to - from) >>> 5) + 1;
    let threshold = this.#threshold;
    for (let word = 0; word < words; word++) {
      let bits = touched[word] as number;
      if (bits === 0) continue;
      touched[word] = 0;
      for (; bits !== 0; bits &= bits - 1) {
        const slot = word * 32 + 31 - Math.clz32(bits & -bits);
        const known = scores[slot] as number;
        scores[slot] = 0;
        if (known * BOUND_SLACK + rest < threshold) continue;
        const row = from + slot;
        if (mask !== null && !hasBit(mask, row)) continue;
        if (!this.#mayEnter(row, known, first - 1)) continue;
        this.#enter(row);
        threshold = this.#threshold;
      }
    }
    return read;
  }

  #addUp({ cursor, weight }: TermCursor, from: number, to: number): number {
    if (cursor.row > to) return 0;
    const { rows, size, at: began } = cursor;
    const frequencies = cursor.frequencies();
    const { base, slope } = this.#norm;
    const lengths = this.#lengths;
    const { scores, touched } = this.#search.window;
    let at = began;
    for (; at < size; at++) {
      const row = rows[at] as number;
      if (row > to) break;
      const frequency = frequencies[at] as number;
      const slot = row - from;
      scores[slot] =
        (scores[slot] as number) +
        (weight * frequency) / (frequency + base + slope * (lengths[row] as number));
      touched[slot >>> 5] = (touched[slot >>> 5] as number) | (1 << (slot & 31));
    }
    return at - began;
  }

  /** Adds weaker terms, from `strongest` down, as long as the row may still beat the threshold. */
  #mayEnter(row: number, score: number, strongest: number): boolean {
    if (strongest < 0) return true;
    const { base, slope } = this.#norm;
    const length = this.#lengths[row] as number;
    const threshold = this.#threshold;
    let known = score;
    for (let i = strongest; i >= 0; i--) {
      if (known * BOUND_SLACK + (this.#windowSums[i] as number) < threshold) return false;
      const { cursor, weight } = this.#byBound[i] as TermCursor;
      cursor.seek(row);
      if (cursor.row !== row) continue;
      const frequency = cursor.frequency();
      known += (weight * frequency) / (frequency + base + slope * length);
    }
    return known * BOUND_SLACK >= threshold;
  }

  #enter(row: number): void {
    this.#top.push(row, scoreRow(this.#terms, this.#norm, row, this.#lengths[row] as number));
  }
}
