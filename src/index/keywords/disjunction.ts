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
import { EssentialTerms } from './essential-terms.ts';
import type { KeywordSearch } from './query.ts';
import { BOUND_SLACK, firstRow, saturationBetween, scoreRow, type TermCursor } from './term-cursor.ts';
import type { TopRows } from '../top-rows.ts';
import { WINDOW_ROWS } from './window-scores.ts';

/** Cost of a window beside its rows, in rows. */
const WINDOW_COST = 32;

export class Disjunction {
  readonly #search: KeywordSearch;
  readonly #norm: LengthNorm;
  readonly #lengths: Uint32Array;
  /** In the query's order. */
  readonly #terms: readonly TermCursor[];
  readonly #essential: EssentialTerms<TermCursor>;
  readonly #top: TopRows;

  constructor(search: KeywordSearch, terms: readonly TermCursor[], top: TopRows) {
    this.#search = search;
    this.#norm = search.query.norm;
    this.#lengths = search.index.lengths;
    this.#terms = terms;
    this.#essential = new EssentialTerms(terms, top);
    this.#top = top;
  }

  /** Looks at about `rows` rows. @returns true when done. */
  run(rows: number): boolean {
    const { limit } = this.#search;
    for (let left = rows; left > 0; left -= WINDOW_COST) {
      const from = firstRow(this.#essential.byBound, this.#essential.first);
      if (from >= limit) return true;
      const to = this.#windowEnd(from);
      const first = this.#essential.firstOfWindow((term) => saturationBetween(term, from, to));
      if (first === this.#essential.byBound.length - 1) left -= this.#scanOne(first, to);
      else if (first < this.#essential.byBound.length) left -= this.#scanMany(first, from, to);
      for (let i = this.#essential.first; i < this.#essential.byBound.length; i++) {
        (this.#essential.byBound[i] as TermCursor).cursor.seek(to + 1);
      }
      if (this.#essential.advance()) return true;
    }
    return false;
  }

  /** No essential cursor leaves its decoded block in the window. */
  #windowEnd(from: number): number {
    const most = this.#essential.byBound.length > 1 ? from + WINDOW_ROWS - 1 : Number.MAX_SAFE_INTEGER;
    let to = Math.min(this.#search.limit - 1, most);
    for (let i = this.#essential.first; i < this.#essential.byBound.length; i++) {
      const { cursor } = this.#essential.byBound[i] as TermCursor;
      if (cursor.size > 0 && cursor.blockEnd < to) to = cursor.blockEnd;
    }
    return to;
  }

  /** One essential term: its rows are the candidates. @returns how many it had. */
  #scanOne(essential: number, to: number): number {
    const { cursor, weight } = this.#essential.byBound[essential] as TermCursor;
    if (cursor.row > to) return 0;
    const { mask } = this.#search;
    const { rows, size, at: began } = cursor;
    const frequencies = cursor.frequencies();
    const { base, slope } = this.#norm;
    const lengths = this.#lengths;
    const rest = essential > 0 ? (this.#essential.windowSums[essential - 1] as number) : 0;
    let threshold = this.#essential.threshold;
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
      threshold = this.#essential.threshold;
    }
    return at - began;
  }

  /** Several essential terms: their scores are added up over the window. @returns postings read. */
  #scanMany(first: number, from: number, to: number): number {
    let read = 0;
    const { scores, touched } = this.#search.window.open();
    for (let i = first; i < this.#essential.byBound.length; i++) {
      read += this.#addUp(this.#essential.byBound[i] as TermCursor, from, to);
    }
    const { mask } = this.#search;
    const rest = first > 0 ? (this.#essential.windowSums[first - 1] as number) : 0;
    const words = ((to - from) >>> 5) + 1;
    let threshold = this.#essential.threshold;
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
        threshold = this.#essential.threshold;
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
    const threshold = this.#essential.threshold;
    let known = score;
    for (let i = strongest; i >= 0; i--) {
      if (known * BOUND_SLACK + (this.#essential.windowSums[i] as number) < threshold) return false;
      const { cursor, weight } = this.#essential.byBound[i] as TermCursor;
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
