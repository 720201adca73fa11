/**
 * The best rows that have any word in any field: MaxScore with block maxima, as `../disjunction.ts` has it for one
 * field. What a word's fields give is added up in a window of rows before it saturates.
 */
import { hasBit } from '../../../types/column/bitset.ts';
import type { TopRows } from '../../top-rows.ts';
import { EssentialTerms } from '../essential-terms.ts';
import { BOUND_SLACK } from '../term-cursor.ts';
import { WINDOW_ROWS, type WindowScores } from '../window-scores.ts';
import { type FieldCursor, saturationOfSquares, scoreWords, squareOf, type WordCursor } from './cursor.ts';
import type { FieldsSearch } from './search.ts';

/** Cost of a window beside its rows and the lists that it looks at, in rows. */
const WINDOW_COST = 32;

export class FieldsDisjunction {
  readonly #search: FieldsSearch;
  readonly #window: WindowScores;
  /** In the query's order. */
  readonly #words: readonly WordCursor[];
  readonly #essential: EssentialTerms<WordCursor>;
  readonly #top: TopRows;
  readonly #windowCost: number;

  constructor(search: FieldsSearch, words: readonly WordCursor[], top: TopRows) {
    this.#search = search;
    this.#window = search.window.openFields();
    this.#words = words;
    this.#essential = new EssentialTerms(words, top);
    this.#top = top;
    this.#windowCost = words.reduce((cost, { lists }) => cost + lists.length, WINDOW_COST);
  }

  /** Looks at about `rows` rows. @returns true when done. */
  run(rows: number): boolean {
    const { limit } = this.#search;
    for (let left = rows; left > 0; left -= this.#windowCost) {
      const from = this.#firstRow();
      if (from >= limit) return true;
      const to = this.#windowEnd(from);
      const first = this.#essential.firstOfWindow((word) => word.saturationBetween(from, to));
      if (first < this.#essential.byBound.length) left -= this.#scan(first, from, to);
      for (let i = this.#essential.first; i < this.#essential.byBound.length; i++) {
        (this.#essential.byBound[i] as WordCursor).seek(to + 1);
      }
      if (this.#essential.advance()) return true;
    }
    return false;
  }

  /** The first row that an essential word stands on. */
  #firstRow(): number {
    let first = this.#search.limit;
    for (let i = this.#essential.first; i < this.#essential.byBound.length; i++) {
      const { row } = this.#essential.byBound[i] as WordCursor;
      if (row < first) first = row;
    }
    return first;
  }

  /** No list of an essential word leaves its decoded block in the window. */
  #windowEnd(from: number): number {
    let to = Math.min(this.#search.limit - 1, from + WINDOW_ROWS - 1);
    for (let i = this.#essential.first; i < this.#essential.byBound.length; i++) {
      const end = (this.#essential.byBound[i] as WordCursor).blockEnd;
      if (end < to) to = end;
    }
    return to;
  }

  /** Scores of essential words are added up over the window. @returns postings read. */
  #scan(first: number, from: number, to: number): number {
    let read = 0;
    for (let i = first; i < this.#essential.byBound.length; i++) {
      read += this.#addUp(this.#essential.byBound[i] as WordCursor, from, to);
    }
    const { scores, touched } = this.#window;
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
        this.#top.push(row, scoreWords(this.#words, row));
        threshold = this.#essential.threshold;
      }
    }
    return read;
  }

  #addUp({ lists, weight }: WordCursor, from: number, to: number): number {
    let read = 0;
    for (const list of lists) read += this.#addSquares(list, from, to);
    if (read > 0) for (const list of lists) this.#saturate(list, weight, from, to);
    return read;
  }

  #addSquares({ cursor, norm: { base, slope }, lengths }: FieldCursor, from: number, to: number): number {
    if (cursor.row > to) return 0;
    const { rows, size, at: began } = cursor;
    const own = cursor.frequencies();
    const { squares } = this.#window;
    let at = began;
    for (; at < size; at++) {
      const row = rows[at] as number;
      if (row > to) break;
      const odds = (own[at] as number) / (base + slope * (lengths[row] as number));
      squares[row - from] = (squares[row - from] as number) + squareOf(odds);
    }
    return at - began;
  }

  /** Rows without squares have been dealt with. */
  #saturate({ cursor }: FieldCursor, weight: number, from: number, to: number): void {
    if (cursor.row > to) return;
    const { rows, size } = cursor;
    const { scores, touched, squares } = this.#window;
    for (let at = cursor.at; at < size; at++) {
      const row = rows[at] as number;
      if (row > to) break;
      const slot = row - from;
      const square = squares[slot] as number;
      if (square === 0) continue;
      squares[slot] = 0;
      scores[slot] = (scores[slot] as number) + weight * saturationOfSquares(square);
      touched[slot >>> 5] = (touched[slot >>> 5] as number) | (1 << (slot & 31));
    }
  }

  /** Adds weaker words, from `strongest` down, as long as the row may still beat the threshold. */
  #mayEnter(row: number, score: number, strongest: number): boolean {
    if (strongest < 0) return true;
    const threshold = this.#essential.threshold;
    let known = score;
    for (let i = strongest; i >= 0; i--) {
      if (known * BOUND_SLACK + (this.#essential.windowSums[i] as number) < threshold) return false;
      const word = this.#essential.byBound[i] as WordCursor;
      word.seek(row);
      if (word.row === row) known += word.weight * word.saturationHere();
    }
    return known * BOUND_SLACK >= threshold;
  }
}
