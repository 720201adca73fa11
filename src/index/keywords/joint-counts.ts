/**
 * Joint counts that a view remembers of several fields: a tree by the other fields' indexes, which it does
 * not keep alive.
 */
import { QuickCache } from '../../bounded-cache.ts';
import type { InvertedIndex } from './postings.ts';

/** Words whose visible rows are remembered. */
const COUNTS_MAX = 4096;

export class JointCounts {
  /** Visible rows that have a term in any of the fields; null: not counted yet. */
  documents: number | null = null;
  /** Visible rows with a word in any of the fields, by the word's terms. */
  readonly rows = new QuickCache<string, number>(COUNTS_MAX);
  readonly #next = new WeakMap<InvertedIndex, JointCounts>();

  /** Counts of these fields and one more. */
  and(index: InvertedIndex): JointCounts {
    let next = this.#next.get(index);
    if (next === undefined) {
      next = new JointCounts();
      this.#next.set(index, next);
    }
    return next;
  }
}
