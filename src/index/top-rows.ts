/**
 * The best k rows by score: a binary heap over typed arrays, the worst at the root. Among equal scores the
 * smaller row wins, so results repeat.
 */
import type { Hits } from './structure.ts';

export class TopRows {
  readonly #capacity: number;
  readonly #rows: Uint32Array;
  readonly #scores: Float64Array;
  #count = 0;
  /** Rows that score as the worst one does, beyond k. */
  readonly #tiesMax: number;
  #ties: number[] = [];

  /**
   * @param capacity k; memory is taken for that many rows.
   * @param tiesMax rows beyond k that are kept because they score as the k-th does; rows must ascend then.
   */
  constructor(capacity: number, tiesMax = 0) {
    this.#capacity = capacity;
    this.#tiesMax = tiesMax;
    this.#rows = new Uint32Array(capacity);
    this.#scores = new Float64Array(capacity);
  }

  get full(): boolean {
    return this.#count === this.#capacity;
  }

  /** A row must score above this to get in once the heap is full (or equal, with a smaller row). */
  get threshold(): number {
    return this.full ? (this.#scores[0] as number) : -Infinity;
  }

  push(row: number, score: number): void {
    if (!this.full) this.#siftUp(this.#count++, row, score);
    else if (this.#capacity > 0) this.#replace(row, score);
  }

  #replace(row: number, score: number): void {
    const worst = this.#scores[0] as number;
    if (score < worst) return;
    if (this.#tiesMax === 0) {
      if (this.#worse(0, row, score)) this.#siftDown(row, score);
    } else if (score === worst) {
      if (this.#ties.length < this.#tiesMax) this.#ties.push(row);
    } else {
      this.#ties.unshift(this.#rows[0] as number);
      this.#siftDown(row, score);
      if (this.#scores[0] !== worst) this.#ties = [];
    }
  }

  /** Best first, ties by row. `map` turns scores into what the caller shows. */
  hits(strategy: string, map: (score: number) => number = (score) => score): Hits {
    const order = Array.from({ length: this.#count }, (_, i) => i).sort(
      (a, b) =>
        (this.#scores[b] as number) - (this.#scores[a] as number) ||
        (this.#rows[a] as number) - (this.#rows[b] as number),
    );
    const rows = new Uint32Array(order.length + this.#ties.length);
    const scores = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i++) {
      const from = order[i];
      rows[i] = from === undefined ? (this.#ties[i - order.length] as number) : (this.#rows[from] as number);
      scores[i] = map(from === undefined ? this.threshold : (this.#scores[from] as number));
    }
    if (this.#ties.length > 0) rows.subarray(scores.indexOf(map(this.threshold))).sort();
    return { rows, scores, strategy };
  }

  /** True when the entry at `at` is worse than the given one. */
  #worse(at: number, row: number, score: number): boolean {
    const own = this.#scores[at] as number;
    return own < score || (own === score && (this.#rows[at] as number) > row);
  }

  #siftUp(from: number, row: number, score: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#worse(parent, row, score)) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, row, score);
  }

  #siftDown(row: number, score: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#count) break;
      const right = child + 1;
      if (
        right < this.#count &&
        this.#worse(right, this.#rows[child] as number, this.#scores[child] as number)
      ) {
        child = right;
      }
      if (!this.#worse(child, row, score)) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, row, score);
  }

  #move(from: number, to: number): void {
    this.#rows[to] = this.#rows[from] as number;
    this.#scores[to] = this.#scores[from] as number;
  }

  #put(at: number, row: number, score: number): void {
    this.#rows[at] = row;
    this.#scores[at] = score;
  }
}

/** No rows. */
export function noHits(strategy: string): Hits {
  return { rows: new Uint32Array(0), scores: new Float64Array(0), strategy };
}

/** The best `count`, and those that tie with the last of them. */
export function cutAtTies<Found extends Hits>(hits: Found, count: number): Found {
  const { rows, scores } = hits;
  let end = Math.min(count, rows.length);
  while (end > 0 && end < rows.length && scores[end] === scores[end - 1]) end++;
  if (end === rows.length) return hits;
  return { ...hits, rows: rows.subarray(0, end), scores: scores.subarray(0, end) };
}
