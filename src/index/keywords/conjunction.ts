/**
 * The best rows that hold all terms, or a phrase of them: the lists leap over each other, the rarest first;
 * its blocks that cannot hold a row better than the k-th are passed over.
 */
import { hasBit } from '../../types/column/bitset.ts';
import { type LengthNorm, saturation } from './bm25.ts';
import type { KeywordSearch, Phrase } from './query.ts';
import { phraseFrequency } from './phrase.ts';
import { BOUND_SLACK, saturationBetween, scoreRow, type TermCursor } from './term-cursor.ts';
import type { TopRows } from '../top-rows.ts';

/** Cost of a block beside its rows, in rows. */
const BLOCK_COST = 32;

export class Conjunction {
  readonly #search: KeywordSearch;
  readonly #norm: LengthNorm;
  readonly #phrase: Phrase | null;
  readonly #lengths: Uint32Array;
  /** In the query's order. */
  readonly #terms: readonly TermCursor[];
  /** The rarest, and the others by ascending count. */
  readonly #lead: TermCursor;
  readonly #others: readonly TermCursor[];
  readonly #top: TopRows;
  readonly #prunable: boolean;

  /** @param terms all terms of the query, at least one. */
  constructor(search: KeywordSearch, terms: readonly TermCursor[], top: TopRows) {
    this.#search = search;
    this.#norm = search.query.norm;
    this.#phrase = search.query.phrase;
    this.#lengths = search.index.lengths;
    this.#terms = terms;
    const [lead, ...others] = [...terms].sort((a, b) => a.cursor.count - b.cursor.count);
    this.#lead = lead as TermCursor;
    this.#others = others;
    this.#top = top;
    this.#prunable = terms.every(({ weight }) => weight >= 0) && (this.#phrase?.weight ?? 0) >= 0;
  }

  /** Looks at about `rows` rows. @returns true when done. */
  run(rows: number): boolean {
    const { cursor } = this.#lead;
    const { limit } = this.#search;
    for (let left = rows; left > 0; left -= BLOCK_COST) {
      if (cursor.row >= limit) return true;
      const to = Math.min(cursor.blockEnd, limit - 1);
      const bound = this.#boundBetween(cursor.row, to);
      if (bound >= this.#threshold) left -= this.#scanBlock(to, bound);
      // Nothing matches before a row that another cursor has gone on to.
      let next = to + 1;
      for (const other of this.#others) if (other.cursor.row > next) next = other.cursor.row;
      cursor.seek(next);
    }
    return false;
  }

  get #threshold(): number {
    return this.#prunable ? this.#top.threshold : -Infinity;
  }

  /** At least the score of every row that matches. */
  #boundBetween(from: number, to: number): number {
    let sum = 0;
    let least = 1;
    for (const term of this.#terms) {
      const largest = saturationBetween(term, from, to);
      sum += term.weight * largest;
      if (largest < least) least = largest;
    }
    if (least === 0) return -Infinity;
    return (this.#phrase === null ? sum : this.#phrase.weight * least) * BOUND_SLACK;
  }

  /** @param bound of the block's scores. @returns rows looked at. */
  #scanBlock(to: number, bound: number): number {
    const { cursor, weight } = this.#lead;
    const { mask } = this.#search;
    const { base, slope } = this.#norm;
    const { rows, size, at: began, block } = cursor;
    const frequencies = cursor.frequencies();
    const plain = this.#phrase === null;
    /** The most that the other terms give. */
    const rest = bound - weight * cursor.saturationOf(block, this.#norm);
    let least = 0;
    let at = began;
    for (; at < size; at++) {
      const row = rows[at] as number;
      if (row > to) break;
      if (row < least || (mask !== null && !hasBit(mask, row))) continue;
      const frequency = frequencies[at] as number;
      const own = frequency / (frequency + base + slope * (this.#lengths[row] as number));
      const most = plain ? weight * own + rest : (this.#phrase?.weight ?? 0) * own;
      if (most * BOUND_SLACK < this.#threshold) continue;
      least = this.#meet(row);
      if (least === row) this.#enter(row);
    }
    return at - began;
  }

  /** `row` when all other cursors stand there, else a later row before which they cannot meet. */
  #meet(row: number): number {
    for (const { cursor } of this.#others) {
      cursor.seek(row);
      if (cursor.row > row) return cursor.row;
    }
    return row;
  }

  #enter(row: number): void {
    const { cursor } = this.#lead;
    cursor.seek(row);
    const length = this.#lengths[row] as number;
    if (this.#phrase === null) {
      this.#top.push(row, scoreRow(this.#terms, this.#norm, row, length));
      return;
    }
    const score = scorePhrase(this.#terms, this.#phrase, this.#norm, length);
    if (!Number.isNaN(score)) this.#top.push(row, score);
  }
}

/** The score of the row that all cursors stand on; NaN where the terms do not stand together. */
export function scorePhrase(
  terms: readonly TermCursor[],
  phrase: Phrase,
  norm: LengthNorm,
  length: number,
): number {
  const frequency = frequencyOfPhrase(terms, phrase);
  return frequency === 0 ? Number.NaN : phrase.weight * saturation(norm, frequency, length);
}

/** In the row that all cursors stand on; 0: the terms do not stand together. */
export function frequencyOfPhrase(terms: readonly TermCursor[], phrase: Phrase): number {
  const found = terms.map(({ cursor }) => cursor.positions());
  const positions = phrase.places.map((term) => found[term] ?? []);
  return phraseFrequency(positions, phrase.offsets, phrase.slop);
}
