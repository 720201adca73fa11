/**
 * A word of a query in the fields of one part: its lists side by side, and bounds of what it may give a row.
 */
import type { LengthNorm } from '../bm25.ts';
import { BLOCK_ROWS, END } from '../postings.ts';
import { saturationBetween, type TermCursor } from '../term-cursor.ts';
import type { FieldsPart } from './part.ts';
import type { FieldsQuery, FieldsWord } from './query.ts';

/** Walks the rows that have the word in any field, ascending. */
export class WordCursor {
  /** The current row, or END. */
  row = END;
  /** At least the rows there are. */
  readonly count: number;
  readonly weight: number;
  readonly required: boolean;
  /** Of each field's terms; their weights are the fields'. */
  readonly lists: readonly TermCursor[];
  /** At least the saturation of every row. */
  readonly saturation: number;

  constructor({ weight, required }: FieldsWord, lists: readonly TermCursor[]) {
    this.weight = weight;
    this.required = required;
    this.lists = lists;
    let count = 0;
    let odds = 0;
    for (const { cursor, saturation } of lists) {
      count += cursor.count;
      odds += oddsOf(saturation);
      if (cursor.row < this.row) this.row = cursor.row;
    }
    this.count = count;
    this.saturation = fromOdds(odds);
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

  /** Weighted occurrences in the current row. */
  frequency(): number {
    let sum = 0;
    for (const { cursor, weight } of this.lists) {
      if (cursor.row === this.row) sum += weight * cursor.frequency();
    }
    return sum;
  }

  /** The last row before which no list leaves its decoded block. */
  get blockEnd(): number {
    let end = END;
    for (const { cursor } of this.lists) {
      if (cursor.size > 0 && cursor.blockEnd < end) end = cursor.blockEnd;
    }
    return end;
  }

  /**
   * At least the saturation of every row in `from..to`. With f / (f + norm) each field's largest share s, a row's
   * frequencies are at most s / (1 − s) times its norm, and so is their sum.
   */
  saturationBetween(from: number, to: number): number {
    if (this.row > to) return 0;
    let odds = 0;
    for (const list of this.lists) odds += oddsOf(saturationBetween(list, from, to));
    return fromOdds(odds);
  }
}

const oddsOf = (share: number): number => share / (1 - share);
const fromOdds = (odds: number): number => (odds === Infinity ? 1 : odds / (1 + odds));

/** In the order of the query's words, which is the order scores are summed in; without those that no row has. */
export function openWords({ structures }: FieldsPart, query: FieldsQuery): WordCursor[] {
  const norms = query.fieldWeights.map((weight) => fieldNorm(query.norm, weight));
  const words: WordCursor[] = [];
  for (const word of query.words) {
    const lists: TermCursor[] = [];
    for (const [field, terms] of word.terms.entries()) {
      const norm = norms[field] as LengthNorm;
      for (const term of terms) {
        const cursor = structures[field]?.index.cursor(term, new Uint32Array(2 * BLOCK_ROWS)) ?? null;
        if (cursor === null) continue;
        const weight = query.fieldWeights[field] as number;
        lists.push({ cursor, weight, norm, saturation: cursor.saturationOf(null, norm) });
      }
    }
    if (lists.length > 0) words.push(new WordCursor(word, lists));
  }
  return words;
}

/** So that f / (f + norm) is what the field's frequency gives when no other field adds to the length. */
function fieldNorm({ base, slope }: LengthNorm, weight: number): LengthNorm {
  return { base: base / weight, slope };
}

/** Weighted lengths of rows. */
export class FieldLengths {
  readonly #lengths: readonly Uint32Array[];
  readonly #weights: readonly number[];

  constructor({ structures }: FieldsPart, { fieldWeights }: FieldsQuery) {
    const held = [...structures.keys()].filter((field) => structures[field] !== null);
    this.#lengths = held.map((field) => structures[field]?.index.lengths as Uint32Array);
    this.#weights = held.map((field) => fieldWeights[field] as number);
  }

  of(row: number): number {
    const lengths = this.#lengths;
    let sum = 0;
    for (let i = 0; i < lengths.length; i++) {
      sum += ((lengths[i] as Uint32Array)[row] as number) * (this.#weights[i] as number);
    }
    return sum;
  }
}

/** What all words give a row, summed in the query's order: every way of scoring gives the same bits. */
export function scoreWords(
  words: readonly WordCursor[],
  { base, slope }: LengthNorm,
  row: number,
  length: number,
): number {
  let score = 0;
  for (const word of words) {
    word.seek(row);
    if (word.row !== row) continue;
    const frequency = word.frequency();
    score += (word.weight * frequency) / (frequency + base + slope * length);
  }
  return score;
}
