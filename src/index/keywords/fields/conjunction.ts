/**
 * The best rows that have every required word, each in any field: the words leap over each other, the rarest
 * first; its blocks that cannot hold a row better than the k-th are passed over.
 */
import { hasBit } from '../../../types/column/bitset.ts';
import type { TopRows } from '../../top-rows.ts';
import { BOUND_SLACK } from '../term-cursor.ts';
import { scoreWords, type WordCursor } from './cursor.ts';
import type { FieldsSearch } from './search.ts';

/** Cost of a block beside its rows and the lists that it looks at, in rows. */
const BLOCK_COST = 32;

export class FieldsConjunction {
  readonly #search: FieldsSearch;
  /** In the query's order. */
  readonly #words: readonly WordCursor[];
  /** The rarest required one, and the others by ascending count. */
  readonly #lead: WordCursor;
  readonly #others: readonly WordCursor[];
  readonly #top: TopRows;
  readonly #blockCost: number;
  readonly #prunable: boolean;

  /** @param words all that are required, at least one. */
  constructor(search: FieldsSearch, words: readonly WordCursor[], top: TopRows) {
    this.#search = search;
    this.#words = words;
    const required = words.filter((word) => word.required);
    const [lead, ...others] = required.sort((a, b) => a.count - b.count);
    this.#lead = lead as WordCursor;
    this.#others = others;
    this.#top = top;
    this.#blockCost = words.reduce((cost, { lists }) => cost + lists.length, BLOCK_COST);
    this.#prunable = words.every(({ weight }) => weight >= 0);
  }

  /** Looks at about `rows` rows. @returns true when done. */
  run(rows: number): boolean {
    const lead = this.#lead;
    const { limit } = this.#search;
    for (let left = rows; left > 0; left -= this.#blockCost) {
      if (lead.row >= limit) return true;
      const to = Math.min(lead.blockEnd, limit - 1);
      const bound = this.#boundBetween(lead.row, to);
      if (bound >= this.#threshold) left -= this.#scanBlock(to, bound);
      // Nothing matches before a row that another word has gone on to.
      let next = to + 1;
      for (const { row } of this.#others) if (row > next) next = row;
      lead.seek(next);
    }
    return false;
  }

  get #threshold(): number {
    return this.#prunable ? this.#top.threshold : -Infinity;
  }

  /** At least the score of every row that matches. */
  #boundBetween(from: number, to: number): number {
    let sum = 0;
    for (const word of this.#words) {
      const largest = word.saturationBetween(from, to);
      if (largest === 0 && word.required) return -Infinity;
      sum += word.weight * largest;
    }
    return sum * BOUND_SLACK;
  }

  /** @param bound of the block's scores. @returns rows looked at. */
  #scanBlock(to: number, bound: number): number {
    const lead = this.#lead;
    const { mask } = this.#search;
    /** The most that the other words give. */
    const rest = bound - lead.weight * lead.saturationBetween(lead.row, to);
    let looked = 0;
    while (lead.row <= to) {
      looked++;
      const { row } = lead;
      const passed = (mask !== null && !hasBit(mask, row)) || !this.#mayEnter(rest);
      const met = passed ? row + 1 : this.#meet(row);
      if (met === row) this.#top.push(row, scoreWords(this.#words, row));
      lead.seek(Math.max(met, row + 1));
    }
    return looked;
  }

  /** True when the row that the lead stands on may still beat the threshold. */
  #mayEnter(rest: number): boolean {
    const own = this.#lead.weight * this.#lead.saturationHere();
    return (own + rest) * BOUND_SLACK >= this.#threshold;
  }

  /** `row` when all other words stand there, else a later row before which they cannot meet. */
  #meet(row: number): number {
    for (const other of this.#others) {
      other.seek(row);
      if (other.row > row) return other.row;
    }
    return row;
  }
}
