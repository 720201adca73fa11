/**
 * Which terms MaxScore has to look at: by ascending bound, those before `first` cannot lift a row over the k-th
 * score together. One term may be one list, or a word of several fields.
 */
import type { TopRows } from '../top-rows.ts';
import { BOUND_SLACK } from './term-cursor.ts';

interface Bounded {
  readonly weight: number;
  /** The greatest saturation of any row. */
  readonly saturation: number;
}

export class EssentialTerms<Term extends Bounded> {
  readonly byBound: readonly Term[];
  /** Sums of the bounds up to and with each term of `byBound`: in the window, and over all rows. */
  readonly windowSums: Float64Array;
  readonly #sums: Float64Array;
  readonly #top: TopRows;
  /** True when every weight is positive; else bounds mean nothing and every row is scored. */
  readonly #prunable: boolean;
  /** Terms of `byBound` before this one are looked at only where a later one stands. */
  first = 0;

  constructor(terms: readonly Term[], top: TopRows) {
    this.#prunable = terms.every(({ weight }) => weight >= 0);
    const bound = ({ weight, saturation }: Term): number => weight * saturation;
    this.byBound = [...terms].sort((a, b) => bound(a) - bound(b));
    this.#sums = new Float64Array(terms.length);
    this.windowSums = new Float64Array(terms.length);
    let sum = 0;
    for (const [i, term] of this.byBound.entries()) this.#sums[i] = sum += bound(term) * BOUND_SLACK;
    this.#top = top;
  }

  get threshold(): number {
    return this.#prunable ? this.#top.threshold : -Infinity;
  }

  /**
   * @param saturation of a term in the window, at most.
   * @returns the first term that is essential there; the number of terms when nothing there can enter.
   */
  firstOfWindow(saturation: (term: Term) => number): number {
    let sum = 0;
    let first = this.byBound.length;
    for (let i = 0; i < this.byBound.length; i++) {
      const term = this.byBound[i] as Term;
      sum += term.weight * saturation(term) * BOUND_SLACK;
      this.windowSums[i] = sum;
      if (first === this.byBound.length && sum >= this.threshold) first = i;
    }
    return this.#prunable ? first : 0;
  }

  /** After a window: the threshold may have risen. @returns whether no row that is left can enter. */
  advance(): boolean {
    while (this.first < this.byBound.length && (this.#sums[this.first] as number) < this.threshold)
      this.first++;
    return this.first === this.byBound.length;
  }
}
