/**
 * A word of a query in the fields of one part: its lists side by side, and bounds of what it may give a row.
 */
import type { LengthNorm } from '../bm25.ts';
import { BLOCK_ROWS, END } from '../postings.ts';
import { saturationBetween, type TermCursor } from '../term-cursor.ts';
import type { FieldsPart } from './part.ts';
import type { FieldsQuery, FieldsWord, FieldWeight } from './query.ts';

/** A word's list in one field. */
export interface FieldCursor extends Omit<TermCursor, 'weight'> {
  /** The field's, by row. */
  readonly lengths: Uint32Array;
}

/** Walks the rows that have the word in any field, ascending. */
export class WordCursor {
  /** The current row, or END. */
  row = END;
  /** At least the rows there are. */
  readonly count: number;
  readonly weight: number;
  readonly required: boolean;
  /** Lists of each field's terms. */
  readonly lists: readonly FieldCursor[];
  /** At least the saturation of every row. */
  readonly saturation: number;

  constructor({ weight, required }: FieldsWord, lists: readonly FieldCursor[]) {
    this.weight = weight;
    this.required = required;
    this.lists = lists;
    let count = 0;
    let squares = 0;
    for (const { cursor, saturation } of lists) {
      count += cursor.count;
      squares += oddsOf(saturation) ** 2;
      if (cursor.row < this.row) this.row = cursor.row;
    }
    this.count = count;
    this.saturation = saturationOfSquares(squares);
  }

  /** To the first row at or after `row`. */
  seek(row: number): void {
    if (this.row >= row) return;
    let next = END;
    for (const { cursor } of this.lists) {
      cursor.seek(row);
      if (cursor.row < next) next = cursor.row;
    }
    this.row = next;
  }

  /** Saturation of the current row's occurrences, before the word's weight. */
  saturationHere(): number {
    let squares = 0;
    for (const list of this.lists) if (list.cursor.row === this.row) squares += squareOfOdds(list);
    return saturationOfSquares(squares);
  }

  /** The last row before which no list leaves its decoded block. */
  get blockEnd(): number {
    let end = END;
    for (const { cursor } of this.lists) {
      if (cursor.size > 0 && cursor.blockEnd < end) end = cursor.blockEnd;
    }
    return end;
  }

  /** At least the saturation of every row in `from..to`. */
  saturationBetween(from: number, to: number): number {
    if (this.row > to) return 0;
    let squares = 0;
    for (const list of this.lists) squares += oddsOf(saturationBetween(list, from, to)) ** 2;
    return saturationOfSquares(squares);
  }
}

const oddsOf = (saturation: number): number => saturation / (1 - saturation);

/** Square of the odds of the row that the list stands on. */
function squareOfOdds({ cursor, norm, lengths }: FieldCursor): number {
  return squareOf(cursor.frequency() / (norm.base + norm.slope * (lengths[cursor.row] as number)));
}

/** Never 0, however little a column weighs: 0 says that a row does not have the word. */
export const squareOf = (odds: number): number => odds * odds || Number.MIN_VALUE;

/** @param squares of the fields' odds, added up. */
export function saturationOfSquares(squares: number): number {
  const odds = Math.sqrt(squares);
  return odds === Infinity ? 1 : odds / (1 + odds);
}

/** In the order of the query's words, which is the order scores are summed in; without those that no row has. */
export function openWords({ structures }: FieldsPart, query: FieldsQuery): WordCursor[] {
  const words: WordCursor[] = [];
  for (const word of query.words) {
    const lists: FieldCursor[] = [];
    for (const [field, terms] of word.terms.entries()) {
      const { norm: whole } = query.fields[field] as FieldWeight;
      const index = structures[field]?.index;
      if (index === undefined) continue;
      for (const term of terms) {
        const norm = normOf(whole, word.shares?.get(term));
        const cursor = index.cursor(term, new Uint32Array(2 * BLOCK_ROWS));
        if (cursor === null) continue;
        lists.push({ cursor, norm, saturation: cursor.saturationOf(null, norm), lengths: index.lengths });
      }
    }
    if (lists.length > 0) words.push(new WordCursor(word, lists));
  }
  return words;
}

/** Norm of a term whose occurrences count so much; undefined: fully. */
export const normOf = (norm: LengthNorm, share: number | undefined): LengthNorm =>
  share === undefined ? norm : { base: norm.base / share, slope: norm.slope / share };

/** Score of all words in a row, summed in the query's order: every way of scoring gives the same bits. */
export function scoreWords(words: readonly WordCursor[], row: number): number {
  let score = 0;
  for (const word of words) {
    word.seek(row);
    if (word.row === row) score += word.weight * word.saturationHere();
  }
  return score;
}
